import { createServer } from "node:http";
import { stripVTControlCharacters } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { hosts } from "../support/hosts";
import { listen } from "../support/listen";
import { said } from "../support/look";
import { programOf, useBench } from "../support/platform";
import type { Run } from "../support/run";

const KEY = 'napi_R3flect/ed"k3y.0001';
const bench = useBench({ apiKey: KEY });

/** How a key can be written in JSON so that a search for it in the answer's text finds nothing. */
const disguises: Readonly<Record<string, (key: string) => string>> = {
  ESCAPED: (key) => [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  SLASHED: (key) => quoted(key).replaceAll("/", "\\/"),
  INVISIBLE: (key) => [...key].map((one) => quoted(one)).join("\u200b"),
  COLOURED: (key) => [...key].map((one) => quoted(one)).join("\\u001b[31m"),
  PLAIN: quoted,
};

/**
 * Opens a hostile server in front of the platform: it puts the received key into answers, each `{{NAME}}` in the form
 * of `disguises[NAME]`. Returns its address; the test closes it.
 */
async function openMirror(target: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const body = Buffer.concat(chunks);
    const { authorization = "", "content-type": type = "application/json" } = request.headers;
    const answer = await fetch(new URL(request.url ?? "/", target), {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": type },
      ...(body.length > 0 && { body }),
    });
    const text = (await answer.text()).replace(/\{\{([A-Z]+)\}\}/g, (mark, name) => disguises[name]?.(key) ?? mark);
    response.writeHead(answer.status, { "content-type": "application/json", "x-request-id": key }).end(text);
  });
  const address = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${address}${new URL(target).pathname}`;
}

function quoted(key: string): string {
  return JSON.stringify(key).slice(1, -1);
}

/** What a terminal would obey: a title, colours, a cleared screen, an 8-bit sequence, a hidden direction, a return. */
const obeyed = (word: string) =>
  `\u001b]0;owned\u0007\u001b[31m${word}\u001b[2J\u001b[0m\u009b31m\u202e\u0000\u0008\r\u001b]8;;http://evil.test\u0007`;

/** The key in every disguise, each between words by which a place can be told. */
const marks = (place: string) =>
  `${place} ${Object.keys(disguises)
    .map((name) => `{{${name}}}`)
    .join(" ")}`;

const evil = (place: string) => obeyed(`evil-${place}`);

/** A text with both in it. */
const hostile = (place: string) => `${evil(place)} ${marks(place)}`;

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

/** Whether the key is in a text, also in pieces that a cleaner of the text would put together. */
function showsKey(text: string): boolean {
  const forms = [KEY, JSON.stringify(KEY).slice(1, -1), JSON.stringify(JSON.stringify(KEY)).slice(3, -3)];
  const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  const texts = [text, unescaped, stripVTControlCharacters(unescaped).replace(/[\p{Cc}\p{Cf}]/gu, "")];
  return texts.some((one) => forms.some((form) => one.includes(form)) || one.includes("R3flect"));
}

// What the dynamic host throws is printed by Pulumi's own.
it.each(hosts)(
  "terminal escapes, and the key in disguise, in what the API answers, never reach the terminal, the event log, the outputs or the state by the $name host",
  async (host) => {
    const { projectId, emulator } = bench;
    const { admin } = emulator;
    const [branchId, other = "", taken = ""] = bench.branches(3);
    const project = bench.project({ "pgcompute:baseUrl": await openMirror(emulator.url) });
    const main = (sizeCu: number) => ({
      main: { args: { projectId, branchId, sizeCu, pgSettings: { work_mem: "8MB" } } },
    });
    const { is, idOf } = programOf(project, host);
    await is(main(1)).up();
    const runs: Run[] = [];
    const states: string[] = [];
    const note = (run: Run, ...places: string[]) => {
      runs.push(run);
      states.push(project.stateText());
      // They were there, or their absence would say nothing.
      const texts = textsIn([run.text, run.events]);
      for (const place of places) expect(texts).toContain(`evil-${place}`);
      return run;
    };

    // In every text of an endpoint, as a refresh shows it.
    const record = admin.endpoint(idOf("main"));
    const poisoned = {
      ...record,
      host: evil("host"),
      proxy_host: evil("proxy"),
      region_id: evil("region"),
      pooler_mode: evil("mode"),
      current_state: evil("state"),
      name: `${obeyed(record.name ?? "")} evil-name`,
      [evil("field")]: evil("value"),
      settings: { pg_settings: { work_mem: evil("setting"), [evil("key")]: "1" } },
    };
    const fault = admin.addFault({
      route: "endpoints.list",
      effect: {
        kind: "json",
        body: { endpoints: [poisoned, { ...record, id: "ep-foreign", project_id: "foreign" }] },
      },
    });
    const refreshed = note(
      await is(main(1)).refresh({ args: ["--diff"] }),
      ...["host", "region", "mode", "setting", "key"],
    );
    expect(refreshed.text).toContain(
      `1 of the endpoints that the platform listed for project ${projectId} is of another`,
    );
    expect(textsIn([refreshed.text, refreshed.events])).not.toContain("foreign");
    admin.removeFault(fault);

    // With the key in it, nothing of an answer is used.
    const mirrored = admin.addFault({
      route: "endpoints.list",
      effect: { kind: "json", body: { endpoints: [{ ...record, name: hostile("name") }] } },
    });
    const mirror = note(await is(main(1)).refresh({ expectFailure: true }));
    expect(textsIn([mirror.text, mirror.events])).toContain("the answer repeats the API key");
    admin.removeFault(mirrored);

    // In the occupant of a branch, in a refusal, and in an operation.
    const occupant = admin.seedEndpoint(projectId, { branch_id: taken });
    admin.changeEndpoint(occupant.id, { current_state: evil("occupant") as "idle" });
    const second = { args: { projectId, branchId: taken } };
    note(await is({ ...main(1), second }).preview({ expectFailure: true }), "occupant");
    const status = { kind: "status", status: 400, message: hostile("message"), echo: true } as const;
    admin.addFault({ method: "PATCH", count: 1, effect: { ...status, code: `${obeyed("EVIL_CODE")} {{ESCAPED}}` } });
    const refused = note(await is(main(2)).up({ expectFailure: true }), "message");
    expect(textsIn([refused.text, refused.events])).toContain("EVIL_CODE");
    expect(textsIn([refused.text, refused.events])).toContain("message [API key] [API key]");
    expect(said(refused, "main")).toContain("[API key]");
    const third = { args: { projectId, branchId: other } };
    const action = evil("action");
    admin.addFault({ on: "operation", branchId: other, count: 1, effect: { kind: "unknown-action", action } });
    admin.addFault({
      on: "operation",
      branchId: branchId ?? "",
      count: 1,
      effect: { kind: "fail", error: evil("operation") },
    });
    note(await is({ ...main(2), third }).up({ expectFailure: true }), "operation");
    admin.clearFaults();
    note(await is({}).destroy());

    for (const one of [
      ...runs.map(({ text, events }) => [text, events]),
      ...states.map((state) => JSON.parse(state)),
    ]) {
      expect(obeyedIn(textsIn(one))).toEqual([]);
      expect(showsKey(JSON.stringify(one))).toBe(false);
    }
  },
);
