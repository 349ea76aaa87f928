import { expect, it } from "vitest";
import { RequestLog } from "../../http/request-log";
import { openEmulator } from "./support/open-emulator";

const call = { at: 0, method: "GET", route: "unknown" };

it("a call without a key leaves no more than the beginning of its path", async () => {
  const { url, admin } = await openEmulator();
  expect((await fetch(`${url}/projects?search=${"x".repeat(12_000)}`)).status).toBe(401);
  const [entry] = admin.log();
  expect(entry?.path).toMatch(/^\/api\/v2\/projects\?search=x+…$/);
  expect(entry?.path.length).toBe(1_000);
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
