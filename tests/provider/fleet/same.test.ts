/** Whatever an endpoint goes through, a fleet's only member goes through in the same way, and what is said of it is said as loud. */
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import type { Values } from "../../engine-model/stack";
import { useBench } from "../../support/bench";
import { type Case, holdAlike, One, playBoth, refuses, suspendFails } from "./one";

const replica = { type: "read_only" } as const;
const away = ({ other }: One) => ({ branchId: other });

/** Each property with two values: set, left alone, changed, taken out; and what is said of it. */
const properties: Record<string, [Values, Values, ...RegExp[]]> = {
  "a fixed size": [{ sizeCu: 1 }, { sizeCu: 2 }, /^warning: .* no longer sets a size,.* stays as it is \(2 CU\)$/m],
  "a range of sizes": [
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
  ],
  "the delay": [{ suspendTimeoutSeconds: 600 }, { suspendTimeoutSeconds: 900 }],
  pooling: [{ poolerEnabled: true }, { poolerEnabled: false }],
  "the pooler's mode": [{ poolerMode: "session" }, { poolerMode: "transaction" }],
  settings: [{ pgSettings: { work_mem: "8MB" } }, { pgSettings: { work_mem: 16, log_statement: "all" } }],
  libraries: [{ preloadLibraries: ["pg_stat_statements"] }, { preloadLibraries: ["pg_prewarm", "pg_stat_statements"] }],
  "a switch off": [{ disabled: true }, { disabled: false }],
  "access without passwords": [
    { passwordlessAccess: true },
    { passwordlessAccess: false },
    /^warning: the platform ignores passwordlessAccess for now/m,
    /^warning: .* no longer sets passwordlessAccess,.* stays false$/m,
  ],
  "a trigger": [{ restartTrigger: "1" }, { restartTrigger: "2" }],
};

/** What is refused, at once and later: one of each kind, of which tests/unit/endpoint and tests/provider/endpoint have the rest. */
const refusals: Record<string, [Values, RegExp]> = {
  "nothing at all": [{ projectId: undefined, branchId: undefined }, /^(?=.*branchId: required).*projectId: required/s],
  "several at once": [
    { branchId: "main", sizeCu: 99, suspendTimeoutSeconds: -2, extra: 1 },
    /^(?=.*branchId: )(?=.*sizeCu: )(?=.*suspendTimeoutSeconds: ).*extra: unknown property/s,
  ],
  "a branch that is not there": [{ branchId: "br-none" }, /branchId: branch br-none does not exist in /],
  "a project that is not there": [{ projectId: "none" }, /projectId: project none does not exist.*404, request /],
  "a library that is not there": [
    { preloadLibraries: ["pg_prewarm", "pg_stat_statement"] },
    /preloadLibraries: project .* has no library "pg_stat_statement" to load: did you mean "pg_stat_statements"\?/,
  ],
  "a branch and a library that are not there": [
    { branchId: "br-none", preloadLibraries: ["pg_nowhere"] },
    /^(?=.*branchId: branch br-none does not).*preloadLibraries: .*has no library "pg_nowhere"/s,
  ],
  "a replica that adopts": [{ type: "read_only", adoptExisting: true }, /adoptExisting: takes over/],
};

const noMoves = { moves: "replace" } as const;

