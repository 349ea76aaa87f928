import { z } from "zod";
import { createSnapshot, finalizeRestore, restoreSnapshot } from "../lifecycle/snapshots";
import type { BranchRecord } from "../model/branch";
import type { Platform } from "../model/platform";
import { type BodyContext, object } from "../requests/body";
import { scalars } from "../requests/form";
import { presentBranch, presentOperations } from "./answer";
import type { AddCall } from "./calls";

const name = z.string().min(1).max(256);
const snapshotQuery = z.object({ name: name.optional() });

const restoreBody = (context: BodyContext) =>
  object(context, {
    name: name.optional(),
    target_branch_id: z.string().optional(),
    finalize_restore: scalars(context.dialect).boolean.optional(),
  }).default({});
const finalizeBody = (context: BodyContext) => object(context, { name: name.optional() }).default({});

/** Adds the calls about snapshots, and that which finalizes a restore (specification, section 4, published). */
export function snapshotRoutes(call: AddCall, platform: Platform): void {
  const ofProject = "/projects/:project_id";
  const ofBranch = `${ofProject}/branches/:branch_id`;

  call("snapshots.create", `POST ${ofBranch}/snapshot`, ({ project, branch, query }) => {
    const { snapshot, operations } = createSnapshot(platform, project, branch, query(snapshotQuery).name);
    return { snapshot: present(snapshot), operations: presentOperations(platform, project, operations) };
  });

  call("snapshots.list", `GET ${ofProject}/snapshots`, ({ project }) => {
    return { snapshots: [...project.branches.values()].filter(({ snapshot }) => snapshot).map(present) };
  });

  call("snapshots.restore", `POST ${ofProject}/snapshots/:snapshot_id/restore`, ({ project, params, body }) => {
    const { name, target_branch_id: targetId, finalize_restore: finalize } = body(restoreBody);
    const wanted = { name, targetId, finalize };
    const { branch, operations } = restoreSnapshot(platform, project, params.snapshot_id ?? "", wanted);
    return { branch: presentBranch(platform, branch), operations: presentOperations(platform, project, operations) };
  });

  call("branches.finalizeRestore", `POST ${ofBranch}/finalize_restore`, ({ project, branch, body }) => {
    const operations = finalizeRestore(platform, project, branch, body(finalizeBody).name);
    return { operations: presentOperations(platform, project, operations) };
  });
}

function present({ id, created_at, snapshot }: BranchRecord): object {
  return { id, ...snapshot, created_at, manual: true };
}
