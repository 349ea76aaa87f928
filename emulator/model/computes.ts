/**
 * The interface to real computes, which the emulator without Postgres does not have. An operation hands its work over
 * and ends when the work is done. Connections are those of real clients.
 */

import type { Endpoint } from "./endpoint";
import type { Project } from "./project";

/** The work of an operation on a real compute. */
export interface OperationWork {
  /** One of the actions, such as `start_compute`; work of any other is nothing to do. */
  readonly action: string;
  readonly project: Project;
  readonly branchId: string;
  /** The endpoint may be gone from the project by now: its record is as it was last. */
  readonly endpoint: Endpoint | undefined;
}

/** A client's connection. */
export interface Session {
  readonly user: string;
  readonly database: string;
  readonly application: string;
  /** Address and port that it comes from. */
  readonly client: string;
  /** Whether it came by the pooled host name. */
  readonly pooled: boolean;
  /** When it came, in milliseconds on the emulator's clock. */
  readonly since: number;
  /** `waiting` for the compute, else as Postgres says: `active`, `idle`, `idle in transaction`. */
  readonly state: string;
}

/** Connection strings of an endpoint, whose host name does not resolve. */
export interface ConnectionStrings {
  /** For psql and everything else that is made of libpq: by the host name, at the door's port. */
  libpq: string;
  /** By the door's port, for whatever passes `options` on. */
  url: string;
  /** By the endpoint's own port, for clients that can do neither. */
  portUrl: string;
  /** Configuration of npm `pg`, by the host name. */
  pg: {
    host: string;
    port: number;
    user: string;
    database: string;
    password?: string;
    ssl: { servername: string; rejectUnauthorized: false };
  };
}

/** Computes that are more than records. */
export interface Computes {
  /** That of every project's role. */
  readonly password: string;
  /** Does the work of an operation that has begun to run. Rejects with the reason where that cannot be done. */
  run(work: OperationWork): Promise<void>;
  /** Whether clients keep the compute from being idle: a query runs, or a transaction is open. */
  isBusy(endpoint: Endpoint): boolean;
  /** The connections of an endpoint, oldest first, as copies. */
  sessions(endpoint: Endpoint): Session[];
  /** Closes the oldest connections of an endpoint, by default all. */
  disconnect(endpoint: Endpoint, count?: number): void;
  /** The connection strings of an endpoint. */
  connectionStrings(endpoint: Endpoint): ConnectionStrings;
  /** Takes account of what happened without an operation. Whoever gives an id again calls it first: its data are gone then. */
  reconcile(): void;
  /** Forgets everything; what runs is ended. */
  reset(): void;
}
