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
  it("are listed as the console lists them, most recent first", async () => {
    start(2);
    const { out, err, code } = await command();
    expect(out.split("\n")).toEqual([
      "Action              Branch                Endpoint  Status    Duration  Date and time (UTC)",
      "check_availability  br-quiet-harbor-main            finished  9 s       2024-05-01 10:01:00",
      "check_availability  br-quiet-harbor-main            finished  9 s       2024-05-01 10:00:00",
      "create_timeline     br-quiet-harbor-main            finished  0 s       2024-05-01 10:00:00",
      "",
    ]);
    expect({ err, code }).toEqual({ err: "", code: 0 });
  });

  it("come in pages, the last of which is the last", async () => {
    start(4);
    const pages = [await command("--limit", "2"), await command("--limit", "2", "--page", "3")];
    expect(pages.map(({ out }) => out.trim().split("\n").length - 1)).toEqual([2, 1]);
    expect(pages.map(({ err }) => err)).toEqual(["more with --page 2\n", ""]);
    expect((await command("--page", "9")).err).toBe("no operations\n");
  });

  it("are filtered by a branch's name, and by an endpoint as the other commands name it", async () => {
    const { projectId, branchId, endpointId, admin } = bench.emulator;
    admin.startOperation({ projectId, action: "apply_config", branchId: bench.branch() });
    admin.startOperation({ projectId, action: "start_compute", branchId, endpointId });
    const found = async (...filter: string[]) => {
      const { out } = await runCommand(bench, ["operations", "--json", ...filter], {
        env: { PGCOMPUTE_PROJECT_ID: "" },
      });
      return JSON.parse(out).operations.map(({ action }: { action: string }) => action);
    };
    expect(await found("--endpoint", `${projectId}/${endpointId}`)).toEqual(["start_compute"]);
    expect(await found("--project", projectId, "--branch", "main")).toEqual(["start_compute", "create_timeline"]);
  });

  it.each([
    ["--branch", "order", /the project has no branch "order"; it has main/],
    ["--endpoint", "orders", /orders" is not the id of an endpoint/],
  ])("of %s %s are refused, and not none", async (option, value, reason) => {
    expect(await command(option, value)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(reason) });
  });

  it("are coloured on a terminal only, and not with NO_COLOR", async () => {
    const green = "\u001b[32mfinished";
    expect((await runCommand(bench, ["operations"], { terminal: true })).out).toContain(green);
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }] as Record<string, string>[]) {
      expect((await runCommand(bench, ["operations"], { terminal: true, env })).out).not.toContain("\u001b");
    }
    expect((await command()).out).not.toContain("\u001b");
  });

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

  it("tells an operation that nobody knows from one that failed", async () => {
    const { out, code } = await command("wait", "00000000-0000-4000-8000-000000000000");
    expect(out).toMatch(/unknown .*has no such operation/);
    expect(code).toBe(1);
  });
});
