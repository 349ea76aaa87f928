import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../../package.json";
import { root } from "../../../tools/root.mjs";
import { createProject } from "../support/project";

const plugin = join(root, "bin/pulumi-resource-pgcompute");
const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));

it("the schema passes the engine's own checks, and is what the plugin gives", async () => {
  const project = createProject();
  const checked = await project.cli(["schema", "check", join(root, "schema.json")]);
  expect(checked.code, checked.text).toBe(0);
  expect(checked.text).not.toMatch(/warning|error/i);
  const given = await project.cli(["package", "get-schema", plugin]);
  expect(given.code, given.text).toBe(0);
  expect(JSON.parse(given.stdout)).toEqual(schema);
  project.close();
});

it("a program adds the package by the executable of a clone, for which nothing is installed or built", async () => {
  const project = createProject();
  project.yaml({ resources: {} });
  const added = await project.cli(["package", "add", plugin]);
  expect(added.code, added.text).toBe(0);
  expect(added.text).toContain("Successfully generated an SDK for the pgcompute package");
  expect(added.text).not.toMatch(/npm|Downloading/);
  const program = parse(readFileSync(join(project.folders.program, "Pulumi.yaml"), "utf8"));
  expect(program.packages).toEqual({ pgcompute: `pgcompute@${version}` });
  const stack = await project.cli(["preview", "--stack", "dev", "--non-interactive"]);
  expect(stack.code, stack.text).toBe(0);
  project.close();
});

it("the schema names secrets, required inputs and what replaces, each property with words that users can follow", () => {
  const { config, resources, language } = schema;
  // A package that is published nowhere could be published by anybody.
  expect(JSON.stringify(language)).not.toMatch(/packageName|importBasePath|modulePath|basePackage|artifactID/);
  expect(config.variables.apiKey).toMatchObject({ secret: true });
  expect(config.variables.apiKey).not.toHaveProperty("default");
  const { inputProperties, requiredInputs } = resources["pgcompute:index:Endpoint"];
  expect(requiredInputs).toEqual(["projectId", "branchId"]);
  const replacing = Object.keys(inputProperties).filter((one) => inputProperties[one].replaceOnChanges);
  expect(replacing).toEqual(["projectId", "type"]);
  for (const property of Object.values<{ description?: string }>(inputProperties)) {
    expect(property.description).toMatch(/\w/);
    expect(property.description).not.toMatch(/section \d/);
  }
});

it("what is built already is not built again by npm's prepare, which Pulumi runs for a folder", () => {
  const prepare = () => execFileSync(process.execPath, [join(root, "tools/prepare.mjs")], { encoding: "utf8" });
  const builtMs = () => ["dist/plugin.cjs", "emulator/dist/cli.cjs"].map((path) => statSync(join(root, path)).mtimeMs);
  // What this suite has built are the bundles alone.
  prepare();
  const before = builtMs();
  expect([prepare(), builtMs()]).toEqual(["", before]);
});
