import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { type Declarations, type DeclaredOptions, dynamicHost, pluginHost } from "../support/hosts";
import { changesCalled, opsOf } from "../support/look";
import { programOf, useBench } from "../support/platform";
import type { Deployment } from "../support/project";

const bench = useBench();
const guide = readFileSync(join(root, "docs/migrate.md"), "utf8");

it("a program that moves from the dynamic resource keeps its endpoints and a fleet with its members in place, with an alias by the type or by the URN", async () => {
  const old = bench.program(dynamicHost);
  const { project } = old;
  const { admin, projectId } = bench.emulator;
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(guide) ?? [];
  const ofGuide: object[] = parse(yaml).resources.primary.options.aliases;
  const aliases: Record<string, (object | string)[]> = { primary: ofGuide, second: [old.urn("second")] };
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

it("a program that moves from a bridged provider lets its endpoint go and imports it, without a call that changes anything", async () => {
  const branchId = bench.branch();
  const seeded = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  const project = bench.project();
  const urnOf = (type: string, name: string) => `urn:pulumi:dev::${project.name}::${type}::${name}`;
  const [type, providerType] = ["bridged:index/endpoint:Endpoint", "pulumi:providers:bridged"];
  const [urn, providerUrn] = [urnOf(type, "primary"), urnOf(providerType, "default")];
  const provider = `${providerUrn}::9f0d2a4e-6c1b-4e0b-8f5f-6a3f6a1a7c11`;
  const inputs = { projectId: bench.projectId, branchId };
  const foreign = [
    { custom: true, urn: providerUrn, id: provider.split("::").at(-1), type: providerType, inputs: {}, outputs: {} },
    { custom: true, urn, id: seeded.id, type, inputs, outputs: inputs, provider },
  ];
  const state = project.exportState();
  project.importState({ ...state, resources: [...state.resources, ...foreign] } as Deployment);
  bench.emulator.admin.clearLog();

  // The old provider goes as well, whose plugin is not on this machine.
  for (const one of [urn, providerUrn]) await project.pulumi("state", "delete", one);
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
