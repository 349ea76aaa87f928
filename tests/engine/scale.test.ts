import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { stackNames } from "../../examples/fleet-over-stacks/parts.mjs";
import { root } from "../../tools/root.mjs";
import { temporaryFolder } from "../support/temporary-folder";
import { useBench } from "./support/platform";
import { makeStack } from "./support/stack-files";
import { linesOf } from "./support/terminal";

const bench = useBench({ operationMs: 100 });

it("a fleet over stacks is split by examples/fleet-over-stacks, each endpoint into the same one for good", async () => {
  const branches = bench.branches(12);
  const example = openExample();
  const { projectId } = bench;
  const primaries = branches.map((branchId, at) => [`endpoint${at}`, { projectId, branchId, sizeCu: 1 }]);
  // Listed before its primary: the fleet that has both of them knows the order.
  const replica = { projectId, branchId: branches[0], type: "read_only" };
  const fleet = Object.fromEntries([["replica", replica], ...primaries]);
  const page = readFileSync(join(root, "examples/fleet-over-stacks/README.md"), "utf8");
  const ofParts = linesOf(page, "On the emulator, without an account").filter((line) =>
    line.startsWith("node parts.mjs"),
  );
  const [select = "", up = "", destroy = ""] = ofParts;
  expect(await example.run(fleet, select)).toMatchObject({ code: 0 });

  const created = await calledBy(() => example.run(fleet, up));
  expect(created.run.code, created.run.text).toBe(0);
  expect(created.calls).toMatchObject({ "endpoints.create": branches.length + 1 });
  for (const branchId of branches) expect(bench.on(branchId)).toHaveLength(branchId === branches[0] ? 2 : 1);

  // One part cannot create what was added to it; the others have nothing to do.
  const { id: occupied } = bench.emulator.admin.seedBranch(projectId, { endpoint: {} });
  const added = { ...fleet, intruder: { projectId, branchId: occupied } };
  const failed = await calledBy(() => example.run(added, up));
  expect(failed.run.code).toBe(123);
  expect(failed.run.text.match(/^ *2 unchanged$/gm)).toHaveLength(3);
  expect(failed.run.text).toMatch(/already has a read-write endpoint/);
  expect(Object.keys(failed.calls).filter((route) => !route.endsWith(".list"))).toEqual([]);

  const emptied = await calledBy(() => example.run({}, up, { MAX_DELETIONS: "13" }));
  expect(emptied.run.code, emptied.run.text).toBe(0);
  expect(emptied.calls).toMatchObject({ "endpoints.delete": branches.length + 1 });
  for (const branchId of branches) expect(bench.on(branchId)).toEqual([]);
  expect(await example.run({}, destroy)).toMatchObject({ code: 0 });
});

/** The example in a folder of its own, on a machine whose `pulumi` runs its program. */
function openExample() {
  const { folders, env } = bench.project();
  const own = folders.program;
  cpSync(join(root, "examples/fleet-over-stacks"), own, { recursive: true });
  const project = readFileSync(join(own, "Pulumi.yaml"), "utf8");
  // This emulator has no rate limit.
  writeFileSync(join(own, "Pulumi.yaml"), project.replace(/^config:.*/ms, ""));
  for (const name of stackNames()) makeStack(folders, "fleet-over-stacks", name);

  const tools = temporaryFolder();
  const pulumi = join(root, "tests/engine/support/launcher/inline-pulumi.mjs");
  writeFileSync(join(tools, "pulumi"), `#!/bin/sh\nPATH='${env.PATH}' exec ${process.execPath} ${pulumi} "$@"\n`);
  chmodSync(join(tools, "pulumi"), 0o755);
  const { apiKey, url } = bench.emulator;
  const given = {
    ...env,
    PATH: [tools, env.PATH].join(delimiter),
    PULUMI_ENGINE: join(folders.bin, "pulumi"),
    PULUMI_PROGRAM: join(own, "index.mjs"),
    PGCOMPUTE_API_KEY: apiKey,
    PGCOMPUTE_BASE_URL: url,
  };
  const run = async (fleet: Record<string, unknown>, line: string, more: Record<string, string> = {}) => {
    writeFileSync(join(own, "fleet.json"), JSON.stringify(fleet));
    const child = spawn("bash", ["-c", line], {
      cwd: own,
      env: { ...given, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
    const [code] = await once(child, "close");
    return { code, text };
  };
  return { run };
}

/** What a run called, by route, without looks at operations. */
async function calledBy<R>(work: () => Promise<R>) {
  const { admin } = bench.emulator;
  admin.clearLog();
  const run = await work();
  const { total, byRoute } = admin.counts();
  const calls = Object.fromEntries(Object.entries(byRoute).filter(([route]) => !route.startsWith("operations.")));
  return { run, calls, total };
}
