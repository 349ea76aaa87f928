import { execFile } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../tools/root.mjs";
import { useBench } from "./support/platform";
import { makeStack } from "./support/stack-files";
import { linesOf } from "./support/terminal";

const bench = useBench({ operationMs: 100 });

it("a fleet over stacks is split by examples/fleet-over-stacks, each endpoint into the same one for good", async () => {
  const branches = bench.branches(12);
  const script = fleetScript();
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
  for (const branchId of branches) expect(bench.on(branchId)).toHaveLength(branchId === branches[0] ? 2 : 1);

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
  for (const branchId of branches) expect(bench.on(branchId)).toEqual([]);
  expect(await script.run({}, destroy)).toMatchObject({ code: 0, stderr: "" });
});

/** The script of examples/fleet-over-stacks in a folder of its own, as its user runs it. */
function fleetScript() {
  const example = join(root, "examples/fleet-over-stacks");
  const { folders, env } = bench.project();
  copyFileSync(join(example, "Pulumi.yaml"), join(folders.program, "Pulumi.yaml"));
  // The script takes stacks that are there; those that it makes itself have a passphrase, which each process pays for.
  for (const name of ["part-1-of-2", "part-2-of-2"]) makeStack(folders, "fleet-over-stacks", name);
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

/** What a run of the script called, by route, without looks at operations. */
async function calledBy<R>(work: () => Promise<R>) {
  const { admin } = bench.emulator;
  admin.clearLog();
  const run = await work();
  const { total, byRoute } = admin.counts();
  const calls = Object.fromEntries(Object.entries(byRoute).filter(([route]) => !route.startsWith("operations.")));
  return { run, calls, total };
}
