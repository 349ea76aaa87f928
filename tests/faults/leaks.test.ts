import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../provider/lib/clock";
import { openAccount } from "../../provider/platform/account";
import { createApi } from "../../provider/platform/client";
import { type Bench, defaultAccountSettings, useBench } from "../support/bench";
import { EnginePart, type Program } from "../support/engine-part";
import { grown, heapUsed, MIB, quiet, resources } from "./support/measure";

const ENDPOINTS = 8;

it("leaves no timer, no socket and no rejected promise behind, interrupted or not", async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => {
    process.off("unhandledRejection", note);
  });
  const bench = await useBench();
  await life(bench, new AbortController());
  await quiet();
  const before = resources();
  for (const abortAfter of [undefined, 1, 3, 7, 15]) {
    const controller = new AbortController();
    await life(bench, controller, abortAfter);
    await quiet(before);
    expect(bench.clock.sleeping()).toBe(0);
    expect(bench.clock.calling()).toBe(0);
    expect(grown(before, resources())).toEqual([]);
  }
  expect(rejections).toEqual([]);
});

it("leaves no timer of the machine's clock behind", async () => {
  const bench = await useBench({ clock: "real", operationMs: 60_000 });
  await quiet();
  const before = resources();
  const { url, apiKey, projectId, admin } = bench.emulator;
  const api = createApi({ baseUrl: url, apiKey });
  const { waiter, cache } = openAccount(api, defaultAccountSettings, systemClock).project(projectId);
  await cache.snapshot();
  const started = admin.startOperation({ projectId, action: "check_availability" });
  const operation = await api.getOperation(projectId, started.id);
  const controller = new AbortController();
  const idle = resources();
  const waiting = waiter.wait([operation], { timeoutMs: 60_000, signal: controller.signal });
  expect(grown(idle, resources())).toContain("Timeout");
  controller.abort();
  expect((await waiting).error?.kind).toBe("cancelled");
  await api.close();
  await quiet(before);
  expect(grown(before, resources())).not.toContain("Timeout");
});

it("does not grow over many runs in one process", { timeout: 120_000 }, async () => {
  const bench = await useBench({ logLimit: 10 });
  for (let warm = 0; warm < 5; warm += 1) await life(bench, new AbortController());
  const sizes: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    for (let run = 0; run < 6; run += 1) await life(bench, new AbortController());
    sizes.push(heapUsed());
  }
  // What stays for good would be there after each of the rounds; what only happens to lie around is not.
  const growth = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0);
  expect(growth / MIB, `heap after each round, in MiB: ${sizes.map((size) => Math.round(size / MIB))}`).toBeLessThan(4);
});

/** The whole life of some endpoints in one opened account: created, changed, refreshed, deleted. */
async function life(bench: Bench, controller: AbortController, abortAfter?: number): Promise<void> {
  bench.emulator.reset();
  let calls = 0;
  const account = bench.account({
    onRequest: () => {
      calls += 1;
      if (calls === abortAfter) controller.abort();
    },
  });
  const stack = new EnginePart();
  const branches = Array.from({ length: ENDPOINTS }, () => bench.branch());
  const program = (sizeCu: number): Program =>
    Object.fromEntries(
      branches.map((branchId, index) => [`e${index}`, { projectId: bench.emulator.projectId, branchId, sizeCu }]),
    );
  const part = { signal: controller.signal };
  bench.emulator.admin.addFault({ probability: 0.05, effect: { kind: "status", status: 502 } });
  await bench.run(stack.up(account, program(1), part));
  await bench.run(stack.refresh(account, part));
  await bench.run(stack.up(account, program(2), part));
  await bench.run(stack.up(account, {}, part));
  await account.api.close();
}
