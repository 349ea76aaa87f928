import { RunError } from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { Endpoint } from "../../../sdk/endpoint";
import { EndpointFleet } from "../../../sdk/endpoint-fleet";

const options = { import: "quiet-lake-12345678" };
const member = { projectId: "quiet-lake-12345678", branchId: "br-a" };

// Of any other error the engine prints the stack.
it.each([
  ["an endpoint", () => new Endpoint("main", member, options)],
  ["a fleet", () => new EndpointFleet("main", { endpoints: {} }, options)],
])("the option import of %s is refused with an error that is shown without its stack", (_, declare) => {
  expect(declare).toThrow(RunError);
  expect(declare).toThrow(/the resource option "import" needs the pgcompute plugin/);
});

it.each([
  ["as JSON brings it", JSON.parse(JSON.stringify({ a: member }).replace('"a"', '"__proto__"'))],
  ["as a program writes it", { __proto__: member }],
])("a member whose key JavaScript would lose is refused: %s", (_, endpoints) => {
  const declare = () => new EndpointFleet("previews", { endpoints: endpoints as Record<string, typeof member> });
  expect(declare).toThrow(RunError);
  expect(declare).toThrow(/^fleet "previews": "__proto__" can be no key of endpoints$/);
});
