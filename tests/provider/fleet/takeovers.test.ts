/** What there is already, and whether it becomes the program's own: of a single endpoint and of a fleet's only member alike. */
import { describe } from "vitest";
import { type Case, failed, fails, holdAlike, refuses } from "./one";

const adoptExisting = true;
const restarts = [
  /^warning: restarts the endpoint: open connections are dropped$/m,
  /^warning: size 0\.25 CU -> 1 CU$/m,
  /^warning: max_connections \d+ -> \d+ /m,
];

const cases: Record<string, Case> = {
  "adopted, changed, released": {
    lines: [/^info: no restart$/m, /^info: autosuspend after 300 s \(default\) -> after 600 s$/m],
    play: (one) => {
      const later = { adoptExisting, suspendTimeoutSeconds: 600 };
      return one.seed().up(later, later, { suspendTimeoutSeconds: 900 }).destroy();
    },
  },
  "adopted, and renamed in place": {
    lines: [/^info: no restart$/m, /^info: connections stay$/m],
    play: (one) =>
      one
        .seed({ name: "by-hand" })
        .up({ adoptExisting, name: "mine" })
        .preview({ adoptExisting, name: "ours" })
        .up({ adoptExisting, name: "ours" }, { adoptExisting }),
  },
  "adopted as it is": {
    lines: [/^info: taken over unchanged$/m],
    play: (one) => {
      const triggered = { adoptExisting, restartTrigger: "1" };
      return one.seed().preview(triggered).up(triggered);
    },
  },
  "adopted with what the program does not set": {
    lines: [
      /^info: taken over unchanged$/m,
      /^info: keeps what the program does not set: 2 CU, suspendTimeoutSeconds 3600, pgSettings \{"log_statement":"all"\}$/m,
    ],
    play: (one) => {
      const size = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 };
      const there = { ...size, suspend_timeout_seconds: 3600, settings: { pg_settings: { log_statement: "all" } } };
      return one.seed(there).preview({ adoptExisting, poolerEnabled: false });
    },
  },
  "adopted with another size": {
    lines: restarts,
    play: (one) => one.seed().preview({ adoptExisting, sizeCu: 1 }).up({ adoptExisting, sizeCu: 1 }),
  },
  "adopted and switched off": {
    lines: [/^warning: disables the endpoint: it is suspended, and no connection can wake it$/m],
    play: (one) => one.seed().up({ adoptExisting, disabled: true }),
  },
  "adopted while its change fails, made good, and released": {
    messages: [/400/],
    play: (one) => {
      const wanted = { adoptExisting, sizeCu: 2 };
      return one.seed().under(refuses("update"), wanted).up(wanted).destroy();
    },
  },
  "adopted without what could not be sent, on a platform that does not tell it: sent in the next run": {
    messages: [/403/],
    sent: ["update"],
    shown: { pooler_enabled: true },
    play: (one) => {
      const wanted = { adoptExisting, poolerEnabled: true };
      const untold = one.on({ removedFields: "ignored" }).seed().under(refuses("update", 403), wanted);
      return untold.on({ removedFields: "kept" }).up(wanted);
    },
  },
  "to be adopted where there is none: created, and deleted": {
    sent: ["delete"],
    play: (one) => one.up({ adoptExisting }).destroy(),
  },
  "left by an interrupted run, of which an operation failed: kept, and made good": {
    messages: [failed, failed],
    play: (one) =>
      one
        .under(fails, (it) => it.killed())
        .with({ adoptInterrupted: true })
        .up({}, {})
        .destroy(),
  },
  "imported, then said as it is, then changed": {
    play: (one) =>
      one.import().up({ restartTrigger: "1" }, { restartTrigger: "1", suspendTimeoutSeconds: 600 }).destroy(),
  },
};

for (const type of ["read_write", "read_only"]) {
  cases[`left by an interrupted run, and taken up with another size (${type})`] = {
    lines: restarts,
    play: (one) =>
      one
        .killed({ type, sizeCu: 0.25 })
        .with({ adoptInterrupted: true })
        .preview({ type, sizeCu: 1 })
        .up({ type, sizeCu: 1 })
        .destroy(),
  };
  cases[`left by an interrupted run on another branch: named, and neither taken nor deleted (${type})`] = {
    lines: [
      /^warning: endpoint ID on branch ID was created for/m,
      /^warning: .*run:\n +npx \S+ pgcompute endpoints delete ID$/m,
    ],
    play: (one) => one.killed({ type }).with({ adoptInterrupted: true }).up({ type, branchId: one.other }).destroy(),
  };
}

describe("an endpoint and a fleet of one", () => holdAlike("plugin", cases));
