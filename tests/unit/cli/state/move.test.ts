import { describe, expect, it } from "vitest";
import { gather, scatter } from "../../../../cli/state/move";
import { seal } from "../../../../cli/state/secrets";
import { resourcesOf, type StackExport } from "../../../../cli/state/stack-export";
import { decodeMembers } from "../../../../provider/fleet/state";
import { expectPrinted } from "../support/brief";
import { endpoint, exportOf, FLEET, named, other, SECRET, secret, urnOf } from "../support/states";

type Resource = ReturnType<typeof resourcesOf>[number];

const into = (patterns: string[], more = {}) => ({ fleet: "previews", patterns, prefix: "", ...more });

/** A state with other resources in the place of its fleet. */
const changed = (state: StackExport, change: (fleet: Resource) => object[]) => {
  const resources = resourcesOf(state).flatMap((one) => (one.type === FLEET ? change(one) : [one]));
  return { ...state, deployment: { ...state.deployment, resources } } as StackExport;
};

describe("single endpoints that become a fleet's", () => {
  it("are added to the members that the fleet has", () => {
    const { state, endpoints } = gather(exportOf(endpoint("a", { protect: true }), endpoint("b")), into(["a"]));
    expect(endpoints).toEqual([{ name: "a", key: "a", endpointId: "ep-a" }]);
    const before = named(state, "previews", FLEET);
    const both = gather(state, into(["b"]));
    const fleet = named(both.state, "previews", FLEET);
    expect(fleet?.id).toBe(before?.id);
    expect([...decodeMembers(fleet?.outputs).keys()]).toEqual(["a", "b"]);
    const { state: left } = scatter(both.state, into(["a"]));
    expect([...decodeMembers(named(left, "previews", FLEET)?.outputs).keys()]).toEqual(["b"]);
    expect(named(left, "a")).toMatchObject({ outputs: endpoint("a").outputs, protect: true });
  });

  it("have the options that the fleet had for all of them, and the project that their endpoint is in", () => {
    const { state } = gather(exportOf(endpoint("a"), endpoint("b")), into(["*"]));
    const fleet = named(state, "previews", FLEET);
    const endpoints = fleet?.inputs?.endpoints as Record<string, object>;
    // As the engine leaves it where a moved to another project and b failed: old inputs and new outputs.
    const inputs = { ...fleet?.inputs, endpoints: { ...endpoints, a: { ...endpoints.a, projectId: "old-1" } } };
    const noted = changed(state, (one) => [{ ...one, inputs, protect: true, retainOnDelete: true }]);
    const { state: back } = scatter(noted, into(["a"]));
    expect(named(back, "a")).toMatchObject({
      id: "quiet-lake-12345678/ep-a",
      inputs: { projectId: "old-1" },
      protect: true,
      retainOnDelete: true,
    });
  });

  it("take keys and names with or without a prefix", () => {
    const { state } = gather(exportOf(endpoint("db-pr-1")), into(["db-*"], { prefix: "db-" }));
    const { endpoints } = scatter(state, into(["pr-*"], { prefix: "db-" }));
    expect(endpoints).toEqual([{ name: "db-pr-1", key: "pr-1", endpointId: "ep-db-pr-1" }]);
  });

  it("stay what others refer to, and come before them and after what they wait for", () => {
    const state = exportOf(
      endpoint("a"),
      other("app", [urnOf("a")], { propertyDependencies: { host: [urnOf("a")] }, deletedWith: urnOf("a") }),
      other("cache", [], { replaceWith: [urnOf("a"), urnOf("b"), urnOf("first", "other:index:Thing")] }),
      other("first", []),
      endpoint("b", { dependencies: [urnOf("first", "other:index:Thing"), urnOf("a")] }),
    );
    const { state: gathered } = gather(state, into(["a", "b"]));
    const urns = resourcesOf(gathered).map(({ urn }) => urn.split("::").at(-1));
    expect(urns).toEqual(["shop-dev", "default_1_0_0", "first", "previews", "app", "cache"]);
    const fleet = urnOf("previews", FLEET);
    expect(named(gathered, "app", "other:index:Thing")).toMatchObject({
      dependencies: [fleet],
      propertyDependencies: { host: [fleet] },
      deletedWith: fleet,
    });
    expect(named(gathered, "cache", "other:index:Thing")?.replaceWith).toEqual([
      fleet,
      urnOf("first", "other:index:Thing"),
    ]);
    expect(named(gathered, "previews", FLEET)?.dependencies).toEqual([urnOf("first", "other:index:Thing")]);

    const { state: back } = scatter(gathered, into(["*"]));
    expect(named(back, "app", "other:index:Thing")?.dependencies).toEqual([urnOf("a"), urnOf("b")]);
  });

  it("keep what is secret, and what gives it away", () => {
    const sealed = endpoint("a", {
      inputs: { sizeCu: secret(1) },
      outputs: { maxConnections: secret(450), autoscalingLimitMinCu: secret(1), autoscalingLimitMaxCu: secret(1) },
    });
    const { state } = gather(exportOf(sealed), into(["a"]));
    const fleet = named(state, "previews", FLEET);
    expect(fleet?.inputs).toMatchObject({ endpoints: { a: { sizeCu: secret(1) } } });
    expect(fleet?.outputs).toMatchObject({ endpoints: { a: { sizeCu: secret(1), maxConnections: secret(450) } } });
    expect(fleet?.outputs?.__pgcompute).not.toContain("450");
    const { state: back } = scatter(state, into(["a"]));
    expect(named(back, "a")?.inputs).toEqual(sealed.inputs);
    expect(named(back, "a")?.outputs).toEqual(sealed.outputs);
  });

  it("stay secret where the program keeps a whole member secret, or all of them", () => {
    const { state } = gather(exportOf(endpoint("a"), endpoint("b")), into(["*"]));
    for (const path of [["endpoints"], ["endpoints", "a"]]) {
      const kept = changed(state, (one) => [
        { ...one, inputs: seal(one.inputs, [path]), outputs: seal(one.outputs, [path]) },
      ]);
      const { state: back } = scatter(kept, into(["a"]));
      const { inputs, outputs } = endpoint("a");
      const { __pgcompute, ...shown } = outputs;
      const sealed = (values: object) =>
        Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secret(value)]));
      expect(named(back, "a")?.inputs).toEqual(sealed(inputs));
      expect(named(back, "a")?.outputs).toEqual({ ...sealed(shown), __pgcompute });
      const left = named(back, "previews", FLEET);
      expect(left?.inputs?.endpoints).toEqual(
        path.length === 1 ? secret({ b: endpoint("b").inputs }) : { b: endpoint("b").inputs },
      );
    }
  });

  it("keep the notes of an import and of a refresh", () => {
    const noted = endpoint("a", { inputs: { __imported: true, __drifted: ["sizeCu"] } });
    const { state } = gather(exportOf(noted, endpoint("b")), into(["*"]));
    const fleet = named(state, "previews", FLEET);
    expect(fleet?.inputs).toMatchObject({ __imported: { a: true }, __drifted: { a: ["sizeCu"] } });
    expect(named(scatter(state, into(["a"])).state, "a")?.inputs).toEqual(noted.inputs);
    expect(named(scatter(state, into(["a"])).state, "previews", FLEET)?.inputs).not.toHaveProperty("__imported");
  });
});

