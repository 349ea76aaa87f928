/** Changes that fail half-way, and whose answers are lost: what stays, what is said of it, and what makes it good; of a single endpoint and of a fleet's only member alike. */
import { describe } from "vitest";
import type { Values } from "../support/stack";
import { type Case, fails, holdAlike, type One, refuses, struck } from "./one";

const failed = /ended as "failed"/;

const cases: Record<string, Case> = {
  "created with an operation that fails": {
    messages: [/start_compute.* ended as "failed"/],
    play: async (one) => {
      await struck(one, fails, () => one.up());
      await one.refresh();
      await one.up({}, {});
    },
  },
  "changed with an operation that fails, of which the next preview tells": {
    messages: [/ended as "failed"/],
    lines: [
      /^warning: the last run left suspend_compute "failed"/m,
      /^warning: .* the endpoint is restarted, which drops connections/m,
    ],
    play: async (one) => {
      await one.up();
      await struck(one, { ...fails, action: "suspend_compute" }, () => one.up({ sizeCu: 1 }));
      await one.preview({ sizeCu: 1 });
      await one.up({ sizeCu: 1 }, { sizeCu: 1 });
    },
  },
  "changed with an operation that fails, and moved by somebody else before that is made good": {
    messages: [/ended as "failed"/],
    lines: [/moves from ID to ID/],
    play: async (one) => {
      await one.up();
      await struck(one, { ...fails, action: "suspend_compute" }, () => one.up({ sizeCu: 1 }));
      one.emulator.admin.changeEndpoint(one.endpointId ?? "", { branch_id: one.other });
      await one.preview({ sizeCu: 1 });
      await one.up({ sizeCu: 1 });
    },
  },
  "refused by the platform": {
    messages: [/400/, /400/],
    play: async (one) => {
      await struck(one, refuses("create"), () => one.up());
      await one.up();
      await struck(one, refuses("update"), () => one.up({ sizeCu: 1 }));
      await one.up({ sizeCu: 1 });
    },
  },
  "a start that fails, and a change that is refused before that is made good": {
    messages: [failed, /400/],
    sent: ["update", "start"],
    shown: { current_state: "active", max_connections: 450 },
    play: async (one) => {
      await one.up();
      await struck(one, { ...fails, action: "start_compute" }, () => one.up({ sizeCu: 1 }));
      await struck(one, refuses("update"), () => one.up({ sizeCu: 1 }));
      await one.up({ sizeCu: 1 });
    },
  },
  "a restart that fails once more, beside a change that restarts nothing": {
    messages: [failed, /403/],
    sent: ["update", "suspend", "start"],
    shown: { restart_due: false, max_connections: 450 },
    play: async (one) => {
      const more = { sizeCu: 1, pgSettings: { work_mem: "8MB" } };
      await one.up();
      await struck(one, { ...fails, action: "suspend_compute" }, () => one.up({ sizeCu: 1 }));
      await struck(one, refuses("suspend", 403), () => one.up(more));
      await one.up(more);
    },
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
const news = (one: One, kind: "size" | "move"): Values =>
  kind === "size" ? { sizeCu: 2 } : { sizeCu: 1, branchId: one.other };
for (const [action, kind, isDue, sent] of restarts) {
  cases[`a restart for a ${kind} whose ${action} fails, made good`] = {
    messages: [failed],
    sent,
    shown: { restart_due: false, max_connections: kind === "size" ? 901 : 450, current_state: "active" },
    play: async (one) => {
      await one.up({ sizeCu: 1 });
      await struck(one, { ...fails, action }, () => one.up(news(one, kind)));
      if (one.outcomes[1]?.platform.at(-1)?.restart_due !== isDue) throw new Error("the restart is due, or not");
      await one.up(news(one, kind));
    },
  };
}
cases["a restart that fails, made good by another change that restarts"] = {
  messages: [failed],
  sent: ["update"],
  shown: { restart_due: false, max_connections: 1802 },
  play: async (one) => {
    await one.up();
    await struck(one, { ...fails, action: "suspend_compute" }, () => one.up({ sizeCu: 2 }));
    await one.up({ sizeCu: 4 });
  },
};

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
    play: async (one) => {
      const { admin } = one.emulator;
      admin.configure({ ignoredFields });
      await one.up(changes, changes);
      admin.configure({ ignoredFields: [] });
      await one.destroy();
    },
  };
}

/** By the call that is struck: what is done, what it asks for, and how the endpoint is then. */
const changes: [verb: string, work: (one: One) => Promise<void>, sent: string[], shown?: Values][] = [
  ["create", (one) => one.up(), ["create"], { current_state: "active" }],
  ["update", (one) => one.up({ sizeCu: 2, poolerEnabled: true }), ["update"], { max_connections: 901 }],
  ["suspend", (one) => one.up({ restartTrigger: "one" }), ["suspend", "start"], { restart_due: false }],
  ["start", (one) => one.up({ restartTrigger: "one" }), ["suspend", "start"], { current_state: "active" }],
  ["delete", (one) => one.destroy(), ["delete"]],
];

const lost: Record<string, Case> = {};
for (const [verb, work, sent, shown] of changes) {
  lost[`of a ${verb}: it is made once`] = {
    sent,
    ...(shown && { shown: { ...shown, current_state: "active", pending_state: undefined } }),
    play: async (one) => {
      if (verb !== "create") await one.up();
      const effect = { kind: "reset", when: "after" } as const;
      await struck(one, { route: `endpoints.${verb}`, count: 1, effect }, () => work(one));
    },
  };
}

describe("an endpoint and a fleet of one", () => holdAlike("plugin", cases));
// All the ways in which one can be lost: tests/faults.
describe("an answer that is lost", () => holdAlike("plugin", lost));
