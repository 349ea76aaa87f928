import { fc } from "../../../../tests/support/random";

/** A call of the fuzzer; a `key` of `right` stands for the emulator's own. */
export interface Junk {
  method: string;
  path: string;
  headers: Record<string, string>;
  key: "right" | "wrong" | "none";
  body: string;
}

const PROJECT = "/api/v2/projects/quiet-harbor-12345678";

// No reset and no clearing of the log: the test counts what arrived.
const CALLS = [
  // Most creates are refused: these are drawn more often, so that enough of them go through.
  ...repeat("POST {p}/endpoints", 6),
  ...repeat("POST {p}/branches", 3),
  "GET /api/v2/projects",
  "POST /api/v2/projects",
  "GET {p}",
  "PATCH {p}",
  "GET {p}/branches",
  "GET {p}/branches/{id}",
  "PATCH {p}/branches/{id}",
  "DELETE {p}/branches/{id}",
  "GET {p}/branches/{id}/endpoints",
  "GET {p}/endpoints",
  "GET {p}/endpoints/{id}",
  "PATCH {p}/endpoints/{id}",
  "PATCH {p}/endpoints/{id}",
  "DELETE {p}/endpoints/{id}",
  "POST {p}/endpoints/{id}/suspend",
  "POST {p}/endpoints/{id}/start",
  "POST {p}/endpoints/{id}/restart",
  "GET {p}/operations",
  "GET {p}/operations/{id}",
  "GET /_emulator/state",
  "POST /_emulator/clock",
  "POST /_emulator/faults",
  "PATCH /_emulator/settings",
  "POST /_emulator/projects",
  "PATCH /_emulator/endpoints/{id}",
  "POST /_emulator/endpoints/{id}/connect",
];
const METHODS = ["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];
const IDS = [
  "ep-quiet-harbor-main",
  "br-quiet-harbor-main",
  "ep-quiet-harbor-main",
  "ep-none",
  "",
  "..",
  "%2e",
  "%00",
  "%",
  "🐘",
];
const UNIT = fc.constantFrom(..."abcXYZ019-_~!*'();:@&=+$,/?%#[]{}|\\^\" ");

const visible = fc.string({ unit: UNIT, maxLength: 40 });
const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...IDS) }, visible, fc.constant("x".repeat(3000)));

const known = fc
  .record({ call: fc.constantFrom(...CALLS), id, method: fc.option(fc.constantFrom(...METHODS), { freq: 6 }) })
  .map((parts) => {
    const [method = "GET", path = ""] = parts.call.replace("{p}", PROJECT).split(" ");
    return { method: parts.method ?? method, path: path.replace("{id}", () => parts.id) };
  });
const unknown = fc
  .record({
    method: fc.constantFrom(...METHODS),
    prefix: fc.constantFrom(PROJECT, "/api/v2", "/api", "/_emulator", ""),
    segments: fc.array(fc.oneof(visible, fc.constantFrom("endpoints", "projects", "branches")), { maxLength: 5 }),
  })
  .map(({ method, prefix, segments }) => ({ method, path: `${prefix}/${segments.join("/")}` }));
const query = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "?limit=2", "?cursor=2024-05-01T10:00:00.000001Z") },
  fc.constantFrom("?cursor=", "?limit", "?limit=1&limit=2", "?operations=1"),
  visible.map((text) => `?${text}`),
);

const FIELDS = [
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
  "toString",
  "constructor",
];
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(-1, 0, 0.25, 7, 1e308, "br-quiet-harbor-main", "read_only", {}, [], null, true, ""),
);
const odd = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 5 });
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
const json = fc
  .oneof(
    likely.map((endpoint): unknown => ({ endpoint })),
    likely.map((endpoint) => ({ endpoint: { ...endpoint, branch_id: "br-quiet-harbor-main", type: "read_only" } })),
    fc.record({ branch: odd, endpoints: fc.array(likely, { maxLength: 2 }) }, { requiredKeys: [] }),
    odd.map((endpoint) => ({ endpoint })),
    fc.constantFrom({ advanceMs: 1000 }, { mode: "manual" }, { connections: 3 }, { effect: { kind: "skip" } }, {}),
    odd,
  )
  .map((whole) => JSON.stringify(whole));
const form = fc
  .array(fc.tuple(fc.oneof(visible, fc.constantFrom("endpoint[name]", "endpoint[settings][pg_settings][a]")), visible))
  .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join("&"));
type Content = readonly [type: string, body: string];
const content: fc.Arbitrary<Content> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("application/json"), json) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("application/x-www-form-urlencoded"), form) },
  fc.constant<Content>(["", ""]),
  fc.tuple(
    fc.constantFrom("application/json", "application/json; charset=x", "text/plain", ";", ""),
    fc.oneof(json, form, fc.json(), fc.string({ unit: "binary", maxLength: 60 })),
  ),
);
const HEADERS = ["accept", "host", "origin", "expect", "if-match", "cookie", "connection", "x-junk", "range"];
const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.dictionary(fc.constantFrom(...HEADERS), visible, { maxKeys: 3 }),
);
const key = fc.oneof(
  { weight: 12, arbitrary: fc.constant("right" as const) },
  fc.constantFrom("wrong" as const, "none" as const),
);

/** Calls of which many are right, many almost, and some nothing of the kind. */
export const junkCall: fc.Arbitrary<Junk> = fc
  .record({ target: fc.oneof({ weight: 6, arbitrary: known }, unknown), query, headers, content, key })
  .map(({ target, content: [type, body], ...rest }) => ({
    method: target.method,
    path: toTarget(target.path + rest.query),
    headers: { ...rest.headers, ...(type && { "content-type": type }) },
    key: rest.key,
    body,
  }));

/** Lines of bytes that are hardly a request. */
export const junkLines: fc.Arbitrary<string[]> = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.constantFrom("GET / HTTP/1.1", "GET / HTTP/9.9", "POST /api/v2 HTTP/1.1", "Content-Length: -1", "Host: [", ":"),
    fc.constantFrom("Transfer-Encoding: chunked", "Transfer-Encoding: x", "Content-Length: 99", "", "ffffffffffffff"),
  ),
  { maxLength: 8 },
);

// Node's client refuses what no request line can hold; everything else goes out as it is.
function toTarget(text: string): string {
  return text.replace(/[^!-~]/gu, (character) => encodeURIComponent(character));
}

function repeat(call: string, times: number): string[] {
  return Array.from({ length: times }, () => call);
}
