/** What there is already, and whether it becomes the program's own: of a single endpoint and of a fleet's only member alike. */
import { describe } from "vitest";
import { type Case, holdAlike, refuses, struck } from "./one";

const adoptExisting = true;
const restarts = [
  /^warning: restarts the endpoint: open connections are dropped$/m,
  /^warning: size 0\.25 CU -> 1 CU$/m,
  /^warning: max_connections \d+ -> \d+ /m,
];
const occupied = /branch .* already has a read-write endpoint/;

const cases: Record<string, Case> = {
  "a move to a branch that is taken": {
    messages: [occupied],
    play: async ({ up, preview, seed, other: branchId }) => {
      seed({ branch_id: branchId });
      await up();
      await preview({ branchId });
    },
  },
  "a branch that is taken": {
    messages: [
      /branch .* already has a read-write endpoint, ep-\S+ \(0\.25 CU[\s\S]*adoptExisting: true[\s\S]*dependsOn/,
    ],
    play: async ({ preview, seed }) => {
      seed({ name: "by-hand" });
      await preview();
    },
  },
  "adopted, changed, released": {
    lines: [/^info: no restart$/m, /^info: autosuspend after 300 s \(default\) -> after 600 s$/m],
    play: async ({ up, seed, destroy }) => {
      seed();
      const later = { adoptExisting, suspendTimeoutSeconds: 600 };
      await up(later, later, { suspendTimeoutSeconds: 900 });
      await destroy();
    },
  },
  "adopted as it is": {
    lines: [/^info: taken over unchanged$/m],
    play: async ({ up, preview, seed }) => {
      seed();
      await preview({ adoptExisting, restartTrigger: "1" });
      await up({ adoptExisting, restartTrigger: "1" });
    },
  },
  "adopted with what the program does not set": {
    lines: [
      /^info: taken over unchanged$/m,
      /^info: keeps what the program does not set: 2 CU, suspendTimeoutSeconds 3600, pgSettings \{"log_statement":"all"\}$/m,
    ],
    play: async ({ preview, seed }) => {
      const size = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 };
      seed({ ...size, suspend_timeout_seconds: 3600, settings: { pg_settings: { log_statement: "all" } } });
      await preview({ adoptExisting, poolerEnabled: false });
    },
  },
  "adopted with another size": {
    lines: restarts,
    play: async ({ up, preview, seed }) => {
      seed();
      await preview({ adoptExisting, sizeCu: 1 });
      await up({ adoptExisting, sizeCu: 1 });
    },
  },
  "adopted and switched off": {
    lines: [/^warning: disables the endpoint: it is suspended, and no connection can wake it$/m],
    play: async ({ up, seed }) => {
      seed();
      await up({ adoptExisting, disabled: true });
    },
  },
  "adopted while its change fails, made good, and released": {
    messages: [/400/],
    play: async (one) => {
      one.seed();
      await struck(one, refuses("update"), () => one.up({ adoptExisting, sizeCu: 2 }));
      await one.up({ adoptExisting, sizeCu: 2 });
      await one.destroy();
    },
  },
  "left by an interrupted run, which is refused with the command that takes it up": {
    messages: [/ep-[\s\S]*PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up/],
    play: async (one) => {
      await one.leave();
      await one.preview();
    },
  },
  "left by an interrupted run, of which an operation failed: kept, and made good": {
    messages: [/ended as "failed"/, /ended as "failed"/],
    play: async (one) => {
      await struck(one, { on: "operation", effect: { kind: "fail" } }, () => one.leave());
      one.settings = { adoptInterrupted: true };
      await one.up();
      await one.up();
      await one.destroy();
    },
  },
  "imported, then said as it is, then changed": {
    play: async (one) => {
      await one.import(one.seed());
      await one.up({ restartTrigger: "1" }, { restartTrigger: "1", suspendTimeoutSeconds: 600 });
      await one.destroy();
    },
  },
};

for (const type of ["read_write", "read_only"]) {
  cases[`left by an interrupted run, and taken up with another size (${type})`] = {
    lines: restarts,
    play: async (one) => {
      await one.leave({ type, sizeCu: 0.25 });
      one.settings = { adoptInterrupted: true };
      await one.preview({ type, sizeCu: 1 });
      await one.up({ type, sizeCu: 1 });
      await one.destroy();
    },
  };
  cases[`left by an interrupted run on another branch: named, and neither taken nor deleted (${type})`] = {
    lines: [
      /^warning: endpoint ID on branch ID was created for/m,
      /^warning: .*run: npx \S+ pgcompute endpoints delete ID$/m,
    ],
    play: async (one) => {
      await one.leave({ type });
      one.settings = { adoptInterrupted: true };
      await one.up({ type, branchId: one.other });
      await one.destroy();
    },
  };
}

describe("an endpoint and a fleet of one", () => holdAlike("plugin", cases));
