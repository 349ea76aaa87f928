import { expect, it } from "vitest";
import { fleetUrnOf, memberUrn, nameOfUrn, typeOfUrn } from "../../../provider/lib/owner";

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