/** A state with one fleet that has `a`, and with `b` as `more` says. */
const withFleet = (more = {}) => gather(exportOf(endpoint("a"), endpoint("b", more)), into(["a"])).state;
const isRead = changed(withFleet(), (fleet) => [{ ...fleet, external: true }]);
const nested = urnOf("previews", `app:index:Group$${FLEET}`);
const alone = exportOf(endpoint("a"));
const pending = { ...alone.deployment, pending_operations: [{ resource: endpoint("a") }] };
const sealedAway = { ...SECRET, ciphertext: "v1:x" };

const gathered: Record<string, [StackExport, string[]]> = {
  "a name that is not there": [exportOf(endpoint("main")), ["mainn"]],
  "a secret that the export hides": [exportOf(endpoint("a", { inputs: { sizeCu: sealedAway } })), ["a"]],
  "a parent": [exportOf(endpoint("a"), other("child", [], { parent: urnOf("a") })), ["a"]],
  "one that leaves": [exportOf(endpoint("a"), endpoint("a", { delete: true })), ["a"]],
  "one that is only read": [exportOf(endpoint("a", { external: true })), ["a"]],
  "one to be replaced": [exportOf(endpoint("a", { taint: true })), ["a"]],
  "two that have one endpoint": [exportOf(endpoint("a"), endpoint("b", { outputs: { endpointId: "ep-a" } })), ["*"]],
  "a name that is no key": [exportOf(endpoint("a/b")), ["a/b"]],
  "two that another stands between": [
    exportOf(
      endpoint("a"),
      other("app", [urnOf("a")]),
      endpoint("b", { dependencies: [urnOf("app", "other:index:Thing")] }),
    ),
    ["*"],
  ],
  "one whose provider is not the fleet's": [withFleet({ provider: "x::y" }), ["b"]],
  "one of a fleet that is only read": [isRead, ["b"]],
  "an interrupted run's": [{ ...alone, deployment: pending } as StackExport, ["a"]],
};
const scattered: Record<string, [StackExport, string[], object?]> = {
  "a member that is not there": [withFleet(), ["x"]],
  "a fleet that is not there": [withFleet(), ["a"], { fleet: "preview" }],
  "a fleet whose name another one has": [changed(withFleet(), (fleet) => [fleet, { ...fleet, urn: nested }]), ["a"]],
  "a fleet that is only read": [isRead, ["a"]],
  "a member whose place is taken": [changed(withFleet(), (fleet) => [fleet, endpoint("a")]), ["a"]],
};

it("what is not moved, and why: as it was", async () => {
  const reasonOf = (move: () => unknown) => {
    try {
      move();
    } catch (error) {
      return (error as Error).message;
    }
    return "moved";
  };
  const lines = [
    ...Object.entries(gathered).map(([what, [state, names]]) => [what, reasonOf(() => gather(state, into(names)))]),
    ...Object.entries(scattered).map(([what, [state, keys, more]]) => [
      what,
      reasonOf(() => scatter(state, into(keys, more))),
    ]),
  ];
  await expectPrinted("not moved", lines.map(([what, reason]) => `# ${what}\n${reason}\n`).join("\n"));
});
