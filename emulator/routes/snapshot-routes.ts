import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { dialectOf } from "../http/call";
import { createSnapshot, finalizeRestore, restoreSnapshot } from "../lifecycle/snapshots";
import type { BranchRecord } from "../model/branch";
import type { Platform } from "../model/platform";
import { object } from "../requests/body";
import { scalars } from "../requests/form";
import { validate } from "../requests/validate";
import { presentBranch, presentOperations } from "./answer";

interface Path {
  Params: { project_id: string; branch_id: string; snapshot_id: string };
}

const name = z.string().min(1).max(256);
const snapshotQuery = z.object({ name: name.optional() });

/** The calls about snapshots, and what ends a restore (specification, section 4, published). */
export function snapshotRoutes(app: FastifyInstance, platform: Platform): void {
  const ofProject = "/projects/:project_id";
  const context = (request: FastifyRequest) => ({ dialect: dialectOf(request), settings: platform.settings });

  app.post<Path>(`${ofProject}/branches/:branch_id/snapshot`, { config: { name: "snapshots.create" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const branch = platform.branch(project, request.params.branch_id);
    const query = validate(snapshotQuery, request.query, "query");
    const { snapshot, operations } = createSnapshot(platform, project, branch, query.name);
    return { snapshot: present(snapshot), operations: presentOperations(platform, project, operations) };
  });

  app.get<Path>(`${ofProject}/snapshots`, { config: { name: "snapshots.list" } }, (request) => {
    const all = [...platform.project(request.params.project_id).branches.values()];
    return { snapshots: all.filter(({ snapshot }) => snapshot).map(present) };
  });

  app.post<Path>(
    `${ofProject}/snapshots/:snapshot_id/restore`,
    { config: { name: "snapshots.restore" } },
    (request) => {
      const { project_id, snapshot_id } = request.params;
      const project = platform.project(project_id);
      const { boolean } = scalars(context(request).dialect);
      const body = object(context(request), {
        name: name.optional(),
        target_branch_id: z.string().optional(),
        finalize_restore: boolean.optional(),
      });
      const wanted = validate(body, request.body ?? {});
      const { branch, operations } = restoreSnapshot(platform, project, snapshot_id, {
        name: wanted.name,
        targetId: wanted.target_branch_id,
        finalize: wanted.finalize_restore,
      });
      return { branch: presentBranch(platform, branch), operations: presentOperations(platform, project, operations) };
    },
  );

  const finalizePath = `${ofProject}/branches/:branch_id/finalize_restore`;
  app.post<Path>(finalizePath, { config: { name: "branches.finalizeRestore" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const branch = platform.branch(project, request.params.branch_id);
    const wanted = validate(object(context(request), { name: name.optional() }), request.body ?? {});
    const operations = finalizeRestore(platform, project, branch, wanted.name);
    return { operations: presentOperations(platform, project, operations) };
  });
}

function present({ id, created_at, snapshot }: BranchRecord): object {
  return { id, ...snapshot, created_at, manual: true };
}
