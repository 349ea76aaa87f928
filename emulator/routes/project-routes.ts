import type { FastifyInstance, FastifyRequest } from "fastify";
import { dialectOf } from "../http/call";
import { deleteProject, updateProject } from "../lifecycle/change-project";
import { createProject } from "../lifecycle/create-project";
import type { Platform } from "../model/platform";
import { toListRecord } from "../model/project";
import { projectQuery } from "../requests/list-query";
import { createProjectBody, updateProjectBody } from "../requests/project-body";
import { validate } from "../requests/validate";
import { presentBranch, presentEndpoint, presentOperations, presentProject } from "./answer";
import { matching } from "./list-page";
import { connectionUris, logins } from "./login-routes";

interface ProjectPath {
  Params: { project_id: string };
}

/** Projects a page without `limit` (specification, section 4, published). */
const DEFAULT_PAGE = 10;

/** Of Postgres's own modules those that are loaded at its start. */
const PRELOAD_LIBRARIES = ["auto_explain", "pg_prewarm", "pg_stat_statements"];

/** The calls about projects (specification, section 4, published). */
export function projectRoutes(app: FastifyInstance, platform: Platform): void {
  const onePath = "/projects/:project_id";
  const context = (request: FastifyRequest) => ({ dialect: dialectOf(request), settings: platform.settings });

  app.get("/projects", { config: { name: "projects.list" } }, (request) => {
    const { limit = DEFAULT_PAGE, cursor = "", search, org_id } = validate(projectQuery, request.query, "query");
    const records = [...platform.projects.values()].map(({ record }) => record);
    const page = matching(records, search)
      .filter((record) => org_id === undefined || record.org_id === org_id)
      .filter(({ id }) => id > cursor)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    const last = page.at(-1);
    return {
      projects: page.map((record) => presentProject(platform, toListRecord(record))),
      applications: {},
      integrations: {},
      ...(last && { pagination: { cursor: last.id } }),
    };
  });

  // There is one account, with nobody else's projects and no organisation.
  app.get("/projects/shared", { config: { name: "projects.shared" } }, (request) => {
    validate(projectQuery, request.query, "query");
    return { projects: [] };
  });

  app.post("/projects", { config: { name: "projects.create" } }, (request, reply) => {
    const created = createProject(platform, validate(createProjectBody(context(request)), request.body));
    const { project, branch, endpoints, operations } = created;
    reply.code(201);
    return {
      project: presentProject(platform, project.record),
      branch: presentBranch(platform, branch),
      endpoints: endpoints.map(({ record }) => presentEndpoint(platform, record)),
      operations: presentOperations(platform, project, operations),
      ...logins(platform, project, branch.id, true),
      connection_uris: connectionUris(platform.computes, endpoints),
    };
  });

  app.get<ProjectPath>(onePath, { config: { name: "projects.get" } }, (request) => {
    const project = platform.project(request.params.project_id);
    return { project: presentProject(platform, project.record) };
  });

  app.get<ProjectPath>(
    `${onePath}/available_preload_libraries`,
    { config: { name: "projects.preloadLibraries" } },
    (request) => {
      platform.project(request.params.project_id);
      const fields = { description: "", is_default: false, is_experimental: false, version: "1.0" };
      return { libraries: PRELOAD_LIBRARIES.map((library_name) => ({ library_name, ...fields })) };
    },
  );

  app.patch<ProjectPath>(onePath, { config: { name: "projects.update" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const operations = updateProject(platform, project, validate(updateProjectBody(context(request)), request.body));
    return {
      project: presentProject(platform, project.record),
      operations: presentOperations(platform, project, operations),
    };
  });

  app.delete<ProjectPath>(onePath, { config: { name: "projects.delete" } }, (request) => {
    const project = platform.project(request.params.project_id);
    deleteProject(platform, project);
    return { project: presentProject(platform, project.record) };
  });
}
