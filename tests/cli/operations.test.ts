import { beforeEach, describe, expect, it } from "vitest";
import { type Bench, useBench } from "../support/bench";
import { runCommand } from "./support/open-shell";

let bench: Bench;
beforeEach(async () => {
  bench = await useBench({ operationMs: 9_000 });
});

const command = (...args: string[]) => runCommand(bench, ["operations", ...args]);

/** An operation on the seeded project's branch, under way from now on. */
const begin = (action: string) =>
  bench.emulator.admin.startOperation({
    projectId: bench.emulator.projectId,
    action,
    branchId: bench.emulator.branchId,
  });

/** Operations of the seeded project, each under way when the next begins a minute later. */
function start(count: number, action = "check_availability"): string[] {
  const { emulator } = bench;
  return Array.from({ length: count }, () => {
    const { id } = begin(action);
    emulator.admin.advance(60_000);
    return id;
  });
}

describe("operations", () => {
  it("are followed: what is new and what changes, until Ctrl-C", async () => {
    const interrupt = new AbortController();
    const following = runCommand(bench, ["operations", "--follow", "--json"], { signal: interrupt.signal });
    const script = async () => {
      await bench.clock.sleep(500);
      begin("apply_config");
      await bench.clock.sleep(20_000);
      interrupt.abort();
    };
    const [{ out, code }] = await Promise.all([following, script()]);
    const seen = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(seen.map(({ action, status }) => `${action} ${status}`)).toEqual([
      "create_timeline finished",
      "apply_config scheduling",
      "apply_config running",
      "apply_config finished",
    ]);
    expect(code).toBe(0);
  });
});

describe("operations wait", () => {
  it("waits for all, tells how they go, and ends well", async () => {
    const ids = ["apply_config", "start_compute"].map((action) => begin(action).id);
    const { out, err, code } = await command("wait", ...ids);
    expect(err).toMatch(/^apply_config scheduling\n(.*\n)*start_compute running\n$/);
    expect(out.match(/finished {2,}9 s/g)).toHaveLength(2);
    expect(code).toBe(0);
  });

  it("ends badly where one failed, and says why", async () => {
    const { emulator } = bench;
    emulator.admin.addFault({
      on: "operation",
      action: "apply_config",
      effect: { kind: "fail", error: "out of disk" },
    });
    const [id = ""] = start(1, "apply_config");
    const { out, code } = await command("wait", id, "--json");
    expect(JSON.parse(out).operations).toMatchObject([
      { id, outcome: "failed", reason: expect.stringMatching(/out of disk/) },
    ]);
    expect(code).toBe(1);
  });

  it("gives up when the time is over", async () => {
    const { emulator } = bench;
    emulator.admin.addFault({ on: "operation", action: "apply_config", effect: { kind: "hang" } });
    const { id } = begin("apply_config");
    const { out, code } = await command("wait", id, "--timeout", "20");
    expect(out).toMatch(/running .* still "running" when the wait timed out/);
    expect(code).toBe(4);
    expect(bench.clock.elapsedMs()).toBeLessThan(30_000);
  });

  it("is interrupted at once", async () => {
    const { id } = begin("apply_config");
    const interrupt = new AbortController();
    const waiting = runCommand(bench, ["operations", "wait", id], { signal: interrupt.signal });
    const [{ code }] = await Promise.all([waiting, bench.clock.sleep(3_000).then(() => interrupt.abort())]);
    expect(code).toBe(130);
  });
});
