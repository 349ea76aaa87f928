import type { FastifyInstance } from "fastify";
import { callOf } from "../http/call";
import { notFound } from "../lib/errors";
import { toCursor } from "../lib/timestamp";
import { type Operation, toEarlierRecord, toOperationRecord } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { operationQuery } from "../requests/list-query";
import { validate } from "../requests/validate";
import { presentOperation } from "./answer";

interface ProjectPath {
  Params: { project_id: string };
}

interface OperationPath {
  Params: { project_id: string; operation_id: string };
}

/** The calls about operations (sections 4.1 and 4.2). */
export function operationRoutes(app: FastifyInstance, platform: Platform): void {
  const allPath = "/projects/:project_id/operations";

  app.get<ProjectPath>(allPath, { config: { name: "operations.list" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const { limit = platform.settings.defaultPageSize, cursor } = validate(operationQuery, request.query, "query");
    const listAt = callOf(request)?.listAt;
    // A list that lags behind starts with the newest operation it knows.
    const before = Math.min(cursor ?? Number.POSITIVE_INFINITY, ((listAt ?? Number.POSITIVE_INFINITY) + 1) * 1000);
    const { operations, cursor: next } = page(platform, project, limit, before, cursor);
    const records = operations.map((operation) =>
      listAt === undefined ? toOperationRecord(operation) : toEarlierRecord(operation, listAt),
    );
    return {
      operations: records.map((record) => presentOperation(platform, record)),
      ...(next !== undefined && { pagination: { cursor: toCursor(next) } }),
    };
  });

  app.get<OperationPath>(`${allPath}/:operation_id`, { config: { name: "operations.get" } }, (request) => {
    const project = platform.project(request.params.project_id);
    const operation = project.operations.get(request.params.operation_id);
    if (!operation) throw notFound("operation", request.params.operation_id);
    return { operation: presentOperation(platform, toOperationRecord(operation)) };
  });
}

// Section 4.1 does not show what the end of the list looks like; the setting `lastPage` plays each way clients meet.
function page(
  platform: Platform,
  project: Project,
  limit: number,
  beforeMicros: number,
  sentCursor: number | undefined,
): { operations: Operation[]; cursor: number | undefined } {
  const { lastPage } = platform.settings;
  const { operations, more } = project.operations.page(limit, beforeMicros);
  const last = operations.at(-1)?.createdMicros;
  if (lastPage === "absent-pagination") return { operations, cursor: more ? last : undefined };
  if (last === undefined && sentCursor !== undefined) {
    if (lastPage === "empty-page") return { operations, cursor: sentCursor - 1 };
    const oldest = project.operations.oldest();
    if (lastPage === "repeated-cursor" && oldest) return { operations: [oldest], cursor: sentCursor };
  }
  return { operations, cursor: last };
}
