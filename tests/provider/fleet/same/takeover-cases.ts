/** Cases in which an endpoint is there before the resource: adopted, left by an interrupted run, or imported. */
import type { Case } from "./case";

const restarts = [
  /^warning: restarts the endpoint: open connections are dropped$/m,
  /^warning: size 0\.25 CU -> 1 CU$/m,
  /^warning: max_connections \d+ -> \d+ /m,
];

export const ofTakeovers: readonly Case[] = [
  {
    name: "adopted, changed, released",
    lines: [/^info: no restart$/m, /^info: autosuspend after 300 s \(default\) -> after 600 s$/m],
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.up(inputs({ adoptExisting: true, suspendTimeoutSeconds: 600 }));
      await resource.up(inputs({ adoptExisting: true, suspendTimeoutSeconds: 600 }));
      await resource.up(inputs({ suspendTimeoutSeconds: 900 }));
      await resource.destroy();
    },
  },
  {
    name: "adopted as it is",
    lines: [/^info: nothing of it changes$/m],
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.preview(inputs({ adoptExisting: true, restartTrigger: "1" }));
      await resource.up(inputs({ adoptExisting: true, restartTrigger: "1" }));
    },
  },
  {
    name: "adopted with what the program does not set",
    lines: [
      /^info: nothing of it changes$/m,
      /^info: keeps what the program does not set: 2 CU, suspendTimeoutSeconds 3600, pgSettings \{"log_statement":"all"\}$/m,
    ],
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, {
        branch_id: branch,
        autoscaling_limit_min_cu: 2,
        autoscaling_limit_max_cu: 2,
        suspend_timeout_seconds: 3600,
        settings: { pg_settings: { log_statement: "all" } },
      });
      await resource.preview(inputs({ adoptExisting: true, poolerEnabled: false }));
    },
  },
  {
    name: "adopted with another size",
    lines: restarts,
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.preview(inputs({ adoptExisting: true, sizeCu: 1 }));
      await resource.up(inputs({ adoptExisting: true, sizeCu: 1 }));
    },
  },
  {
    name: "adopted and switched off",
    lines: [/^warning: disables the endpoint: it is suspended, and no connection can wake it$/m],
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.up(inputs({ adoptExisting: true, disabled: true }));
    },
  },
  {
    name: "left by an interrupted run, and taken up with another size",
    lines: restarts,
    async play({ resource, inputs }) {
      resource.config = { adoptInterrupted: "true" };
      await resource.up(inputs({ sizeCu: 0.25 }));
      resource.forget();
      await resource.preview(inputs({ sizeCu: 1 }));
      await resource.up(inputs({ sizeCu: 1 }));
    },
  },
  {
    name: "imported, then said as it is, then changed",
    onlyPlugin: true,
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      const { id } = emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.import(projectId, id);
      await resource.up(inputs({ restartTrigger: "1" }));
      await resource.up(inputs({ restartTrigger: "1", suspendTimeoutSeconds: 600 }));
      await resource.destroy();
    },
  },
];
