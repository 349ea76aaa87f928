/** Whatever an endpoint goes through, a fleet's only member goes through in the same way, and what is said of it is said as loud. */
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { useBench } from "../../support/bench";
import type { Values } from "../support/stack";
import { type Case, fails, holdAlike, One, playBoth, struck } from "./one";

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

const cases: Record<string, Case> = {
  "created, left alone, refreshed, deleted": {
    play: async (one) => {
      await one.preview();
      await one.up();
      await one.preview();
      await one.refresh();
      await one.up();
      await one.destroy();
    },
  },
  "a type that changes": {
    play: async ({ up, preview }) => {
      await up();
      await preview({ type: "read_only" });
      await up({ type: "read_only" }, { type: "read_only" }, {});
    },
  },
  "a project that changes": {
    play: async ({ up, emulator: { admin } }) => {
      const projectId = admin.seedProject().project.id;
      const there = { projectId, branchId: admin.seedBranch(projectId).id };
      await up({}, there, there);
    },
  },
  "a move to an empty branch, and back": {
    play: async ({ up, preview, other: branchId }) => {
      await up();
      await preview({ branchId });
      await up({ branchId }, { branchId }, {});
    },
  },
  "a move to a branch with a replica": {
    play: async ({ up, seed, other: branchId }) => {
      seed({ branch_id: branchId, type: "read_only" });
      await up({}, { branchId }, { branchId });
    },
  },
  "a branch that is not known yet": {
    lines: [
      /branchId is not known yet: it moves in place/,
      /beside another it is replaced, and the host name changes$/,
    ],
    play: async (one) => {
      await one.up();
      await one.preview({ branchId: UNKNOWN });
    },
  },
  "a branch that is not known yet, where the platform has no moves": {
    lines: [/replaced: branchId is not known yet, and the platform is configured to have no moves \(pgcompute:moves\)/],
    play: async (one) => {
      one.settings = { moves: "replace" };
      await one.up();
      await one.preview({ branchId: UNKNOWN });
    },
  },
  "moves that the platform does not have": {
    lines: [/replaced: the platform is configured to have no moves \(pgcompute:moves\)/],
    play: async (one) => {
      one.settings = { moves: "replace" };
      await one.up({}, { branchId: one.other });
    },
  },
  "changed by somebody else": {
    play: async (one) => {
      const said = { suspendTimeoutSeconds: 600, sizeCu: 1 };
      await one.up(said);
      one.emulator.admin.changeEndpoint(one.endpointId ?? "", { suspend_timeout_seconds: 60 });
      await one.refresh();
      await one.preview(said);
      await one.up(said, said);
    },
  },
  "deleted by somebody else, found by a refresh": {
    play: async (one) => {
      await one.up();
      one.emulator.admin.dropEndpoint(one.endpointId ?? "");
      await one.refresh();
      await one.destroy();
    },
  },
  "deleted by somebody else, met by a delete": {
    play: async (one) => {
      await one.up();
      one.emulator.admin.dropEndpoint(one.endpointId ?? "");
      await one.destroy();
    },
  },
  "a key that is refused": {
    messages: [/answered 401.*\[request /],
    play: async (one) => {
      await struck(one, { effect: { kind: "status", status: 401 } }, () => one.preview());
      await one.up();
    },
  },
  "a project that the key may not see into": {
    messages: [/^: .*answered 403.*\[request /],
    play: (one) =>
      struck(one, { route: "endpoints.list", effect: { kind: "status", status: 403 } }, () => one.preview()),
  },
  "refused: a restore in place that would be undone, seen by a refresh; moved back where that is said": {
    messages: [
      /stands on br-\S+ \(now named "\S+"\), which replaced \S+ when .* run: PGCOMPUTE_UNDO_RESTORE=br-\S+ pulumi up$/,
      /To keep the restored data write branchId: "br-/,
    ],
    play: async (one) => {
      await one.up();
      const branchId = await one.restoreInPlace();
      await one.refresh();
      await one.preview();
      await one.up({ sizeCu: 2 }, { branchId });
      one.settings = { undoRestore: branchId };
      await one.up();
    },
  },
  "refused: a restore in place that would be undone as a failed change is made good": {
    messages: [/ended as "failed"/, /PGCOMPUTE_UNDO_RESTORE=br-/],
    play: async (one) => {
      await one.up();
      await struck(one, { ...fails, action: "suspend_compute" }, () => one.up({ sizeCu: 2 }));
      await one.restoreInPlace();
      await one.preview({ sizeCu: 2 });
    },
  },
  "refused: the second of two restores in place, which would be undone": {
    messages: [/which replaced br-\S+ when[\s\S]*branchId: "br-/],
    play: async (one) => {
      await one.up();
      await one.restoreInPlace(2);
      await one.refresh();
      await one.preview();
    },
  },
  "a restore in place that no plan undoes, and a replacement that would": {
    messages: [/stands on .*, which replaced .*PGCOMPUTE_UNDO_RESTORE/],
    lines: [/warning: endpoint ID stands on ID \(now named .*, which replaced/],
    play: async (one) => {
      await one.up();
      await one.restoreInPlace();
      await one.preview();
      await one.up({ type: "read_only" });
    },
  },
  "refused: a branch that is gone since another took its place": {
    messages: [/branchId: branch \S+ was replaced by br-\S+ \(now named .*write branchId: "br-/],
    play: async (one) => {
      await one.up();
      await one.restoreInPlace();
      one.emulator.admin.dropBranch(one.projectId, one.branches[0] ?? "");
      await one.preview();
    },
  },
  "moved by somebody else to a branch that took nobody's place": {
    play: async (one) => {
      await one.up();
      one.emulator.admin.changeEndpoint(one.endpointId ?? "", { branch_id: one.other });
      await one.refresh();
      await one.up();
    },
  },
  "refused: what the free plan does not have": {
    messages: [/type: the free plan has no read-only endpoints/],
    play: async (one) => {
      one.settings = { plan: "free" };
      await one.preview({ type: "read_only" });
    },
  },
};
for (const [name, [first, second, ...lines]] of Object.entries(properties)) {
  cases[`${name}: set, left alone, changed, taken out`] = {
    lines,
    play: async ({ up, refresh, destroy }) => {
      await up(first, first, second, second, {}, {});
      await refresh();
      await up();
      await destroy();
    },
  };
}
for (const [name, [changes, message]] of Object.entries(refusals)) {
  cases[`refused: ${name}, at once and later`] = {
    messages: [message, message],
    play: async ({ up, preview }) => {
      await preview(changes);
      await up();
      await preview(changes);
    },
  };
}

/** What ends in another way by design: a fleet's delete has no partial answer, so that its next update looks whether its members are there. */
const deletedOutside: Case = {
  play: async (one) => {
    await one.up();
    one.emulator.admin.dropEndpoint(one.endpointId ?? "");
    await one.up({ sizeCu: 1 });
    await one.destroy();
  },
};

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
  await one.up();
  await one.restoreInPlace();
  await one.refresh();
  await one.replace();
  expect(one.messages).toEqual([expect.stringMatching(/PGCOMPUTE_UNDO_RESTORE=br-/)]);
});
