import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { name } from "../../../package.json";
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
  // From its sources the plugin leaves the version to the tag that it was installed by.
  const { version: _, ...unversioned } = schema;
  expect(JSON.parse(given.stdout)).toEqual(unversioned);
  project.close();
});

it("the schema names secrets, required inputs and what replaces, each property with words that users can follow", () => {
  const { config, resources, language } = schema;
  // The generated SDK for Node.js is apart from this package.
  expect(language.nodejs.packageName).not.toBe(name);
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
