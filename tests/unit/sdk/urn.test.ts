/** The URN that the classes hand over as `__urn`, of the parts of a component too. */
import { ComponentResource, type Inputs, type Resource, runtime } from "@pulumi/pulumi";
import { beforeAll, expect, it } from "vitest";
import { URN_INPUT } from "../../../provider/pulumi/dynamic/hidden";
import { Endpoint } from "../../../sdk/endpoint";
import { EndpointFleet } from "../../../sdk/endpoint-fleet";

const args = { projectId: "quiet-lake-1", branchId: "br-a" };
const fleetArgs = { projectId: "quiet-lake-1", endpoints: { one: { branchId: "br-a" } } };

/** The inputs of every resource that was registered, by its name. */
const registered = new Map<string, Inputs>();

beforeAll(() =>
  runtime.setMocks({
    newResource({ name, inputs }) {
      registered.set(name, inputs);
      return { id: `id-${name}`, state: {} };
    },
    call: () => ({}),
  }),
);

/** A component with two parts, one of which depends on the component: neither may wait for itself. */
class Pair extends ComponentResource {
  readonly parts: readonly Resource[];

  constructor(name: string) {
    super("test:index:Pair", name);
    const first = new Endpoint("a", args, { parent: this });
    const second = new EndpointFleet("b", fleetArgs, { parent: this, dependsOn: this });
    this.parts = [first, second];
  }
}

it("the parts of a component know their URNs", async () => {
  const { parts } = new Pair("pair");
  // A resource that waits for itself never has a URN.
  await Promise.all(parts.map(({ urn }) => new Promise((resolve) => urn.apply(resolve))));

  for (const [name, type] of Object.entries({ a: "Endpoint", b: "EndpointFleet" })) {
    const urn = `urn:pulumi:stack::project::test:index:Pair$pulumi-nodejs:dynamic/pgcompute:${type}::${name}`;
    expect(registered.get(name)).toHaveProperty(URN_INPUT, urn);
  }
});
