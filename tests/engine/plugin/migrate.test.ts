import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
  it.each([
    ["by the type", () => yamlOfGuide().resources.primary.options.aliases],
    ["by the URN", (project: Project) => [`urn:pulumi:dev::${project.name}::${dynamicHost.type}::primary`]],
  ])("keeps its endpoint in place, with an alias %s", async (_how, aliasesOf) => {
    const branchId = bench.branch();
    const program = await bench.program(dynamicHost);
    const { project } = program;
    const settings = { sizeCu: 1, suspendTimeoutSeconds: 600, pgSettings: { work_mem: "64MB" } };
    const args = { projectId: bench.projectId, branchId, ...settings };
    await program.is({ primary: { args } }).up();
    const before = stored(project, dynamicHost, "primary");
    bench.emulator.admin.clearLog();

    const resource = (properties: Record<string, unknown>) => ({
      resources: { primary: { type: TYPE, properties, options: { aliases: aliasesOf(project) } } },
    });
    const moved = project.yaml(resource(args));
    expect(opsOf(await moved.preview(), "primary")).toEqual(["same"]);
    expect(opsOf(await moved.up(), "primary")).toEqual(["same"]);
    expect(storedNames(project, dynamicHost)).toEqual([]);
    expect(stored(project, pluginHost, "primary")).toMatchObject({ id: before.id, inputs: args });
    expect((await moved.refresh()).changes).toMatchObject({ same: 1, update: 0 });
    expect(JSON.stringify(stored(project, pluginHost, "primary"))).not.toContain("__provider");
    expect(changes()).toEqual([]);

    // What the program stops setting still goes back to its default: the state knows what was set.
    const { suspendTimeoutSeconds: _, ...less } = args;
    expect((await project.yaml(resource(less)).up()).changes).toMatchObject({ update: 1 });
    const [endpoint] = endpointsOn(bench, branchId);
    expect(endpoint).toMatchObject({ id: before.id?.split("/")[1], suspend_timeout_seconds: 0 });
    await moved.destroy();
    expect(endpointsOn(bench, branchId)).toEqual([]);
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

describe("a program that moves from a bridged provider", () => {
  it("lets its endpoint go and imports it, without a call that changes anything", async () => {
    const branchId = bench.branch();
    const seeded = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId });
    const project = await bench.project();
    const urn = `urn:pulumi:dev::${project.name}::bridged:index/endpoint:Endpoint::primary`;
    await haveForeign(project, urn, { id: seeded.id, projectId: bench.projectId, branchId });
    bench.emulator.admin.clearLog();

    // The old provider goes as well, whose plugin is not on this machine.
    for (const one of [urn, providerOf(project)]) {
      const gone = await project.cli(["state", "delete", one, "--yes", "--stack", "dev", "--non-interactive"]);
      expect(gone.code, gone.text).toBe(0);
    }
    project.yaml({});
    const out = join(project.folders.program, "imported.yaml");
    const line = `import ${TYPE} primary ${bench.projectId}/${seeded.id}`;
    const imported = await project.cli([
      ...line.split(" "),
      "--yes",
      "--stack",
      "dev",
      "--non-interactive",
      "--out",
      out,
    ]);
    expect(imported.code, imported.text).toBe(0);
    const { resources } = parse(readFileSync(out, "utf8"));
    const preview = await project.yaml({ resources }).preview({ args: ["--expect-no-changes"] });
    expect(preview.changes).toMatchObject({ same: 1 });
    expect(changes()).toEqual([]);
    expect(guide).toContain(`pulumi import ${TYPE} primary PROJECT/ENDPOINT`);
  });
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
async function haveForeign(project: Project, urn: string, endpoint: { id: string } & Record<string, unknown>) {
  const file = join(project.folders.program, "state.json");
  const exported = await project.cli(["stack", "export", "--stack", "dev"]);
  const state = JSON.parse(exported.stdout);
  const provider = providerOf(project);
  const [providerId, { id, ...inputs }] = ["9f0d2a4e-6c1b-4e0b-8f5f-6a3f6a1a7c11", endpoint];
  state.deployment.resources = [
    ...(state.deployment.resources ?? []),
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
  writeFileSync(file, JSON.stringify(state));
  const put = await project.cli(["stack", "import", "--stack", "dev", "--file", file, "--non-interactive"]);
  expect(put.code, put.text).toBe(0);
}
