import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { endpointsOn, useBench } from "../support/platform";
import type { Project } from "../support/project";

const examples = join(root, "examples");
const bench = useBench();

/** An example's `Pulumi.yaml` as a program of the project, with its plugin where the file says. */
function programOf(folder: string): Record<string, unknown> {
  const { name: _name, runtime: _runtime, ...program } = parse(read(folder, "Pulumi.yaml"));
  for (const plugin of program.plugins.providers) plugin.path = join(examples, folder, plugin.path);
  return program;
}

function read(folder: string, file: string): string {
  return readFileSync(join(examples, folder, file), "utf8");
}

/** A project for an example, configured as its README says. */
function projectFor(config: Record<string, string>): Promise<Project> {
  const entries = Object.entries({ projectId: bench.projectId, ...config });
  return bench.project(Object.fromEntries(entries.map(([key, value]) => [`engine-test:${key}`, value])));
}

it("the example nightly changes nothing in a night in which the endpoint is used, and is done in one in which it is not", async () => {
  const { admin } = bench.emulator;
  const { id: branchId } = admin.seedBranch(bench.projectId, { name: "nightly" });
  const project = await projectFor({ branch: "nightly" });
  const { resources, ...rest } = programOf("nightly") as { resources: { primary: Record<string, object> } };
  const primary = { ...resources.primary, options: { customTimeouts: { update: "1s" } } };
  const stack = project.yaml({ ...rest, resources: { primary } });
  await stack.up();
  const [{ id: endpointId = "" } = {}] = endpointsOn(bench, branchId);
  admin.connect({ endpointId, connections: 1 });
  await project.setConfig({ "engine-test:sizeCu": "2" });
  const night = await stack.up({ expectFailure: true });
  expect(night.text).toContain("waits for an idle moment, then restarts the endpoint");
  expect(night.failure).toMatch(/was in use for the \d+ s .*nothing was sent/);
  expect(endpointsOn(bench, branchId)).toMatchObject([{ autoscaling_limit_max_cu: 1, dropped_connections: 0 }]);
  admin.disconnect({ endpointId });
  admin.changeEndpoint(endpointId, { current_state: "idle" });
  expect((await stack.up()).changes).toMatchObject({ update: 1 });
  expect(endpointsOn(bench, branchId)).toMatchObject([{ autoscaling_limit_max_cu: 2 }]);
  await stack.destroy();
});

// Pulumi's own language hosts are no Go modules that could be had here: what can drift is held to the schema.
describe("a template whose language host is Pulumi's own", () => {
  const { resources, functions, types, language } = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));
  const { inputProperties, properties } = resources["pgcompute:index:Endpoint"];
  const getBranch = functions["pgcompute:index:getBranch"];
  const [, readOnly] = types["pgcompute:index:EndpointType"].enum;
  const template = (file: string) => readFileSync(join(root, "templates", file), "utf8");

  it("python uses what the schema has, by Python's names of it", () => {
    const program = template("python/__main__.py");
    expect(program).toContain(`import ${language.python.packageName} as pgcompute`);
    const given = namesIn(program, /^ {4}(\w+)=/gm).filter((name) => name !== "opts");
    expect(given).toContain("autoscaling_limit_min_cu");
    expect(inSnakeCase(Object.keys(inputProperties))).toEqual(expect.arrayContaining(given));
    const used = namesIn(program, /(?:primary|replica)\.(\w+)/g);
    expect(inSnakeCase(Object.keys(properties))).toEqual(expect.arrayContaining(used));
    expect(program).toContain(`pgcompute.EndpointType.${inSnakeCase([readOnly.name])[0]?.toUpperCase()}`);
    const [, first = "", second = "", result = ""] = /get_branch\((\w+)=\w+, (\w+)=.*\)\.(\w+)/.exec(program) ?? [];
    expect(inSnakeCase(Object.keys(getBranch.inputs.properties))).toEqual(expect.arrayContaining([first, second]));
    expect(inSnakeCase(Object.keys(getBranch.outputs.properties))).toContain(result);
  });

  it("go uses what the schema has, by Go's names of it", () => {
    const program = template("go/main.go");
    expect(program).toContain(`"${language.go.importBasePath}"`);
    const given = namesIn(program, /^\t{3}(\w+):/gm);
    expect(given).toContain("AutoscalingLimitMinCu");
    expect(inPascalCase(Object.keys(inputProperties))).toEqual(expect.arrayContaining(given));
    const used = namesIn(program, /(?:primary|replica)\.(\w+)/g);
    expect(inPascalCase(Object.keys(properties))).toEqual(expect.arrayContaining(used));
    expect(program).toContain(`pgcompute.EndpointType${readOnly.name}`);
    const [, args = ""] = /GetBranchArgs\{(.*)\}/.exec(program) ?? [];
    const names = inPascalCase(Object.keys(getBranch.inputs.properties));
    expect(names).toEqual(expect.arrayContaining(namesIn(args, /(\w+):/g)));
    const results = namesIn(program, /branch\.(\w+)/g);
    expect(inPascalCase(Object.keys(getBranch.outputs.properties))).toEqual(expect.arrayContaining(results));
  });
});

/** What the pattern's group finds, each once; at least one. */
function namesIn(text: string, pattern: RegExp): string[] {
  const found = [...text.matchAll(pattern)].map(([, name = ""]) => name);
  expect(found).not.toEqual([]);
  return [...new Set(found)];
}

function inSnakeCase(names: string[]): string[] {
  return names.map((name) => name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase());
}

function inPascalCase(names: string[]): string[] {
  return names.map((name) => `${name[0]?.toUpperCase()}${name.slice(1)}`);
}
