import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { diff } from "../../../provider/endpoint/diff";
import { BOOKKEEPING, bookkeepingOf } from "../../../provider/endpoint/state";

/** States as the form of this version is written. */
function stateOf(file: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, "states", file), "utf8"));
}

it("a state is read with its open operations", () => {
  const { id, inputs, outputs } = stateOf("form-2.json");
  expect(bookkeepingOf(outputs)).toMatchObject({
    operations: [{ status: "running" }],
    spelled: { work_mem: "8192kB" },
  });
  expect(diff({ id, state: outputs, inputs, oldInputs: inputs })).toMatchObject({ changes: true, properties: {} });
});

it.each([undefined, 1, 3, "2024-05"])("a state of another form is refused, never half read (form %s)", (v) => {
  const { outputs } = stateOf("form-2.json");
  const state = { ...outputs, [BOOKKEEPING]: { v, set: [] } };
  expect(() => bookkeepingOf(state)).toThrow(
    /^the state of endpoint ep-\S+ is of form .*, and this version of the provider reads form 2 alone\. .*import that again$/,
  );
  expect(() => bookkeepingOf(state)).toThrow(expect.objectContaining({ kind: "refused" }));
});
