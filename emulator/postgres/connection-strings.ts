import type { ConnectionStrings } from "../model/computes";
import type { EndpointRecord } from "../model/endpoint";
import { CLIENT_ROLE, DATABASE } from "./server-config";

/**
 * How clients reach an endpoint. Nothing resolves its host name: libpq is told the address beside it, other clients go to
 * the address and name the endpoint, by TLS or in `options`. `ports` are the door's and the endpoint's own.
 */
export function connectionStrings(
  record: EndpointRecord,
  ports: { door: number; own: number },
  clientPassword: string,
): ConnectionStrings {
  const password = record.passwordless_access ? undefined : clientPassword;
  const who = password === undefined ? CLIENT_ROLE : `${CLIENT_ROLE}:${password}`;
  const secret = password === undefined ? "" : ` password=${password}`;
  return {
    libpq: `host=${record.host} hostaddr=127.0.0.1 port=${ports.door} user=${CLIENT_ROLE}${secret} dbname=${DATABASE} sslmode=require`,
    url: `postgresql://${who}@127.0.0.1:${ports.door}/${DATABASE}?options=endpoint%3D${record.id}`,
    portUrl: `postgresql://${who}@127.0.0.1:${ports.own}/${DATABASE}`,
    pg: {
      host: "127.0.0.1",
      port: ports.door,
      user: CLIENT_ROLE,
      database: DATABASE,
      ...(password !== undefined && { password }),
      ssl: { servername: record.host, rejectUnauthorized: false },
    },
  };
}
