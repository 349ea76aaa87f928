import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { identity } from "../../../tools/pack/identity.mjs";
import { root } from "../../../tools/root.mjs";
import { useBench } from "../support/platform";

const bench = useBench();

it("the example nightly changes nothing in a night in which the endpoint is used, and is done in one in which it is not", async () => {
  const { admin } = bench.emulator;
  const { id: branchId } = admin.seedBranch(bench.projectId, { name: "nightly" });
  const project = bench.project({ "engine-test:projectId": bench.projectId, "engine-test:branch": "nightly" });
  const folder = join(root, "examples/nightly");
  const { name: _name, runtime: _runtime, ...program } = parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8"));
  for (const plugin of program.plugins.providers) plugin.path = join(folder, plugin.path);
  program.resources.primary.options = { customTimeouts: { update: "1s" } };
  const stack = project.yaml(program);
  await stack.up();
  const [{ id: endpointId = "" } = {}] = bench.on(branchId);
  admin.connect({ endpointId, connections: 1 });
  project.setConfig({ "engine-test:sizeCu": "2" });
  const night = await stack.up({ expectFailure: true });
  expect(night.text).toContain("waits for an idle moment, then restarts the endpoint");
  expect(night.failure).toMatch(/was in use for the \d+ s .*nothing was sent/);
  expect(bench.on(branchId)).toMatchObject([{ autoscaling_limit_max_cu: 1, dropped_connections: 0 }]);
  admin.disconnect({ endpointId });
  admin.changeEndpoint(endpointId, { current_state: "idle" });
  expect((await stack.up()).changes).toMatchObject({ update: 1 });
  expect(bench.on(branchId)).toMatchObject([{ autoscaling_limit_max_cu: 2 }]);
  await stack.destroy();
});

// Pulumi's own language hosts are no Go modules that could be had here: what can drift is held to the schema.
describe("a template whose language host is Pulumi's own", () => {
  const { resources, functions, types } = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));
  const { inputProperties, properties } = resources["pgcompute:index:Endpoint"];
  const getBranch = functions["pgcompute:index:getBranch"];
  const [, readOnly] = types["pgcompute:index:EndpointType"].enum;

  const inSnakeCase = (name: string) => name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
  const inPascalCase = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`;

  it.each([
    {
      ...{ file: "python/__main__.py", named: inSnakeCase, size: "autoscaling_limit_min_cu" },
      imported: "import pulumi_pgcompute as pgcompute",
      given: /^ {4}(?!opts=)(\w+)=/gm,
      type: `pgcompute.EndpointType.${inSnakeCase(readOnly.name).toUpperCase()}`,
      call: /get_branch\((.*)\)\.\w+/,
      asked: /(\w+)=/g,
      found: /get_branch\(.*\)\.(\w+)/g,
    },
    {
      ...{ file: "go/main.go", named: inPascalCase, size: "AutoscalingLimitMinCu" },
      imported: `"${identity.goModule}"`,
      given: /^\t{3}(\w+):/gm,
      type: `pgcompute.EndpointType${readOnly.name}`,
      call: /GetBranchArgs\{(.*)\}/,
      asked: /(\w+):/g,
      found: /branch\.(\w+)/g,
    },
  ])("$file uses what the schema has, by its language's names of it", ({ file, named, size, ...its }) => {
    const program = readFileSync(join(root, "templates", file), "utf8");
    expect(program).toContain(its.imported);
    expect(program).toContain(its.type);
    const namesOf = (values: object) => Object.keys(values).map(named);
    const given = namesIn(program, its.given);
    expect(given).toContain(size);
    expect(namesOf(inputProperties)).toEqual(expect.arrayContaining(given));
    expect(namesOf(properties)).toEqual(expect.arrayContaining(namesIn(program, /(?:primary|replica)\.(\w+)/g)));
    const asked = namesIn(its.call.exec(program)?.[1] ?? "", its.asked);
    expect(namesOf(getBranch.inputs.properties)).toEqual(expect.arrayContaining(asked));
    expect(namesOf(getBranch.outputs.properties)).toEqual(expect.arrayContaining(namesIn(program, its.found)));
  });
});

/** What the pattern's group finds, each once; at least one. */
function namesIn(text: string, pattern: RegExp): string[] {
  const found = [...text.matchAll(pattern)].map(([, name = ""]) => name);
  expect(found).not.toEqual([]);
  return [...new Set(found)];
}
