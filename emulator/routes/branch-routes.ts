import type { FastifyInstance, FastifyRequest } from "fastify";
import { callOf, dialectOf } from "../http/call";
import { notFound } from "../lib/errors";
import { deleteBranch, updateBranch } from "../lifecycle/change-branch";
import { createBranch } from "../lifecycle/create-branch";
import { annotationOf } from "../model/branch";
import type { Platform } from "../model/platform";
import { createBranchBody, updateBranchBody } from "../requests/branch-body";
import { branchQuery } from "../requests/list-query";
import { validate } from "../requests/validate";
import { presentBranch, presentEndpoint, presentOperations } from "./answer";

import { branchPage, matching } from "./list-page";
import { connectionUris, logins } from "./login-routes";

interface ProjectPath {
  Params: { project_id: string };
}

interface BranchPath {
  Params: { project_id: string; branch_id: string };
}

/** The calls about branches (specification, sections 4 and 4.7, published). */
export function branchRoutes(app: FastifyInstance, platform: Platform): void {
  branchLists(app, platform);
  const onePath = "/projects/:project_id/branches/:branch_id";
  const context = (request: FastifyRequest) => ({ dialect: dialectOf(request), settings: platform.settings });

  app.post<ProjectPath>("/projects/:project_id/branches", { config: { name: "branches.create" } }, (request, reply) => {
    const project = platform.project(request.params.project_id);
    const created = createBranch(platform, project, validate(createBranchBody(context(request)), request.body));
    reply.code(201);
    return {
      branch: presentBranch(platform, created.branch),
      endpoints: created.endpoints.map((endpoint) => presentEndpoint(platform, endpoint.record)),
      operations: presentOperations(platform, project, created.operations),
      ...logins(platform, project, created.branch.id),
      ...(platform.computes && { connection_uris: connectionUris(platform.computes, created.endpoints) }),
    };
  });

  app.get<BranchPath>(onePath, { config: { name: "branches.get" } }, (request) => {
    const { project, branch } = find(platform, request.params);
    return {
      branch: presentBranch(platform, branch),
      annotation: project.annotations.get(branch.id) ?? annotationOf(branch),
    };
  });

  app.patch<BranchPath>(onePath, { config: { name: "branches.update" } }, (request) => {
    const { project, branch } = find(platform, request.params);
    const update = validate(updateBranchBody(context(request)), request.body);
    return { branch: presentBranch(platform, updateBranch(platform, project, branch, update)), operations: [] };
  });

  app.delete<BranchPath>(onePath, { config: { name: "branches.delete" } }, (request, reply) => {
    const project = platform.project(request.params.project_id);
    const branch = project.branches.get(request.params.branch_id);
    if (!branch || branch.snapshot) {
      if (platform.settings.goneStatus === 204) return reply.code(204).send();
      throw notFound("branch", request.params.branch_id);
    }
    const operations = deleteBranch(platform, project, branch);
    return { branch: presentBranch(platform, branch), operations: presentOperations(platform, project, operations) };
  });
}

function branchLists(app: FastifyInstance, platform: Platform): void {
  const allPath = "/projects/:project_id/branches";

  app.get<ProjectPath>(allPath, { config: { name: "branches.list" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const query = validate(branchQuery, request.query, "query");
    const listAt = callOf(request)?.listAt ?? Number.POSITIVE_INFINITY;
    const known = [...project.shownBranches()].filter((branch) => Date.parse(branch.created_at) <= listAt);
    const { branches, pagination } = branchPage(known, query);
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

  app.get<ProjectPath>(`${allPath}/count`, { config: { name: "branches.count" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const { search } = validate(branchQuery, request.query, "query");
    return { count: matching([...project.shownBranches()], search).length };
  });

  app.get<BranchPath>(`${allPath}/:branch_id/endpoints`, { config: { name: "branches.endpoints" } }, (request) => {
    const { project, branch } = find(platform, request.params);
    const listAt = callOf(request)?.listAt;
    const records =
      listAt === undefined
        ? project.endpointsOn(branch.id).map((endpoint) => endpoint.record)
        : project.endpointsAt(listAt).filter((record) => record.branch_id === branch.id);
    return { endpoints: records.map((record) => presentEndpoint(platform, record)) };
  });
}

function find(platform: Platform, path: BranchPath["Params"]) {
  const project = platform.project(path.project_id);
  return { project, branch: platform.branch(project, path.branch_id) };
}
