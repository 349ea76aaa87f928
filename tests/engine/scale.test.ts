import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../tools/root.mjs";
import { type Declarations, pluginHost as host } from "./support/hosts";
import { SECRETS_PROVIDER } from "./support/key-server";
import { endpointsOn, useBench } from "./support/platform";
import { linesOf } from "./support/terminal";

// The counts that the bench shows for a thousand endpoints, held here for as many as a test has time for. Other shapes of a fleet (replicas on
// one branch, many projects) are counted without an engine, in tests/provider/endpoint/scale.test.ts.
const COUNT = 40;
const LOOKS_PER_SECOND = 8;
const LOOKS_AT_ONCE = 8;
const TIMEOUT_MS = 300_000;
const PARALLEL = { args: ["--parallel", "10"] };

const bench = useBench({ operationMs: 100 });

describe("a fleet in one project", { timeout: TIMEOUT_MS }, () => {
  it("costs a call for each change, a list for each plan, and eight looks a second at most", async () => {
    const branches = Array.from({ length: COUNT }, () => bench.branch());
    const program = await bench.program(host);
    const fleet = (suspendTimeoutSeconds: number) =>
      program.is(declare(branches, { projectId: bench.projectId, sizeCu: 1, suspendTimeoutSeconds }));
    const lists = { "endpoints.list": 1, "branches.list": 1 };
    const steps = [
      ["preview", 600, { create: COUNT }, lists],
      ["up", 600, { create: COUNT }, { ...lists, "endpoints.create": COUNT }],
      ["preview", 600, { same: COUNT, update: 0 }, { "endpoints.list": 1 }],
      ["refresh", 600, { same: COUNT, update: 0 }, {}],
      ["up", 900, { update: COUNT }, { "endpoints.list": 1, "endpoints.update": COUNT }],
      ["destroy", 900, { delete: COUNT }, { "endpoints.delete": COUNT }],
    ] as const;
    for (const [verb, suspendTimeoutSeconds, changes, calls] of steps) {
      const done = await calledBy(() => fleet(suspendTimeoutSeconds)[verb](PARALLEL));
      expect(done.run.changes, verb).toMatchObject(changes);
      if (verb === "refresh") expect(done.total).toBeLessThanOrEqual(2);
      else expect(done.calls, verb).toEqual(calls);
      expect(done.looks, verb).toBeLessThanOrEqual(verb === "up" || verb === "destroy" ? done.looksAllowed : 0);
    }
    for (const branchId of branches) expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});

describe("a fleet over stacks", { timeout: TIMEOUT_MS }, () => {
  it("is split by examples/fleet-over-stacks, each endpoint into the same one for good", async () => {
    const branches = Array.from({ length: 12 }, () => bench.branch());
    const script = await fleetScript();
    const { projectId } = bench;
    const primaries = branches.map((branchId, at) => [`endpoint${at}`, { projectId, branchId, sizeCu: 1 }]);
    // Listed before its primary: the fleet that has both of them knows the order.
    const replica = { projectId, branchId: branches[0], type: "read_only" };
    const fleet = Object.fromEntries([["replica", replica], ...primaries]);
    const page = readFileSync(join(root, "examples/fleet-over-stacks/README.md"), "utf8");
    const lines = linesOf(page, "On the emulator, without an account");
    const ofScript = lines.filter((line) => line.startsWith("node fleet.mjs ")).map((line) => line.split(" ").slice(2));
    const [up = [], destroy = []] = ofScript;

    const created = await calledBy(() => script.run(fleet, up));
    expect(created.run).toMatchObject({ code: 0, stderr: "" });
    expect(created.calls).toMatchObject({ "endpoints.create": branches.length + 1 });
    // A stack, and its fleet.
    expect(created.run.stdout.match(/^part-[12]-of-2: 2 create$/gm)).toHaveLength(2);
    for (const branchId of branches)
      expect(endpointsOn(bench, branchId)).toHaveLength(branchId === branches[0] ? 2 : 1);

    // One stack cannot create what was added to it; the other says that nothing changed.
    const { id: occupied } = bench.emulator.admin.seedBranch(projectId, { endpoint: {} });
    const added = { ...fleet, intruder: { projectId, branchId: occupied } };
    const failed = await calledBy(() => script.run(added, [...up, "--requests-per-second", "100"]));
    expect(failed.run.code).toBe(1);
    expect(failed.run.stdout.match(/^part-[12]-of-2: 2 same$/gm)).toHaveLength(1);
    expect(failed.run.stderr).toMatch(/part-[12]-of-2: failed\n.*already has a read-write endpoint/s);
    expect(Object.keys(failed.calls).filter((route) => !route.endsWith(".list"))).toEqual([]);
    expect(script.configuration()).toMatch(/pgcompute:maxRequestsPerSecond: "?50/);

    const refused = await calledBy(() => script.run(fleet, ["up", "--stacks", "3"]));
    expect(refused).toMatchObject({
      run: { code: 2, stderr: expect.stringMatching(/^stack part-[12]-of-2 has resources/) },
      total: 0,
    });

    const emptied = await calledBy(() => script.run({}, [...up, "--max-deletions", "13"]));
    expect(script.configuration()).not.toMatch(/maxRequestsPerSecond/);
    expect(emptied.run).toMatchObject({ code: 0, stderr: "" });
    expect(emptied.calls).toMatchObject({ "endpoints.delete": branches.length + 1 });
    for (const branchId of branches) expect(endpointsOn(bench, branchId)).toEqual([]);
    expect(await script.run({}, destroy)).toMatchObject({ code: 0, stderr: "" });
  });
});

/** The script of examples/fleet-over-stacks in a folder of its own, as its user runs it. */
async function fleetScript() {
  const example = join(root, "examples/fleet-over-stacks");
  const { folders, env, cli } = await bench.project();
  copyFileSync(join(example, "Pulumi.yaml"), join(folders.program, "Pulumi.yaml"));
  // The script takes stacks that are there; those that it makes itself have a passphrase, which each process pays for.
  for (const name of ["part-1-of-2", "part-2-of-2"]) {
    expect((await cli(["stack", "init", name, "--secrets-provider", SECRETS_PROVIDER])).code).toBe(0);
  }
  const { apiKey, url } = bench.emulator;
  const options = { cwd: folders.program, env: { ...env, PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url } };
  const run = (fleet: Record<string, unknown>, args: string[]) => {
    writeFileSync(join(folders.program, "fleet.json"), JSON.stringify(fleet));
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const command = [join(example, "fleet.mjs"), ...args];
      execFile(process.execPath, command, options, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
      });
    });
  };
  const configuration = () => readFileSync(join(folders.program, "Pulumi.part-1-of-2.yaml"), "utf8");
  return { run, configuration };
}

function declare(branches: readonly string[], args: Record<string, unknown>): Declarations {
  return Object.fromEntries(branches.map((branchId, at) => [`endpoint${at}`, { args: { ...args, branchId } }]));
}

/** What a run of the engine called: looks at operations apart from the calls by route, and how many there was time for. */
async function calledBy<R>(engine: () => Promise<R>) {
  const { admin } = bench.emulator;
  admin.clearLog();
  const run = await engine();
  const log = admin.log();
  const isLook = ({ route }: { route: string }) => route.startsWith("operations.");
  const calls: Record<string, number> = {};
  for (const { route } of log.filter((entry) => !isLook(entry))) calls[route] = (calls[route] ?? 0) + 1;
  const from = log.find(({ method }) => method !== "GET")?.at ?? 0;
  const seconds = ((log.at(-1)?.at ?? 0) - from) / 1_000;
  const looks = log.filter(isLook).length;
  return { run, calls, looks, total: log.length, looksAllowed: LOOKS_AT_ONCE + LOOKS_PER_SECOND * seconds };
}
