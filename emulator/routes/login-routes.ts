/**
 * Login data in answers (specification, section 4, published): role, database and address. Without Postgres servers
 * nothing listens there.
 */

import { z } from "zod";
import { ApiError, notFound } from "../lib/errors";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import type { AddCall, Asked } from "./calls";

/** The password in answers where no Postgres server needs one. */
const NOBODY_ASKS = "emulated-password";

const uriQuery = z.object({
  branch_id: z.string().optional(),
  endpoint_id: z.string().optional(),
  database_name: z.string().min(1),
  role_name: z.string().min(1),
  // In any case: Python clients send `True`.
  pooled: z.stringbool({ truthy: ["true"], falsy: ["false"] }).optional(),
});

/** Adds the calls about roles, databases and connection strings, all read-only. */
export function loginRoutes(call: AddCall, platform: Platform): void {
  const branchPath = "/projects/:project_id/branches/:branch_id";
  const rolePath = `${branchPath}/roles/:role_name`;

  const roleOf = ({ project, branch, params: { role_name = "" } }: Asked) => {
    const [role] = logins(platform, project, branch.id).roles;
    if (role?.name !== role_name) throw notFound("role", role_name);
    return role;
  };

  call("roles.list", `GET ${branchPath}/roles`, ({ project, branch }) => {
    return { roles: logins(platform, project, branch.id).roles };
  });
  call("roles.get", `GET ${rolePath}`, (asked) => ({ role: roleOf(asked) }));

  call("roles.reveal_password", `GET ${rolePath}/reveal_password`, (asked) => {
    roleOf(asked);
    const { id, store_passwords } = asked.project.record;
    if (!store_passwords) throw new ApiError(412, "", `project ${id} does not store passwords`);
    return { password: passwordOf(platform) };
  });

  const databasesOf = ({ project, branch }: Asked) => logins(platform, project, branch.id).databases;
  call("databases.list", `GET ${branchPath}/databases`, (asked) => ({ databases: databasesOf(asked) }));
  call("databases.get", `GET ${branchPath}/databases/:database_name`, (asked) => {
    const { database_name = "" } = asked.params;
    const database = databasesOf(asked).find(({ name }) => name === database_name);
    if (!database) throw notFound("database", database_name);
    return { database };
  });

  call("connection_uri.get", "GET /projects/:project_id/connection_uri", ({ project, query }) => {
    const wanted = query(uriQuery);
    const branchId = wanted.branch_id ?? project.primaryBranch()?.id ?? "";
    const endpoint = wanted.endpoint_id
      ? platform.endpoint(project, wanted.endpoint_id)
      : project.endpointsOn(platform.branch(project, branchId).id).find(({ record }) => record.type === "read_write");
    if (!endpoint) throw notFound("endpoint of branch", branchId);

    const url = new URL(urlOf(platform, project, endpoint));
    // Only one role has the password.
    if (wanted.role_name !== project.login.role) url.password = "";
    url.username = wanted.role_name;
    url.pathname = `/${encodeURIComponent(wanted.database_name)}`;
    const { id } = endpoint.record;
    return { uri: wanted.pooled ? url.href.replace(id, `${id}-pooler`) : url.href };
  });
}

/** A branch's roles and databases for clients; `revealed` adds the password. */
export function logins(platform: Platform, project: Project, branchId: string, revealed = false) {
  const { role, database } = project.login;
  const { id: branch_id, created_at } = platform.branch(project, branchId);
  const born = { branch_id, created_at, updated_at: created_at };
  return {
    roles: [{ ...born, name: role, protected: false, ...(revealed && { password: passwordOf(platform) }) }],
    databases: [{ ...born, id: 1, name: database, owner_name: role }],
  };
}

/** Connection strings of new endpoints, for the answer to their create. */
export function connectionUris(platform: Platform, project: Project, endpoints: readonly Endpoint[]): object[] {
  const { role, database } = project.login;
  return endpoints.map((endpoint) => {
    const { id, host } = endpoint.record;
    const connection_uri = urlOf(platform, project, endpoint);
    const password = decodeURIComponent(new URL(connection_uri).password);
    const pooler_host = host.replace(id, `${id}-pooler`);
    return { connection_uri, connection_parameters: { database, password, role, host, pooler_host } };
  });
}

function passwordOf({ computes }: Platform): string {
  return computes?.password ?? NOBODY_ASKS;
}

function urlOf({ computes }: Platform, { login }: Project, endpoint: Endpoint): string {
  if (computes) return computes.connectionStrings(endpoint).url;
  const [role, database] = [login.role, login.database].map(encodeURIComponent);
  return `postgresql://${role}:${NOBODY_ASKS}@${endpoint.record.host}/${database}?sslmode=require`;
}
