import { beforeEach, expect, it } from "vitest";
import { useService } from "./support/open-service";

const urn = "urn:pulumi:dev::test::pgcompute:index:Endpoint::main";
const fleetUrn = "urn:pulumi:dev::test::pgcompute:index:EndpointFleet::main";
const service = useService();

beforeEach(() => service.configure());

// An alias with another type brings the state of one kind to the other.

it("refuses a fleet that has the state of an endpoint, which would be lost, with the way to take it over", async () => {
  const inputs = service.place();
  const { id, properties } = await service.created(urn, inputs);
  await service.configure(); // another run
  const fleet = { urn: fleetUrn, id, oldInputs: inputs, olds: properties, news: { endpoints: { a: service.place() } } };
  const said = await service.call("diff", fleet).catch(String);
  expect(said).toContain("Take the alias off");
  const importId = /set `importId: "([^"]+)"` for a member/.exec(String(said))?.[1];
  const taken = await service.created(fleetUrn, { endpoints: { a: { ...inputs, importId } } });
  expect(taken.properties).toMatchObject({ endpoints: { a: { endpointId: id.split("/")[1] } } });
});

it("refuses an endpoint that has the state of a fleet, whose members would be deleted", async () => {
  const inputs = { endpoints: { a: service.place() } };
  const { id, properties } = await service.created(fleetUrn, inputs);
  const compared = service.call("diff", { urn, id, oldInputs: inputs, olds: properties, news: service.place() });
  await expect(compared).rejects.toThrow(`the state of fleet ${id}, all of whose members would be deleted`);
});
