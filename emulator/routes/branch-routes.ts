import type { FastifyInstance } from "fastify";
import { createBranch } from "../lifecycle/create-branch";
import type { Platform } from "../model/platform";
import { createBranchBody } from "../schema/branch-schema";
import { validate } from "../schema/validate";
import { present, presentOperations } from "./answer";
import { callOf, dialectOf } from "./call";

interface ProjectPath {
  Params: { project_id: string };
}

interface BranchPath {
  Params: { project_id: string; branch_id: string };
}

/** The calls about branches (section 4.7, public facts). */
export function branchRoutes(app: FastifyInstance, platform: Platform): void {
  app.get<ProjectPath>("/projects/:project_id/branches", { config: { name: "branches.list" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const listAt = callOf(request)?.listAt ?? Number.POSITIVE_INFINITY;
    const branches = [...project.branches.values()].filter((branch) => Date.parse(branch.created_at) <= listAt);
    return { branches: branches.map((branch) => present(platform, branch)) };
  });

  app.post<ProjectPath>("/projects/:project_id/branches", { config: { name: "branches.create" } }, (request, reply) => {
    const project = platform.project(request.params.project_id);
    const schema = createBranchBody({ dialect: dialectOf(request), settings: platform.settings });
    const created = createBranch(platform, project, validate(schema, request.body));
    reply.code(201);
    return {
      branch: present(platform, created.branch),
      endpoints: created.endpoints.map((endpoint) => present(platform, endpoint.record)),
      operations: presentOperations(platform, project, created.operations),
    };
  });

  const onePath = "/projects/:project_id/branches/:branch_id";
  app.get<BranchPath>(onePath, { config: { name: "branches.get" } }, (request) => {
    const project = platform.project(request.params.project_id);
    return { branch: present(platform, platform.branch(project, request.params.branch_id)) };
  });

  app.get<BranchPath>(`${onePath}/endpoints`, { config: { name: "branches.endpoints" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const branch = platform.branch(project, request.params.branch_id);
    const listAt = callOf(request)?.listAt;
    const records =
      listAt === undefined
        ? project.endpointsOn(branch.id).map((endpoint) => endpoint.record)
        : project.endpointsAt(listAt).filter((record) => record.branch_id === branch.id);
    return { endpoints: records.map((record) => present(platform, record)) };
  });
}
