import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { differences, setIn } from "../../../provider/endpoint/differences";
import { impactOf, possibleEffects } from "../../../provider/endpoint/impact/impact";
import { impactMessages } from "../../../provider/endpoint/impact/sentences";
import { toBody, toCreateBody, toInputs } from "../../../provider/endpoint/mapping";
import { type CheckedInputs, parseInputs } from "../../../provider/endpoint/parse-inputs";
import type { EndpointInputs, EndpointProperty } from "../../../provider/endpoint/properties";
import { UNKNOWN } from "../../../provider/lib/unknown";
import type { EndpointRecord } from "../../../provider/platform/records";
import { endpointPage } from "../../../tools/generate/reference/endpoint";
import { packageSchema } from "../../../tools/generate/schema";
import { sdkModel } from "../../../tools/generate/sdk-model";

// The process runs other files, too: what they have loaded has the table without it, and must not get this one's.
vi.hoisted(() => vi.resetModules());
afterAll(() => vi.resetModules());

vi.mock("../../../provider/endpoint/properties", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../../provider/endpoint/properties")>();
  const table = {
    ...original.endpointTable,
    fooBar: {
      schema: z.boolean().optional(),
      description: "Whether it foos.",
      section: "2.3",
      effect: "restart",
      resetTo: false,
      output: "Whether it foos now.",
    } as const,
  };
  return {
    ...original,
    endpointTable: table,
    endpointModel: original.modelOf(table),
    endpointProperties: Object.keys(table),
    propertyOf: (name: keyof typeof table) => table[name],
  };
});

const fooBar = "fooBar" as EndpointProperty;
const base = { projectId: "p", branchId: "br-a", type: "read_write" } as const;
const on = { ...base, fooBar: true } as EndpointInputs;
const state = { ...base, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1, fooBar: false };

/** One more entry in the table, and nothing else. */
describe("a property that is added to the table", () => {
  it("is parsed", () => {
    expect(parseInputs(on)).toEqual({ inputs: on, failures: [] });
    expect(parseInputs({ ...base, fooBar: "yes" }).failures).toMatchObject([{ property: "fooBar" }]);
    expect(parseInputs({ ...base, fooBars: true }).failures[0]?.reason).toContain('did you mean "fooBar"?');
  });

  it("is compared, and put back when it is dropped", () => {
    expect(differences(state, on, new Set())).toEqual({ fooBar: { change: "add", before: false, after: true } });
    expect(differences({ ...state, fooBar: true }, base, new Set(["fooBar"]))).toEqual({
      fooBar: { change: "delete", before: true, after: false },
    });
    expect(differences({ ...state, fooBar: true }, base, new Set())).toEqual({});
  });

  it("is sent and read", () => {
    const namesOf = (inputs: EndpointInputs) => Object.keys(toCreateBody(inputs, setIn(inputs), "mark"));
    expect(namesOf(on)).toHaveLength(namesOf(base).length + 1);
    expect(Object.values(toBody(on, [fooBar]))).toEqual([true]);
    expect(Object.values(toBody(base, [fooBar]))).toEqual([false]);
    const record = { ...state, id: "ep-a", host: "h", createdAt: "t", updatedAt: "t", fooBar: true };
    expect(toInputs(record as unknown as EndpointRecord)).toMatchObject({ fooBar: true });
  });

  it("has its effect, certain or possible", () => {
    const impactFor = (inputs: CheckedInputs) =>
      impactOf({ kind: "update", state, inputs, found: differences(state, inputs, new Set()) });
    expect(impactMessages(impactFor(on))).toContain("restarts the endpoint: open connections are dropped");
    const unsure = impactFor({ ...base, fooBar: UNKNOWN } as CheckedInputs);
    expect(unsure).toMatchObject({ restarts: false, undecided: ["fooBar"] });
    expect(possibleEffects(unsure)).toMatchObject({ restarts: true, dropsConnections: true });
  });

  it("is in the schema, the SDK's types and the reference", () => {
    const resource = JSON.parse(packageSchema("0.0.0")).resources["pgcompute:index:Endpoint"];
    expect(resource.inputProperties.fooBar).toMatchObject({ type: "boolean" });
    expect(resource.properties.fooBar.description).toContain("Whether it foos now.");
    expect(resource.required).toContain("fooBar");
    expect(sdkModel()).toMatch(/fooBar\?: boolean \| undefined;[\s\S]*fooBar: boolean;/);
    expect(endpointPage()).toContain("| `fooBar` | is put back to `false` |");
  });
});
