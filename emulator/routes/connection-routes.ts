/**
 * Where clients connect to, in answers (specification, section 4, published): only where endpoints are Postgres servers.
 */

import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { notFound } from "../lib/errors";
import type { Computes } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { validate } from "../requests/validate";

const query = z.object({
  branch_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  database_name: z.string().min(1),
  role_name: z.string().min(1),
  pooled: z.enum(["true", "false"]).optional(),
});

/** The call for a connection string. */
export function connectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { computes } = platform;
  if (!computes) return;
  app.get<{ Params: { project_id: string } }>(
    "/projects/:project_id/connection_uri",
    { config: { name: "connection_uri.get" } },
    (request) => {
      const project = platform.project(request.params.project_id);
      const wanted = validate(query, request.query, "query");
      const branchId = wanted.branch_id ?? project.primaryBranch()?.id ?? "";
      const endpoint = wanted.endpoint_id
        ? platform.endpoint(project, wanted.endpoint_id)
        : project.endpointsOn(platform.branch(project, branchId).id).find(({ record }) => record.type === "read_write");
      if (!endpoint) throw notFound("endpoint of branch", branchId);
      const url = new URL(computes.connectionStrings(endpoint).url);
      // The password is one role's only.
      if (url.username !== wanted.role_name) url.password = "";
      url.username = wanted.role_name;
      url.pathname = `/${encodeURIComponent(wanted.database_name)}`;
      const { id } = endpoint.record;
      return { uri: wanted.pooled === "true" ? url.href.replace(id, `${id}-pooler`) : url.href };
    },
  );
}

/** Where to connect to new endpoints, as the answer to what created them has it; nothing without Postgres servers. */
export function connectionUris(computes: Computes | undefined, endpoints: readonly Endpoint[]): object[] {
  if (!computes) return [];
  return endpoints.map((endpoint) => {
    const { id, host } = endpoint.record;
    const { url, pg } = computes.connectionStrings(endpoint);
    return {
      connection_uri: url,
      connection_parameters: {
        database: pg.database,
        password: pg.password ?? "",
        role: pg.user,
        host,
        pooler_host: host.replace(id, `${id}-pooler`),
      },
    };
  });
}
