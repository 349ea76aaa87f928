import { beforeEach, describe, expect, it } from "vitest";
import { type Bench, useBench } from "../support/bench";
import { runCommand, type ShellOptions } from "./support/open-shell";

let bench: Bench;
beforeEach(async () => {
  bench = await useBench();
});

const command = (args: string[], options?: ShellOptions) => runCommand(bench, ["endpoints", ...args], options);

function seed(part: object = {}) {
  const { emulator } = bench;
  return emulator.admin.seedEndpoint(emulator.projectId, {
    branch_id: bench.branch(),
    current_state: "active",
    ...part,
  });
}

describe("endpoints", () => {
  it.each([
    ["is interrupted", [], 130],
    ["takes too long", ["--timeout", "3"], 4],
  ])(
    "restart that %s between its two halves says what is left, and the command that starts it",
    async (_, options, code) => {
      const { admin } = bench.emulator;
      const { id } = seed();
      admin.addFault({ on: "operation", action: "suspend_compute", effect: { kind: "slow", operationMs: 20_000 } });
      const stop = new AbortController();
      if (code === 130) void bench.clock.sleep(3_000).then(() => stop.abort());
      const ran = await command(["restart", id, ...options], { signal: stop.signal });
      expect(ran.code).toBe(code);
      const [, line = ""] = /is left suspended\. Start it, run: pgcompute (.+)$/m.exec(ran.err) ?? [];
      expect(await runCommand(bench, line.split(" "))).toMatchObject({
        code: 0,
        out: expect.stringMatching(/: Active\n$/),
      });
    },
  );
});
