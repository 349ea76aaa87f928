import { expect, it } from "vitest";
import { RequestLog } from "../../http/request-log";
import type { EmulatorState, RequestLogEntry } from "../../index";
import { openEmulator } from "./support/open-emulator";

const call = { at: 0, method: "GET", route: "unknown" };

it("a call without a key leaves no more than the beginning of its path", async () => {
  const { url, admin } = await openEmulator();
  expect((await fetch(`${url}/projects?search=${"x".repeat(12_000)}`)).status).toBe(401);
  const [entry] = admin.log();
  expect(entry?.path).toMatch(/^\/api\/v2\/projects\?search=x+…$/);
  expect(entry?.path.length).toBe(1_000);
});

it("the log comes in pages of bounded length, whole and in order, while calls go on", async () => {
  const { admin, admin_, call } = await openEmulator();
  const wanted = 1_234;
  for (let count = 0; count < wanted; count += 1) {
    await call("GET", "{p}");
    if (count % 500 === 0) await call("GET", "{p}/branches");
  }

  const pageAfter = async (after: number, more = "") =>
    (await admin_("GET", `/log?after=${after}${more}`)).body as unknown as { log: RequestLogEntry[] };
  const first = (await pageAfter(0)).log;
  const second = (await pageAfter(first.at(-1)?.sequence ?? 0)).log;
  expect(first).toHaveLength(1_000);
  expect([...first, ...second]).toEqual(admin.log());

  const shorts = (await pageAfter(0, "&limit=2&route=branches.list")).log;
  expect(shorts.map(({ sequence }) => sequence)).toEqual([2, 503]);
  expect((await pageAfter(503, "&limit=2&route=branches.list")).log.map(({ sequence }) => sequence)).toEqual([1_004]);
  for (const limit of ["1001", "-1", "1e3", ""]) expect((await admin_("GET", `/log?limit=${limit}`)).status).toBe(400);
});

it("a state has a bounded number of operations of each project", async () => {
  const { admin, admin_, projectId } = await openEmulator();
  admin.startOperation({
    projectId,
    action: "check_availability",
    branchId: admin.project(projectId).branches[0]?.id ?? "",
    count: 1_100,
  });
  const operationsOf = async (query: string) => {
    const { projects } = (await admin_("GET", `/state${query}`)).body as unknown as EmulatorState;
    return projects[0]?.operations.length;
  };
  expect(admin.project(projectId).operations.length).toBeGreaterThan(1_000);
  expect([await operationsOf(""), await operationsOf("?operations=3")]).toEqual([1_000, 3]);
  expect((await admin_("GET", "/state?operations=1001")).status).toBe(400);
});

it("a page starts after what the log has forgotten", () => {
  const log = new RequestLog(10);
  for (let turn = 0; turn < 30; turn++) log.add({ ...call, path: `/${turn}` });
  expect(log.list({ limit: 3 }).map(({ path }) => path)).toEqual(["/20", "/21", "/22"]);
  expect(log.list({ after: 28 }).map(({ path }) => path)).toEqual(["/28", "/29"]);
  expect(log.list({ after: 30 })).toEqual([]);
});

it("a call that was under way when the log was cleared is counted nowhere", () => {
  const log = new RequestLog(10);
  const entry = log.add({ ...call, path: "/" });
  log.clear();
  log.answer(entry, 200);
  expect(log.counts()).toEqual({ total: 0, byRoute: {}, byStatus: {} });
});

it("the log's bytes are bounded: long paths push out the oldest calls", () => {
  const log = new RequestLog(10_000);
  for (let turn = 0; turn < 10_000; turn++) log.add({ ...call, path: `/${turn}/${"x".repeat(5_000)}` });
  const entries = log.list();
  const bytes = entries.reduce((sum, { path }) => sum + path.length, 0);
  expect(bytes).toBeLessThan(4_000_000);
  expect(entries.length).toBeGreaterThan(1_000);
  expect(entries.at(-1)?.path).toMatch(/^\/9999\//);
  expect(log.counts().total).toBe(10_000);
});
