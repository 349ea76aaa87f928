import { notFound } from "../lib/errors";
import { toCursor } from "../lib/timestamp";
import { type Operation, toEarlierRecord, toOperationRecord } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { operationQuery } from "../requests/list-query";
import { presentOperation } from "./answer";
import type { AddCall } from "./calls";

/** Adds the calls about operations (specification, sections 4.1 and 4.2). */
export function operationRoutes(call: AddCall, platform: Platform): void {
  const allPath = "/projects/:project_id/operations";

  call("operations.list", `GET ${allPath}`, ({ project, listAt, query }) => {
    const { limit = platform.settings.defaultPageSize, cursor } = query(operationQuery);
    // A lagging list starts with the newest operation that it knows.
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

  call("operations.get", `GET ${allPath}/:operation_id`, ({ project, params: { operation_id = "" } }) => {
    const operation = project.operations.get(operation_id);
    if (!operation) throw notFound("operation", operation_id);
    return { operation: presentOperation(platform, toOperationRecord(operation)) };
  });
}

// Specification, section 4.1 leaves the end of the list open; the setting `lastPage` has each variant that clients
// meet.
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
