import { expect, it } from "vitest";
import { packageSchema } from "../../../tools/generate/schema";

interface Holder {
  properties?: Record<string, object>;
  inputProperties?: Record<string, object>;
}

const schema = JSON.parse(packageSchema("1.0.0"));

/** The paths of what the engine replaces a resource for, by the schema alone. */
function replacing(holders: Record<string, Holder>): string[] {
  return Object.entries(holders).flatMap(([token, { properties = {}, inputProperties = {} }]) =>
    [properties, inputProperties].flatMap((all) =>
      Object.keys(all).flatMap((name) => ("replaceOnChanges" in (all[name] ?? {}) ? [`${token}.${name}`] : [])),
    ),
  );
}

it("no nested property can replace the resource that has it: of a fleet nothing does", () => {
  expect(Object.keys(schema.types)).toContain("pgcompute:index:FleetMember");
  expect(replacing(schema.types)).toEqual([]);
  const { "pgcompute:index:Endpoint": endpoint, ...others } = schema.resources;
  expect(replacing(others)).toEqual([]);
  expect(new Set(replacing({ endpoint }))).toEqual(new Set(["endpoint.projectId", "endpoint.type"]));
});
