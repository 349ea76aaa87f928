/** Every text with a command of Pulumi in it: refusals and errors say what is wrong as data, this file says it to people. */
import { formatId } from "../endpoint/identity";
import { cleanText } from "../lib/text";
import { nameOfUrn } from "../lib/urn";
import { formatSize, plain, quoted, shellQuoted, shellWord } from "../lib/wording";
import type { PgComputeError, Remedy } from "../platform/errors";
import type { EndpointRecord } from "../platform/records";
import { importCommand } from "./import-command";
import { maybeCreatedAdvice } from "./lost-create-advice";
import type { Refusal } from "./run/refusal";

/** Who reads, and what they can do: the dynamic host cannot import. */
export interface Reader {
  host: "plugin" | "dynamic";
  urn?: string | undefined;
}

/** Who is in the way, for whom, and what the host can do about it. */
export interface OccupiedArgs extends Reader {
  occupant: EndpointRecord;
  /** The occupant may be this resource itself, under `--replace` or a taint, which a check cannot tell apart. */
  forcedReplacementPossible: boolean;
  /** True for a resource that is new: only such a one may take over what is there. */
  mayAdopt: boolean;
  /** The resource that has it, or that it was created for: by its URN, or else by the name that people gave it. */
  other?: { urn?: string; name?: string } | undefined;
  /** Where this resource's own endpoint stood and no longer does: it may be the occupant, moved by an interrupted run. */
  leftBranchId?: string | undefined;
}

/** The sentence of a refusal, with every way on that the reader has. */
export function refusalMessage(refusal: Refusal, reader: Reader): string {
  switch (refusal.kind) {
    case "order":
      return orderMessage(refusal, reader);
    case "declared_twice":
      return declaredTwiceMessage(refusal);
    case "two_owners":
      return twoOwnersMessage(refusal);
    case "leaves_late":
      return (
        `branch ${plain(refusal.branchId)} still has read-write endpoint ${formatOccupant(refusal.occupant)} of ` +
        `${formatResource(refusal.other)}, which this program gives up only at the end of the run; change that resource ` +
        "first and this one in a second run"
      );
    case "own_occupied":
      return ownOccupiedMessage(refusal.occupant, refusal.isNew, reader);
    case "occupied":
      return occupiedMessage({
        ...refusal,
        ...reader,
        forcedReplacementPossible: refusal.isNew,
        mayAdopt: refusal.isNew,
      });
  }
}

/**
 * Why a read-write endpoint cannot be created on a branch that has one (specification, section 1, rules 1 and 3): names the
 * occupant, its size and state, and each way on that the host has.
 */
export function occupiedMessage(args: OccupiedArgs): string {
  const advice = args.other ? adviceWithOwner(args, args.other) : adviceWithoutOwner(args);
  return (
    `branch ${plain(args.occupant.branchId)} already has a read-write endpoint, ${formatNamedOccupant(args)}, ` +
    `and a branch has at most one. Ways on:${bullets(advice)}`
  );
}

/** Why the second read-write endpoint that one program declares on a branch fails (specification, section 1, rule 1). */
export function declaredTwiceMessage({ branchId, first }: { branchId: string; first: string }): string {
  return (
    `the resource ${formatResource(first)} of this program already declares the read-write endpoint of branch ` +
    `${plain(branchId)}, and a branch has at most one. Ways on:` +
    bullets([
      "remove one of the two",
      "give this one another branch",
      'make this one a read replica with `type: "read_only"` (paid plan)',
    ])
  );
}

/** What a replica that an earlier run left is, and the command that removes it. */
export function orphanMessage(record: EndpointRecord): string {
  const id = formatId({ projectId: record.projectId, endpointId: record.id });
  return (
    `endpoint ${id} on branch ${record.branchId} was created for this resource by an earlier run, and no resource of this run ` +
    `has it; unless a state has it, as in a forced replacement, delete it, run: pgcompute endpoints delete ${id}`
  );
}

