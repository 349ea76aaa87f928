import { expect, it } from "vitest";
import { createApi } from "../../provider/platform/client";
import { useBench } from "../support/bench";
import { fc, runsOr, seed } from "../support/random";
import { type Case, cases, inFleet, own, plain, stays } from "./support/cases";
import { forgetRefusals } from "./support/refusals";
import { missing, overstated, passes, review, unsealed } from "./support/review";
import { type Valued, valued } from "./support/values";

const path = process.env.PGCOMPUTE_PATH;
/** Each is played with two sets of values, so that the seal of the one is held against the other: two programs. */
const numRuns = path === undefined ? Math.ceil(runsOr(1_000) / 2) : 1;

it(`says of a plan what up does (PGCOMPUTE_SEED=${seed})`, { timeout: 60_000 + numRuns * 2_000 }, async () => {
  const bench = await useBench({ operationMs: 0, logLimit: 1 });
  const { url, apiKey } = bench.emulator;
  const api = createApi({ baseUrl: url, apiKey, clock: bench.clock, random: () => 0.5 });
  const counts = {
    programs: 0,
    planned: 0,
    disrupting: 0,
    unread: 0,
    configured: 0,
    readable: 0,
    overstated: 0,
    sealed: 0,
  };
  await fc.assert(
    fc.asyncProperty(cases, fc.tuple(valued, valued), async (its, values) => {
      const all = [];
      for (const one of values) {
        forgetRefusals();
        counts.programs += 1;
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
    { numRuns, ...(path !== undefined && { path }) },
  );
  await api.close();
  if (path !== undefined) return;
  console.log(`reviewed (PGCOMPUTE_SEED=${seed}):`, counts);
  expect(counts.overstated / counts.readable).toBeLessThanOrEqual(0.05);
  const { planned, disrupting, readable, sealed, configured, unread } = counts;
  for (const count of [planned, disrupting, readable, sealed, configured]) {
    expect(count).toBeGreaterThan(numRuns / 10);
  }
  // In fewer programs chance may leave them out.
  if (numRuns >= 500) expect(unread).toBeGreaterThan(0);
});

const orphan = (branch: number, type: "read_write" | "read_only") => ({ branch, type, owner: "orphan" }) as const;
const larger = { branch: "here", type: "same", sizeCu: 1, ...stays } as const;

const found: { what: string; program: Partial<Case>; values?: Partial<Valued>; effects: string[] }[] = [
  {
    what: "a resource takes up what an interrupted run made, which restarts",
    program: { adoptsInterrupted: true, slots: [{ before: orphan(0, "read_write"), after: larger }] },
    effects: ["ep-number-0: restarts, dropsConnections"],
  },
  {
    what: "a member does, which comes to a fleet that is there",
    program: {
      adoptsInterrupted: true,
      slots: [
        { before: own(1, "read_only"), after: "same", home: inFleet(0) },
        { before: orphan(0, "read_only"), after: larger, home: inFleet(0) },
      ],
    },
    effects: ["ep-number-1: restarts, dropsConnections"],
  },
  ...(["single endpoint", "member of a new fleet", "member that comes to a fleet"] as const).map((who, at) => ({
    what: `a ${who} takes up what an interrupted run made on a branch that is not known yet`,
    program: {
      adoptsInterrupted: true,
      slots: [
        { before: orphan(0, "read_write"), after: larger, ...(at > 0 && { home: inFleet(0) }) },
        ...(at > 1 ? [{ before: own(1, "read_only"), after: "same" as const, home: inFleet(0) }] : []),
      ],
    },
    values: {
      settings: [
        { which: 0, property: "branchId" as const, before: undefined, after: undefined, is: "unknown" as const },
      ],
    },
    effects: ["ep-number-0: restarts, dropsConnections"],
  })),
  ...[false, true].map((isThere) => ({
    what: `a member takes one up in a ${isThere ? "fleet that is there" : "new fleet"}, beside a member whose branch is not known yet`,
    program: {
      adoptsInterrupted: true,
      slots: [
        { before: orphan(0, "read_write"), after: larger, home: inFleet(0) },
        { after: { branch: 1, type: "read_write" as const, ...stays }, home: inFleet(0) },
        ...(isThere ? [{ before: own(2, "read_only"), after: "same" as const, home: inFleet(0) }] : []),
      ],
    },
    values: {
      settings: [
        { which: 1, property: "branchId" as const, before: undefined, after: undefined, is: "unknown" as const },
      ],
    },
    effects: ["ep-number-0: restarts, dropsConnections"],
  })),
  {
    what: "one that is replaced by force takes over its own endpoint as it is",
    program: {
      // By its name it would be its own, which a run has left.
      keepsNames: false,
      slots: [{ before: own(0, "read_write"), after: { branch: 0, type: "same", ...stays, adopts: true } }],
    },
    values: { forced: [0] },
    effects: [],
  },
  {
    what: "a fleet is replaced by force, of which a member goes",
    program: {
      adoptsInterrupted: true,
      slots: [
        { before: own(0, "read_only"), after: "same", home: inFleet(0) },
        { before: own(1, "read_only"), home: inFleet(0) },
      ],
    },
    values: { forced: [0] },
    effects: ["ep-number-1: deleted, dropsConnections"],
  },
  {
    what: "a single endpoint and a member wait for an idle moment",
    program: {
      slots: [
        { before: own(0, "read_only"), after: "same", home: inFleet(0) },
        { before: own(1, "read_only"), after: larger },
        { before: own(2, "read_write"), after: larger },
      ],
    },
    values: {
      settings: [
        { which: 0, property: "restartWhen", before: undefined, after: 0, is: "plain" },
        { which: 0, property: "restartTrigger", before: 0, after: 1, is: "plain" },
        { which: 1, property: "restartWhen", before: undefined, after: 0, is: "plain" },
      ],
    },
    effects: ["ep-number-0: restartsIdle", "ep-number-1: restartsIdle", "ep-number-2: restarts, dropsConnections"],
  },
  {
    what: "a takeover of its own endpoint, which is replaced by force, waits for an idle moment",
    program: {
      keepsNames: false,
      slots: [{ before: own(0, "read_write"), after: { ...larger, adopts: true } }],
    },
    values: {
      settings: [{ which: 0, property: "restartWhen", before: undefined, after: 0, is: "plain" }],
      forced: [0],
    },
    effects: ["ep-number-0: restartsIdle"],
  },
  {
    what: "a secret says what a resize waits for",
    program: { slots: [{ before: own(0, "read_write"), after: larger }] },
    values: { settings: [{ which: 0, property: "restartWhen", before: undefined, after: 0, is: "secret" }] },
    effects: ["ep-number-0: restartsIdle"],
  },
  {
    what: "a member waits for an idle moment beside one that is secret as a whole",
    program: {
      slots: [
        { before: own(2, "read_write"), after: larger, home: inFleet(0) },
        { after: { branch: 1, type: "read_write", ...stays }, home: inFleet(0) },
      ],
    },
    values: {
      settings: [{ which: 0, property: "restartWhen", before: undefined, after: 0, is: "plain" }],
      covered: { fleet: 0, which: 1, is: "secret" },
    },
    effects: ["ep-number-0: restartsIdle"],
  },
  {
    what: "a member is resized that is secret as a whole",
    program: { slots: [{ before: own(0, "read_only"), after: larger, home: inFleet(0) }] },
    values: { covered: { fleet: 0, which: 0, is: "secret" } },
    effects: ["ep-number-0: restarts, dropsConnections"],
  },
  {
    what: "a member moves that is secret as a whole",
    program: {
      slots: [{ before: own(0, "read_write"), after: { branch: 1, type: "same", ...stays }, home: inFleet(0) }],
    },
    values: { covered: { fleet: 0, which: 0, is: "secret" } },
    effects: ["ep-number-0: moved, dropsConnections"],
  },
];

const played = found.flatMap((one) => (["plugin", "dynamic"] as const).map((host) => ({ ...one, host })));

it.each(played)("says what up does where $what, by the $host host", async ({ host, program, values, effects }) => {
  const bench = await useBench({ operationMs: 0, logLimit: 1 });
  const { url, apiKey } = bench.emulator;
  const api = createApi({ baseUrl: url, apiKey, clock: bench.clock, random: () => 0.5 });
  forgetRefusals();
  const reviewed = await review(bench, api, { ...plain, host, ...program }, { settings: [], forced: [], ...values });
  await api.close();
  if (!reviewed) throw new Error("the preview is refused");
  const done = [...reviewed.effects].map(([id, one]) => `${id}: ${[...one.effects].join(", ")}`);
  expect(done).toEqual(effects);
  for (const form of reviewed.forms) {
    expect(missing(form, reviewed)).toEqual([]);
    expect(overstated(form, reviewed)).toEqual([]);
  }
});
