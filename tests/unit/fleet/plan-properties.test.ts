import { expect, it } from "vitest";
import { keysOf } from "../../../provider/fleet/plan";
import { fc, runsOr } from "../../support/random";
import { plan } from "./planned";

/** The platform's rules in short: which endpoints stand where, and what is refused. */
class Model {
  readonly places = new Map<string, string>();

  come(id: string, place: string): void {
    const isPrimary = !place.endsWith("r");
    if (isPrimary && [...this.places.values()].includes(place)) throw new Error(`${place} has a primary`);
    this.places.set(id, place);
  }

  move(id: string, place: string): void {
    for (const [other, at] of this.places)
      if (other !== id && at[0] === place[0]) throw new Error(`${place} is not empty`);
    this.places.set(id, place);
  }
}

const place = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom("", "", "r"))
  .map(([at, type]) => `${at}${type}`);
const places = fc.dictionary(fc.constantFrom(..."abcdefgh"), place, { noNullPrototype: true }).map(oncePrimary);
const sizes = { numRuns: runsOr(2_000) };

it("whatever the members were and are to be, any order that the steps allow leads there by the platform's rules", () => {
  fc.assert(
    fc.property(places, places, fc.array(fc.nat(), { minLength: 30, maxLength: 30 }), (before, after, choices) => {
      const planned = plan({ stored: before, wanted: after });
      // A refusal is right if a replica stays on a primary's target branch, or if moves wait for each other.
      const isRight = (keys: readonly string[], kind: string) =>
        kind === "not_empty"
          ? keys.every((key) =>
              Object.entries(before).some(([one, at]) => at === `${after[key]}r` && after[one] === at),
            )
          : kind === "circle" && keys.every((key) => keys.some((one) => before[one] === after[key]));
      if (planned.refusals.length > 0) {
        for (const { about, refusal } of planned.refusals)
          expect(isRight(keysOf({ about, refusal }), refusal.kind)).toBe(true);
        return;
      }
      const model = new Model();
      for (const [key, at] of Object.entries(before)) model.places.set(key, at);
      const done = new Set<unknown>();
      let open = planned.steps;
      for (let turn = 0; open.length > 0; turn += 1) {
        const ready = open.filter(({ after: first }) =>
          first.every((one) => done.has(one) || !planned.steps.includes(one)),
        );
        const step = ready[(choices[turn % choices.length] ?? 0) % ready.length];
        if (!step) throw new Error("nothing can be done");
        const to = after[step.key] ?? "";
        if (step.part === "go") model.places.delete(step.key);
        else if (step.part === "come") model.come(step.key, to);
        else if (before[step.key]?.[0] !== to[0]) model.move(step.key, to);
        done.add(step);
        open = open.filter((one) => one !== step);
      }
      expect(Object.fromEntries(model.places)).toEqual(after);
    }),
    sizes,
  );
});

it("thousands that follow each other, or swap in pairs, are planned in a moment", () => {
  const at = (branchOf: (member: number) => number) =>
    Object.fromEntries(
      Array.from({ length: 5_000 }, (_, member) => [`m${member}`, String.fromCharCode(0x4e00 + branchOf(member))]),
    );
  const chain = plan({ stored: at((member) => member), wanted: at((member) => member + 1) });
  expect(chain).toMatchObject({ refusals: [], steps: { length: 5_000 } });
  const swap = plan({ stored: at((member) => member), wanted: at((member) => member ^ 1) });
  expect(swap).toMatchObject({ refusals: { length: 2_500 }, steps: [] });
});

/** Of the primaries that would share a branch, the first stays one. */
function oncePrimary(places: Record<string, string>): Record<string, string> {
  const taken = new Set<string>();
  return Object.fromEntries(
    Object.entries(places).map(([key, at]) => {
      if (at.endsWith("r") || !taken.has(at)) {
        taken.add(at);
        return [key, at];
      }
      return [key, `${at}r`];
    }),
  );
}
