import { describe, expect, it } from "vitest";
import { differencesSince } from "../../../provider/endpoint/differences";
import { droppedInputs, noteDrifted, noteDropped, stillDrifted } from "../../../provider/endpoint/input-notes";
import { parseInputs } from "../../../provider/endpoint/parse-inputs";
import { BOOKKEEPING } from "../../../provider/endpoint/state";

const base = { projectId: "p", branchId: "br-a", type: "read_write" } as const;

describe("what the program dropped", () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]>([
    ["nothing, while it sets the same", base, base, {}],
    ["what it sets to null", { ...base, sizeCu: 1 }, { ...base, sizeCu: null }, { __dropped: ["sizeCu"] }],
    ["nothing that an import read", { ...base, sizeCu: 1, __imported: true }, base, {}],
  ])("is %s", (_, olds, news, expected) => {
    expect(noteDropped(olds, news)).toEqual(expected);
  });

  it("is put back, though the state never heard that the program had set it", () => {
    const olds = { ...base, poolerEnabled: true };
    const checked = { ...base, ...noteDropped(olds, base) };
    const state = { ...base, poolerEnabled: true, [BOOKKEEPING]: { v: 2, set: ["projectId", "branchId", "type"] } };
    const { inputs, failures } = parseInputs(checked);
    expect(failures).toEqual([]);
    const found = differencesSince({ state, inputs, oldInputs: droppedInputs(checked) });
    expect(found).toEqual({ poolerEnabled: { change: "delete", before: true, after: false } });
    expect(differencesSince({ state, inputs, oldInputs: droppedInputs(base) })).toEqual({});
  });
});

describe("what a refresh found changed", () => {
  const limits = { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 };

  it("stays noted for as long as the engine puts it back", () => {
    const refreshed = { ...base, ...limits, ...noteDrifted({ ...base, sizeCu: 1 }, { ...base, ...limits }) };
    expect(stillDrifted(refreshed, { ...base, sizeCu: 1, ...limits })).toEqual(Object.keys(limits));
    expect(stillDrifted(refreshed, { ...base, ...limits, autoscalingLimitMaxCu: 2 })).toEqual([
      "autoscalingLimitMinCu",
    ]);
    expect(stillDrifted(refreshed, { ...base, sizeCu: 1 })).toEqual([]);
    expect(stillDrifted({ ...base, ...limits }, { ...base, ...limits })).toEqual([]);
    expect(stillDrifted({ ...limits, __drifted: "all" }, limits)).toEqual([]);
  });
});