/** What an import of an endpoint means that was created for another resource. */
export function importedOwnerMessage(id: string, { urn, name }: { urn?: string; name: string }): string {
  const owner = urn === undefined ? `a resource by the name of ${quoted(name)}` : formatResource(urn);
  return (
    `endpoint ${id} was created for ${owner}; if a state still has it there, two resources would have one endpoint, and ` +
    `removing one would delete what the other has: take it out of that state, run: pulumi state delete ${formatUrnArgument(urn)}`
  );
}

/** Adds to an error what to do next, where that takes a command of Pulumi. */
export function adviseError(error: PgComputeError, reader: Reader): void {
  const advice = error.remedy && remedyAdvice(error.remedy, reader);
  if (advice !== undefined) error.advise(advice);
}

function remedyAdvice(remedy: Remedy, reader: Reader): string {
  const { urn } = reader;
  switch (remedy.kind) {
    case "gone":
      return "Run `pulumi refresh`, then `pulumi up` creates it again";
    case "unknownProject":
      return (
        "Check the key (pgcompute:apiKey or PGCOMPUTE_API_KEY) and the base address (pgcompute:baseUrl or " +
        "PGCOMPUTE_BASE_URL). If the project was deleted with all that was in it, run: " +
        `pulumi state delete ${formatUrnArgument(urn)}`
      );
    case "rootBranch":
      return (
        "Set the resource option `retainOnDelete: true` and run `pulumi up` first, or take it out of the stack with " +
        `\`pulumi state delete ${formatUrnArgument(urn)}\``
      );
    case "not_applied":
      return remedy.properties.includes("branchId")
        ? "Run `pulumi config set pgcompute:moves replace`: another branch then means another endpoint."
        : `Take ${remedy.properties.join(" and ")} out of the program: this platform does not do it.`;
    case "maybeCreated":
      return maybeCreatedAdvice(remedy, reader);
  }
}

function orderMessage({ branchId, first, second }: Refusal & { kind: "order" }, { urn }: Reader): string {
  const [one, two] = [first, second].map((which) => (which === urn ? "this resource" : formatResource(which)));
  return (
    `what becomes of ${one} and ${two} on branch ${plain(branchId)} depends on which of them is changed first, and nothing in the ` +
    `program says so. Let ${quoted(nameOfUrn(second))} wait for ${quoted(nameOfUrn(first))}: add ` +
    `\`dependsOn: [${plain(nameOfUrn(first))}]\` to the options of ${quoted(nameOfUrn(second))}`
  );
}

function twoOwnersMessage({ branchId, endpointId, urns }: Refusal & { kind: "two_owners" }): string {
  const which = endpointId === undefined ? "the read-write endpoint" : `endpoint ${plain(endpointId)}`;
  return (
    `${urns.map(formatResource).join(" and ")} both have ${which} of branch ${plain(branchId)}, and removing one would ` +
    `delete what the other has. Take one of them out of the state, which deletes nothing, and out of the program:` +
    bullets(urns.map((urn) => `pulumi state delete ${formatUrnArgument(urn)}`))
  );
}

// To offer adoption or import here would make people decide what the name has already decided. Whether the state has the
// endpoint is all that is open: a check under `--replace` is not shown that it does.
function ownOccupiedMessage(occupant: EndpointRecord, isNew: boolean, { urn }: Reader): string {
  return (
    `branch ${plain(occupant.branchId)} already has a read-write endpoint, ${formatOccupant(occupant)}, ` +
    `which an earlier run created for this very resource. Ways on:${bullets([
      "if no state has it, because that run was interrupted or the option retainOnDelete kept it, take it up again, " +
        "run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up",
      ...forcedReplacementAdvice(isNew, urn),
    ])}`
  );
}

