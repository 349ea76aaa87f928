/**
 * Tests what 0.1.0 reads (docs/decisions/0022-what-0-1-0-reads.md): a saved sample of each form, read and written
 * unchanged.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSeal, sealOf } from "../../../cli/review/seal";
import { toJson } from "../../../cli/terminal/output";
import { configModel } from "../../../provider/config/model";
import { resolveConfig } from "../../../provider/config/resolve";
import {
  areImported,
  DRIFTED,
  DROPPED,
  droppedInputs,
  stillDrifted,
  TAKES,
} from "../../../provider/endpoint/input-notes";
import { newOwnershipName, ownerNameIn, ownershipOf } from "../../../provider/endpoint/ownership-name";
import { bookkeepingOf, withBookkeeping } from "../../../provider/endpoint/state";
import { decodeMembers, encodeMembers, importMark } from "../../../provider/fleet/state";
import { madeFor, memberOwner, resourceOwner } from "../../../provider/lib/owner";
import { planOf, stateOf, stepFor, updateOf } from "../cli/support/plans";

const folder = join(import.meta.dirname, "samples");
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
const sample = (name: string) => JSON.parse(textOf(name));

describe("the saved form", () => {
  it("of an endpoint's state", () => {
    const state = sample("endpoint-state.json");
    const book = bookkeepingOf(state);
    expect(book).toEqual({
      set: ["projectId", "branchId", "type", "sizeCu", "pgSettings"],
      adopted: true,
      imported: true,
      spelled: { work_mem: "65536" },
      operations: [{ id: "op-1", action: "apply_config", status: "failed", createdAt: "2026-01-31T12:00:00Z" }],
    });
    expect(withBookkeeping(state, book)).toEqual(state);
  });

  it("of a fleet's state", () => {
    const stored = sample("fleet-state.json");
    const members = decodeMembers(stored);
    expect([...members.keys()]).toEqual(["a", "b"]);
    expect(members.get("a")).toMatchObject({ protect: true, state: { endpointId: "ep-a", suspendTimeoutSeconds: 0 } });
    expect(members.get("b")).toMatchObject({
      importId: "p-1/ep-b",
      retainOnDelete: true,
      state: { endpointId: "ep-b" },
    });
    expect(members.spent).toEqual(new Map([["gone", importMark("p-1/ep-gone")]]));
    expect(encodeMembers(members)).toEqual(stored);
  });

  it("of a seal", () => {
    const plan = planOf(
      [updateOf("main", { sizeCu: 2 }), stepFor("old", "delete", { before: { ...stateOf(), id: "p-1/ep-2" } })],
      { "pgcompute:platform": "neon" },
    );
    expect(parseSeal(textOf("seal.json"))).toEqual(sealOf(plan));
    expect(toJson(sealOf(plan))).toBe(textOf("seal.json"));
  });

  it("of every setting", () => {
    const settings = sample("settings.json");
    expect(Object.keys(settings).sort()).toEqual(Object.keys(configModel.shape).sort());
    const { settings: read, failures } = resolveConfig(settings, {});
    expect(failures).toBeUndefined();
    const { apiKey, baseUrl, platform, ...others } = settings;
    expect(read).toMatchObject({ apiKey, baseUrl: new URL(baseUrl), profile: { name: platform } });
    for (const [name, value] of Object.entries(others)) expect(String(read?.[name as "plan"])).toBe(value);
  });

  it("of marks in endpoints' names", () => {
    for (const { urn, key, nonce, name, shown } of sample("marks.json")) {
      const made = madeFor(key === undefined ? resourceOwner(urn) : memberOwner(urn, key));
      expect(newOwnershipName(made, () => nonce)).toBe(name);
      expect(ownershipOf(made)({ name })).toBe(true);
      expect(ownerNameIn({ name })).toBe(shown);
    }
  });

  it("of notes in inputs", () => {
    const { imported, dropped, drifted, takes } = sample("notes.json");
    expect(areImported(imported)).toBe(true);
    expect(Object.keys(droppedInputs(dropped))).toEqual(dropped[DROPPED]);
    expect(stillDrifted(drifted, drifted)).toEqual(drifted[DRIFTED]);
    expect(takes[TAKES]).toBe("ep-1");
  });
});

it.each<[string, (v: unknown) => unknown, RegExp]>([
  [
    "an endpoint's state",
    (v) => bookkeepingOf({ ...sample("endpoint-state.json"), __pgcompute: { v, set: [] } }),
    /^the state of endpoint ep-\S+ is of form .*, and this version of the provider reads form 2 alone\. .*import that again$/,
  ],
  [
    "a fleet's state",
    (v) => decodeMembers({ endpoints: {}, __pgcompute: JSON.stringify({ v, common: {}, members: {} }) }),
    /^the state of the fleet is of form .*, and this version of the provider reads form 1 alone\./,
  ],
])("another form of %s is refused, never half read", (_, read, reason) => {
  for (const form of [undefined, "1", 3, "2024-05"]) {
    expect(() => read(form)).toThrow(reason);
    expect(() => read(form)).toThrow(expect.objectContaining({ kind: "refused" }));
  }
});
