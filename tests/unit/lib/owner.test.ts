import { expect, it } from "vitest";
import { newOwnershipName, ownershipOf } from "../../../provider/endpoint/ownership-name";
import {
  fleetUrnOf,
  madeFor,
  memberIn,
  memberOwner,
  memberUrn,
  nameOfUrn,
  ownerName,
  ownerOfRow,
  resourceOf,
  resourceOwner,
  shownUrn,
  typeOfUrn,
} from "../../../provider/lib/owner";

const TYPE = "pgcompute:index:EndpointFleet";

const fleet = `urn:pulumi:dev::shop::${TYPE}::f`;

const row = `urn:pulumi:dev::shop::${TYPE}$pgcompute:index:Endpoint::f/zz`;

const single = "urn:pulumi:dev::shop::pgcompute:index:Endpoint::zz";

const owners = {
  "a member": memberOwner(fleet, "zz"),
  "a resource with the URN of its row": resourceOwner(row),
  "a resource": resourceOwner(single),
  "a fleet": resourceOwner(fleet),
  "a member of a fleet whose name ends as its key does": memberOwner(`${fleet}/z`, "z"),
};

it("is one value for each owner, whatever its name", () => {
  expect(new Set(Object.values(owners)).size).toBe(Object.keys(owners).length);
  const member = owners["a member"];
  expect(memberIn(member)).toEqual({ fleet, key: "zz" });
  expect([resourceOf(member), shownUrn(member), ownerName(member)]).toEqual([fleet, row, "f/zz"]);
  expect(memberIn(resourceOwner(row))).toBeUndefined();
  expect([ownerOfRow(row), ownerOfRow(single)]).toEqual([member, single]);
});

it.each(Object.entries(owners))("knows the names of its own endpoints, and of no other's: %s", (_, owner) => {
  const isOwn = ownershipOf(madeFor(owner));
  for (const other of Object.values(owners)) {
    expect(isOwn({ name: newOwnershipName(madeFor(other)) })).toBe(other === owner);
  }
});

it.each([
  [
    "urn:pulumi:dev::shop::pgcompute:index:EndpointFleet::previews",
    "urn:pulumi:dev::shop::pgcompute:index:EndpointFleet$pgcompute:index:Endpoint::previews/pr-101",
  ],
  [
    "urn:pulumi:dev::shop::my:Team$pulumi-nodejs:dynamic/pgcompute:EndpointFleet::a::b",
    "urn:pulumi:dev::shop::my:Team$pulumi-nodejs:dynamic/pgcompute:EndpointFleet$pulumi-nodejs:dynamic/pgcompute:Endpoint::a::b/pr-101",
  ],
])("a member of the fleet %s has a child's URN", (fleet, member) => {
  const urn = memberUrn(fleet, "pr-101");
  expect(urn).toBe(member);
  expect(nameOfUrn(urn)).toBe(`${nameOfUrn(fleet)}/pr-101`);
  expect(fleetUrnOf(urn)).toBe(fleet);
  expect(fleetUrnOf(fleet)).toBeUndefined();
  expect(typeOfUrn(urn)).toBe(typeOfUrn(fleet)?.replace("Fleet", ""));
});

it("a resource whose parent is a fleet is no member of it, whatever its name begins with", () => {
  const type = "pgcompute:index:EndpointFleet$pgcompute:index:Endpoint";
  expect(fleetUrnOf(`urn:pulumi:dev::shop::${type}::previews1`)).toBeUndefined();
});
