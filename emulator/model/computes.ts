/** The interface to real computes, which an emulator without Postgres lacks. An operation lasts until its work ends. */

import type { Endpoint } from "./endpoint";
import type { Project } from "./project";

/** An operation's work on a real compute. */
export interface OperationWork {
  /** An action such as `start_compute`; other actions need no work. */
  readonly action: string;
  readonly project: Project;
  readonly branchId: string;
  /** The endpoint with its last record; the project may have lost it. */
  readonly endpoint: Endpoint | undefined;
}

/** A client's connection. */
export interface Session {
  readonly user: string;
  readonly database: string;
  readonly application: string;
  /** The client's address and port. */
  readonly client: string;
  /** True if it used the pooled host name. */
  readonly pooled: boolean;
  /** Start of the connection, in milliseconds on the emulator's clock. */
  readonly since: number;
  /** `waiting` for the compute, else Postgres's word: `active`, `idle`, `idle in transaction`. */
  readonly state: string;
}

/** Connection strings of an endpoint, whose host name does not resolve. */
export interface ConnectionStrings {
  /** For psql and other clients of libpq: the host name and the shared port. */
  libpq: string;
  /** For clients that pass on `options`: the shared port. */
  url: string;
  /** For clients with neither: the endpoint's own port. */
  portUrl: string;
  /** Configuration of npm `pg`, with the host name. */
  pg: {
    host: string;
    port: number;
    user: string;
    database: string;
    password?: string;
    ssl: { servername: string; rejectUnauthorized: false };
  };
}

/** Real computes. */
export interface Computes {
  /** The password of every project's role. */
  readonly password: string;
  /** Does an operation's work. Rejects with the reason of a failure. */
  run(work: OperationWork): Promise<void>;
  /** True while clients keep the compute busy: a query runs, or a transaction is open. */
  isBusy(endpoint: Endpoint): boolean;
  /** The connections of an endpoint, oldest first, as copies. */
  sessions(endpoint: Endpoint): Session[];
  /** Closes the oldest connections of an endpoint, by default all. */
  disconnect(endpoint: Endpoint, count?: number): void;
  /** The connection strings of an endpoint. */
  connectionStrings(endpoint: Endpoint): ConnectionStrings;
  /** Applies changes made without an operation. Required before an id is used again, whose old data it deletes. */
  reconcile(): void;
  /** Drops everything and ends all servers. */
  reset(): void;
}
