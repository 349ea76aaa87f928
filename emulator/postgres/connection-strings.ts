import type { ConnectionStrings } from "../model/computes";
import type { EndpointRecord } from "../model/endpoint";
import type { Login } from "../model/project";

/**
 * Builds an endpoint's connection strings. Its host name does not resolve, so each has the address. `ports`: shared and
 * own.
 */
export function connectionStrings(
  record: EndpointRecord,
  ports: { door: number; own: number },
  { role, database, password: given }: Login & { password: string },
): ConnectionStrings {
  const password = record.passwordless_access ? undefined : given;
  const who = [role, ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(":");
  const path = encodeURIComponent(database);
  const secret = password === undefined ? "" : ` password=${password}`;

  return {
    libpq: `host=${record.host} hostaddr=127.0.0.1 port=${ports.door} user=${quoteForLibpq(role)}${secret} dbname=${quoteForLibpq(database)} sslmode=require`,
    url: `postgresql://${who}@127.0.0.1:${ports.door}/${path}?options=endpoint%3D${record.id}`,
    portUrl: `postgresql://${who}@127.0.0.1:${ports.own}/${path}`,
    pg: {
      host: "127.0.0.1",
      port: ports.door,
      user: role,
      database,
      ...(password !== undefined && { password }),
      ssl: { servername: record.host, rejectUnauthorized: false },
    },
  };
}

/** A value quoted for a libpq connection string. */
export function quoteForLibpq(value: string): string {
  return /^[\w-]+$/.test(value) ? value : `'${value.replace(/[\\']/g, "\\$&")}'`;
}
