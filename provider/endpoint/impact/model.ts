/** What is known of a change, and what comes of it. */

import type { Profile } from "../../platform/profiles/profile";
import type { Differences } from "../differences";
import type { CheckedInputs } from "../parse-inputs";
import type { EndpointProperty } from "../properties";
import type { EndpointState } from "../state";

/**
 * What can happen to an endpoint. A release lets go of an endpoint that `adoptExisting` took over: it leaves the
 * program's care and keeps running.
 */
export type ChangeKind = "create" | "update" | "replace" | "delete" | "release";

/** A change to look at. */
export interface PlannedChange {
  kind: ChangeKind;
  /** The endpoint as it is; empty where there is none. */
  state?: EndpointState;
  /** What a new endpoint is given, by a create or a replacement. */
  inputs?: Partial<CheckedInputs>;
  /** What differs, by the one comparison; nothing where it is left out. */
  found?: Differences;
  /** The old endpoint is deleted before its replacement is created; default false. */
  deleteBeforeReplace?: boolean;
  /** The platform that it is planned for; where nobody knows that, figures that depend on it are left out. */
  profile?: Profile | undefined;
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
 * What a planned change does to a running endpoint (specification, sections 2.4, 3.2 and 3.3). The booleans are true only
 * where that is certain; `undecided` names what could still make them true. The figures are there whether they change or not.
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
  /** The downtime has no end in this change: the endpoint is disabled afterwards. */
  staysDown?: true;
  /** It is sent only while the platform shows the endpoint idle, so that it cuts nothing that is open at that moment. */
  waitsForIdle?: true;
  /** The branches of a move in place. */
  move?: { from: string; to: string };
  /** Connections that Postgres takes, and what of an autoscaling size sets them. */
  maxConnections?: BeforeAfter<number>;
  connectionsSetBy?: string;
  memoryGb?: BeforeAfter<Range>;
  sizeCu?: BeforeAfter<Range>;
  /** Seconds; 0 is the platform's default, -1 is never, as of a size that the platform keeps active. */
  suspendTimeoutSeconds?: BeforeAfter<number>;
  /** Properties whose values are not known yet and could still bring a restart, a suspend or a replacement. */
  undecided?: readonly EndpointProperty[];
  /** Changed properties for which the specification does not say whether the endpoint restarts. */
  restartNotStated?: readonly EndpointProperty[];
  /** What a reader should know besides. Every doubt about the rest is among them; values of `pgSettings` are not. */
  notes: string[];
}
