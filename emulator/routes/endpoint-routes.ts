import type { FastifyInstance, FastifyRequest } from "fastify";
import { callOf, dialectOf } from "../http/call";
import { ApiError, notFound } from "../lib/errors";
import { assertUnlocked } from "../lifecycle/change";
import { restartEndpoint, startEndpoint, suspendEndpoint } from "../lifecycle/compute";
import { createEndpoint } from "../lifecycle/create-endpoint";
import { deleteEndpoint } from "../lifecycle/delete-endpoint";
import { updateEndpoint } from "../lifecycle/update-endpoint";
import type { Endpoint } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { createEndpointBody, updateEndpointBody } from "../requests/endpoint-body";
import { validate } from "../requests/validate";
import { presentEndpoint, presentOperations } from "./answer";

interface ProjectPath {
  Params: { project_id: string };
}

interface EndpointPath {
  Params: { project_id: string; endpoint_id: string };
}

/** The calls about compute endpoints (sections 4.3 to 4.7, public facts). */
export function endpointRoutes(app: FastifyInstance, platform: Platform): void {
  const allPath = "/projects/:project_id/endpoints";
  const onePath = `${allPath}/:endpoint_id`;
  const context = (request: FastifyRequest) => ({ dialect: dialectOf(request), settings: platform.settings });

  app.get<ProjectPath>(allPath, { config: { name: "endpoints.list" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const listAt = callOf(request)?.listAt;
    const records =
      listAt === undefined
        ? [...project.endpoints.values()].map((endpoint) => endpoint.record)
        : project.endpointsAt(listAt);
    return { endpoints: records.map((record) => presentEndpoint(platform, record)) };
  });

  app.post<ProjectPath>(allPath, { config: { name: "endpoints.create" } }, (request, reply) => {
    const project = platform.project(request.params.project_id);
    const body = validate(createEndpointBody(context(request)), request.body);
    const { endpoint, operations } = createEndpoint(platform, project, body.endpoint);
    reply.code(201);
    return changeAnswer(platform, project, endpoint, operations);
  });

  app.get<EndpointPath>(onePath, { config: { name: "endpoints.get" } }, (request) => {
    const { endpoint } = find(platform, request.params);
    return { endpoint: presentEndpoint(platform, endpoint.record) };
  });

  app.patch<EndpointPath>(onePath, { config: { name: "endpoints.update" } }, (request) => {
    const { project, endpoint } = find(platform, request.params);
    const body = validate(updateEndpointBody(context(request)), request.body);
    const operations = updateEndpoint(platform, project, endpoint, body.endpoint);
    return changeAnswer(platform, project, endpoint, operations);
  });

  app.delete<EndpointPath>(onePath, { config: { name: "endpoints.delete" } }, (request, reply) => {
    const project = platform.project(request.params.project_id);
    const endpoint = project.endpoints.get(request.params.endpoint_id);
    if (!endpoint) {
      if (platform.settings.goneStatus === 204) return reply.code(204).send();
      throw notFound("endpoint", request.params.endpoint_id);
    }
    return changeAnswer(platform, project, endpoint, deleteEndpoint(platform, project, endpoint));
  });

  const moves = { suspend: suspendEndpoint, start: startEndpoint, restart: restartEndpoint };
  for (const [verb, move] of Object.entries(moves)) {
    app.post<EndpointPath>(`${onePath}/${verb}`, { config: { name: `endpoints.${verb}` } }, (request) => {
      const { project, endpoint } = find(platform, request.params);
      if (verb === "restart" && !platform.settings.restartCall) throw new ApiError(404, "", "no such call");
      assertUnlocked(platform, project, [endpoint.record.id, endpoint.record.branch_id]);
      return changeAnswer(platform, project, endpoint, move(platform, project, endpoint));
    });
  }
}

function find(platform: Platform, path: { project_id: string; endpoint_id: string }) {
  const project = platform.project(path.project_id);
  return { project, endpoint: platform.endpoint(project, path.endpoint_id) };
}

function changeAnswer(platform: Platform, project: Project, endpoint: Endpoint, operations: Operation[]) {
  return {
    endpoint: presentEndpoint(platform, endpoint.record),
    operations: presentOperations(platform, project, operations),
  };
}