const cases: Record<string, Case> = {
  "created, left alone, refreshed, deleted": { play: (one) => one.preview().up().preview().refresh().up().destroy() },
  "a type that changes": {
    play: (one) => one.up().preview(replica).up(replica, replica, {}),
  },
  "a project that changes": {
    play: (one) => {
      const projectId = one.admin.seedProject().project.id;
      const there = { projectId, branchId: one.admin.seedBranch(projectId).id };
      return one.up({}, there, there);
    },
  },
  "a move to an empty branch, and back": {
    play: (one) => one.up().preview(away).up(away, away, {}),
  },
  "a branch that is not known yet": {
    lines: [
      /branchId is not known yet: the endpoint moves there in place$/m,
      /where that branch cannot take it, the update is refused$/,
    ],
    play: (one) => one.up().preview({ branchId: UNKNOWN }),
  },
  "a branch that is not known yet, where the platform has no moves": {
    lines: [/replaced: branchId is not known yet, and the configuration says that endpoints do not move/],
    play: (one) => one.with(noMoves).up().preview({ branchId: UNKNOWN }),
  },
  "moves that the platform does not have": {
    lines: [/replaced: the configuration says that endpoints do not move/],
    play: (one) => one.with(noMoves).up({}, away),
  },
  "changed by somebody else": {
    play: (one) => {
      const said = { suspendTimeoutSeconds: 600, sizeCu: 1 };
      return one.up(said).changed({ suspend_timeout_seconds: 60 }).refresh().preview(said).up(said, said);
    },
  },
  "deleted by somebody else, found by a refresh": { play: (one) => one.up().dropped().refresh().destroy() },
  "deleted by somebody else, met by a delete that is answered 404": { play: (one) => one.up().dropped().destroy() },
  "deleted by somebody else, met by a delete that is answered 204": {
    play: (one) => one.on({ goneStatus: 204 }).up().dropped().destroy(),
  },
  "a key that is refused": {
    messages: [/answered 401.*\[request /],
    play: (one) => one.under({ effect: { kind: "status", status: 401 } }, () => one.preview()).up(),
  },
  "a project that the key may not see into": {
    messages: [/^: .*answered 403.*\[request /],
    play: (one) => one.under(refuses("list", 403), () => one.preview()),
  },
  "refused: a restore in place that would be undone, seen by a refresh; moved back where that is said": {
    messages: [
      /stands on br-\S+ \(now named "\S+"\), which replaced \S+ when .* run:\n +PGCOMPUTE_UNDO_RESTORE=br-\S+ pulumi up$/,
      /To keep the restored data write branchId: "br-/,
    ],
    play: (one) =>
      one
        .up()
        .restoreInPlace()
        .refresh()
        .preview()
        .up({ sizeCu: 2 }, ({ restored }) => ({ branchId: restored }))
        .with(({ restored }) => ({ undoRestore: restored }))
        .up(),
  },
  "refused: a restore in place that would be undone as a failed change is made good": {
    messages: [/ended as "failed"/, /PGCOMPUTE_UNDO_RESTORE=br-/],
    play: (one) => one.up().under(suspendFails, { sizeCu: 2 }).restoreInPlace().preview({ sizeCu: 2 }),
  },
  "refused: the second of two restores in place, which would be undone": {
    messages: [/which replaced br-\S+ when[\s\S]*branchId: "br-/],
    play: (one) => one.up().restoreInPlace(2).refresh().preview(),
  },
  "a restore in place that no plan undoes, and a replacement that would": {
    messages: [/stands on .*, which replaced .*PGCOMPUTE_UNDO_RESTORE/s],
    lines: [/warning: endpoint ID stands on ID \(now named .*, which replaced/],
    play: (one) => one.up().restoreInPlace().preview().up(replica),
  },
  "refused: a branch that is gone since another took its place": {
    messages: [/branchId: branch \S+ was replaced by br-\S+ \(now named .*write branchId: "br-/],
    play: (one) =>
      one
        .up()
        .restoreInPlace()
        .does(({ admin, projectId, branch }) => admin.dropBranch(projectId, branch))
        .preview(),
  },
  "moved by somebody else to a branch that took nobody's place": {
    play: (one) => one.up().changed({ branch_id: one.other }).refresh().up(),
  },
  "moved by a run that could not record it": {
    sent: ["update"],
    play: (one) => one.up().changed({ branch_id: one.other }).up({ branchId: one.other }),
  },
  "refused: what the free plan does not have": {
    messages: [/type: the free plan has no read-only endpoints/],
    play: (one) => one.with({ plan: "free" }).preview(replica),
  },
};
for (const [name, [first, second, ...lines]] of Object.entries(properties)) {
  cases[`${name}: set, left alone, changed, taken out`] = {
    lines,
    play: (one) =>
      one
        .up(first, first, second, second)
        .does(({ outcomes }) => expect([outcomes[1]?.sent, outcomes[3]?.sent]).toEqual([[], []]))
        .up({}, {})
        .refresh()
        .up()
        .destroy(),
  };
}
for (const [name, [changes, message]] of Object.entries(refusals)) {
  cases[`refused: ${name}, at once and later`] = {
    messages: [message, message],
    play: (one) => one.preview(changes).up().preview(changes),
  };
}

/** What ends in another way by design: a fleet's delete has no partial answer, so that its next update looks whether its members are there. */
const deletedOutside: Case = { play: (one) => one.up().dropped().up({ sizeCu: 1 }).destroy() };

// The dynamic host gives no old inputs, so that what a program takes out is known in another way.
describe.each(["plugin", "dynamic"] as const)("an endpoint and a fleet of one, on the %s host", (host) => {
  const isOfBoth = ([name]: [string, Case]) => host === "plugin" || name.endsWith("taken out");
  holdAlike(host, Object.fromEntries(Object.entries(cases).filter(isOfBoth)));

  it("deleted by somebody else, met by an update: the endpoint's fails, the fleet's makes a new one", async () => {
    const { endpoint, fleet } = await playBoth(host, deletedOutside);
    expect(endpoint.messages).toEqual([expect.stringMatching(/no longer exists/)]);
    expect(fleet.messages).toEqual([]);
    expect(fleet.outcomes).toMatchObject([
      { change: "create", failed: false, endpoint: "new" },
      { change: "create", failed: false, endpoint: "new" },
      { change: "delete", failed: false },
    ]);
  });
});

it("a restore in place is not undone by a replacement by force, which has a Check without anything old and no Diff", async () => {
  const one = new One(await useBench(), "plugin", false);
  await one.up().restoreInPlace().refresh().replace().done;
  expect(one.messages).toEqual([expect.stringMatching(/PGCOMPUTE_UNDO_RESTORE=br-/)]);
});