function adviceWithOwner(args: OccupiedArgs, { urn, name }: { urn?: string; name?: string }): string[] {
  const owner = urn === undefined ? `a resource by the name of ${quoted(name ?? "")}` : formatResource(urn);
  const label = plain(urn === undefined ? (name ?? "") : nameOfUrn(urn));
  const id = formatId({ projectId: args.occupant.projectId, endpointId: args.occupant.id });
  return [
    ...movedAdvice(args),
    `it belongs to ${owner}: if that resource leaves the branch in this same update, let this one wait for it with ` +
      `\`dependsOn: [${label}]\``,
    `if ${quoted(label)} was taken out of the program, run pulumi up without this resource first`,
    `if no state has it, because an interrupted run left it, delete it, run: pgcompute endpoints delete ${shellWord(id)}`,
    'to add a read replica beside it, set `type: "read_only"` (paid plan)',
    `if this resource was only renamed, keep its endpoint with the resource option \`aliases: [{ name: "${label}" }]\``,
    ...forcedReplacementAdvice(args.forcedReplacementPossible, args.urn),
  ];
}

function adviceWithoutOwner(args: OccupiedArgs): string[] {
  return [
    ...movedAdvice(args),
    ...(args.mayAdopt ? ["to take it over as it is in this program, set `adoptExisting: true`"] : []),
    ...importAdvice(args),
    "if it belongs to another resource of this program, which leaves the branch in this same update, let this one wait for " +
      "that one with `dependsOn`",
    'to add a read replica beside it, set `type: "read_only"` (paid plan)',
    "if this resource was only renamed, keep its endpoint with the resource option " +
      '`aliases: [{ name: "OLD-NAME" }]`',
    ...forcedReplacementAdvice(args.forcedReplacementPossible, args.urn),
  ];
}

function movedAdvice({ leftBranchId }: OccupiedArgs): string[] {
  if (leftBranchId === undefined) return [];
  return [
    `if it is this resource's own endpoint, which is no longer on branch ${plain(leftBranchId)}, moved here by somebody ` +
      "or by an interrupted run, record that first, run: pulumi refresh",
  ];
}

function importAdvice({ host, occupant, urn }: OccupiedArgs): string[] {
  if (host !== "plugin") return [];
  const id = formatId({ projectId: occupant.projectId, endpointId: occupant.id });
  return [`to bring it under management, run: ${importCommand(urn, id)}`];
}

function forcedReplacementAdvice(isPossible: boolean, urn: string | undefined): string[] {
  if (!isPossible) return [];
  const where = urn === undefined ? " (`pulumi stack --show-urns` lists the URN)" : "";
  return [
    "if it is this resource's own endpoint, to be replaced by force (--replace, or tainted), " +
      `run: pulumi destroy --target ${formatUrnArgument(urn)}, then: pulumi up${where}`,
  ];
}

function formatNamedOccupant({ occupant, other }: OccupiedArgs): string {
  const { name = "" } = occupant;
  return name === "" || other ? formatOccupant(occupant) : `${formatOccupant(occupant)} by the name of ${quoted(name)}`;
}

function formatOccupant({ id, autoscalingLimitMinCu, autoscalingLimitMaxCu, currentState }: EndpointRecord): string {
  const [min, max] = [autoscalingLimitMinCu, autoscalingLimitMaxCu];
  const facts = min === undefined || max === undefined ? [] : [formatSize(min, max)];
  if (currentState !== undefined && currentState !== "") facts.push(plain(currentState));
  return `${plain(id)} (${facts.join(", ")})`;
}

function formatResource(urn: string): string {
  return `${quoted(nameOfUrn(urn))} (${cleanText(urn)})`;
}

// A URN has `::` and may have `$` and spaces: it is always quoted, so that people can copy the line as it is.
function formatUrnArgument(urn: string | undefined): string {
  return urn === undefined ? "URN" : shellQuoted(urn);
}

function bullets(all: readonly string[]): string {
  return all.map((one) => `\n  - ${one}`).join("");
}
