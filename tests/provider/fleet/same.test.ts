/** Tests that a fleet's only member has the same life as a single endpoint, with messages of the same severity. */
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../engine-model/deployment/resource";
import type { Values } from "../../engine-model/stack";
import { type Alone, type Case, holdAlike, playBoth, refuses, suspendFails, useAlone } from "./alike";

const replica = { type: "read_only" } as const;

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

/**
 * Early and late refusals: of shape, values and the platform; tests/unit/endpoint and tests/provider/endpoint have the
 * rest.
 */
const refusals: Record<string, [Values, RegExp]> = {
  "nothing at all": [{ projectId: undefined, branchId: undefined }, /^(?=.*branchId: required).*projectId: required/s],
  "several at once": [
    { branchId: "main", sizeCu: 99, suspendTimeoutSeconds: -2, extra: 1 },
    /^(?=.*branchId: )(?=.*sizeCu: )(?=.*suspendTimeoutSeconds: ).*extra: unknown property/s,
  ],
  "a project that is not there": [{ projectId: "none" }, /projectId: project none does not exist.*404, request /],
  "a branch and a library that are not there": [
    { branchId: "br-none", preloadLibraries: ["pg_nowhere"] },
    /^(?=.*branchId: branch br-none does not).*preloadLibraries: .*has no library "pg_nowhere"/s,
  ],
  "a replica that adopts": [{ type: "read_only", adoptExisting: true }, /adoptExisting: takes over/],
};

const noMoves = { moves: "replace" } as const;

