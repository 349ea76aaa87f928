import { cleanText } from "../lib/text";
import { formatSize, listed, plain, quoted, shellQuoted, shellWord } from "../lib/wording";

/** The read-write endpoint that a branch already has. Sizes in compute units; `state` as the platform writes it. */
export interface Occupant {
  endpointId: string;
  /** Absent where the platform does not tell. */
  minCu?: number | undefined;
  maxCu?: number | undefined;
  state?: string;
  /** The free-text name, which tells for which resource Pulumi has created it. */
  name?: string;
}

/** Who is in the way, for whom, and what the host can do about it. */
export interface OccupiedArgs {
  projectId: string;
  branchId: string;
  occupant: Occupant;
  /** The dynamic host cannot import. */
  host: "plugin" | "dynamic";
  /** Name of the resource in the program; taken from `urn` when absent. */
  resourceName?: string;
  urn?: string;
  /** The occupant may be this resource itself, under `--replace` or a taint, which a check cannot tell apart. */
  forcedReplacementPossible: boolean;
  /** The occupant bears the mark of an earlier run of this very resource. */
  markedAsOwn?: boolean;
  /** Where this resource's own endpoint stood and no longer does: it may be the occupant, moved by an interrupted run. */
  leftBranchId?: string;
}

/** A read-write endpoint that wants to move onto a branch where only replicas are. */
export interface MoveRefusedArgs {
  /** The branch to move to. */
  branchId: string;
  /** The read-only endpoints on it. */
  replicaIds?: readonly string[];
  /** The endpoint that was to move, and the branch it is on. */
  endpointId?: string;
  fromBranchId?: string;
}

const RESOURCE_TOKEN = "pgcompute:index:Endpoint";

/**
 * Why a read-write endpoint cannot be created on a branch that has one (section 1, rules 1 and 3), for `branchId`:
 * names the occupant, its size and state, and each way on that the host has.
 */
export function occupiedMessage(args: OccupiedArgs): string {
  if (args.markedAsOwn) return describeOwn(args);
  const ways = [
    ...movedWay(args),
    "to take it over as it is in this program, set `adoptExisting: true`",
    ...importWay(args),
    'to add a read replica beside it, set `type: "read_only"` (paid plan)',
    "if this resource was only renamed, keep its endpoint with the resource option " +
      '`aliases: [{ name: "OLD-NAME" }]`',
    ...forcedReplacementWay(args),
  ];
  return (
    `branch ${plain(args.branchId)} already has a read-write endpoint, ${namedOccupantText(args.occupant)}, ` +
    `and a branch has at most one. Ways on:${bullets(ways)}`
  );
}

/** Why the second read-write endpoint that one program declares on a branch fails (section 1, rule 1); names the first. */
export function declaredTwiceMessage(args: { branchId: string; firstUrn?: string; firstName?: string }): string {
  const name = args.firstName ?? nameOf(args.firstUrn);
  const first = name === undefined ? "another resource" : `the resource "${plain(name)}"`;
  const urn = args.firstUrn === undefined ? "" : ` (${cleanText(args.firstUrn)})`;
  return (
    `${first}${urn} of this program already declares the read-write endpoint of branch ${plain(args.branchId)}, ` +
    "and a branch has at most one. Ways on:" +
    bullets([
      "remove one of the two",
      "give this one another branch",
      'make this one a read replica with `type: "read_only"` (paid plan)',
      "if the first leaves the branch in this same update, let this one wait for it with `dependsOn`",
    ])
  );
}

/**
 * Why a replica is not created while the branch has some that earlier runs created for the same resource, newest first:
 * whether a state has one of them cannot be seen from where the question arises. Names them, and what to say to go on.
 */
export function orphanedReplicasMessage(branchId: string, replicas: readonly Occupant[]): string {
  const [who, runs] =
    replicas.length === 1 ? ["the read replica", "an earlier run"] : ["read replicas", "earlier runs"];
  return (
    `branch ${plain(branchId)} already has ${who} ${listed(replicas.map(occupantText))}, which ${runs} created for this ` +
    `very resource. Ways on:${bullets([
      takeUpWay(replicas.length === 1 ? "it" : "the newest"),
      "if a state has it, and it is to be replaced by force (--replace, or tainted), or to leave it as it is: create one " +
        "beside it, run the same command with PGCOMPUTE_ADOPT_INTERRUPTED=0",
    ])}`
  );
}

