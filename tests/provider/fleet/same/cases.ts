/** What an endpoint goes through, whether it is a resource of its own or a fleet's only member. */
import { unknown } from "../../../support/messages";
import type { Case, World } from "./case";
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

/** Restores a snapshot of the first branch in its place; gives the id of the branch that has it now. */
async function restoreInPlace({ emulator, projectId, branches: [branch] }: World): Promise<string> {
  const headers = { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" };
  const call = async (path: string, body: object = {}) => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${emulator.url}/projects/${projectId}/${path}`, init);
    emulator.admin.advance(10_000);
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text);
  };
  const { snapshot } = await call(`branches/${branch}/snapshot`);
  return (await call(`snapshots/${snapshot.id}/restore`, { finalize_restore: true })).branch.id;
}

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
      emulator.admin.seedEndpoint(projectId, { branch_id: branch, name: "by-hand" });
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
  ...(["inPlace", "replace"] as const).map(
    (moves): Case => ({
      name: `a branch that is not known yet, where moves are "${moves}"`,
      lines: [
        moves === "replace" ? /^warning: replaced: branchId is not known yet/m : /^info: branchId is not known yet/m,
      ],
      async play({ resource, inputs }) {
        resource.config = { moves };
        await resource.up(inputs());
        await resource.preview(inputs({ branchId: unknown }));
      },
    }),
  ),
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
    name: "refused: a restore in place that would be undone, seen by a refresh; moved back where that is said",
    messages: [
      /stands on br-\S+ \(now named "\S+"\), which replaced \S+ when .* run: PGCOMPUTE_UNDO_RESTORE=br-\S+ pulumi up$/,
      /To keep the restored data write branchId: "br-/,
    ],
    async play(world) {
      const { resource, inputs } = world;
      await resource.up(inputs());
      const restored = await restoreInPlace(world);
      await resource.refresh();
      await resource.preview(inputs());
      await resource.up(inputs({ sizeCu: 2 }));
      await resource.up(inputs({ branchId: restored }));
      resource.config = { undoRestore: restored };
      await resource.up(inputs());
    },
  },
  {
    name: "a restore in place that no plan undoes, and a replacement that would",
    messages: [/stands on .*, which replaced .*PGCOMPUTE_UNDO_RESTORE/],
    lines: [/warning: endpoint ID stands on ID \(now named .*, which replaced/],
    async play(world) {
      const { resource, inputs } = world;
      await resource.up(inputs());
      await restoreInPlace(world);
      await resource.preview(inputs());
      await resource.up(inputs({ type: "read_only" }));
    },
  },
  {
    name: "refused: a branch that is gone since another took its place",
    messages: [/branchId: branch \S+ was replaced by br-\S+ \(now named .*write branchId: "br-/],
    async play(world) {
      const { resource, inputs, emulator, projectId, branches } = world;
      await resource.up(inputs());
      await restoreInPlace(world);
      emulator.admin.dropBranch(projectId, branches[0]);
      await resource.preview(inputs());
    },
  },
  {
    name: "moved by somebody else to a branch that took nobody's place",
    async play({ resource, inputs, emulator, branches: [, other] }) {
      await resource.up(inputs());
      emulator.admin.changeEndpoint(String(resource.endpointId), { branch_id: other });
      await resource.refresh();
      await resource.up(inputs());
    },
  },
  {
    name: "refused: what the free plan does not have",
    messages: [/type: the free plan has no read-only endpoints/],
    async play({ resource, inputs }) {
      resource.config = { plan: "free" };
      await resource.preview(inputs({ type: "read_only" }));
    },
  },
];
