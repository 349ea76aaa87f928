/** Whatever changes an endpoint, and every way in which the answer to it can be lost; of a single endpoint and of a fleet's only member alike. */
import { describe } from "vitest";
import type { CallEffect } from "../../../emulator";
import type { Values } from "../support/stack";
import { type Case, holdAlike, type One, struck } from "./one";

/** With how many requests it takes. */
const answers: [string, CallEffect, number][] = [
  ["reset after the work", { kind: "reset", when: "after" }, 1],
  ["500 after the work", { kind: "status", status: 500, when: "after" }, 1],
  ["page for browsers", { kind: "html", when: "after" }, 1],
  ["truncated answer", { kind: "truncate-body" }, 1],
  ["reset before the work", { kind: "reset", when: "before" }, 2],
];

/** By the call that is struck: what is done, what it asks for, and how the endpoint is then. */
const changes: [verb: string, work: (one: One) => Promise<void>, sent: string[], shown?: Values][] = [
  ["create", (one) => one.up(), ["create"], { current_state: "active" }],
  ["update", (one) => one.up({ sizeCu: 2, poolerEnabled: true }), ["update"], { max_connections: 901 }],
  ["suspend", (one) => one.up({ restartTrigger: "one" }), ["suspend", "start"], { restart_due: false }],
  ["start", (one) => one.up({ restartTrigger: "one" }), ["suspend", "start"], { current_state: "active" }],
  ["delete", (one) => one.destroy(), ["delete"]],
];

const cases: Record<string, Case> = {};
for (const [what, effect, requests] of answers) {
  for (const [verb, work, sent, shown] of changes) {
    cases[`${what}, of a ${verb}: it is made once`] = {
      sent: sent.flatMap((one) => Array(one === verb ? requests : 1).fill(one)),
      ...(shown && { shown: { ...shown, current_state: "active", pending_state: undefined } }),
      play: async (one) => {
        if (verb !== "create") await one.up();
        await struck(one, { route: `endpoints.${verb}`, count: 1, effect }, () => work(one));
      },
    };
  }
}
// Some proxies answer so for work that was done: a create, which would be made twice, is looked for.
for (const type of ["read_write", "read_only"]) {
  cases[`503 after the work, of a create: it is made once (${type})`] = {
    sent: ["create"],
    play: async (one) => {
      const effect = { kind: "status", status: 503, when: "after" } as const;
      await struck(one, { route: "endpoints.create", count: 1, effect }, () => one.up({ type }));
    },
  };
}

describe("an answer that is lost", () => holdAlike("plugin", cases));
