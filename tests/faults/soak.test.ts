import { getEventListeners } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { create } from "../../provider/pulumi/lifecycle";
import { urnOf, useBench } from "../support/bench";
import { grown, heapUsed, MIB, quiet, resources } from "./support/measure";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PROJECTS = 3;
const ENDPOINTS = 20;
/** One look in five seconds, and some more at the start (specification, section 4.2). */
const LOOKS_IN_AN_HOUR = 720;
const LOOKS_AT_THE_START = 60;

it("waits for an hour at one look in five seconds, and grows in nothing", { timeout: 300_000 }, async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => {
    process.off("warning", note);
  });
  const bench = await useBench({ logLimit: 1, operationMs: HOUR_MS });
  const { admin } = bench.emulator;
  await quiet();
  const before = resources();
  const account = bench.account();
  const { signal } = new AbortController();
  const creates = Array.from({ length: PROJECTS }, () => admin.seedProject({ endpoint: false }).project.id).flatMap(
    (projectId, project) =>
      Array.from({ length: ENDPOINTS }, (_, index) => {
        const context = bench.context({ account, signal, timeoutMs: 2 * HOUR_MS, urn: urnOf(`e${project}-${index}`) });
        return create(
          { ...context, reporter: { info() {}, warn() {}, status() {} } },
          { projectId, branchId: admin.seedBranch(projectId).id, type: "read_write" },
        );
      }),
  );
  const waited = Promise.all(creates);
  const sample = async () => {
    await quiet();
    return {
      calls: admin.counts().total,
      heap: heapUsed(),
      steady: {
        sleeping: bench.clock.sleeping(),
        calling: bench.clock.calling(),
        listeners: getEventListeners(signal, "abort").length,
      },
      resources: resources(),
    };
  };

  await bench.clock.pass(15 * MINUTE_MS);
  const early = await sample();
  await bench.clock.pass(44 * MINUTE_MS);
  const late = await sample();
  expect(late.steady).toEqual(early.steady);
  expect(grown(early.resources, late.resources)).toEqual([]);
  expect((late.heap - early.heap) / MIB).toBeLessThan(2);
  const looks = late.calls - early.calls;
  expect(looks).toBeLessThanOrEqual((PROJECTS * LOOKS_IN_AN_HOUR * 44) / 60 + PROJECTS);
  expect(looks).toBeGreaterThan((PROJECTS * LOOKS_IN_AN_HOUR * 44) / 60 / 2);

  const stored = await bench.run(waited);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(PROJECTS * ENDPOINTS);
  const operationCalls = Object.entries(admin.counts().byRoute).filter(([route]) => route.startsWith("operations."));
  const all = operationCalls.reduce((sum, [, count]) => sum + count, 0);
  expect(all).toBeLessThanOrEqual(PROJECTS * (LOOKS_IN_AN_HOUR + LOOKS_AT_THE_START));
  await account.api.close();
  await quiet(before);
  expect(bench.clock.sleeping()).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(grown(before, resources())).toEqual([]);
  expect(warnings).toEqual([]);
});
