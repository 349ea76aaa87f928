/** Random calls, valid, almost valid and senseless: none draws a 5xx of the emulator's own. */
import { Agent, request } from "node:http";
import { expect, it } from "vitest";
import { fc, seed } from "../../../tests/support/random";
import { isOutside } from "../../routes/outside-calls";
import { describedCalls } from "./support/description";
import { openEmulator } from "./support/open-emulator";

const PROJECT = "quiet-harbor-12345678";
const BRANCH = "br-quiet-harbor-main";

// Without its project, every call would end at the door.
const calls = describedCalls
  .filter(({ method, path }) => !isOutside(path) && !(method === "DELETE" && path === "/projects/{project_id}"))
  .map(({ method, path }) => `${method} /api/v2${path.replace("{project_id}", PROJECT)}`);
// Most creates are refused: these are drawn more often, so that enough of them go through.
const creates = calls.filter((call) => /^POST .*\/(endpoints|branches)$/.test(call));
// No reset and no clearing of the log: the test counts what arrived.
const admin = [
  "GET /_emulator/state",
  "POST /_emulator/clock",
  "POST /_emulator/faults",
  "PATCH /_emulator/settings",
  "POST /_emulator/projects",
  "PATCH /_emulator/endpoints/{id}",
  "POST /_emulator/endpoints/{id}/connect",
];
const none = [
  `GET /api/v2/projects/${PROJECT}/{id}/{id}`,
  "POST /api/v2/{id}",
  "PUT /_emulator/{id}/{id}",
  "GET /{id}",
];
const junk = fc.string({ maxLength: 40 });
const id = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("ep-quiet-harbor-main", BRANCH, "ep-none", "", "..", "%2e", "%00", "%", "🐘"),
  },
  junk,
  fc.constant("x".repeat(3000)),
);
const target = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...creates) },
  { weight: 8, arbitrary: fc.constantFrom(...calls) },
  { weight: 2, arbitrary: fc.constantFrom(...admin) },
  fc.constantFrom(...none),
);
const otherMethod = fc.option(fc.constantFrom(...words("GET POST PATCH DELETE PUT HEAD OPTIONS TRACE PROPFIND")), {
  freq: 6,
});
const query = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "?limit=2", "?cursor=2024-05-01T10:00:00.000001Z") },
  fc.constantFrom("?cursor=", "?limit", "?limit=1&limit=2", "?operations=1"),
  junk.map((text) => `?${text}`),
);

const fields = words(
  "branch_id type region_id name settings disabled pooler_mode suspend_timeout_seconds autoscaling_limit_min_cu parent_id constructor",
);
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(-1, 0.25, 7, 1e308, BRANCH, "read_only", {}, ""));
const odd = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 5 });
const likely = fc.record(
  {
    branch_id: fc.constantFrom(BRANCH, "br-none"),
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
    likely.map((endpoint) => ({ endpoint: { ...endpoint, branch_id: BRANCH, type: "read_only" } })),
    fc.record({ branch: odd, endpoints: fc.array(likely, { maxLength: 2 }) }, { requiredKeys: [] }),
    odd.map((endpoint) => ({ endpoint })),
    fc.constantFrom({ advanceMs: 1000 }, { mode: "manual" }, { connections: 3 }, { effect: { kind: "skip" } }, {}),
    odd,
  )
  .map((whole) => JSON.stringify(whole));
const form = fc.oneof(
  fc.webQueryParameters(),
  junk.map((text) => `endpoint[name]=${text}&endpoint[settings][pg_settings][a]=${text}`),
);
const content: fc.Arbitrary<[type: string, body: string]> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("application/json"), json) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("application/x-www-form-urlencoded"), form) },
  fc.tuple(
    fc.constantFrom("application/json", "application/json; charset=x", "text/plain", ";", ""),
    fc.oneof(json, form, fc.json(), fc.string({ unit: "binary", maxLength: 60 })),
  ),
);
const headerNames = words("accept host origin expect if-match cookie connection x-junk range");
const headers = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.dictionary(fc.constantFrom(...headerNames), junk, { maxKeys: 3 }),
);
const key = fc.oneof({ weight: 12, arbitrary: fc.constant("emulated-key") }, fc.constantFrom("wrong", undefined));
const junkCall = fc.record({ target, id, otherMethod, query, headers, content, key });
type Junk = typeof junkCall extends fc.Arbitrary<infer T> ? T : never;

it(`draws no 5xx of the emulator's own with any method, path, headers and body (PGCOMPUTE_SEED=${seed})`, async () => {
  const emulator = await openEmulator();
  const { projectId: id, branchId, endpointId } = emulator;
  const agent = new Agent({ keepAlive: true });
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(junkCall, async (junk) => {
      const status = await statusOf(emulator.port, agent, junk);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
      emulator.admin.advance(100);
      if (!emulator.admin.state({ operations: 0 }).projects.some(({ project }) => project.id === id)) {
        emulator.admin.seedProject({ id, branchId, endpointId });
      }
    }),
    { numRuns: 2500 },
  );
  agent.destroy();
  expect(emulator.admin.log().filter((entry) => entry.crash !== undefined)).toEqual([]);
  // A fuzzer that only ever meets the door proves nothing.
  for (const status of [200, 201, 400, 401, 404, 405]) expect(statuses.get(status)).toBeGreaterThan(5);
  emulator.reset();
  expect((await emulator.call("GET", "{p}/endpoints")).body.endpoints).toHaveLength(1);
});

function statusOf(port: number, agent: Agent, { content: [type, body], key, headers, ...junk }: Junk): Promise<number> {
  const [usual = "", template = ""] = junk.target.split(" ");
  const method = junk.otherMethod ?? usual;
  // Node's client refuses what no request line can hold; everything else goes out as it is.
  const path = (template.replace(/\{\w+\}/g, () => junk.id) + junk.query).replace(/[^!-~]/gu, encodeURIComponent);
  const sent = {
    ...headers,
    ...(type !== "" && { "content-type": type }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    "content-length": String(Buffer.byteLength(body)),
  };
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, agent, method, path, headers: sent }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode ?? 0));
    });
    call.once("error", reject);
    call.end(body);
  });
}

function words(all: string): string[] {
  return all.split(" ");
}
