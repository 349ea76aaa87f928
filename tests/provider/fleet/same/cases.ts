/** What an endpoint goes through, whether it is a resource of its own or a fleet's only member. */
import type { Emulator } from "../../../../emulator";
import type { Values } from "./hosts";
import type { OneResource } from "./resource";

/** One case's world: a place of its own, and the one resource. */
export interface World {
  emulator: Emulator;
  projectId: string;
  /** Branches without endpoints. */
  branches: readonly [string, string];
  resource: OneResource;
  /** The inputs of a read-write endpoint on the first branch, with changes; undefined takes one away. */
  inputs(changes?: Values): Values;
}

/** A case: its name, what is done, and what the messages of the runs that fail have to say. */
export interface Case {
  name: string;
  messages?: readonly RegExp[];
  /** Only the plugin can import. */
  onlyPlugin?: true;
  play(world: World): Promise<void>;
}

/** What ends in another way by design: a fleet's delete has no partial answer, so that its next update looks whether its members are there. */
export const deletedOutside: Case = {
  name: "deleted by somebody else, met by an update and by a delete",
  async play({ resource, inputs, emulator }) {
    await resource.up(inputs());
    emulator.admin.dropEndpoint(String(resource.endpointId));
    await resource.up(inputs({ sizeCu: 1 }));
    await resource.destroy();
  },
};

/** Each property with two values, and what it costs. */
const properties: readonly [string, Values, Values][] = [
  ["a fixed size", { sizeCu: 1 }, { sizeCu: 2 }],
  [
    "a range of sizes",
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
    { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 },
  ],
  ["the delay", { suspendTimeoutSeconds: 600 }, { suspendTimeoutSeconds: 900 }],
  ["pooling", { poolerEnabled: true }, { poolerEnabled: false }],
  ["the pooler's mode", { poolerMode: "session" }, { poolerMode: "transaction" }],
  ["settings", { pgSettings: { work_mem: "8MB" } }, { pgSettings: { work_mem: 16, log_statement: "all" } }],
  ["a switch off", { disabled: true }, { disabled: false }],
  ["access without passwords", { passwordlessAccess: true }, { passwordlessAccess: false }],
  ["a trigger", { restartTrigger: "1" }, { restartTrigger: "2" }],
];

const ofProperties: Case[] = properties.map(([name, first, second]) => ({
  name: `${name}: set, left alone, changed, taken out`,
  async play({ resource, inputs }) {
    await resource.up(inputs(first));
    await resource.up(inputs(first));
    await resource.up(inputs(second));
    await resource.up(inputs(second));
    await resource.up(inputs());
    await resource.up(inputs());
    await resource.refresh();
    await resource.up(inputs());
    await resource.destroy();
  },
}));

