/**
 * Tests lost answers, for a single endpoint and a fleet's only member alike. All ways to lose an answer: tests/faults.
 */
import { describe, expect } from "vitest";
import type { Fault } from "../../../emulator";
import { type Case, failed, fails, holdAlike, refuses, startFails } from "./alike";

const one = { sizeCu: 1 };
const two = { sizeCu: 2 };
const replica = { type: "read_only" };
const isActive = { current_state: "active", pending_state: undefined };
const inTwo = { ...isActive, max_connections: 901 };

/** An answer is lost, before the work is done or after it. */
const loses = (verb: string, when: "before" | "after" = "after"): Fault => ({
  route: `endpoints.${verb}`,
  count: 1,
  effect: { kind: "reset", when },
});

/** What lists show is so old; of the endpoints, or of all. */
const stale = (ageMs: number, routes: string[], count?: number): Fault[] =>
  routes.map((route) => ({ route, ...(count && { count }), effect: { kind: "stale-list", ageMs } }));
const ofEndpoints = ["endpoints.list", "branches.endpoints"];
const ofAll = [...ofEndpoints, "operations.list"];

const cases: Record<string, Case> = {
  "of a create behind lists that are old: it is found by its operation": {
    sent: ["create"],
    shown: isActive,
    play: ({ up, under }) => under([loses("create"), ...stale(180_000, ofEndpoints)], up),
  },
  "of a replica's create behind lists that are all old, where nothing tells yet that names are kept: it is not sent again":
    {
      sent: ["create"],
      messages: [/it would be on branch .*, under the name pulumi-(?:.|\n)* PGCOMPUTE_ADOPT_INTERRUPTED=1/],
      play: ({ up, under }) => under([loses("create"), ...stale(180_000, ofAll, 4)], () => up(replica)),
    },
  "of a create that is repeated, and meets its own endpoint": {
    sent: ["create", "create"],
    shown: isActive,
    play: ({ admin, up, under }) => {
      admin.configure({ lock: "none" });
      return under([loses("create"), ...stale(180_000, ofAll, 2)], up);
    },
  },
  "of a create whose operations cannot be looked at: its id is kept": {
    messages: [/403/],
    play: async ({ id, up, under }) => {
      await under([loses("create"), { ...refuses("list", 403), route: "operations.list" }], up);
      expect(id()).toMatch(/^ep-/);
    },
  },
  "of a create whose start fails, behind operations that are old": {
    messages: [failed],
    play: ({ up, under }) => under([fails, loses("create"), ...stale(3_000, ["operations.list"])], up),
  },
  "of an update whose operation fails, behind operations that are old": {
    messages: [failed],
    play: async ({ up, under, waits }) => {
      await up(one);
      await waits(10_000);
      await under([fails, loses("update"), ...stale(3_000, ["operations.list"])], () => up(two));
    },
  },
  "of an update whose operation fails, behind hundreds that have begun and ended since": {
    messages: [failed],
    play: async ({ bench, admin, projectId, up, under }) => {
      await up(one);
      const failing = admin.addFault(fails);
      void bench.clock.sleep(100).then(() => {
        admin.removeFault(failing);
        admin.startOperation({ projectId, action: "check_availability", count: 300 });
      });
      await under([loses("update"), { ...refuses("get", 502), count: 3 }], () => up(two));
    },
  },
  "of an update, and an operation fails that it had to wait for": {
    shown: inTwo,
    play: async ({ admin, up, under, begins }) => {
      admin.configure({ operationMs: 5_000 });
      await up(one);
      const faults: Fault[] = [
        { ...fails, count: 1 },
        { ...loses("update"), skip: 1 },
      ];
      await under(faults, () => {
        begins("start_compute");
        return up(two);
      });
      expect(admin.counts().byStatus["423"]).toBe(1);
    },
  },
  "of an update, after another one of which an operation failed": {
    messages: [failed],
    sent: ["update", "start"],
    shown: inTwo,
    play: async ({ up, under, waits }) => {
      await up(one);
      await under(startFails, () => up(two));
      await waits(60_000);
      await under(loses("update", "before"), () => up(two));
    },
  },
};

cases["of a delete whose operation fails: it ends in that"] = {
  messages: [failed],
  play: async ({ up, destroy, under }) => {
    await up();
    await under([fails, loses("delete")], destroy);
  },
};
for (const when of ["before", "after"] as const) {
  cases[`of an update of which nobody tells what it changes: it is sent again (lost ${when} the work)`] = {
    sent: ["update", "update"],
    shown: isActive,
    play: async ({ admin, up, under }) => {
      const slow: Fault = { on: "operation", effect: { kind: "slow", operationMs: 20_000 } };
      admin.configure({ lock: "none", removedFields: "ignored" });
      await up({ poolerEnabled: true });
      await under([loses("update", when), slow], () => up({ poolerEnabled: true, poolerMode: "session" }));
    },
  };
}
// The repeat follows half a second after the first.
for (const lock of ["none", "endpoint"] as const) {
  cases[`of an update that the platform makes after the look: it ends as its operation does (lock: ${lock})`] = {
    messages: [failed],
    play: async ({ bench, admin, projectId, id, up, under }) => {
      admin.configure({ lock });
      await up(one);
      const late = { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 };
      void bench.clock.sleep(300).then(() => bench.account().api.updateEndpoint(projectId, id(), late));
      await under([fails, loses("update", "before")], () => up(two));
    },
  };
}

describe("an answer that is lost", () => holdAlike("plugin", cases));
