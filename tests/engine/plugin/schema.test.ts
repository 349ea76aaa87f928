import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { createProject } from "../support/project";

const plugin = join(root, "bin/pulumi-resource-pgcompute");
const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8"));

describe("the schema", () => {
  it("passes the engine's own checks, and is what the plugin gives", async () => {
    const project = await createProject();
    const checked = await project.cli(["schema", "check", join(root, "schema.json")]);
    expect(checked.code, checked.text).toBe(0);
    expect(checked.text).not.toMatch(/warning|error/i);
    const given = await project.cli(["package", "get-schema", plugin]);
    expect(given.code, given.text).toBe(0);
    expect(JSON.parse(given.stdout)).toEqual(schema);
    project.close();
  });

  it("keeps the generated Node.js SDK apart from this package", () => {
    const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(schema.language.nodejs.packageName).not.toBe(name);
  });

  it("names secrets, enums, required inputs and what replaces, each property with words that users can follow", () => {
    const { config, types, resources, functions } = schema;
    expect(config.variables.apiKey).toMatchObject({ secret: true });
    expect(config.variables.apiKey).not.toHaveProperty("default");
    expect(Object.keys(types)).toEqual(
      expect.arrayContaining(["EndpointType", "PoolerMode", "Plan"].map((name) => `pgcompute:index:${name}`)),
    );
    const { inputProperties, requiredInputs } = resources["pgcompute:index:Endpoint"];
    expect(requiredInputs).toEqual(["projectId", "branchId"]);
    const replacing = Object.keys(inputProperties).filter((name) => inputProperties[name].replaceOnChanges);
    expect(replacing).toEqual(["projectId", "type"]);
    for (const property of Object.values<{ description?: string }>(inputProperties)) {
      expect(property.description).toMatch(/\w/);
      expect(property.description).not.toMatch(/section \d/);
    }
    expect(Object.keys(functions)).toHaveLength(7);
  });
});