/** Restores a snapshot of a branch in its place, by default that of the endpoint's; gives the one that it has then. */
async function restoreInPlace({ bench, admin, projectId, branch }: Alone, from = branch): Promise<string> {
  const { apiKey, url } = bench.emulator;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const call = async (path: string, body: object = {}) => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/projects/${projectId}/${path}`, init);
    admin.advance(10_000);
    return JSON.parse(await answer.text());
  };
  const { snapshot } = await call(`branches/${from}/snapshot`);
  const body = { finalize_restore: true, ...(from !== branch && { target_branch_id: from }) };
  return (await call(`snapshots/${snapshot.id}/restore`, body)).branch.id;
}

const cases: Record<string, Case> = {
  "a type that changes": {
    play: async ({ up, preview }) => {
      await up();
      await preview(replica);
      await up(replica, replica, {});
    },
  },
  "a project that changes": {
    play: ({ up, admin }) => {
      const projectId = admin.seedProject().project.id;
      const there = { projectId, branchId: admin.seedBranch(projectId).id };
      return up({}, there, there);
    },
  },
  "a move to an empty branch, and back": {
    play: async ({ up, preview, other }) => {
      await up();
      await preview({ branchId: other });
      await up({ branchId: other }, { branchId: other }, {});
    },
  },
  "a branch that is not known yet": {
    lines: [
      /branchId is not known yet: the endpoint moves there in place$/m,
      /where that branch cannot take it, the update is refused$/,
    ],
    play: async ({ up, preview }) => {
      await up();
      await preview({ branchId: UNKNOWN });
    },
  },
  "a branch that is not known yet, where the platform has no moves": {
    lines: [/replaced: branchId is not known yet, and the configuration says that endpoints do not move/],
    play: async ({ stack, up, preview }) => {
      stack.settings = noMoves;
      await up();
      await preview({ branchId: UNKNOWN });
    },
  },
  "moves that the platform does not have": {
    lines: [/replaced: the configuration says that endpoints do not move/],
    play: ({ stack, up, other }) => {
      stack.settings = noMoves;
      return up({}, {}, { branchId: other });
    },
  },
  "changed by somebody else": {
    play: async ({ up, preview, refresh, changed }) => {
      const said = { suspendTimeoutSeconds: 600, sizeCu: 1 };
      await up(said);
      changed({ suspend_timeout_seconds: 60 });
      await refresh();
      await preview(said);
      await up(said, said);
    },
  },
  "a key that is refused": {
    messages: [/answered 401.*\[request /],
    play: async ({ up, preview, under }) => {
      await under({ effect: { kind: "status", status: 401 } }, preview);
      await up();
    },
  },
  "a project that the key may not see into": {
    messages: [/^could not list .*answered 403.*\[request /],
    play: ({ preview, under }) => under(refuses("list", 403), preview),
  },
  "refused: a restore in place that would be undone, seen by a refresh; moved back where that is said": {
    messages: [
      /stands on br-\S+ \(now named "\S+"\), which replaced \S+ when .* run:\n +PGCOMPUTE_UNDO_RESTORE=br-\S+ pulumi up$/,
      /To keep the restored data write branchId: "br-/,
    ],
    play: async (alone) => {
      const { stack, up, preview, refresh } = alone;
      await up();
      const restored = await restoreInPlace(alone);
      await refresh();
      await preview();
      await up({ sizeCu: 2 }, { branchId: restored });
      stack.settings = { undoRestore: restored };
      await up();
    },
  },
  "refused: a restore in place that would be undone as a failed change is made good": {
    messages: [/ended as "failed"/, /PGCOMPUTE_UNDO_RESTORE=br-/],
    play: async (alone) => {
      const { up, preview, under } = alone;
      await up();
      await under(suspendFails, () => up({ sizeCu: 2 }));
      await restoreInPlace(alone);
      await preview({ sizeCu: 2 });
    },
  },
  "refused: the second of two restores in place, which would be undone": {
    messages: [/which replaced br-\S+ when[\s\S]*branchId: "br-/],
    play: async (alone) => {
      const { up, preview, refresh } = alone;
      await up();
      await restoreInPlace(alone, await restoreInPlace(alone));
      await refresh();
      await preview();
    },
  },
  "a restore in place that no plan undoes, and a replacement that would": {
    messages: [/stands on .*, which replaced .*PGCOMPUTE_UNDO_RESTORE/s],
    lines: [/warning: endpoint ID stands on ID \(now named .*, which replaced/],
    play: async (alone) => {
      const { up, preview } = alone;
      await up();
      await restoreInPlace(alone);
      await preview();
      await up(replica);
    },
  },
  "refused: a branch that is gone since another took its place": {
    messages: [/branchId: branch \S+ was replaced by br-\S+ \(now named .*write branchId: "br-/],
    play: async (alone) => {
      const { up, preview, admin, projectId, branch } = alone;
      await up();
      await restoreInPlace(alone);
      admin.dropBranch(projectId, branch);
      await preview();
    },
  },
  "moved by somebody else to a branch that took nobody's place": {
    play: async ({ up, refresh, changed, other }) => {
      await up();
      changed({ branch_id: other });
      await refresh();
      await up();
    },
  },
  "moved by a run that could not record it": {
    sent: ["update"],
    play: async ({ up, changed, other }) => {
      await up();
      changed({ branch_id: other });
      await up({ branchId: other });
    },
  },
  "refused: what the free plan does not have": {
    messages: [/type: the free plan has no read-only endpoints/],
    play: ({ stack, preview }) => {
      stack.settings = { plan: "free" };
      return preview(replica);
    },
  },
};
for (const [name, [first, second, ...lines]] of Object.entries(properties)) {
  cases[`${name}: set, left alone, changed, taken out`] = {
    lines,
    play: async ({ up, refresh, destroy, outcomes }) => {
      await up(first, first, second, second);
      expect([outcomes[1]?.sent, outcomes[3]?.sent]).toEqual([[], []]);
      await up({}, {});
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

/** Different by name alone: the engine replaces a single one, and a fleet's update creates the member. */
const deletedOutside: Case = {
  play: async ({ up, dropped, destroy }) => {
    await up();
    dropped();
    await up({ sizeCu: 1 });
    await destroy();
  },
};

// The dynamic host gives no old inputs, so that what a program takes out is known in another way.
describe.each(["plugin", "dynamic"] as const)("an endpoint and a fleet of one, on the %s host", (host) => {
  const isOfBoth = ([name]: [string, Case]) => host === "plugin" || name.endsWith("taken out");
  holdAlike(host, Object.fromEntries(Object.entries(cases).filter(isOfBoth)));

  it("deleted by somebody else: either makes a new one", async () => {
    const { endpoint, fleet } = await playBoth(host, deletedOutside);
    const outcomes = (anew: string) => [
      { change: "create", failed: false, endpoint: "new" },
      { change: anew, failed: false, endpoint: "new" },
      { change: "delete", failed: false },
    ];
    expect([...endpoint.messages, ...fleet.messages]).toEqual([]);
    expect(endpoint.outcomes).toMatchObject(outcomes("update"));
    expect(fleet.outcomes).toMatchObject(outcomes("create"));
  });
});

it("a restore in place is not undone by a replacement by force, which has a Check without anything old and no Diff", async () => {
  const alone = await useAlone("plugin", false);
  await alone.up();
  await restoreInPlace(alone);
  await alone.refresh();
  await alone.replace();
  expect(alone.messages).toEqual([expect.stringMatching(/PGCOMPUTE_UNDO_RESTORE=br-/)]);
});
