import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diff } from "../../../provider/endpoint/diff";
import { BOOKKEEPING, bookkeepingOf } from "../../../provider/endpoint/state";

/** States as released forms of the bookkeeping were written. They stay as they are: stacks have them. */
function stateOf(file: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, "states", file), "utf8"));
}

describe("a state that an older version wrote", () => {
  it.each(["form-1-plugin.json", "form-1-dynamic.json"])("is read whole, and is no difference (%s)", (file) => {
    const { id, inputs, outputs } = stateOf(file);
    expect(bookkeepingOf(outputs).set).toEqual(["projectId", "branchId", "type", "sizeCu"]);
    expect(diff({ id, state: outputs, inputs, oldInputs: inputs })).toMatchObject({ changes: false, messages: [] });
    const grown = diff({ id, state: outputs, inputs: { ...inputs, sizeCu: 2 }, oldInputs: inputs });
    expect(Object.keys(grown.properties)).toEqual(["sizeCu"]);
  });

  it("is read with its open operations", () => {
    const { id, inputs, outputs } = stateOf("form-2.json");
    expect(bookkeepingOf(outputs)).toMatchObject({
      operations: [{ status: "running" }],
      spelled: { work_mem: "8192kB" },
    });
    expect(diff({ id, state: outputs, inputs, oldInputs: inputs })).toMatchObject({ changes: true, properties: {} });
  });
});

it.each([3, 99, "2024-05"])("a state that a newer version wrote is refused, never half read (form %s)", (v) => {
  const { outputs } = stateOf("form-2.json");
  const state = { ...outputs, [BOOKKEEPING]: { v, set: [] } };
  expect(() => bookkeepingOf(state)).toThrow(
    /newer version of this provider \(form .*; this version reads up to form 2\)/,
  );
  expect(() => bookkeepingOf(state)).toThrow(expect.objectContaining({ kind: "refused" }));
});
