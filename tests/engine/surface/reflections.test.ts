import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { endpointIdOf, said, stored } from "../support/look";
import { disguises, type Mirror, openMirror } from "../support/mirror";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

const KEY = 'napi_R3flect/ed"k3y.0001';
const bench = useBench({ apiKey: KEY });
const mirrors: Mirror[] = [];
afterAll(() => {
  for (const mirror of mirrors) mirror.close();
});

/** The key in every disguise, each between words by which a place can be told. */
const marks = (place: string) =>
  `${place} ${Object.keys(disguises)
    .map((name) => `{{${name}}}`)
    .join(" ")}`;

/** Whether the key is in a text, also in pieces that a cleaner of the text would put together. */
function showsKey(text: string): boolean {
  const forms = [KEY, JSON.stringify(KEY).slice(1, -1), JSON.stringify(JSON.stringify(KEY)).slice(3, -3)];
  const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const texts = [text, unescaped, stripVTControlCharacters(unescaped).replace(/[\p{Cc}\p{Cf}]/gu, "")];
  return texts.some((one) => forms.some((form) => one.includes(form)) || one.includes("R3flect"));
}

describe.each(hosts)("a server that sends the key back in disguise, by the $name host", (host) => {
  it("gets nothing of it into the state, the outputs or what is shown", async () => {
    const { projectId, emulator } = bench;
    const { admin } = emulator;
    const branchId = bench.branch();
    const mirror = await openMirror(emulator.url);
    mirrors.push(mirror);
    const project = await bench.project({ "pgcompute:baseUrl": mirror.url });
    const main = (sizeCu: number) =>
      host.stack(project, { main: { args: { projectId, branchId, sizeCu, pgSettings: { work_mem: "8MB" } } } });
    await main(1).up();
    const runs: Run[] = [];
    const states: string[] = [];
    const note = (run: Run, ...places: string[]) => {
      runs.push(run);
      states.push(project.stateText());
      // It was there, or its absence would say nothing.
      for (const place of places)
        expect(JSON.stringify([run.text, run.events])).toContain(`${place} [API key] [API key]`);
    };

    const record = admin.endpoint(endpointIdOf(stored(project, host, "main")));
    const poisoned = {
      ...record,
      host: marks("host"),
      proxy_host: marks("proxy"),
      region_id: marks("region"),
      pooler_mode: marks("mode"),
      current_state: marks("state"),
      [marks("field")]: marks("value"),
      settings: { pg_settings: { work_mem: marks("setting"), [marks("name")]: "1" } },
    };
    const fault = admin.addFault({
      route: "endpoints.list",
      effect: { kind: "json", body: { endpoints: [poisoned] } },
    });
    note(await main(1).refresh({ args: ["--diff"] }), "host", "region", "setting", "name");
    note(await main(1).preview({ args: ["--diff"] }), "mode");
    admin.removeFault(fault);
    await main(1).refresh();

    const status = { kind: "status", status: 400, code: "{{ESCAPED}}", message: marks("message"), echo: true } as const;
    admin.addFault({ method: "PATCH", count: 1, effect: status });
    note(await main(2).up({ expectFailure: true }), "message");
    admin.addFault({ on: "operation", branchId, count: 1, effect: { kind: "fail", error: marks("operation") } });
    note(await main(2).up({ expectFailure: true }), "operation");
    admin.clearFaults();
    note(await main(2).up());
    note(await host.stack(project, {}).destroy());

    for (const run of runs) expect(showsKey(JSON.stringify([run.text, run.events]))).toBe(false);
    for (const state of states) expect(showsKey(state)).toBe(false);
    expect(said(runs[2] as Run, "main")).toContain("[API key]");
  }, 300_000);
});
