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
  it("are listed with state as the console writes it, size and host", async () => {
    const { emulator } = bench;
    const stopped = seed({ disabled: true, current_state: "stopped" });
    const active = seed({ autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: -1 });
    const { out } = await command([]);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(["Endpoint", "Branch", "Type", "State", "Size", "Autosuspend", "Host"]);
    expect(lines.find(([id]) => id === emulator.endpointId)?.slice(2, 6)).toEqual([
      "read_write",
      "Idle",
      "0.25 CU",
      "300 s",
    ]);
    expect(lines.find(([id]) => id === stopped.id)?.[3]).toBe("Stopped (disabled)");
    expect(lines.find(([id]) => id === active.id)?.slice(3)).toEqual(["Active", "0.5 to 2 CU", "never", active.host]);
  });

  it("are listed without those of another project, which a warning tells", async () => {
    const own = seed();
    const endpoints = [own, { ...own, id: "ep-foreign", project_id: "foreign" }];
    bench.emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "json", body: { endpoints } } });
    const { out, err } = await command(["list", "--json"]);
    expect(JSON.parse(out).endpoints).toMatchObject([{ id: own.id }]);
    expect(err).toMatch(/^pgcompute: 1 of the endpoints .* is of another project, and left out\n$/);
  });

  it("are listed of a branch by its name, and of none that the project has not", async () => {
    const { emulator } = bench;
    const { id: branch_id } = emulator.admin.seedBranch(emulator.projectId, { name: "orders" });
    const { id } = seed({ branch_id });
    const { endpoints } = JSON.parse((await command(["list", "--json", "--branch", "orders"])).out);
    expect(endpoints).toMatchObject([{ id }]);
    expect(await command(["list", "--branch", "order"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/the project has no branch "order"; it has .*orders/),
    });
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

  it("of a root branch stay, with the platform's reason", async () => {
    const { code, err } = await command(["delete", bench.emulator.endpointId, "--yes"]);
    expect(code).toBe(1);
    expect(err).toMatch(/refuses to delete endpoint .*root branch/);
  });
});

describe("the command line", () => {
  it.each([
    ["no command", [], {}, /Usage: pgcompute/],
    ["an unknown command", ["endpoint"], {}, /^pgcompute: unknown command "endpoint"; did you mean "endpoints"\?\n$/],
    ["an unknown option", ["endpoints", "--state", "idle"], {}, /^pgcompute: unknown option "--state"; see --help\n$/],
    ["no key", ["endpoints"], { PGCOMPUTE_API_KEY: "" }, /no API key: set the environment variable/],
    ["no project", ["endpoints"], { PGCOMPUTE_PROJECT_ID: "" }, /no project: give --project/],
    ["a project's name", ["endpoints", "--project", "My Shop"], {}, /"My Shop" cannot be a project's id/],
    ["plain http", ["endpoints", "--base-url", "http://example.com/v2"], {}, /--base-url: .*https/],
    [
      "plain http from the environment",
      ["endpoints"],
      { PGCOMPUTE_BASE_URL: "http://example.com/v2" },
      /PGCOMPUTE_BASE_URL: .*https/,
    ],
    ["an id that is none", ["endpoints", "start", "a/b/c"], {}, /"a\/b\/c" is not the id of an endpoint/],
    [
      "a page of what is followed",
      ["operations", "--follow", "--page", "2"],
      {},
      /option "--follow" cannot be used with/,
    ],
    ["half a number", ["operations", "--limit", "1.5"], {}, /--limit: "1.5" is not a whole number from 1 to 10000/],
    [
      "a price in no currency",
      ["review", "--price-per-cu-hour", "0.16XQX"],
      {},
      /--price-per-cu-hour: "0.16XQX" is no price: XQX is no currency/,
    ],
    [
      "a price of nothing",
      ["review", "--price-per-cu-hour", "0"],
      {},
      /--price-per-cu-hour: "0" is not a number above 0/,
    ],
    [
      "a format that is none",
      ["review", "--format", "pdf"],
      {},
      /--format: "pdf" is not one of markdown, html, json\n$/,
    ],
    [
      "a condition that is nearly one",
      ["review", "--fail-on", "restrat"],
      {},
      /not one of .*; did you mean "restart"\?/,
    ],
    [
      "a file of another form",
      ["review", "--out", "r.md", "--out", "r.html", "--format", "html"],
      {},
      /--format html: r\.md ends in \.md, which is markdown; leave --format out/,
    ],
  ])("refuses %s", async (_, args, env, reason) => {
    const { code, err, settings } = await runCommand(bench, args, { env: env as Record<string, string> });
    expect(err).toMatch(reason);
    expect(code).toBe(2);
    expect(settings).toEqual([]);
  });

  it("never repeats a key that was given as an argument", async () => {
    for (const args of [["--api-key=s3cret"], ["endpoints", "--api-key", "s3cret"], ["operations", "--token=s3cret"]]) {
      const { code, err, out } = await runCommand(bench, args);
      expect({ code, text: err + out }).toMatchObject({ code: 2, text: expect.not.stringContaining("s3cret") });
    }
  });

  it("says which key was not accepted", async () => {
    const { code, err } = await runCommand(bench, ["endpoints"], { env: { PGCOMPUTE_API_KEY: "wrong" } });
    expect(code).toBe(1);
    expect(err).toMatch(/401.*PGCOMPUTE_API_KEY/);
    expect(err).not.toContain("wrong");
  });

  it("keeps what a platform answers from acting on the terminal", async () => {
    const endpoint = seed({ type: "read_only" });
    const evil = "active\u001b]0;owned\u0007\u202e";
    bench.emulator.admin.changeEndpoint(endpoint.id, { current_state: evil as "active" });
    for (const args of [["endpoints"], ["endpoints", "--json"]]) {
      const { out } = await runCommand(bench, args);
      expect(out).toContain(endpoint.id);
      expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });
});
