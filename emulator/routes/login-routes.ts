/**
 * How clients of the Postgres servers log in, in answers (specification, section 4, published): the role, the database, and where to
 * connect. Without such servers there is none of it.
 */

import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { ApiError, notFound } from "../lib/errors";
import type { Computes } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { validate } from "../requests/validate";

interface RolePath {
  Params: { project_id: string; branch_id: string; role_name: string };
}

interface DatabasePath {
  Params: { project_id: string; branch_id: string; database_name: string };
}

const query = z.object({
  branch_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  database_name: z.string().min(1),
  role_name: z.string().min(1),
  pooled: z.enum(["true", "false"]).optional(),
});

/** The calls about roles, databases and connection strings, all of which only read. */
export function loginRoutes(app: FastifyInstance, platform: Platform): void {
  const { computes } = platform;
  if (!computes) return;
  const branchPath = "/projects/:project_id/branches/:branch_id";

  const roleOf = ({ project_id, branch_id, role_name }: RolePath["Params"]) => {
    const [role] = logins(platform, platform.project(project_id), branch_id).roles;
    if (role?.name !== role_name) throw notFound("role", role_name);
    return role;
  };
  app.get<RolePath>(`${branchPath}/roles`, { config: { name: "roles.list" } }, ({ params }) => {
    return { roles: logins(platform, platform.project(params.project_id), params.branch_id).roles };
  });
  app.get<RolePath>(`${branchPath}/roles/:role_name`, { config: { name: "roles.get" } }, ({ params }) => {
    return { role: roleOf(params) };
  });
  app.get<RolePath>(
    `${branchPath}/roles/:role_name/reveal_password`,
    { config: { name: "roles.reveal_password" } },
    ({ params }) => {
      roleOf(params);
      if (!platform.project(params.project_id).record.store_passwords) {
        throw new ApiError(412, "", `project ${params.project_id} does not store passwords`);
      }
      return { password: computes.password };
    },
  );

  const databasesOf = ({ project_id, branch_id }: DatabasePath["Params"]) =>
    logins(platform, platform.project(project_id), branch_id).databases;
  app.get<DatabasePath>(`${branchPath}/databases`, { config: { name: "databases.list" } }, ({ params }) => {
    return { databases: databasesOf(params) };
  });
  app.get<DatabasePath>(
    `${branchPath}/databases/:database_name`,
    { config: { name: "databases.get" } },
    ({ params }) => {
      const database = databasesOf(params).find(({ name }) => name === params.database_name);
      if (!database) throw notFound("database", params.database_name);
      return { database };
    },
  );

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

/**
 * The roles and databases of a branch: those that clients come with, not what they make with SQL. The answer to a project's creation
 * has the password, too.
 */
export function logins(platform: Platform, project: Project, branchId: string, revealed = false) {
  const { computes } = platform;
  if (!computes) return { roles: [], databases: [] };
  const { role, database } = project.login;
  const { id: branch_id, created_at } = platform.branch(project, branchId);
  const born = { branch_id, created_at, updated_at: created_at };
  return {
    roles: [{ ...born, name: role, protected: false, ...(revealed && { password: computes.password }) }],
    databases: [{ ...born, id: 1, name: database, owner_name: role }],
  };
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
