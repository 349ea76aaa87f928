/**
 * Tests changes that fail half-way (specification, sections 3.2, 3.3, 4.5 and 4.7): what remains, its messages, and its
 * repair; for a single endpoint and a fleet's only member alike.
 */
import { describe, expect } from "vitest";
import type { OperationEffect } from "../../../emulator";
import type { Values } from "../../engine-model/stack";
import { type Case, failed, fails, holdAlike, refuses, startFails, suspendFails } from "./alike";

const one = { sizeCu: 1 };
const two = { sizeCu: 2 };
const triggered = { restartTrigger: "one" };
const restarted = ["update", "suspend", "start"];
const inTwo = { restart_due: false, max_connections: 901, current_state: "active", pending_state: undefined };

const lasts = (effect: OperationEffect) => ({ on: "operation", effect }) as const;

const cases: Record<string, Case> = {
  "created with an operation that fails": {
    messages: [/start_compute.* ended as "failed"/],
    play: async ({ up, refresh, under }) => {
      await under(fails, up);
      await refresh();
      await up({}, {});
    },
  },
  "changed with an operation that fails, of which the next preview tells": {
    messages: [failed],
    lines: [
      /^warning: the last run left suspend_compute "failed"/m,
      /^warning: .* the endpoint is restarted, which drops connections/m,
    ],
    sent: [],
    play: async ({ up, preview, under }) => {
      await up();
      await under(suspendFails, () => up(one));
      await preview(one);
      await up(one, one);
    },
  },
  "changed with an operation that fails, and moved by somebody else before that is made good": {
    messages: [failed],
    lines: [/moves from ID to ID/],
    play: async ({ up, preview, under, changed, other }) => {
      await up();
      await under(suspendFails, () => up(one));
      changed({ branch_id: other });
      await preview(one);
      await up(one);
    },
  },
  "refused by the platform": {
    messages: [/400/, /400/],
    play: async ({ up, under }) => {
      await under(refuses("create"), up);
      await up();
      await under(refuses("update"), () => up(one));
      await up(one);
    },
  },
  "refused, as one replica too many: in the platform's own words": {
    messages: [/^(?!.*(adoptExisting|read-write)).*20 replicas at most/s],
    play: ({ up, under }) => {
      const full = { status: 409, code: "ENDPOINTS_LIMIT_EXCEEDED", message: "20 replicas at most" };
      return under({ route: "endpoints.create", effect: { kind: "status", ...full } }, () => up({ type: "read_only" }));
    },
  },
  "a start that fails, and a change that is refused before that is made good": {
    messages: [failed, /400/],
    sent: ["update", "start"],
    shown: { current_state: "active", max_connections: 450 },
    play: async ({ up, under }) => {
      await up();
      await under(startFails, () => up(one));
      await under(refuses("update"), () => up(one));
      await up(one);
    },
  },
  "a restart that fails once more, beside a change that restarts nothing": {
    messages: [failed, /403/],
    sent: restarted,
    shown: { restart_due: false, max_connections: 450 },
    play: async ({ up, under }) => {
      const more = { ...one, pgSettings: { work_mem: "8MB" } };
      await up();
      await under(suspendFails, () => up(one));
      await under(refuses("suspend", 403), () => up(more));
      await up(more);
    },
  },
  "a restart that fails, made good by another change that restarts": {
    messages: [failed],
    sent: ["update"],
    shown: { restart_due: false, max_connections: 1802 },
    play: async ({ up, under }) => {
      await up();
      await under(suspendFails, () => up(two));
      await up({ sizeCu: 4 });
    },
  },
  "a restart whose second half is refused: its trigger does not count yet": {
    messages: [/500/],
    sent: ["suspend", "start"],
    shown: { current_state: "active" },
    play: async ({ up, under }) => {
      await up();
      await under(refuses("start", 500), () => up(triggered));
      await up(triggered);
    },
  },
  "an operation that is still open when the time is over: waited for, and nothing sent again": {
    messages: [/was still/],
    sent: [],
    shown: inTwo,
    play: async ({ up, under, within }) => {
      await up(one);
      await under(lasts({ kind: "slow", operationMs: 120_000 }), () => within(10_000, () => up(two)));
      await up(two);
    },
  },
  "an operation that vanishes while it is waited for: the change is made again": {
    messages: [/was still/],
    sent: restarted,
    shown: inTwo,
    play: async ({ admin, up, under, within }) => {
      admin.configure({ operationMs: 60_000 });
      await up(one);
      await under(lasts({ kind: "vanish", afterMs: 12_000 }), () => within(5_000, () => up(two)));
      await up(two);
    },
  },
  "an operation of which nobody can tell how it ended: kept through a refresh, and the change made again": {
    messages: [/./],
    sent: restarted,
    shown: inTwo,
    play: async ({ up, refresh, under, waits }) => {
      await up(one);
      await under({ ...lasts({ kind: "vanish" }), count: 1 }, () => up(two));
      await waits(60_000);
      await refresh();
      await up(two);
    },
  },
  "a size in another form: no change": {
    sent: [],
    play: ({ up }) => up(one, { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 }),
  },
  "a change that somebody else has made, and made well: not restarted": {
    sent: ["update"],
    play: async ({ up, changed }) => {
      await up(one);
      changed({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
      await up(two);
    },
  },
  "a change that somebody else has made, after a suspend for inactivity that failed: not restarted": {
    sent: ["update"],
    shown: { connections: 1 },
    play: async ({ admin, projectId, id, up, under, changed, waits }) => {
      await up();
      await under(suspendFails, () => waits(310_000));
      expect(admin.project(projectId).operations[0]).toMatchObject({ action: "suspend_compute", status: "failed" });
      admin.connect({ endpointId: id(), connections: 1 });
      changed({ suspend_timeout_seconds: 60 });
      await up({ suspendTimeoutSeconds: 60 });
    },
  },
  "settings that the list does not tell: sent back": {
    sent: ["update"],
    shown: { settings: { pg_settings: { work_mem: "8MB" }, pgbouncer_settings: { default_pool_size: "20" } } },
    play: async ({ admin, id, up, changed }) => {
      await up({ pgSettings: { work_mem: "4MB" } });
      changed({ settings: { pg_settings: { work_mem: "4MB" }, pgbouncer_settings: { default_pool_size: "20" } } });
      const { settings: _, ...told } = admin.endpoint(id());
      admin.addFault({ route: "endpoints.list", effect: { kind: "json", body: { endpoints: [told] } } });
      await up({ pgSettings: { work_mem: "8MB" } });
    },
  },
};

/** Of a change that restarts, by the operation that fails: what the next run then asks for. */
const restarts: [action: string, kind: "size" | "move", isDue: boolean, sent: string[]][] = [
  ["suspend_compute", "size", true, restarted],
  ["suspend_compute", "move", true, restarted],
  ["apply_config", "size", true, restarted],
  ["apply_config", "move", true, restarted],
  ["start_compute", "size", false, ["update", "start"]],
];
for (const [action, kind, isDue, sent] of restarts) {
  cases[`a restart for a ${kind} whose ${action} fails, made good`] = {
    messages: [failed],
    sent,
    shown: { restart_due: false, max_connections: kind === "size" ? 901 : 450, current_state: "active" },
    play: async ({ admin, id, up, under, other }) => {
      const news = kind === "size" ? two : { ...one, branchId: other };
      await up(one);
      await under({ ...fails, action }, () => up(news));
      expect(admin.endpoint(id()).restart_due).toBe(isDue);
      await up(news);
    },
  };
}

// What the platform does by itself since then is no newer change.
for (const action of ["check_availability", "suspend_compute"]) {
  cases[`a restart that fails of a process that is killed, made good in spite of a ${action} since then`] = {
    messages: [failed, /403/],
    sent: restarted,
    shown: inTwo,
    play: async ({ up, under, killed, begins, waits }) => {
      await up(one);
      await under(suspendFails, async () => {
        await killed(() => up(two));
        await waits(10_000);
        begins(action);
        await waits(10_000);
      });
      await under(refuses("suspend", 403), () => up(two));
      await up(two);
    },
  };
}

const loaded = (...libraries: string[]) => ({ use_defaults: true, enabled_libraries: libraries });
/** Libraries and settings, each changed without the other: the program's values, and the values shown then. */
const configurations: [what: string, said: Values, work_mem: string, libraries: string[]][] = [
  [
    "libraries change",
    { preloadLibraries: ["auto_explain"], pgSettings: { work_mem: "4MB" } },
    "4MB",
    ["auto_explain"],
  ],
  ["settings change", { preloadLibraries: ["pg_prewarm"], pgSettings: { work_mem: "8MB" } }, "8MB", ["pg_prewarm"]],
  ["libraries go", { pgSettings: { work_mem: "4MB" } }, "4MB", []],
];
for (const [what, said, work_mem, libraries] of configurations) {
  cases[`${what}, and what is not known of them stays`] = {
    sent: ["update"],
    shown: { settings: { pg_settings: { work_mem }, preload_libraries: loaded(...libraries) } },
    play: async ({ up, changed }) => {
      await up({ preloadLibraries: ["pg_prewarm"], pgSettings: { work_mem: "4MB" } });
      changed({ settings: { pg_settings: { work_mem: "4MB" }, preload_libraries: loaded("pg_prewarm") } });
      await up(said);
    },
  };
}

/** What the platform takes and does not do, by what it is then shown as. */
const ignored: Record<string, [Values, string[], RegExp]> = {
  "a size": [two, ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"], /sizeCu was sent as 2/],
  autosuspend: [{ suspendTimeoutSeconds: 600 }, ["suspend_timeout_seconds"], /is shown as 0/],
  disabled: [{ disabled: true }, ["disabled"], /disabled was sent as true and is shown as false/],
  "the pooler": [{ poolerEnabled: true }, ["pooler_enabled"], /poolerEnabled was sent as true/],
  "access without passwords": [
    { passwordlessAccess: false },
    ["passwordless_access"],
    /passwordlessAccess was sent as false and is shown as true\. .*Take passwordlessAccess out of the program/,
  ],
};
for (const [what, [changes, ignoredFields, message]] of Object.entries(ignored)) {
  cases[`${what} that has no effect: fails the create, and every change after it`] = {
    messages: [message, message],
    play: async ({ admin, up, destroy }) => {
      admin.configure({ ignoredFields });
      await up(changes, changes);
      admin.configure({ ignoredFields: [] });
      await destroy();
    },
  };
}

describe("an endpoint and a fleet of one", () => holdAlike("plugin", cases));
