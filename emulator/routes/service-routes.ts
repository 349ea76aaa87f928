/**
 * Branch services of today's public platform that the emulator lacks and the platform's command line queries (`status`,
 * `checkout`, `env pull`). Lists are empty, single services are not found.
 */

import { z } from "zod";
import { ApiError } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import type { Platform } from "../model/platform";
import { type BodyContext, object } from "../requests/body";
import type { AddCall } from "./calls";

/** The lists, by their path's last part. */
const lists = ["buckets", "functions", "credentials"];

/** Services that a branch has once at most, by path. */
const single = { auth: "auth", dataApi: "data-api/:database_name" };

const credentialBody = (context: BodyContext) =>
  object(context, {
    name: z.string().max(256).optional(),
    scopes: z.array(z.enum(["storage:read", "storage:write", "ai_gateway:invoke", "functions:invoke"])).min(1),
    principal_type: z.enum(["user"]),
  });

/** Adds the calls about a branch's services besides databases (specification, section 4, published). */
export function serviceRoutes(call: AddCall, platform: Platform): void {
  const branchPath = "/projects/:project_id/branches/:branch_id";
  for (const list of lists) {
    call(`${list}.list`, `GET ${branchPath}/${list}`, ({ branch: _exists }) => ({ [list]: [] }));
  }

  // It is not stored and gives access to nothing.
  call("credentials.create", `POST ${branchPath}/credentials`, ({ branch, body, reply }) => {
    const { name, scopes } = body(credentialBody);
    const token_id = platform.random.uuid();
    reply.code(201);

    return {
      token_id,
      token_id_short: token_id.slice(0, 8),
      ...(name !== undefined && { name }),
      api_token: `emulated-${platform.random.uuid()}`,
      s3_secret_access_key: `emulated-${platform.random.uuid()}`,
      scopes,
      branch_id: branch.id,
      created_at: toTimestamp(platform.now()),
    };
  });

  for (const [name, path] of Object.entries(single)) {
    call(`${name}.get`, `GET ${branchPath}/${path}`, ({ branch }) => {
      throw new ApiError(404, "", `branch ${branch.id} has no ${path.split("/", 1)[0]}`);
    });
  }
}
