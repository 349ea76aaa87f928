/** Changes that fail half-way, and whose answers are lost: what stays, what is said of it, and what makes it good; of a single endpoint and of a fleet's only member alike. */
import { describe, expect } from "vitest";
import type { Values } from "../support/stack";
import { type Case, failed, fails, holdAlike, type One, refuses } from "./one";

const suspendFails = { ...fails, action: "suspend_compute" };

const cases: Record<string, Case> = {
  "created with an operation that fails": {
    messages: [/start_compute.* ended as "failed"/],
    play: (one) =>
      one
        .struck(fails, () => one.up())
        .refresh()
        .up({}, {}),
  },
  "changed with an operation that fails, of which the next preview tells": {
    messages: [failed],
    lines: [
      /^warning: the last run left suspend_compute "failed"/m,
      /^warning: .* the endpoint is restarted, which drops connections/m,
    ],
    play: (one) =>
      one
        .up()
        .struck(suspendFails, () => one.up({ sizeCu: 1 }))
        .preview({ sizeCu: 1 })
        .up({ sizeCu: 1 }, { sizeCu: 1 }),
  },
  "changed with an operation that fails, and moved by somebody else before that is made good": {
    messages: [failed],
    lines: [/moves from ID to ID/],
    play: (one) =>
      one
        .up()
        .struck(suspendFails, () => one.up({ sizeCu: 1 }))
        .changed({ branch_id: one.other })
        .preview({ sizeCu: 1 })
        .up({ sizeCu: 1 }),
  },
  "refused by the platform": {
    messages: [/400/, /400/],
    play: (one) =>
      one
        .struck(refuses("create"), () => one.up())
        .up()
        .struck(refuses("update"), () => one.up({ sizeCu: 1 }))
        .up({ sizeCu: 1 }),
  },
  "a start that fails, and a change that is refused before that is made good": {
    messages: [failed, /400/],
    sent: ["update", "start"],
    shown: { current_state: "active", max_connections: 450 },
    play: (one) =>
      one
        .up()
        .struck({ ...fails, action: "start_compute" }, () => one.up({ sizeCu: 1 }))
        .struck(refuses("update"), () => one.up({ sizeCu: 1 }))
        .up({ sizeCu: 1 }),
  },
  "a restart that fails once more, beside a change that restarts nothing": {
    messages: [failed, /403/],
    sent: ["update", "suspend", "start"],
    shown: { restart_due: false, max_connections: 450 },
    play: (one) => {
      const more = { sizeCu: 1, pgSettings: { work_mem: "8MB" } };
      return one
        .up()
        .struck(suspendFails, () => one.up({ sizeCu: 1 }))
        .struck(refuses("suspend", 403), () => one.up(more))
        .up(more);
    },
  },
  "a restart that fails, made good by another change that restarts": {
    messages: [failed],
    sent: ["update"],
    shown: { restart_due: false, max_connections: 1802 },
    play: (one) =>
      one
        .up()
        .struck(suspendFails, () => one.up({ sizeCu: 2 }))
        .up({ sizeCu: 4 }),
  },
};

/** Of a change that restarts, by the operation that fails: what the next run then asks for. */
const restarts: [action: string, kind: "size" | "move", isDue: boolean, sent: string[]][] = [
  ["suspend_compute", "size", true, ["update", "suspend", "start"]],
  ["suspend_compute", "move", true, ["update", "suspend", "start"]],
  ["apply_config", "size", true, ["update", "suspend", "start"]],
  ["apply_config", "move", true, ["update", "suspend", "start"]],
  ["start_compute", "size", false, ["update", "start"]],
];
for (const [action, kind, isDue, sent] of restarts) {
  cases[`a restart for a ${kind} whose ${action} fails, made good`] = {
    messages: [failed],
    sent,
    shown: { restart_due: false, max_connections: kind === "size" ? 901 : 450, current_state: "active" },
    play: (one) => {
      const news = kind === "size" ? { sizeCu: 2 } : { sizeCu: 1, branchId: one.other };
      return one
        .up({ sizeCu: 1 })
        .struck({ ...fails, action }, () => one.up(news))
        .does(({ outcomes }) => expect(outcomes[1]?.platform.at(-1)?.restart_due).toBe(isDue))
        .up(news);
    },
  };
}

/** What the platform takes and does not do, by what it is then shown as. */
const ignored: Record<string, [Values, string[], RegExp]> = {
  "a size": [{ sizeCu: 2 }, ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"], /sizeCu was sent as 2/],
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
    play: (one) =>
      one
        .does(({ admin }) => admin.configure({ ignoredFields }))
        .up(changes, changes)
        .does(({ admin }) => admin.configure({ ignoredFields: [] }))
        .destroy(),
  };
}

/** By the call that is struck: what is done, what it asks for, and how the endpoint is then. */
const changes: [verb: string, work: (one: One) => One, sent: string[], shown?: Values][] = [
  ["create", (one) => one.up(), ["create"], {}],
  ["update", (one) => one.up({ sizeCu: 2, poolerEnabled: true }), ["update"], { max_connections: 901 }],
  ["suspend", (one) => one.up({ restartTrigger: "one" }), ["suspend", "start"], { restart_due: false }],
  ["start", (one) => one.up({ restartTrigger: "one" }), ["suspend", "start"], {}],
  ["delete", (one) => one.destroy(), ["delete"]],
];

const lost: Record<string, Case> = {};
for (const [verb, work, sent, shown] of changes) {
  lost[`of a ${verb}: it is made once`] = {
    sent,
    ...(shown && { shown: { ...shown, current_state: "active", pending_state: undefined } }),
    play: (one) => {
      const effect = { kind: "reset", when: "after" } as const;
      return (verb === "create" ? one : one.up()).struck({ route: `endpoints.${verb}`, count: 1, effect }, work);
    },
  };
}

describe("an endpoint and a fleet of one", () => holdAlike("plugin", cases));
// All the ways in which one can be lost: tests/faults.
describe("an answer that is lost", () => holdAlike("plugin", lost));