const refusals: readonly [string, Values, RegExp][] = [
  ["a size that is none", { sizeCu: 3.3 }, /sizeCu: .*3\.3/],
  ["two forms of a size", { sizeCu: 1, autoscalingLimitMinCu: 1 }, /sizeCu|autoscalingLimitMinCu/],
  ["a delay that is too long", { suspendTimeoutSeconds: 604_801 }, /suspendTimeoutSeconds: /],
  ["a branch's name", { branchId: "main" }, /branchId: "main" looks like a branch's name/],
  ["a branch that is not there", { branchId: "br-none" }, /branchId: branch br-none does not exist/],
  ["a project that is not there", { projectId: "none" }, /projectId: project none does not exist/],
  ["a property that is none", { size: 1 }, /size: unknown property/],
  ["a value of another type", { sizeCu: "big" }, /sizeCu: has to be a number/],
  ["a type that is none", { type: "primary" }, /type: "primary" is not one of/],
  ["a replica that adopts", { type: "read_only", adoptExisting: true }, /adoptExisting: takes over/],
];

/** All cases. */
export const cases: readonly Case[] = [
  {
    name: "created, left alone, refreshed, deleted",
    async play({ resource, inputs }) {
      await resource.preview(inputs());
      await resource.up(inputs());
      await resource.preview(inputs());
      await resource.refresh();
      await resource.up(inputs());
      await resource.destroy();
    },
  },
  ...ofProperties,
  {
    name: "a type that changes",
    async play({ resource, inputs }) {
      await resource.up(inputs());
      await resource.preview(inputs({ type: "read_only" }));
      await resource.up(inputs({ type: "read_only" }));
      await resource.up(inputs({ type: "read_only" }));
      await resource.up(inputs());
    },
  },
  {
    name: "a project that changes",
    async play({ resource, inputs, emulator }) {
      const { project } = emulator.admin.seedProject();
      const other = emulator.admin.seedBranch(project.id);
      await resource.up(inputs());
      await resource.up(inputs({ projectId: project.id, branchId: other.id }));
      await resource.up(inputs({ projectId: project.id, branchId: other.id }));
    },
  },
  {
    name: "a move to an empty branch, and back",
    async play({ resource, inputs, branches: [, other] }) {
      await resource.up(inputs());
      await resource.preview(inputs({ branchId: other }));
      await resource.up(inputs({ branchId: other }));
      await resource.up(inputs({ branchId: other }));
      await resource.up(inputs());
    },
  },
  {
    name: "a move to a branch with a replica",
    async play({ resource, inputs, emulator, projectId, branches: [, other] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: other, type: "read_only" });
      await resource.up(inputs());
      await resource.up(inputs({ branchId: other }));
      await resource.up(inputs({ branchId: other }));
    },
  },
  {
    name: "a move to a branch that is taken",
    messages: [/branch .* already has a read-write endpoint/],
    async play({ resource, inputs, emulator, projectId, branches: [, other] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: other });
      await resource.up(inputs());
      await resource.preview(inputs({ branchId: other }));
    },
  },
  {
    name: "a branch that is taken",
    messages: [/branch .* already has a read-write endpoint[\s\S]*adoptExisting: true/],
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.preview(inputs());
    },
  },
  {
    name: "moves that the platform does not have",
    async play({ resource, inputs, branches: [, other] }) {
      resource.config = { moves: "replace" };
      await resource.up(inputs());
      await resource.up(inputs({ branchId: other }));
    },
  },
  {
    name: "adopted, changed, released",
    async play({ resource, inputs, emulator, projectId, branches: [branch] }) {
      emulator.admin.seedEndpoint(projectId, { branch_id: branch });
      await resource.up(inputs({ adoptExisting: true, suspendTimeoutSeconds: 600 }));
      await resource.up(inputs({ adoptExisting: true, suspendTimeoutSeconds: 600 }));
      await resource.up(inputs({ suspendTimeoutSeconds: 900 }));
      await resource.destroy();
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
  {
    name: "changed by somebody else",
    async play({ resource, inputs, emulator }) {
      await resource.up(inputs({ suspendTimeoutSeconds: 600, sizeCu: 1 }));
      emulator.admin.changeEndpoint(String(resource.endpointId), { suspend_timeout_seconds: 60 });
      await resource.refresh();
      await resource.preview(inputs({ suspendTimeoutSeconds: 600, sizeCu: 1 }));
      await resource.up(inputs({ suspendTimeoutSeconds: 600, sizeCu: 1 }));
      await resource.up(inputs({ suspendTimeoutSeconds: 600, sizeCu: 1 }));
    },
  },
  {
    name: "deleted by somebody else, found by a refresh",
    async play({ resource, inputs, emulator }) {
      await resource.up(inputs());
      emulator.admin.dropEndpoint(String(resource.endpointId));
      await resource.refresh();
      await resource.destroy();
    },
  },
  {
    name: "deleted by somebody else, met by a delete",
    async play({ resource, inputs, emulator }) {
      await resource.up(inputs());
      emulator.admin.dropEndpoint(String(resource.endpointId));
      await resource.destroy();
    },
  },
  {
    name: "created with an operation that fails",
    messages: [/start_compute.* ended as "failed"/],
    async play({ resource, inputs, emulator }) {
      const fault = emulator.admin.addFault({ on: "operation", effect: { kind: "fail" } });
      await resource.up(inputs());
      emulator.admin.removeFault(fault);
      await resource.refresh();
      await resource.up(inputs());
      await resource.up(inputs());
    },
  },
  {
    name: "changed with an operation that fails",
    messages: [/ended as "failed"/],
    async play({ resource, inputs, emulator }) {
      await resource.up(inputs());
      const fault = emulator.admin.addFault({ on: "operation", effect: { kind: "fail" } });
      await resource.up(inputs({ sizeCu: 1 }));
      emulator.admin.removeFault(fault);
      await resource.up(inputs({ sizeCu: 1 }));
      await resource.up(inputs({ sizeCu: 1 }));
    },
  },
  {
    name: "refused by the platform",
    messages: [/400/, /400/],
    async play({ resource, inputs, emulator }) {
      const fault = emulator.admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 400 } });
      await resource.up(inputs());
      emulator.admin.removeFault(fault);
      await resource.up(inputs());
      const other = emulator.admin.addFault({ route: "endpoints.update", effect: { kind: "status", status: 400 } });
      await resource.up(inputs({ sizeCu: 1 }));
      emulator.admin.removeFault(other);
      await resource.up(inputs({ sizeCu: 1 }));
    },
  },
  ...(["create", "update", "delete"] as const).map(
    (verb): Case => ({
      name: `an answer of a ${verb} that is lost`,
      async play({ resource, inputs, emulator }) {
        emulator.admin.addFault({ route: `endpoints.${verb}`, count: 1, effect: { kind: "reset", when: "after" } });
        await resource.up(inputs());
        await resource.up(inputs({ suspendTimeoutSeconds: 600 }));
        await resource.destroy();
      },
    }),
  ),
  {
    name: "a key that is refused",
    messages: [/key/],
    async play({ resource, inputs, emulator }) {
      const fault = emulator.admin.addFault({ effect: { kind: "status", status: 401 } });
      await resource.preview(inputs());
      emulator.admin.removeFault(fault);
      await resource.up(inputs());
    },
  },
  ...refusals.map(
    ([name, changes, message]): Case => ({
      name: `refused: ${name}, at once and later`,
      messages: [message, message],
      async play({ resource, inputs }) {
        await resource.preview(inputs(changes));
        await resource.up(inputs());
        await resource.preview(inputs(changes));
      },
    }),
  ),
  {
    name: "refused: what the free plan does not have",
    messages: [/type: read-only endpoints need a paid plan/],
    async play({ resource, inputs }) {
      resource.config = { plan: "free" };
      await resource.preview(inputs({ type: "read_only" }));
    },
  },
];
