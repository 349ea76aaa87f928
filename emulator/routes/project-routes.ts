import { badRequest } from "../lib/errors";
import { deleteProject, updateProject } from "../lifecycle/change-project";
import { createProject } from "../lifecycle/create-project";
import { PRELOAD_LIBRARIES } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { toListRecord } from "../model/project";
import { projectQuery } from "../requests/list-query";
import { createProjectBody, updateProjectBody } from "../requests/project-body";
import { knownRegions } from "./account-routes";
import { presentBranch, presentEndpoint, presentOperations, presentProject } from "./answer";
import type { AddCall } from "./calls";
import { matching } from "./list-page";
import { connectionUris, logins } from "./login-routes";

/** Default number of projects per page (specification, section 4, published). */
const DEFAULT_PAGE = 10;

/** Adds the calls about projects (specification, section 4, published). */
export function projectRoutes(call: AddCall, platform: Platform): void {
  const onePath = "/projects/:project_id";

  call("projects.list", "GET /projects", ({ query }) => {
    const { limit = DEFAULT_PAGE, cursor = "", search, org_id } = query(projectQuery);
    const { maxPageSize = limit } = platform.settings;
    const records = [...platform.projects.values()].map(({ record }) => record);
    const page = matching(records, search)
      .filter((record) => org_id === undefined || record.org_id === org_id)
      .filter(({ id }) => id > cursor)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, Math.min(limit, maxPageSize));

    const last = page.at(-1);
    return {
      projects: page.map((record) => presentProject(platform, toListRecord(record))),
      applications: {},
      integrations: {},
      ...(last && { pagination: { cursor: last.id } }),
    };
  });

  // There is one account, without shared projects or organisations.
  call("projects.shared", "GET /projects/shared", ({ query }) => {
    query(projectQuery);
    return { projects: [] };
  });

  call("projects.create", "POST /projects", ({ body, reply }) => {
    const request = body(createProjectBody);
    assertRegion(platform, request.region_id);
    const { project, branch, endpoints, operations } = createProject(platform, request);
    reply.code(201);

    return {
      project: presentProject(platform, project.record),
      branch: presentBranch(platform, branch),
      endpoints: endpoints.map(({ record }) => presentEndpoint(platform, record)),
      operations: presentOperations(platform, project, operations),
      ...logins(platform, project, branch.id, true),
      connection_uris: connectionUris(platform, project, endpoints),
    };
  });

  call("projects.get", `GET ${onePath}`, ({ project }) => ({ project: presentProject(platform, project.record) }));

  call("projects.preloadLibraries", `GET ${onePath}/available_preload_libraries`, ({ project: _exists }) => {
    const fields = { description: "", is_default: false, is_experimental: false, version: "1.0" };
    return { libraries: PRELOAD_LIBRARIES.map((library_name) => ({ library_name, ...fields })) };
  });

  call("projects.update", `PATCH ${onePath}`, ({ project, body }) => {
    const operations = updateProject(platform, project, body(updateProjectBody));
    return {
      project: presentProject(platform, project.record),
      operations: presentOperations(platform, project, operations),
    };
  });

  call("projects.delete", `DELETE ${onePath}`, ({ project }) => {
    deleteProject(platform, project);
    return { project: presentProject(platform, project.record) };
  });
}

function assertRegion(platform: Platform, id: string | undefined): void {
  if (id === undefined || platform.settings.regions === undefined) return;
  const known = knownRegions(platform);
  if (!known.includes(id)) throw badRequest(`project.region_id: must be one of ${known.join(", ")}`);
}
