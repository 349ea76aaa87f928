import { expect, test } from "vitest";
import { BOOKKEEPING } from "../../../../provider/endpoint/state";
import {
  deleteTimeoutMessage,
  hiddenOf,
  TIMEOUTS_INPUT,
  URN_INPUT,
  withoutHidden,
} from "../../../../provider/pulumi/dynamic/hidden";

const timeouts = (given: Record<string, string>) => ({ [TIMEOUTS_INPUT]: given });

test.each<[Record<string, unknown>, Record<string, unknown>, string]>([
  [{}, timeouts({ delete: "90s" }), "90 s instead of the configured time"],
  [timeouts({ delete: "90s" }), timeouts({ delete: "2h" }), "7200 s instead of 90 s"],
  [timeouts({ delete: "90s" }), timeouts({ create: "90s" }), "the configured time instead of 90 s"],
])("the timeout of a delete, which is given the state alone, is a change from %j to %j", (state, inputs, expected) => {
  expect(deleteTimeoutMessage(state, inputs)).toContain(expected);
});

test("a state has the hidden values, and without those of its time keeps its bookkeeping", () => {
  expect(hiddenOf({ [URN_INPUT]: "urn:me", sizeCu: 1 })).toEqual({ [URN_INPUT]: "urn:me" });
  const state = { [URN_INPUT]: "urn:me", [TIMEOUTS_INPUT]: {}, [BOOKKEEPING]: { v: 2 }, sizeCu: 1 };
  expect(withoutHidden(state)).toEqual({ [BOOKKEEPING]: { v: 2 }, sizeCu: 1 });
});
