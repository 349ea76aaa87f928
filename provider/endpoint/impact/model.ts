/**
 * What can happen to an endpoint. A release lets go of an endpoint that `adoptExisting` took over: it leaves the
 * program's care and keeps running.
 */
export type ChangeKind = "create" | "update" | "replace" | "delete" | "release";

/** One side of a change: what matters for its impact. An absent property is one that the program leaves alone. */
export interface ImpactSide {
  type?: string;
  projectId?: string;
  branchId?: string;
  /** Compute units; equal to `maxCu` for a fixed size. */
  minCu?: number;
  maxCu?: number;
  /** Seconds; 0 is the platform's default, -1 is never. */
  suspendTimeoutSeconds?: number;
  disabled?: boolean;
  restartTrigger?: string;
  poolerEnabled?: boolean;
  poolerMode?: string;
  pgSettings?: Record<string, string>;
  passwordlessAccess?: boolean;
  host?: string;
}

/** A change to look at. */
export interface ImpactChange {
  kind: ChangeKind;
  /** The endpoint as it is. */
  before?: ImpactSide;
  /** The endpoint as the program wants it. */
  after?: ImpactSide;
  /**
   * Names of the changed input properties, or paths into them (`pgSettings.work_mem`). They tell a property that the
   * program stops setting from one that it never set. Without them, an absent property stays as it is.
   */
  changed?: readonly string[];
  /** Names of, or paths into, the input properties whose new values are not known yet. */
  unknown?: readonly string[];
  /** The old endpoint is deleted before its replacement is created; default false. */
  deleteBeforeReplace?: boolean;
}

/** A range of sizes in compute units, or of RAM in GB; a fixed size has both ends equal. */
export interface Range {
  min: number;
  max: number;
}

/** A value before and after a change; a side is absent where there is none or it is not known. */
export interface BeforeAfter<T> {
  before?: T;
  after?: T;
}

/**
 * What a planned change does to a running endpoint (sections 2.4, 3.2 and 3.3). The booleans are true only where that
 * is certain; `undecided` names what could still make them true. The figures are there whether they change or not.
 */
export interface Impact {
  kind: ChangeKind;
  /** The endpoint restarts where it is. */
  restarts: boolean;
  /** Open connections are cut, by a restart, a suspend or a deletion. */
  dropsConnections: boolean;
  /** Clients need another host name, because the endpoint's id is part of it. */
  hostChanges: boolean;
  /** Nobody can connect for a while, or from now on. The short gap of a restart is not counted. */
  downtime: boolean;
  /** The branches of a move in place. */
  move?: { from: string; to: string };
  /** Connections that Postgres takes; set by the minimum size. */
  maxConnections?: BeforeAfter<number>;
  memoryGb?: BeforeAfter<Range>;
  sizeCu?: BeforeAfter<Range>;
  /** Seconds; 0 is the platform's default, -1 is never. */
  suspendTimeoutSeconds?: BeforeAfter<number>;
  /** Properties whose values are not known yet and could still bring a restart, a suspend or a replacement. */
  undecided?: readonly string[];
  /** Changed properties for which the specification does not say whether the endpoint restarts. */
  restartNotStated?: readonly string[];
  /** What a reader should know besides. Every doubt about the rest is among them; values of `pgSettings` are not. */
  notes: string[];
}
