import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { type Declarations, type DeclaredOptions, dynamicHost, pluginHost } from "../support/hosts";
import { changesCalled, opsOf } from "../support/look";
import { programOf, useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();
const guide = readFileSync(join(root, "docs/migrate.md"), "utf8");

/** The aliases of the guide's YAML program. */
function aliasesOfGuide(): object[] {
  const [, block = ""] = /```yaml\n(.*?)```/s.exec(guide) ?? [];
  return parse(block).resources.primary.options.aliases;
}

describe("a program that moves from the dynamic resource", () => {
  it("keeps its endpoints and a fleet with its members in place, with an alias by the type or by the URN", async () => {
    const old = bench.program(dynamicHost);
    const { project } = old;
    const { admin, projectId } = bench.emulator;
    const aliases: Record<string, (object | string)[]> = { primary: aliasesOfGuide(), second: [old.urn("second")] };
    const names = Object.keys(aliases);
    const [a, b, ...branches] = bench.branches(4);
    /** The program, with or without what it says of autosuspend. */
    const declared = (suspends: object, options: (name: string) => DeclaredOptions = () => ({})): Declarations => {
      const singles = names.map((name, at) => {
        const args = { projectId, branchId: branches[at], sizeCu: 1, pgSettings: { work_mem: "64MB" }, ...suspends };
        return [name, { args, options: options(name) }] as const;
      });
      const endpoints = { a: { branchId: a, protect: true }, b: { branchId: b, ...suspends } };
      const defaults = { sizeCu: 1, pgSettings: { work_mem: "64MB" } };
      const all = { args: { projectId, defaults, endpoints }, isFleet: true as const, options: options("all") };
      return { ...Object.fromEntries(singles), all };
    };
    const suspends = { suspendTimeoutSeconds: 600 };
    await old.is(declared(suspends)).up();
    const before = names.map(old.idOf);
    const inFleet = () => [a, b].map((branchId) => bench.on(branchId)[0]?.id);
    const membersBefore = inFleet();
    admin.clearLog();

    const now = programOf(project, pluginHost);
    const aliased = (name: string) => ({ aliases: aliases[name] ?? [{ type: dynamicHost.fleetType }] });
    const moved = now.is(declared(suspends, aliased));
    for (const run of [await moved.preview(), await moved.up()]) {
      for (const name of [...names, "all"]) expect(opsOf(run, name), name).toEqual(["same"]);
    }
    expect(old.names()).toEqual([]);
    expect(names.map(now.idOf)).toEqual(before);
    expect((await moved.refresh()).changes).toMatchObject({ same: 3, update: 0 });
    expect(project.stateText()).not.toContain("__provider");
    expect(changesCalled(bench)).toEqual([]);

    // What the program stops setting still goes back to its default: the state knows what was set.
    const less = await now.is(declared({}, aliased)).up();
    expect(less.changes).toMatchObject({ update: 3 });
    expect(less.diagnostics.filter(({ severity, name }) => severity === "warning" && name === "all")).toEqual([]);
    for (const branchId of [...branches, b]) expect(bench.on(branchId)).toMatchObject([{ suspend_timeout_seconds: 0 }]);
    expect([names.map(now.idOf), inFleet()]).toEqual([before, membersBefore]);
  });

  it("takes an open operation along", async () => {
    const branchId = bench.branch();
    const { admin } = bench.emulator;
    const effect = { kind: "slow", operationMs: 60_000 } as const;
    const fault = admin.addFault({ on: "operation", branchId, count: 1, effect });
    const { project, is } = bench.program(dynamicHost);
    const args = { projectId: bench.projectId, branchId };
    await is({ primary: { args, options: { customTimeouts: { create: "1s" } } } }).up({ expectFailure: true });
    admin.removeFault(fault);
    admin.advance(60_000);
    const moved = pluginHost.stack(project, { primary: { args, options: { aliases: aliasesOfGuide() } } });
    expect((await moved.up()).changes).toMatchObject({ update: 1, create: 0 });
    expect(bench.on(branchId)).toHaveLength(1);
  });
});

it("a program that moves from a bridged provider lets its endpoint go and imports it, without a call that changes anything", async () => {
  const branchId = bench.branch();
  const seeded = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  const project = bench.project();
  const urn = `urn:pulumi:dev::${project.name}::bridged:index/endpoint:Endpoint::primary`;
  haveForeign(project, urn, { id: seeded.id, projectId: bench.projectId, branchId });
  bench.emulator.admin.clearLog();

  // The old provider goes as well, whose plugin is not on this machine.
  for (const one of [urn, providerOf(project)]) await project.pulumi("state", "delete", one);
  project.yaml({});
  const cwd = project.folders.program;
  const { apiKey, url } = bench.emulator;
  const env = { ...process.env, PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url };
  const args = ["import-file", "--project", bench.projectId, "--branch", branchId, "--out", "import.json"];
  await promisify(execFile)(process.execPath, [join(root, "bin/pgcompute.cjs"), ...args], { cwd, env });
  const [, line = ""] = /^pulumi (import .*--out imported)$/m.exec(guide) ?? [];
  await project.pulumi(...line.split(" "));
  const { resources } = parse(readFileSync(join(cwd, "imported"), "utf8"));
  const preview = await project.yaml({ resources }).preview({ args: ["--expect-no-changes"] });
  expect(preview.changes).toMatchObject({ same: 1 });
  expect(changesCalled(bench)).toEqual([]);
});

function providerOf({ name }: Project): string {
  return `urn:pulumi:dev::${name}::pulumi:providers:bridged::default`;
}

/** Puts an endpoint of another provider into the state. */
function haveForeign(project: Project, urn: string, endpoint: { id: string } & Record<string, unknown>) {
  const state = project.exportState();
  const provider = providerOf(project);
  const [providerId, { id, ...inputs }] = ["9f0d2a4e-6c1b-4e0b-8f5f-6a3f6a1a7c11", endpoint];
  const resources = [
    ...state.resources,
    { urn: provider, custom: true, id: providerId, type: "pulumi:providers:bridged", inputs: {}, outputs: {} },
    {
      urn,
      custom: true,
      id,
      type: "bridged:index/endpoint:Endpoint",
      inputs,
      outputs: inputs,
      provider: `${provider}::${providerId}`,
    },
  ];
  project.importState({ ...state, resources });
}
