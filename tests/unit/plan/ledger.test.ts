import { expect, test } from "vitest";
import { memberOwner, type Owner, resourceOwner } from "../../../provider/lib/owner";
import { Ledger } from "../../../provider/plan/ledger";

const urnOf = (name: string) => `urn:pulumi:dev::shop::pgcompute:index:Endpoint::${name}`;
const ownerOf = (name: string): Owner => {
  const [urn = "", key] = name.split("/");
  return key === undefined ? resourceOwner(urnOf(urn)) : memberOwner(urnOf(urn), key);
};
const place = (type: string, branchId = "b", projectId = "p") => ({ projectId, branchId, type });

// `b after a` is planned by a host that tells what its resource waits for; `b` by one that does not; `b done` is answered.
test.each([
  ["one waits for the other", "a after; b after a", "before"],
  ["one waits for the other by another resource", "a after; x after a; b after y x", "before"],
  ["what one waits for was not planned, such as another provider's", "a after; b after x", "unknown"],
  ["none waits, though one is done", "a after; a done; b after", "unknown"],
  ["resources that neither is among wait for each other", "a after; x after y; y after x; b after x", "unknown"],
  ["one waits for a fleet's member by the fleet", "a/m after; b after a", "before"],
  ["the host does not tell, and one was done first", "a; a done; b", "before"],
  ["the host does not tell, and one was done late", "a; b; a done", "unknown"],
  ["the host does not tell, and none is done", "a; b", "unknown"],
])("which of two comes first where %s", (_, run, expected) => {
  const claims = new Ledger();
  for (const said of run.split("; ")) {
    const [name = "", what, ...names] = said.split(" ");
    if (what === "done") claims.done(ownerOf(name));
    else claims.put({ urn: ownerOf(name), after: what === "after" ? new Set(names.map(urnOf)) : undefined });
  }
  const [a, b] = [
    claims.record(ownerOf("a/m")).claim ?? claims.record(ownerOf("a")).claim,
    claims.record(ownerOf("b")).claim,
  ];
  if (!a || !b) throw new Error("both are planned");
  expect([claims.isBefore(a, b), claims.isBefore(b, a)]).toEqual([expected === "before", false]);
});

test("a project's replicas are those that are there and those that are to come", () => {
  const claims = new Ledger();
  claims.put({ urn: ownerOf("leaves"), from: place("read_only"), to: place("read_write") });
  claims.put({ urn: ownerOf("comes"), to: place("read_only") });
  claims.put({ urn: ownerOf("primary"), from: place("read_write"), to: place("read_write") });
  claims.put({ urn: ownerOf("elsewhere"), to: place("read_only", "b", "q") });
  expect(claims.replicasIn("p").map(({ urn }) => urn)).toEqual([ownerOf("leaves"), ownerOf("comes")]);
});

test("what is planned anew gives way to the new plan", () => {
  const claims = new Ledger();
  const urn = ownerOf("a");
  const known = () => [claims.ownersOf("ep-x"), claims.claimsOn(place("read_write"))];
  claims.put({ urn, to: place("read_write"), adopts: "ep-x" });
  expect(known()).toEqual([[urn], [claims.record(urn).claim]]);
  claims.put({ urn, to: place("read_write", "c") });
  expect(known()).toEqual([[], []]);
});
