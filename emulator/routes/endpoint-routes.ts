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
import { presentEndpoint, presentOperations } from "./answer";
import type { AddCall } from "./calls";

/** Adds the calls about compute endpoints (specification, sections 4.3 to 4.7, published). */
export function endpointRoutes(call: AddCall, platform: Platform): void {
  const allPath = "/projects/:project_id/endpoints";
  const onePath = `${allPath}/:endpoint_id`;

  call("endpoints.list", `GET ${allPath}`, ({ project, listAt }) => {
    const now = () => [...project.endpoints.values()].map((endpoint) => endpoint.record);
    const records = listAt === undefined ? now() : project.endpointsAt(listAt);
    return { endpoints: records.map((record) => presentEndpoint(platform, record)) };
  });

  call("endpoints.create", `POST ${allPath}`, ({ project, body, reply }) => {
    const { endpoint, operations } = createEndpoint(platform, project, body(createEndpointBody).endpoint);
    reply.code(201);
    return changeAnswer(platform, project, endpoint, operations);
  });

  call("endpoints.get", `GET ${onePath}`, ({ endpoint }) => ({ endpoint: presentEndpoint(platform, endpoint.record) }));

  call("endpoints.update", `PATCH ${onePath}`, ({ project, endpoint, body }) => {
    const operations = updateEndpoint(platform, project, endpoint, body(updateEndpointBody).endpoint);
    return changeAnswer(platform, project, endpoint, operations);
  });

  call("endpoints.delete", `DELETE ${onePath}`, ({ project, params: { endpoint_id = "" }, reply }) => {
    const endpoint = project.endpoints.get(endpoint_id);
    if (!endpoint) {
      if (platform.settings.goneStatus === 204) return reply.code(204).send();
      throw notFound("endpoint", endpoint_id);
    }
    return changeAnswer(platform, project, endpoint, deleteEndpoint(platform, project, endpoint));
  });

  const moves = { suspend: suspendEndpoint, start: startEndpoint, restart: restartEndpoint };
  for (const [verb, move] of Object.entries(moves)) {
    call(`endpoints.${verb}`, `POST ${onePath}/${verb}`, ({ project, endpoint }) => {
      if (verb === "restart" && !platform.settings.restartCall) throw new ApiError(404, "", "no such call");
      assertUnlocked(platform, project, [endpoint.record.id, endpoint.record.branch_id]);
      return changeAnswer(platform, project, endpoint, move(platform, project, endpoint));
    });
  }
}

function changeAnswer(platform: Platform, project: Project, endpoint: Endpoint, operations: Operation[]) {
  return {
    endpoint: presentEndpoint(platform, endpoint.record),
    operations: presentOperations(platform, project, operations),
  };
}
