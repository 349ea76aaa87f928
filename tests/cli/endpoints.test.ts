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
  it("are listed without those of another project, which a warning tells", async () => {
    const own = seed();
    const endpoints = [own, { ...own, id: "ep-foreign", project_id: "foreign" }];
    bench.emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "json", body: { endpoints } } });
    const { out, err } = await command(["list", "--json"]);
    expect(JSON.parse(out).endpoints).toMatchObject([{ id: own.id }]);
    expect(err).toMatch(/^pgcompute: 1 of the endpoints .* is of another project, and left out\n$/);
  });

  it.each([
    ["suspend", "suspended", "Idle", ["suspend_compute"]],
    ["restart", "restarted", "Active", ["start_compute", "suspend_compute"]],
  ])("%s acts, and waits until it is done", async (action, done, state, actions) => {
    const { emulator } = bench;
    const { id } = seed();
    const { out, code } = await command([action, `${emulator.projectId}/${id}`]);
    expect({ out, code }).toEqual({ out: `${done} ${emulator.projectId}/${id}: ${state}\n`, code: 0 });
    const { operations } = emulator.admin.project(emulator.projectId);
    const own = operations.filter(({ endpoint_id }) => endpoint_id === id);
    expect(own.map(({ action, status }) => `${action} ${status}`)).toEqual(actions.map((one) => `${one} finished`));
  });

  it("acts by a key that is part of the ids, too", async () => {
    bench = await useBench({ apiKey: "e" });
    const { emulator } = bench;
    const { out, code } = await command(["start", emulator.endpointId]);
    expect({ out, code }).toEqual({ out: `started ${emulator.projectId}/${emulator.endpointId}: Active\n`, code: 0 });
  });

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

  it("waits no longer than it was told to", async () => {
    const { id } = seed();
    bench.emulator.admin.addFault({ on: "operation", action: "suspend_compute", effect: { kind: "hang" } });
    const { code, err } = await command(["suspend", id, "--timeout", "30"]);
    expect(code).toBe(4);
    expect(err).toMatch(/--timeout, or wait for it: pgcompute operations wait [0-9a-f-]{36}$/m);
  });

  describe.each(["endpoints.get", "endpoints.suspend"])("that the rate limit holds back at %s", (route) => {
    const limited = async (...options: string[]) => {
      const effect = { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 300 } } as const;
      bench.emulator.admin.addFault({ route, count: 1, effect });
      return command(["suspend", seed().id, ...options]);
    };

    it("wait no longer than they were told to", async () => {
      expect(await limited("--timeout", "30")).toMatchObject({ code: 1, err: expect.stringContaining("429") });
      expect(bench.clock.elapsedMs()).toBeLessThanOrEqual(30_000);
    });

    it("wait as long as the platform asks where nothing was said", async () => {
      expect((await limited()).code).toBe(0);
      expect(bench.clock.elapsedMs()).toBeGreaterThanOrEqual(300_000);
    });
  });

  it("are deleted only when somebody means it", async () => {
    const { id, branch_id } = seed();
    expect(await command(["delete", id])).toMatchObject({ code: 2, err: expect.stringMatching(/give --yes/) });
    const refused = await command(["delete", id], { terminal: true, answer: "y" });
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/Delete endpoint .* permanently\?.*nothing was deleted/s),
    });
    expect(bench.on(branch_id)).toHaveLength(1);
    expect((await command(["delete", id], { terminal: true, answer: "yes" })).out).toMatch(/^deleted /);
    expect(bench.on(branch_id)).toEqual([]);
  });
});
