/** Tests which existing endpoints become the program's own: for a single endpoint and a fleet's only member alike. */
import { describe } from "vitest";
import { type Alone, type Case, failed, fails, holdAlike, refuses } from "./alike";

const adoptExisting = true;
const restarts = [
  /^warning: restarts the endpoint: open connections are dropped$/m,
  /^warning: size 0\.25 CU -> 1 CU$/m,
  /^warning: max_connections \d+ -> \d+ /m,
];

const cases: Record<string, Case> = {
  "adopted, changed, refreshed, released": {
    sent: [],
    lines: [/^info: no restart$/m, /^info: autosuspend after 300 s \(default\) -> after 600 s$/m],
    play: async ({ seed, up, refresh, destroy }) => {
      seed();
      const later = { adoptExisting, suspendTimeoutSeconds: 600 };
      await up(later, later, { suspendTimeoutSeconds: 900 });
      await refresh();
      await destroy();
    },
  },
  "adopted, and renamed in place": {
    lines: [/^info: no restart$/m, /^info: connections stay$/m],
    play: async ({ seed, up, preview }) => {
      seed({ name: "by-hand" });
      await up({ adoptExisting, name: "mine" });
      await preview({ adoptExisting, name: "ours" });
      await up({ adoptExisting, name: "ours" }, { adoptExisting });
    },
  },
  "adopted as it is": {
    lines: [/^info: taken over unchanged$/m],
    play: async ({ seed, up, preview }) => {
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
    play: ({ seed, preview }) => {
      const size = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 };
      seed({ ...size, suspend_timeout_seconds: 3600, settings: { pg_settings: { log_statement: "all" } } });
      return preview({ adoptExisting, poolerEnabled: false });
    },
  },
  "adopted with another size": {
    lines: restarts,
    play: async ({ seed, up, preview }) => {
      seed();
      await preview({ adoptExisting, sizeCu: 1 });
      await up({ adoptExisting, sizeCu: 1 });
    },
  },
  "adopted while its change fails, made good, and released": {
    messages: [/400/],
    play: async ({ seed, up, destroy, under }) => {
      const wanted = { adoptExisting, sizeCu: 2 };
      seed();
      await under(refuses("update"), () => up(wanted));
      await up(wanted);
      await destroy();
    },
  },
  "adopted without what could not be sent, on a platform that does not tell it: sent in the next run": {
    messages: [/403/],
    sent: ["update"],
    shown: { pooler_enabled: true },
    play: async ({ admin, seed, up, under }) => {
      const wanted = { adoptExisting, poolerEnabled: true };
      admin.configure({ removedFields: "ignored" });
      seed();
      await under(refuses("update", 403), () => up(wanted));
      admin.configure({ removedFields: "kept" });
      await up(wanted);
    },
  },
  "to be adopted where there is none: created, and deleted": {
    sent: ["delete"],
    play: async ({ up, destroy }) => {
      await up({ adoptExisting });
      await destroy();
    },
  },
  "left by an interrupted run, of which an operation failed: kept, and made good": {
    messages: [failed, failed],
    play: async ({ stack, up, destroy, under, killed }) => {
      await under(fails, () => killed(up));
      stack.settings = { adoptInterrupted: true };
      await up({}, {});
      await destroy();
    },
  },
  "imported, then said as it is, then changed": {
    play: async ({ seed, up, imported, destroy }) => {
      await imported(seed());
      await up({ restartTrigger: "1" }, { restartTrigger: "1", suspendTimeoutSeconds: 600 });
      await destroy();
    },
  },
};

const leaves = {
  "is gone": ({ admin }: Alone, id: string) => admin.dropEndpoint(id),
  "is on another branch": ({ admin, other }: Alone, id: string) => admin.changeEndpoint(id, { branch_id: other }),
};
for (const [how, leave] of Object.entries(leaves)) {
  cases[`shown by an old list, and ${how} at its turn: another one is created instead of adopting it`] = {
    sent: ["create"],
    play: async (alone) => {
      const id = alone.seed();
      await alone.asStepBegins(
        "create",
        () => leave(alone, id),
        () => alone.up({ adoptExisting }),
      );
    },
  };
  cases[`left by an interrupted run, and ${how} at its turn: another one is created instead of taking it up`] = {
    sent: ["create"],
    play: async (alone) => {
      await alone.killed(alone.up);
      alone.stack.settings = { adoptInterrupted: true };
      await alone.asStepBegins(
        "create",
        () => leave(alone, alone.idThere()),
        () => alone.up(),
      );
    },
  };
}

for (const type of ["read_write", "read_only"]) {
  cases[`left by an interrupted run, and taken up with another size (${type})`] = {
    lines: restarts,
    play: async ({ stack, up, preview, destroy, killed }) => {
      await killed(() => up({ type, sizeCu: 0.25 }));
      stack.settings = { adoptInterrupted: true };
      await preview({ type, sizeCu: 1 });
      await up({ type, sizeCu: 1 });
      await destroy();
    },
  };
  cases[`left by an interrupted run on another branch: neither taken nor deleted (${type})`] = {
    play: async ({ stack, up, destroy, killed, other }) => {
      await killed(() => up({ type }));
      stack.settings = { adoptInterrupted: true };
      await up({ type, branchId: other });
      await destroy();
    },
  };
}

describe("an endpoint and a fleet of one", () => holdAlike("plugin", cases));
