import { describe, expect, it } from "vitest";
import { forget } from "../../../../cli/state/forget";
import { resourcesOf, type StackExport } from "../../../../cli/state/stack-export";
import { decodeMembers } from "../../../../provider/fleet/state";
import { memberUrn } from "../../../../provider/lib/owner";
import { seal } from "../../../support/sealed";
import { expectPrinted } from "../support/brief";
import { endpoint, exportOf, FLEET, fleetOf, named, other, SECRET, secret, urnOf } from "../support/states";

type Resource = ReturnType<typeof resourcesOf>[number];

const PROJECT = "quiet-lake-12345678";
const fleetUrn = urnOf("previews", FLEET);
const idOf = (name: string) => `${PROJECT}/ep-${name}`;
const pending = (name: string, more = {}) => endpoint(name, { ...more, delete: true });
const elsewhere = (name: string) =>
  endpoint(name, { id: `other-1/ep-${name}`, inputs: { projectId: "other-1" }, outputs: { projectId: "other-1" } });

/** The state with only those of its resources. */
const withOnly = (state: StackExport, isLeft: (one: Resource) => boolean) => ({
  ...state,
  deployment: { ...state.deployment, resources: resourcesOf(state).filter(isLeft) },
});
const keysOf = (state: StackExport) => [...decodeMembers(named(state, "previews", FLEET)?.outputs).keys()];

describe("forgets, and leaves the rest as it was,", () => {
  it("a resource", () => {
    const state = exportOf(endpoint("a"), endpoint("b"));
    expect(forget(state, idOf("a")).state).toEqual(withOnly(state, ({ urn }) => urn !== urnOf("a")));
  });

  it("what a replacement left behind, beside the live one of the same URN", () => {
    const state = exportOf(endpoint("a"), pending("a", { id: idOf("old") }), other("app", [urnOf("a")]));
    const forgotten = forget(state, idOf("old"));
    expect(forgotten.state).toEqual(withOnly(state, (one) => !one.delete));
    expect(forgotten.owned).toMatchObject([{ id: idOf("old"), leaves: true }]);
    expect(forget(state, idOf("a")).state).toEqual(withOnly(state, ({ id }) => id !== idOf("a")));
  });

  it("of two entries that have one endpoint the one that is to be deleted", () => {
    const state = exportOf(endpoint("a"), pending("a"));
    expect(forget(state, idOf("a")).state).toEqual(withOnly(state, (one) => !one.delete));
  });

  it("a member, with its secrets, its notes and its bookkeeping", () => {
    const members = [endpoint("a", { inputs: { sizeCu: secret(1) } }), endpoint("b"), endpoint("c")];
    const fleet = fleetOf(...members);
    const noted = { ...fleet.inputs, __imported: { a: true, b: true }, __drifted: { a: ["sizeCu"] }, maxDeletions: 2 };
    const { state } = forget(exportOf({ ...fleet, inputs: noted }), idOf("a"));
    const after = named(state, "previews", FLEET);
    const { endpoints } = fleetOf(...members.slice(1)).inputs;
    expect(after?.inputs).toEqual({ endpoints, __imported: { b: true }, __drifted: {}, maxDeletions: 2 });
    expect([...decodeMembers(after?.outputs)]).toEqual([...decodeMembers(fleet.outputs)].slice(1));
    expect(JSON.stringify(after)).not.toContain("ep-a");
  });

  it("a member of a fleet that is a secret as a whole, where the export shows it", () => {
    const fleet = fleetOf(endpoint("a"), endpoint("b"));
    const paths = [["endpoints"], ["__pgcompute"]];
    const sealed = { ...fleet, inputs: seal(fleet.inputs, paths), outputs: seal(fleet.outputs, paths) };
    const after = named(forget(exportOf(sealed), idOf("a")).state, "previews", FLEET);
    expect(after?.inputs).toEqual({ endpoints: secret({ b: endpoint("b").inputs }) });
    const withoutIt = { plaintext: expect.not.stringContaining("ep-a") };
    expect(after?.outputs).toMatchObject({ endpoints: withoutIt, __pgcompute: withoutIt });
  });

  it("a member whose project is hidden, by its endpoint alone", () => {
    const inSecret = { projectId: SECRET };
    const state = exportOf(fleetOf(endpoint("a", { inputs: inSecret, outputs: inSecret }), endpoint("b")));
    expect(keysOf(forget(state, idOf("a")).state)).toEqual(["b"]);
  });

  it("all of a project, and of a fleet those that are in it", () => {
    const old = pending("a", { id: idOf("old") });
    const state = exportOf(endpoint("a"), old, elsewhere("b"), fleetOf(endpoint("c"), elsewhere("d")));
    const { state: after, owned } = forget(state, PROJECT);
    expect(owned.map(({ id }) => id)).toEqual([idOf("a"), idOf("old"), idOf("c")]);
    const urns = resourcesOf(after).map(({ urn }) => urn);
    expect(urns.slice(2)).toEqual([urnOf("b"), fleetUrn]);
    expect(keysOf(after)).toEqual(["d"]);
  });

  it("what one of two owners has, by its URN", () => {
    const state = exportOf(endpoint("a"), fleetOf(endpoint("a"), endpoint("b")));
    expect(forget(state, urnOf("a")).state).toEqual(withOnly(state, ({ urn }) => urn !== urnOf("a")));
    const after = forget(state, memberUrn(fleetUrn, "a")).state;
    expect(named(after, "a")).toEqual(named(state, "a"));
    expect(keysOf(after)).toEqual(["b"]);
  });

  it("a fleet's last member, and keeps the fleet for what refers to it", () => {
    const state = exportOf(fleetOf(endpoint("a")), other("app", [fleetUrn]));
    const after = forget(state, PROJECT).state;
    expect(named(after, "previews", FLEET)).toMatchObject({ inputs: { endpoints: {} }, outputs: { endpoints: {} } });
    expect(named(after, "app", "other:index:Thing")).toEqual(named(state, "app", "other:index:Thing"));
  });

  it("what others refer to, and takes their references with it", () => {
    const [a, b] = [urnOf("a"), urnOf("b")];
    const references = { propertyDependencies: { host: [a], port: [b] }, deletedWith: a, replaceWith: [a, b] };
    const state = exportOf(endpoint("a"), endpoint("b"), other("app", [a, b], references));
    const after = named(forget(state, idOf("a")).state, "app", "other:index:Thing");
    const left = { propertyDependencies: { host: [], port: [b] }, replaceWith: [b] };
    expect(JSON.parse(JSON.stringify(after))).toEqual(other("app", [b], left));
  });
});

