import { Agent, request } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Opened, openEmulator } from "./support/open-emulator";

// Another seed in every run; FUZZ_SEED repeats one.
const seed = Number(process.env.FUZZ_SEED) || Date.now() % 2 ** 31;

interface Junk {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const METHODS = [
  "GET",
  "POST",
  "PATCH",
  "DELETE",
  "GET",
  "POST",
  "PATCH",
  "PUT",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
];
const IDS = [
  "quiet-harbor-12345678",
  "br-quiet-harbor-main",
  "ep-quiet-harbor-main",
  "",
  "..",
  "%2e%2e",
  "%00",
  "%",
  "🐘",
];

const visible = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_~!*'();:@&=+$,/?%#[]{}|\\^\" "), maxLength: 40 });
const segment = fc.oneof(fc.constantFrom(...IDS, "x".repeat(3000)), visible);
const place = fc.constantFrom(
  "projects",
  "branches",
  "endpoints",
  "operations",
  "suspend",
  "start",
  "restart",
  "state",
  "clock",
  "faults",
  "settings",
  "fleet",
  "connect",
);
const query = fc.oneof(
  fc.constant(""),
  visible.map((text) => `?${text}`),
  fc.constantFrom("?limit=2", "?cursor=", "?limit", "?cursor=2024-05-01T10:00:00.000001Z", "?operations=1"),
);
const anyPath = fc
  .record({
    prefix: fc.constantFrom("/api/v2/projects/quiet-harbor-12345678", "/api/v2", "/_emulator", ""),
    segments: fc.array(fc.oneof({ weight: 3, arbitrary: place }, segment), { maxLength: 5 }),
  })
  .map(({ prefix, segments }) => `${prefix}/${segments.join("/")}`);
const PROJECT = "/api/v2/projects/quiet-harbor-12345678";
const CALLS = [
  PROJECT,
  ...["branches", "endpoints", "operations", "branches/ID", "branches/ID/endpoints", "endpoints/ID", "operations/ID"],
  ...["endpoints/ID/suspend", "endpoints/ID/start", "endpoints/ID/restart"],
].map((call) => (call === PROJECT ? call : `${PROJECT}/${call}`));
const ADMIN_CALLS = [
  "state",
  "reset",
  "clock",
  "faults/ID",
  "log",
  "counts",
  "settings",
  "projects",
  "endpoints/ID",
].map((call) => `/_emulator/${call}`);
const knownPath = fc
  .record({
    call: fc.constantFrom(...CALLS, ...ADMIN_CALLS),
    id: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...IDS) }, segment),
  })
  .map(({ call, id }) => call.replace("ID", () => id));
const path = fc
  .tuple(fc.oneof({ weight: 6, arbitrary: knownPath }, anyPath), query)
  .map(([before, after]) => toTarget(before + after));

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    -1,
    0,
    0.25,
    7,
    1e308,
    "br-quiet-harbor-main",
    "read_write",
    "read_only",
    {},
    [],
    null,
    true,
    "",
  ),
);
const field = fc.constantFrom(
  "branch_id",
  "type",
  "region_id",
  "name",
  "settings",
  "disabled",
  "pooler_mode",
  "suspend_timeout_seconds",
  "autoscaling_limit_min_cu",
  "autoscaling_limit_max_cu",
  "parent_id",
  "effect",
  "toString",
  "constructor",
);
const fields = fc.dictionary(field, value, { maxKeys: 5 });
const likely = fc.record(
  {
    branch_id: fc.constantFrom("br-quiet-harbor-main", "br-none"),
    type: fc.constantFrom("read_only", "read_write"),
    name: fc.string({ maxLength: 70 }),
    settings: fc.record({ pg_settings: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }) }),
    autoscaling_limit_max_cu: fc.constantFrom(0.25, 1, 7, 8),
    suspend_timeout_seconds: fc.integer({ min: -2, max: 604_801 }),
    disabled: fc.boolean(),
  },
  { requiredKeys: [] },
);
const json = fc.oneof(
  likely.map((endpoint) => JSON.stringify({ endpoint })),
  likely.map((endpoint) =>
    JSON.stringify({ endpoint: { ...endpoint, branch_id: "br-quiet-harbor-main", type: "read_only" } }),
  ),
  fc.array(likely, { maxLength: 2 }).map((endpoints) => JSON.stringify({ endpoints })),
  fields.map((endpoint) => JSON.stringify({ endpoint })),
  fc
    .tuple(fields, fc.array(fields, { maxLength: 3 }))
    .map(([branch, endpoints]) => JSON.stringify({ branch, endpoints })),
  fields.map((whole) => JSON.stringify(whole)),
  fc.json(),
);
const form = fc
  .array(fc.tuple(fc.oneof(visible, fc.constantFrom("endpoint[name]", "endpoint[settings][pg_settings][a]")), visible))
  .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join("&"));
