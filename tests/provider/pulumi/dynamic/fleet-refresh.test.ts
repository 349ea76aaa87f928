import { describe, expect, it } from "vitest";
import { SECRET_INPUT, URN_INPUT } from "../../../../provider/pulumi/dynamic/hidden";
import { createFleetProvider } from "../../../../provider/pulumi/dynamic/provider";
import { secret } from "../../../support/messages";
import { useDynamicHost } from "./support";

const PASSWORD = "correct-horse-battery";
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/pgcompute:EndpointFleet::main";

describe("a refresh of a fleet by the dynamic host", () => {
  it("gives back what the program says of all members, and keeps its secrets", async () => {
    const { projectId, admin, begin } = await useDynamicHost();
    const provider = begin(createFleetProvider);
    const said = (sizeCu: number) => ({
      projectId,
      defaults: { sizeCu, pgSettings: { "app.password": PASSWORD } },
      maxDeletions: 7,
    });
    const [a, b] = [admin.seedBranch(projectId).id, admin.seedBranch(projectId).id];
    const program = (sizeCu: number) => ({
      ...said(sizeCu),
      endpoints: { a: { branchId: a }, b: { branchId: b, pgSettings: {} } },
      [URN_INPUT]: urn,
      [SECRET_INPUT]: [["defaults", "pgSettings"]],
    });
    const { inputs, failures } = await provider.check({}, program(1));
    expect(failures).toEqual([]);
    expect(JSON.stringify(unsealed(inputs))).not.toContain(PASSWORD);
    const { id, outs } = await provider.create(opened(inputs));
    expect(JSON.stringify(unsealed(outs))).not.toContain(PASSWORD);

    const found = await provider.read(id, opened(outs));
    expect(opened(found.inputs)).toMatchObject(said(1));
    expect(found.inputs.defaults).toMatchObject({ pgSettings: secret({ "app.password": PASSWORD }) });
    expect(JSON.stringify(unsealed(found))).not.toContain(PASSWORD);

    const next = await provider.check(opened(found.inputs), program(2));
    const updated = await provider.update(id, opened(found.props), opened(next.inputs));
    expect(JSON.stringify(unsealed(updated))).not.toContain(PASSWORD);
    expect(opened((await provider.read(id, opened(updated.outs))).inputs)).toMatchObject(said(2));
  });
});

type Values = Record<string, unknown>;

const isSealed = (value: unknown): value is { value: unknown } =>
  typeof value === "object" && value !== null && Object.keys(value).length === 2 && "value" in value;

/** Values as the engine shows them to this host: secrets in the clear. */
function opened(values: unknown): Values {
  return walked(values, ({ value }) => value) as Values;
}

/** What is stored in the clear. */
function unsealed(values: unknown): unknown {
  return walked(values, () => "sealed");
}

function walked(value: unknown, open: (one: { value: unknown }) => unknown): unknown {
  if (isSealed(value)) return open(value);
  if (Array.isArray(value)) return value.map((one) => walked(one, open));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walked(one, open)]));
}
