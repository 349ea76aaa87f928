import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { dynamicHost, pluginHost } from "../support/hosts";
import { opsOf, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();
const guide = readFileSync(join(root, "docs/migrate.md"), "utf8");
const TYPE = "pgcompute:index:Endpoint";

/** Calls that changed something since the log was cleared. */
function changes(): string[] {
  return bench.emulator.admin.log().flatMap(({ method, route }) => (method === "GET" ? [] : [route]));
}

describe("a program that moves from the dynamic resource", () => {
  it("keeps its endpoints and a fleet with its members in place, with an alias by the type or by the URN", async () => {
    const program = await bench.program(dynamicHost);
    const { project } = program;
    const { admin, projectId } = bench.emulator;
    const aliases: Record<string, unknown> = {
      primary: yamlOfGuide().resources.primary.options.aliases,
      second: [`urn:pulumi:dev::${project.name}::${dynamicHost.type}::second`],
    };
    const names = Object.keys(aliases);
    const settings = { sizeCu: 1, suspendTimeoutSeconds: 600, pgSettings: { work_mem: "64MB" } };
    const args = Object.fromEntries(names.map((name) => [name, { projectId, branchId: bench.branch(), ...settings }]));
    const [a, b] = [bench.branch(), bench.branch()];
    const members = (more: object) => ({
      projectId,
      defaults: { sizeCu: 1, pgSettings: { work_mem: "64MB" } },
      endpoints: { a: { branchId: a, protect: true }, b: { branchId: b, ...more } },
    });
    const singles = Object.fromEntries(names.map((name) => [name, { args: args[name] ?? {} }]));
    await program.is({ ...singles, all: { args: members({ suspendTimeoutSeconds: 600 }), isFleet: true } }).up();
    const before = Object.fromEntries(names.map((name) => [name, stored(project, dynamicHost, name).id]));
    const inFleet = () => [a, b].map((branchId) => endpointsOn(bench, branchId)[0]?.id);
    const membersBefore = inFleet();
    admin.clearLog();

    const yaml = (properties: (name: string) => unknown, fleet: object) =>
      project.yaml({
        resources: {
          ...Object.fromEntries(
            names.map((name) => [
              name,
              { type: TYPE, properties: properties(name), options: { aliases: aliases[name] } },
            ]),
          ),
          all: {
            ...{ type: `${TYPE}Fleet`, properties: fleet },
            options: { aliases: [{ type: `${dynamicHost.type}Fleet` }] },
          },
        },
      });
    const moved = yaml((name) => args[name], members({ suspendTimeoutSeconds: 600 }));
    for (const run of [await moved.preview(), await moved.up()]) {
      for (const name of [...names, "all"]) expect(opsOf(run, name), name).toEqual(["same"]);
    }
    expect(storedNames(project, dynamicHost)).toEqual([]);
    for (const name of names) {
      expect(stored(project, pluginHost, name)).toMatchObject({ id: before[name], inputs: args[name] });
    }
    expect((await moved.refresh()).changes).toMatchObject({ same: 3, update: 0 });
    for (const name of names) expect(JSON.stringify(stored(project, pluginHost, name))).not.toContain("__provider");
    expect(changes()).toEqual([]);

    // What the program stops setting still goes back to its default: the state knows what was set.
    const less = await yaml((name) => ({ ...args[name], suspendTimeoutSeconds: undefined }), members({})).up();
    expect(less.changes).toMatchObject({ update: 3 });
    expect(less.diagnostics.filter(({ severity, name }) => severity === "warning" && name === "all")).toEqual([]);
    for (const name of names) {
      const [endpoint] = endpointsOn(bench, args[name]?.branchId ?? "");
      expect(endpoint).toMatchObject({ id: before[name]?.split("/")[1], suspend_timeout_seconds: 0 });
    }
    expect(endpointsOn(bench, b)[0]).toMatchObject({ suspend_timeout_seconds: 0 });
    expect(inFleet()).toEqual(membersBefore);
  });

  it("takes an open operation along", async () => {
    const branchId = bench.branch();
    const { admin } = bench.emulator;
    const fault = admin.addFault({
      on: "operation",
      branchId,
      count: 1,
      effect: { kind: "slow", operationMs: 60_000 },
    });
    const program = await bench.program(dynamicHost);
    const args = { projectId: bench.projectId, branchId };
    const cut = program.is({ primary: { args, options: { customTimeouts: { create: "1s" } } } });
    await cut.up({ expectFailure: true });
    admin.removeFault(fault);
    admin.advance(60_000);
    const { aliases } = yamlOfGuide().resources.primary.options;
    const moved = program.project.yaml({
      resources: { primary: { type: TYPE, properties: args, options: { aliases } } },
    });
    expect((await moved.up()).changes).toMatchObject({ update: 1, create: 0 });
    expect(endpointsOn(bench, branchId)).toHaveLength(1);
  });
});

it("a program that moves from a bridged provider lets its endpoint go and imports it, without a call that changes anything", async () => {
  const branchId = bench.branch();
  const seeded = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
  const project = await bench.project();
  const urn = `urn:pulumi:dev::${project.name}::bridged:index/endpoint:Endpoint::primary`;
  haveForeign(project, urn, { id: seeded.id, projectId: bench.projectId, branchId });
  bench.emulator.admin.clearLog();

  // The old provider goes as well, whose plugin is not on this machine.
  for (const one of [urn, providerOf(project)]) {
    const gone = await project.cli(["state", "delete", one, "--yes", "--stack", "dev", "--non-interactive"]);
    expect(gone.code, gone.text).toBe(0);
  }
  project.yaml({});
  const cwd = project.folders.program;
  const { apiKey, url } = bench.emulator;
  const env = { ...process.env, PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url };
  const args = ["import-file", "--project", bench.projectId, "--branch", branchId, "--out", "import.json"];
  await promisify(execFile)(process.execPath, [join(root, "bin/pgcompute.cjs"), ...args], { cwd, env });
  const [, line = ""] = /^pulumi (import .*--out imported)$/m.exec(guide) ?? [];
  const imported = await project.cli([...line.split(" "), "--yes", "--stack", "dev", "--non-interactive"]);
  expect(imported.code, imported.text).toBe(0);
  const { resources } = parse(readFileSync(join(cwd, "imported"), "utf8"));
  const preview = await project.yaml({ resources }).preview({ args: ["--expect-no-changes"] });
  expect(preview.changes).toMatchObject({ same: 1 });
  expect(changes()).toEqual([]);
});

/** The YAML program of the guide. */
function yamlOfGuide() {
  const [, block = ""] = /```yaml\n(.*?)```/s.exec(guide) ?? [];
  return parse(block);
}

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