/**
 * Why a read-write endpoint does not move onto a branch that has only replicas: sections 3.2 and 4.5 move one only to a
 * branch without any endpoint, while section 1 lets a new one be created there.
 */
export function moveRefusedMessage(args: MoveRefusedArgs): string {
  const branch = plain(args.branchId);
  const mover = args.endpointId === undefined ? "this endpoint" : `endpoint ${plain(args.endpointId)}`;
  const origin = args.fromBranchId === undefined ? "" : ` from branch ${plain(args.fromBranchId)}`;
  const ids = (args.replicaIds ?? []).map(plain);
  const replicas = ids.length === 0 ? "read-only endpoints" : `the read-only ${noun(ids)} ${listed(ids)}`;
  return (
    `${mover} cannot move${origin} to branch ${branch}: that branch has ${replicas}, ` +
    "and an endpoint moves in place only to a branch without any. Ways on:" +
    bullets([
      `to keep this endpoint and its host name, first delete ${ids.length === 1 ? "that replica" : "those replicas"}, ` +
        "or move to a branch without endpoints",
      `to keep the replicas, declare a new read-write endpoint on ${branch} under another name and remove this one; ` +
        "the host name changes",
    ])
  );
}

// To offer adoption or import here would make people decide what the mark has already decided. Whether the state has
// the endpoint is all that is open: a check under `--replace` is not shown that it does.
function describeOwn(args: OccupiedArgs): string {
  const ways = [takeUpWay("it"), ...forcedReplacementWay(args)];
  return (
    `branch ${plain(args.branchId)} already has a read-write endpoint, ${occupantText(args.occupant)}, ` +
    `which an earlier run created for this very resource. Ways on:${bullets(ways)}`
  );
}

function takeUpWay(which: string): string {
  return (
    `if no state has it, because that run was interrupted or the option retainOnDelete kept it, take ${which} up again, ` +
    "run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up"
  );
}

function movedWay({ leftBranchId }: OccupiedArgs): string[] {
  if (leftBranchId === undefined) return [];
  return [
    `if it is this resource's own endpoint, which is no longer on branch ${plain(leftBranchId)}, moved here by somebody ` +
      "or by an interrupted run, record that first, run: pulumi refresh",
  ];
}

function importWay({ host, projectId, occupant, resourceName, urn }: OccupiedArgs): string[] {
  if (host !== "plugin") return [];
  const name = shellWord(resourceName ?? nameOf(urn) ?? "NAME");
  const id = shellWord(`${projectId}/${occupant.endpointId}`);
  return [`to bring it under management, run: pulumi import ${RESOURCE_TOKEN} ${name} ${id}`];
}

function forcedReplacementWay({ forcedReplacementPossible, urn }: OccupiedArgs): string[] {
  if (!forcedReplacementPossible) return [];
  // A URN has `::` and may have `$` and spaces: it is always quoted, so that people can copy the line as it is.
  const target = urn === undefined ? "URN" : shellQuoted(urn);
  const where = urn === undefined ? " (`pulumi stack --show-urns` lists the URN)" : "";
  return [
    "if it is this resource's own endpoint, to be replaced by force (--replace, or tainted), " +
      `run: pulumi destroy --target ${target}, then: pulumi up${where}`,
  ];
}

function namedOccupantText(occupant: Occupant): string {
  const { name = "" } = occupant;
  return name === "" ? occupantText(occupant) : `${occupantText(occupant)} by the name of ${quoted(name)}`;
}

function occupantText({ endpointId, minCu, maxCu, state }: Occupant): string {
  const facts = minCu === undefined || maxCu === undefined ? [] : [formatSize(minCu, maxCu)];
  if (state !== undefined && state !== "") facts.push(plain(state));
  return `${plain(endpointId)} (${facts.join(", ")})`;
}

// urn:pulumi:STACK::PROJECT::TYPE::NAME, where the name may itself hold `::`.
function nameOf(urn: string | undefined): string | undefined {
  const name = urn?.split("::").slice(3).join("::");
  return name === "" ? undefined : name;
}

function noun(ids: readonly string[]): string {
  return ids.length === 1 ? "endpoint" : "endpoints";
}

function bullets(ways: readonly string[]): string {
  return ways.map((way) => `\n  - ${way}`).join("");
}
