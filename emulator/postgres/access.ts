/** What clients of the Postgres servers need to know; an endpoint's own strings are `admin.connectionStrings(id)`. */
export interface PostgresAccess {
  /** The port on 127.0.0.1 that all endpoints are reached by. */
  readonly port: number;
  readonly role: string;
  readonly database: string;
  /** Asked for where an endpoint's passwordless access is off. */
  readonly password: string;
  /** The certificate of that port, as PEM. */
  readonly certificate: string;
}
