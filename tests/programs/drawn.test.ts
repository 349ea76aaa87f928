/** What the generator draws: a sample of one seed has each of it. */
import { expect, it } from "vitest";
import { fc } from "../support/random";
import { type Case, cases, type OwnerChange, type Slot } from "./support/cases";

const sample = fc.sample(cases, { seed: 7, numRuns: 600 });

const owners = ["own", "adopted", "stranger", "orphan", "elsewhere", "forged", "shared", "pending"] as const;
const changes: readonly OwnerChange["kind"][] = ["gather", "scatter", "rename", "reparent", "nest", "sendAway"];
const some = (test: (slot: Slot) => boolean) => (its: Case) => its.slots.some(test);
const wished = (name: "alias" | "new") => some(({ after }) => typeof after === "object" && after.named === name);

const drawn: Record<string, (its: Case) => boolean> = {
  "lists that lag": ({ lagMs }) => lagMs > 0,
  "--parallel 1": ({ isSerial }) => isSerial === true,
  "--continue-on-error": ({ goesOn }) => goesOn === true,
  "--refresh": ({ refreshes }) => refreshes === true,
  "--target": ({ selection }) => selection?.option === "target",
  "--exclude": ({ selection }) => selection?.option === "exclude",
  "the profile neon": ({ platform }) => platform === "neon",
  "a platform that lets endpoints move beside replicas": ({ platform }) => platform === "lenient",
  "moves: replace": ({ moves }) => moves === "replace",
  "no names": ({ keepsNames }) => keepsNames === false,
  "a branch that is not known": ({ unknown }) => unknown !== undefined,
  "a kill": ({ death }) => death !== undefined,
  "a program that is reverted": ({ isReverted }) => isReverted === true,
  "indices that shift": ({ isShifted }) => isShifted === true,
  "a rename with an alias": wished("alias"),
  "a rename without": wished("new"),
  "somebody who creates": ({ meddling }) => meddling.some(({ kind }) => kind === "arrives"),
  "somebody who moves": ({ meddling }) => meddling.some(({ kind }) => kind === "moves"),
  "somebody who deletes": ({ meddling }) => meddling.some(({ kind }) => kind === "leaves"),
  "a member beside a single endpoint": (its) =>
    some(({ home }) => home?.after !== undefined)(its) && some(({ home }) => home?.after === undefined)(its),
  ...Object.fromEntries(
    owners.map((owner) => [`an endpoint that is ${owner}`, some(({ before }) => before?.owner === owner)]),
  ),
  ...Object.fromEntries(
    changes.map((kind) => [
      `a change of owner: ${kind}`,
      ({ ownerChanges }: Case) => ownerChanges.some((one) => one.kind === kind),
    ]),
  ),
};

it.each(Object.entries(drawn))("draws %s, for either host", (_, isDrawn) => {
  for (const host of ["plugin", "dynamic"]) expect(sample.some((its) => its.host === host && isDrawn(its))).toBe(true);
});
