/** What an endpoint goes through, whether it is a resource of its own or a fleet's only member. */
import type { Case } from "./case";
import { ofProperties, ofRefusals } from "./property-cases";
import { ofTakeovers } from "./takeover-cases";

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
  ...ofTakeovers,
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
  {
    name: "a project that the key may not see into",
    messages: [/^: .*answered 403.*\[request .*key/],
    async play({ resource, inputs, emulator }) {
      emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "status", status: 403 } });
      await resource.preview(inputs());
    },
  },
  {
    name: "an address that is not the API's",
    messages: [/^: .*answered 404.*Correct the base address/],
    async play({ resource, inputs, emulator }) {
      resource.config = { baseUrl: emulator.url.replace("/v2", "/other/v2") };
      await resource.preview(inputs());
    },
  },
  ...ofRefusals,
  {
    name: "refused: what the free plan does not have",
    messages: [/type: read-only endpoints need a paid plan/],
    async play({ resource, inputs }) {
      resource.config = { plan: "free" };
      await resource.preview(inputs({ type: "read_only" }));
    },
  },
];