const shown = fleetOf(endpoint("b"));
const hidden = { ...shown, outputs: { endpoints: SECRET, __pgcompute: SECRET } };
const refused: Record<string, [StackExport, string]> = {
  "an endpoint that is not there": [exportOf(endpoint("main")), `${PROJECT}/ep-mian`],
  "an endpoint without its project": [exportOf(endpoint("main")), "ep-main"],
  "a project that is not there": [exportOf(), PROJECT],
  "an endpoint that two have": [exportOf(endpoint("a"), fleetOf(endpoint("a"))), idOf("a")],
  "a URN that two have": [exportOf(endpoint("a"), pending("a", { id: idOf("old") })), urnOf("a")],
  "a parent": [exportOf(endpoint("a"), other("child", [], { parent: urnOf("a") })), idOf("a")],
  "a member of a fleet that is hidden": [exportOf(hidden), idOf("b")],
  "a project beside a fleet that is hidden": [exportOf(endpoint("a"), hidden), PROJECT],
  "a member whose inputs are hidden": [exportOf({ ...shown, inputs: { endpoints: SECRET } }), idOf("b")],
};

it("refuses what it cannot tell, and says why: as it was", async () => {
  const reasonOf = ([state, id]: [StackExport, string]) => {
    try {
      forget(state, id);
    } catch (error) {
      return (error as Error).message;
    }
    return "forgotten";
  };
  const lines = Object.entries(refused).map(([what, how]) => `# ${what}\n${reasonOf(how)}\n`);
  await expectPrinted("not forgotten", lines.join("\n"));
});
