/** The order that the classes hand over as `__after`: what Pulumi itself waits for, and never more than that. */
import { ComponentResource, type CustomResourceOptions, type Inputs, type Resource, runtime } from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { AFTER_INPUT, URN_INPUT } from "../../../provider/pulumi/dynamic/hidden";
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

/** A component whose parts are what `make` makes of it. */
class Group extends ComponentResource {
  constructor(name: string, make: (group: Group) => void, options: CustomResourceOptions = {}) {
    super("test:index:Group", name, {}, options);
    make(this);
  }
}

/** A component that makes its part only after a moment. */
class Late extends ComponentResource {
  protected override async initialize(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    new Endpoint("late-part", args, { parent: this });
  }
}

/** The names that a resource is said to come after, once it is registered. */
async function namesBefore(resource: Resource): Promise<string[]> {
  // A resource that waits for itself never has a URN.
  const urn = await new Promise<string>((resolve) => resource.urn.apply(resolve));
  const after: string[] = registered.get(nameIn(urn))?.[AFTER_INPUT];
  return after.map(nameIn).sort();
}

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

it("the parts of a component do not wait for each other, and know their URNs", async () => {
  const parts: Resource[] = [];
  new Group("flat", (parent) => {
    parts.push(new Endpoint("a", args, { parent }), new EndpointFleet("b", fleetArgs, { parent }));
  });
  expect(await Promise.all(parts.map(namesBefore))).toEqual([[], []]);
  const types = { a: "Endpoint", b: "EndpointFleet" };
  for (const [name, type] of Object.entries(types)) {
    const urn = `urn:pulumi:stack::project::test:index:Group$pulumi-nodejs:dynamic/pgcompute:${type}::${name}`;
    expect(registered.get(name)).toHaveProperty(URN_INPUT, urn);
  }
});

describe("a part that depends on the component it is made in", () => {
  it("waits for the other parts and not for itself", async () => {
    let replica: Endpoint | undefined;
    new Group("pair", (group) => {
      new Endpoint("primary", args, { parent: group });
      replica = new Endpoint("replica", args, { parent: group, dependsOn: group });
    });
    expect(await namesBefore(replica as Endpoint)).toEqual(["primary"]);
  });

  it("waits so, as a fleet, through an argument that is made of the component", async () => {
    let named: EndpointFleet | undefined;
    new Group("whole", (group) => {
      new Endpoint("sibling", args, { parent: group });
      const defaults = { pgSettings: { "app.group": group.urn } };
      named = new EndpointFleet("named", { ...fleetArgs, defaults }, { parent: group });
    });
    expect(await namesBefore(named as EndpointFleet)).toEqual(["sibling"]);
  });

  it("does not wait for a component beside it that is made of it", async () => {
    let first: Endpoint | undefined;
    new Group("outer", (group) => {
      first = new Endpoint("first", args, { parent: group, dependsOn: group });
      // Registered once the first has a URN.
      new Group("inner", () => {}, { parent: group, dependsOn: first });
    });
    expect(await namesBefore(first as Endpoint)).toEqual([]);
  });
});

describe("a resource that depends on a component", () => {
  it("comes after the parts that the component makes after a moment", async () => {
    const late = new Late("test:index:Late", "late");
    const after = new Endpoint("after-late", args, { dependsOn: late });
    expect(await namesBefore(after)).toEqual(["late-part"]);
  });

  it("comes after the parts of its parts, and not after what is within a part", async () => {
    let within: Endpoint | undefined;
    const outer = new Group("deep", (group) => {
      const makePart = (inner: Group) => {
        const part = new Endpoint("part", args, { parent: inner });
        within = new Endpoint("within", args, { parent: part });
      };
      new Group("deeper", makePart, { parent: group });
    });
    const after = new Endpoint("after-deep", args, { dependsOn: [outer, within as Endpoint] });
    expect(await namesBefore(after)).toEqual(["part", "within"]);
    expect(await namesBefore(new Endpoint("after-parts", args, { dependsOn: outer }))).toEqual(["part"]);
  });
});
