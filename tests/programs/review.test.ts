import { expect, it } from "vitest";
import { fc, runsOr, seed } from "../support/random";
import { at, type Case, cases, inFleet, own, plain, type Slot, to, type Wish } from "./support/cases";
import { missing, overstated, passes, review, unsealed } from "./support/review";
import { type Setting, type Valued, valued } from "./support/values";
import { usePlatform } from "./support/world";

const path = process.env.PGCOMPUTE_PATH;
/** Each is played with two sets of values, so that the seal of the one is held against the other: two programs. */
const numRuns = path === undefined ? Math.ceil(runsOr(1_000) / 2) : 1;
/** A failure that is still made smaller then is told as it is. */
const boundMs = 30_000 + numRuns * 2_000;

it(`says of a plan what up does (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + boundMs }, async () => {
  const { bench, api } = await usePlatform();
  const counts = { planned: 0, disrupting: 0, unread: 0, configured: 0, readable: 0, overstated: 0, sealed: 0 };
  await fc.assert(
    fc.asyncProperty(cases, fc.tuple(valued, valued), async (its, values) => {
      const all = [];
      for (const one of values) {
        const reviewed = await review(bench, api, its, one);
        if (!reviewed) continue;
        all.push(reviewed);
        counts.planned += 1;
        if (reviewed.effects.size > 0) counts.disrupting += 1;
        if (reviewed.isConfigured) counts.configured += 1;
        if (reviewed.forms.some(({ report }) => report.unread.length > 0)) counts.unread += 1;
        for (const form of reviewed.forms) expect(missing(form, reviewed)).toEqual([]);
        if (one.covered !== undefined || one.settings.some(({ is }) => is !== "plain")) continue;
        counts.readable += 1;
        if (reviewed.forms.some((form) => overstated(form, reviewed).length > 0)) counts.overstated += 1;
      }
      const [first, second] = all;
      for (const form of second ? (first?.forms ?? []) : []) {
        if (!second?.forms.some((planned) => passes(planned, form))) continue;
        counts.sealed += 1;
        expect(unsealed(form, second)).toEqual([]);
      }
    }),
    { numRuns, interruptAfterTimeLimit: boundMs, markInterruptAsFailure: true, ...(path !== undefined && { path }) },
  );
  if (path !== undefined) return;
  console.log(`reviewed of ${2 * numRuns} programs (PGCOMPUTE_SEED=${seed}):`, counts);
  expect(counts.overstated / counts.readable).toBeLessThanOrEqual(0.05);
});

const orphan = (branch: number, type: "read_write" | "read_only") => at(branch, type, "orphan");
const larger: Wish = { ...to("here"), sizeCu: 1 };
const member = (what: Slot): Slot => ({ ...what, home: inFleet(0) });
const set = (which: number, property: Setting["property"], after: 0 | 1, more: Partial<Setting> = {}): Setting => ({
  ...{ which, property, before: undefined, after, is: "plain" },
  ...more,
});
const unknownBranch = (which: number): Setting => ({ ...set(which, "branchId", 0), after: undefined, is: "unknown" });
const resized = ["ep-number-0: restarts, dropsConnections"];

const found: { what: string; program: Partial<Case>; values?: Partial<Valued>; effects: string[] }[] = [
  {
    what: "a resource takes up what an interrupted run made, which restarts",
    program: { adoptsInterrupted: true, slots: [{ before: orphan(0, "read_write"), after: larger }] },
    effects: resized,
  },
  {
    what: "a member does, which comes to a fleet that is there",
    program: {
      adoptsInterrupted: true,
      slots: [
        member({ before: own(1, "read_only"), after: "same" }),
        member({ before: orphan(0, "read_only"), after: larger }),
      ],
    },
    effects: ["ep-number-1: restarts, dropsConnections"],
  },
  ...(["single endpoint", "member of a new fleet", "member that comes to a fleet"] as const).map((who, index) => ({
    what: `a ${who} takes up what an interrupted run made on a branch that is not known yet`,
    program: {
      adoptsInterrupted: true,
      slots: [
        { before: orphan(0, "read_write"), after: larger, ...(index > 0 && { home: inFleet(0) }) },
        ...(index > 1 ? [member({ before: own(1, "read_only"), after: "same" })] : []),
      ],
    },
    values: { settings: [unknownBranch(0)] },
    effects: resized,
  })),
  ...[false, true].map((isThere) => ({
    what: `a member takes one up in a ${isThere ? "fleet that is there" : "new fleet"}, beside a member whose branch is not known yet`,
    program: {
      adoptsInterrupted: true,
      slots: [
        member({ before: orphan(0, "read_write"), after: larger }),
        member({ after: to(1, "read_write") }),
        ...(isThere ? [member({ before: own(2, "read_only"), after: "same" })] : []),
      ],
    },
    values: { settings: [unknownBranch(1)] },
    effects: resized,
  })),
  {
    what: "one that is replaced by force takes over its own endpoint as it is",
    program: {
      // By its name it would be its own, which a run has left.
      keepsNames: false,
      slots: [{ before: own(0, "read_write"), after: { ...to(0), adopts: true } }],
    },
    values: { forced: [0] },
    effects: [],
  },
  {
    what: "a fleet is replaced by force, of which a member goes",
    program: {
      adoptsInterrupted: true,
      slots: [member({ before: own(0, "read_only"), after: "same" }), member({ before: own(1, "read_only") })],
    },
    values: { forced: [0] },
    effects: ["ep-number-1: deleted, dropsConnections"],
  },
  {
    what: "a single endpoint and a member wait for an idle moment",
    program: {
      slots: [
        member({ before: own(0, "read_only"), after: "same" }),
        { before: own(1, "read_only"), after: larger },
        { before: own(2, "read_write"), after: larger },
      ],
    },
    values: {
      settings: [set(0, "restartWhen", 0), set(0, "restartTrigger", 1, { before: 0 }), set(1, "restartWhen", 0)],
    },
    effects: ["ep-number-0: restartsIdle", "ep-number-1: restartsIdle", "ep-number-2: restarts, dropsConnections"],
  },
  {
    what: "a takeover of its own endpoint, which is replaced by force, waits for an idle moment",
    program: { keepsNames: false, slots: [{ before: own(0, "read_write"), after: { ...larger, adopts: true } }] },
    values: { settings: [set(0, "restartWhen", 0)], forced: [0] },
    effects: ["ep-number-0: restartsIdle"],
  },
  {
    what: "a secret says what a resize waits for",
    program: { slots: [{ before: own(0, "read_write"), after: larger }] },
    values: { settings: [set(0, "restartWhen", 0, { is: "secret" })] },
    effects: ["ep-number-0: restartsIdle"],
  },
  ...(["secretBefore", "secretAfter", "unknownBefore"] as const).flatMap((is) =>
    [false, true].map((isMember) => ({
      what: `${isMember ? "a member" : "an endpoint"} moves whose branch is not shown (${is})`,
      program: { slots: [{ before: own(0, "read_write"), after: to(1), ...(isMember && { home: inFleet(0) }) }] },
      values: { settings: [set(0, "branchId", 0, { is })] },
      effects: ["ep-number-0: moved, dropsConnections"],
    })),
  ),
  {
    what: "a resize waits, of an endpoint that a resource has, too, which the run is not shown",
    program: {
      slots: [
        { before: own(0, "read_write"), after: larger },
        { before: at(0, "read_write", "shared"), after: "same" },
      ],
      selection: { option: "target", which: [0] },
    },
    values: { settings: [set(0, "restartWhen", 0)] },
    effects: ["ep-number-0: restartsIdle"],
  },
  {
    what: "a member is resized that is secret as a whole",
    program: { slots: [member({ before: own(0, "read_only"), after: larger })] },
    values: { covered: { fleet: 0, which: 0, is: "secret" } },
    effects: resized,
  },
];

const played = found.flatMap((one) => (["plugin", "dynamic"] as const).map((host) => ({ ...one, host })));

it.each(played)("says what up does where $what, by the $host host", async ({ host, program, values, effects }) => {
  const { bench, api } = await usePlatform();
  const reviewed = await review(bench, api, { ...plain, host, ...program }, { settings: [], forced: [], ...values });
  if (!reviewed) throw new Error("the preview is refused");
  const done = [...reviewed.effects].map(([id, one]) => `${id}: ${[...one.effects].join(", ")}`);
  expect(done).toEqual(effects);
  for (const form of reviewed.forms) {
    expect(missing(form, reviewed)).toEqual([]);
    expect(overstated(form, reviewed)).toEqual([]);
  }
});