const body = fc.oneof(fc.constant(""), json, form, fc.string({ unit: "binary", maxLength: 60 }));

const header = fc.constantFrom(
  "accept",
  "host",
  "origin",
  "expect",
  "if-match",
  "cookie",
  "connection",
  "x-junk",
  "range",
);
const headers = fc.record({
  extra: fc.oneof(fc.constant({}), fc.dictionary(header, visible, { maxKeys: 3 })),
  type: fc.constantFrom(
    "application/json",
    "application/x-www-form-urlencoded",
    "text/plain",
    "application/json; charset=x",
    ";",
    "",
  ),
  key: fc.oneof(
    { weight: 12, arbitrary: fc.constant("right" as const) },
    fc.constantFrom("wrong" as const, "none" as const),
  ),
});

describe(`fuzzing (FUZZ_SEED=${seed})`, () => {
  it("draws no 5xx of the emulator's own with any method, path, headers and body", { timeout: 60_000 }, async () => {
    const emulator = await openEmulator();
    const agent = new Agent({ keepAlive: true });
    const call = fc.record({ method: fc.constantFrom(...METHODS), path, headers, body }).map((parts): Junk => {
      const { extra, type, key } = parts.headers;
      const authorization = { right: `Bearer ${emulator.apiKey}`, wrong: "Bearer x", none: undefined }[key];
      return {
        ...parts,
        headers: { ...extra, ...(type && { "content-type": type }), ...(authorization && { authorization }) },
      };
    });
    await fc.assert(
      fc.asyncProperty(call, async (junk) => {
        const status = await statusOf(emulator, agent, junk);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
        emulator.admin.advance(100);
      }),
      { seed, numRuns: 1500, endOnFailure: false },
    );
    agent.destroy();
    expect(emulator.admin.log().filter((entry) => entry.crash !== undefined)).toEqual([]);
    emulator.reset();
    expect((await emulator.call("GET", "{p}/endpoints")).body.endpoints).toHaveLength(1);
  });

  it("survives bytes that are no HTTP", { timeout: 60_000 }, async () => {
    const emulator = await openEmulator();
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom(
        "GET / HTTP/1.1",
        "GET / HTTP/9.9",
        "POST /api/v2 HTTP/1.1",
        "Content-Length: -1",
        "Host: [",
        ":",
      ),
      fc.constantFrom(
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: x",
        "Content-Length: 99",
        "",
        "ffffffffffffffffff",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        const answer = await sendBytes(emulator.port, `${lines.join("\r\n")}\r\n\r\n`);
        const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
        if (status !== undefined) expect(Number(status)).toBeLessThan(500);
      }),
      { seed, numRuns: 200, endOnFailure: false },
    );
    expect((await emulator.call("GET", "{p}")).status).toBe(200);
  });
});

// Node's client refuses what no request line can hold; everything else goes out as it is.
function toTarget(text: string): string {
  return text.replace(/[^!-~]/gu, (character) => encodeURIComponent(character));
}

function statusOf(emulator: Opened, agent: Agent, junk: Junk): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method, path: target, headers: sent } = junk;
    const length = { "content-length": String(Buffer.byteLength(junk.body)) };
    const options = {
      host: "127.0.0.1",
      port: emulator.port,
      agent,
      method,
      path: target,
      headers: { ...sent, ...length },
    };
    const call = request(options, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode ?? 0));
    });
    call.once("error", reject);
    call.end(junk.body);
  });
}

/** What comes back for some bytes, once the other side has closed or been told that nothing follows. */
function sendBytes(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    socket.once("error", () => undefined);
    socket.once("close", () => resolve(answer));
  });
}
