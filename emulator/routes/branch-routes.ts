import { notFound } from "../lib/errors";
import { deleteBranch, updateBranch } from "../lifecycle/change-branch";
import { createBranch } from "../lifecycle/create-branch";
import { annotationOf } from "../model/branch";
import type { Platform } from "../model/platform";
import { createBranchBody, updateBranchBody } from "../requests/branch-body";
import { branchQuery } from "../requests/list-query";
import { presentBranch, presentEndpoint, presentOperations } from "./answer";
import type { AddCall } from "./calls";
import { branchPage, matching } from "./list-page";
import { connectionUris, logins } from "./login-routes";

/** Adds the calls about branches (specification, sections 4 and 4.7, published). */
export function branchRoutes(call: AddCall, platform: Platform): void {
  const allPath = "/projects/:project_id/branches";
  const onePath = `${allPath}/:branch_id`;

  call("branches.list", `GET ${allPath}`, ({ project, query, listAt = Number.POSITIVE_INFINITY }) => {
    const known = [...project.shownBranches()].filter((branch) => Date.parse(branch.created_at) <= listAt);
    const { branches, pagination } = branchPage(known, query(branchQuery), platform.settings.maxPageSize);
    const annotated = branches.flatMap(({ id }) => {
      const annotation = project.annotations.get(id);
      return annotation ? [[id, annotation] as const] : [];
    });

    return {
      branches: branches.map((branch) => presentBranch(platform, branch)),
      annotations: Object.fromEntries(annotated),
      ...(pagination && { pagination }),
    };
  });

  call("branches.count", `GET ${allPath}/count`, ({ project, query }) => {
    const { search } = query(branchQuery);
    return { count: matching([...project.shownBranches()], search).length };
  });

  call("branches.endpoints", `GET ${onePath}/endpoints`, ({ project, branch, listAt }) => {
    const records =
      listAt === undefined
        ? project.endpointsOn(branch.id).map((endpoint) => endpoint.record)
        : project.endpointsAt(listAt).filter((record) => record.branch_id === branch.id);
    return { endpoints: records.map((record) => presentEndpoint(platform, record)) };
  });

  call("branches.create", `POST ${allPath}`, ({ project, body, reply }) => {
    const created = createBranch(platform, project, body(createBranchBody));
    reply.code(201);
    return {
      branch: presentBranch(platform, created.branch),
      endpoints: created.endpoints.map((endpoint) => presentEndpoint(platform, endpoint.record)),
      operations: presentOperations(platform, project, created.operations),
      ...logins(platform, project, created.branch.id),
      connection_uris: connectionUris(platform, project, created.endpoints),
    };
  });

  call("branches.get", `GET ${onePath}`, ({ project, branch }) => ({
    branch: presentBranch(platform, branch),
    annotation: project.annotations.get(branch.id) ?? annotationOf(branch),
  }));

  call("branches.update", `PATCH ${onePath}`, ({ project, branch, body }) => {
    const changed = updateBranch(platform, project, branch, body(updateBranchBody));
    return { branch: presentBranch(platform, changed), operations: [] };
  });

  call("branches.delete", `DELETE ${onePath}`, ({ project, params: { branch_id = "" }, reply }) => {
    const branch = project.branches.get(branch_id);
    if (!branch || branch.snapshot) {
      if (platform.settings.goneStatus === 204) return reply.code(204).send();
      throw notFound("branch", branch_id);
    }
    const operations = deleteBranch(platform, project, branch);
    return { branch: presentBranch(platform, branch), operations: presentOperations(platform, project, operations) };
  });
}
