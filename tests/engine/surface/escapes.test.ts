import { describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { endpointIdOf, stored } from "../support/look";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

/** What a terminal would obey: a title, colours, a cleared screen, an 8-bit sequence, a hidden direction, a return. */
const hostile = (word: string) =>
  `\u001b]0;owned\u0007\u001b[31m${word}\u001b[2J\u001b[0m\u009b31m\u202e\u0000\u0008\r\u001b]8;;http://evil.test\u0007`;
const bench = useBench();

/** Every text in a value, however deep. */
function textsIn(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (_, one) => {
    if (typeof one === "string") texts.push(one);
    return one;
  });
  return texts.join("\n");
}

/** What a terminal would obey in a text: control and format characters, but for the engine's line feeds and tabs. */
function obeyedIn(text: string): string[] {
  return text.replace(/[\n\t]/g, "").match(/[\p{Cc}\p{Cf}]/gu) ?? [];
}

describe.each(hosts)("terminal escapes in what the API answers, by the $name host", (host) => {
  it("never reach the terminal, the event log or the state", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const [branchId, other, taken] = [bench.branch(), bench.branch(), bench.branch()];
    const { project, is } = await bench.program(host);
    const main = (sizeCu: number) => ({
      main: { args: { projectId, branchId, sizeCu, pgSettings: { work_mem: "8MB" } } },
    });
    await is(main(1)).up();
    const id = endpointIdOf(stored(project, host, "main"));
    const runs: Run[] = [];
    const states: string[] = [];
    const note = (run: Run, ...words: string[]) => {
      runs.push(run);
      states.push(project.stateText());
      // It was there, or its absence would say nothing.
      for (const word of words) expect(textsIn([run.text, run.events])).toContain(word);
    };

    // In every text of an endpoint, as a refresh shows it.
    const record = admin.endpoint(id);
    const poisoned = {
      ...record,
      host: hostile("evil-host"),
      proxy_host: hostile("evil-proxy"),
      region_id: hostile("evil-region"),
      pooler_mode: hostile("evil-mode"),
      current_state: hostile("evil-state"),
      name: hostile(record.name ?? ""),
      settings: { pg_settings: { work_mem: hostile("evil-value"), [hostile("evil-name")]: "1" } },
    };
    const fault = admin.addFault({
      route: "endpoints.list",
      effect: { kind: "json", body: { endpoints: [poisoned] } },
    });
    note(await is(main(1)).refresh({ args: ["--diff"] }), "evil-host", "evil-mode");
    note(await is(main(1)).preview({ args: ["--diff"] }), "evil-mode");
    admin.removeFault(fault);
    await is(main(1)).refresh();

    // In the occupant of a branch, in a refusal, and in an operation.
    const occupant = admin.seedEndpoint(projectId, { branch_id: taken });
    admin.changeEndpoint(occupant.id, { current_state: hostile("evil-occupant") as "idle" });
    const second = { args: { projectId, branchId: taken } };
    note(await is({ ...main(1), second }).preview({ expectFailure: true }), "evil-occupant");
    admin.addFault({
      method: "PATCH",
      count: 1,
      effect: { kind: "status", status: 400, code: hostile("EVIL_CODE"), message: hostile("evil-message") },
    });
    note(await is(main(2)).up({ expectFailure: true }), "EVIL_CODE", "evil-message");
    const third = { args: { projectId, branchId: other } };
    admin.addFault({
      on: "operation",
      branchId: other,
      count: 1,
      effect: { kind: "unknown-action", action: hostile("evil-action") },
    });
    admin.addFault({ on: "operation", branchId, count: 1, effect: { kind: "fail", error: hostile("evil-error") } });
    note(await is({ ...main(2), third }).up({ expectFailure: true }), "evil-error");
    admin.clearFaults();
    note(await is({ ...main(2), third }).up());
    note(await is({}).destroy());

    for (const { text, events } of runs) expect(obeyedIn(textsIn([text, events]))).toEqual([]);
    for (const state of states) expect(obeyedIn(textsIn(JSON.parse(state)))).toEqual([]);
  }, 300_000);
});
