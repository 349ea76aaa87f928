/** Turns refusals and errors, which are data, into messages with Pulumi commands. */
import type { NeverIdle } from "../../endpoint/diff";
import { idOf } from "../../endpoint/identity";
import { memberIn, nameOfUrn, type Owner, ownerName, shownUrn } from "../../lib/owner";
import { commandLines, sentences as inOneLine, listedFew, plain, quoted } from "../../lib/wording";
import type { ForeignEndpoint, ImportProblem, Refusal } from "../../places/refusal";
import { activeLimitAdvice, isKind, PgComputeError, type Remedy } from "../../platform/errors";
import type { EndpointRecord } from "../../platform/records";
import { isSingleCall } from "../call";
import { deleteCommand, forgetCommand, TAKE_UP_COMMAND, UP_COMMAND, withVariable } from "./commands";
import { maybeCreatedAdvice, type Sentences, sentenceOf, WRONG_ADDRESS_ADVICE } from "./errors";
import {
  bullets,
  formatOccupant,
  formatResource,
  formatUrnArgument,
  importIdAdvice,
  isMember,
  leftMessage,
  notEmptyMessage,
  occupiedMessage,
  primaryMissingMessage,
  type Reader,
  WHO_HAS,
} from "./occupied";

/** The first check when the platform does not know a project. */
const CHECK_ACCESS =
  "Check the key (pgcompute:apiKey or PGCOMPUTE_API_KEY) and the base address (pgcompute:baseUrl or PGCOMPUTE_BASE_URL).";

/** The advice on every failed delete. */
export const PENDING_DELETE = "The delete is pending: it stays in the state, and each later run tries it again.";

const importProblems: Sentences<ImportProblem> = {
  form: ({ importId }) => `${quoted(importId)} is not the id of an endpoint: write PROJECT/ENDPOINT`,
  unknown: ({ importId }) =>
    `there is no endpoint ${quoted(importId)}, or this API key may not see it; to have a new one, take importId out of the ` +
    "program",
  has_another: ({ endpointId }) =>
    `the member has endpoint ${plain(endpointId)} already: take importId out of the program`,
  elsewhere: ({ place: { projectId, branchId, type } }) =>
    `that endpoint is ${plain(type)}, on branch ${plain(branchId)} of project ${plain(projectId)}, and not where the program puts ` +
    "this member: take it over as it is, and change it in a second run",
  taken: ({ by }) =>
    `that endpoint belongs to ${quoted(by)} already, and an endpoint has one owner: take it out of that one first. The member of ` +
    "another fleet may be taken out in a run after one with `retainOnDelete: true`",
};

const sentences: Sentences<Refusal, Reader> = {
  // Specification, section 1, rule 1.
  declared_twice({ branchId, first }, { urn }) {
    const isOfOneFleet = memberIn(first) !== undefined && memberIn(first)?.fleet === memberIn(urn)?.fleet;
    const who = isOfOneFleet ? memberLabel(first) : `the resource ${formatResource(first)} of this program`;
    return (
      `${who} already declares the read-write endpoint of branch ${plain(branchId)}, and a branch has at most one. What you can do:` +
      bullets([
        "remove one of the two",
        "give this one another branch",
        'make this one a read replica with `type: "read_only"` (paid plan)',
      ])
    );
  },

  two_owners({ branchId, id, first, takes }, { urn }) {
    const which = `endpoint ${plain(id)} of branch ${plain(branchId)}`;
    if (takes) {
      return (
        `${formatResource(first)} is to take over ${which}, which this one has, and an endpoint has one owner. What you can do:` +
        bullets([
          `take \`importId\`, \`adoptExisting\` or adoptInterrupted, which asks for it, off ${quoted(ownerName(first))}`,
          `or take this one out of the program and out of the state, which deletes nothing: ${stateDropCommand(urn)}`,
          WHO_HAS,
        ])
      );
    }
    return (
      `${[first, urn].map(formatResource).join(" and ")} both have ${which}, and removing one would delete what the other has. ` +
      "Take the one that the program is no longer to have out of the state, which deletes nothing, and out of the program:" +
      bullets([...[first, urn].map(stateDropCommand), WHO_HAS])
    );
  },

  left_behind: ({ branchId, id, other, isNew }) =>
    `branch ${plain(branchId)} still has the read-write endpoint of ${memberLabel(other)}, and it stays there when that one leaves, since it ` +
    `was taken over or is to be kept (retainOnDelete). What you can do:${bullets([
      "give this one another branch",
      isNew && `or run pulumi up without this one first; then ${importIdAdvice(id)}`,
    ])}`,

  left: leftMessage,

  released({ occupant }) {
    const id = idOf(occupant);
    return (
      `endpoint ${formatOccupant(occupant)} was taken over, so a replacement does not delete it: it stays on branch ` +
      `${plain(occupant.branchId)}, and a branch has at most one read-write endpoint. What you can do:${bullets([
        "to change it in place, take the option that replaces it, such as `replaceOnChanges`, off the resource",
        `to have a new one instead, delete it first, with its host name, run:${commandLines(deleteCommand(id), `${UP_COMMAND} --refresh`)}`,
      ])}`
    );
  },

  in_the_way: (refusal, reader) => occupiedMessage({ ...refusal, ...reader }),

  not_empty: notEmptyMessage,

  primary_missing: primaryMissingMessage,

  moved_there: ({ other, movedFrom }) =>
    `the read-write endpoint of ${memberLabel(other)} is on this branch, moved there from branch ` +
    `${plain(movedFrom)} outside this program or by an interrupted run, and a branch has at most one. Once that is recorded, ` +
    `the next pulumi up moves it back before this member comes. Run:${commandLines("pulumi refresh")}`,

  protected: ({ change, why }) =>
    `it is protected, and this plan would have it ${change}${why ? `: ${why}` : ""}. If that is meant, ` +
    (change === "deleted"
      ? "keep the member, set `protect: false` and run pulumi up; then it can go"
      : "set `protect: false` and run pulumi up again"),

  undeclared: ({ id }) =>
    `it was imported (${plain(id ?? "")}), and the program does not declare it. Declare it under this ` +
    "key, or import only what the program has, under its keys: PROJECT/KEY=ep-1,... (where the fleet is in the state already, run " +
    "pulumi state delete before). To delete it, declare it, run pulumi up until that ends well, then remove it",

  circle: ({ keys }) =>
    `members ${listedFew(keys)} exchange their branches, and none of them can go first. Give one of them a branch without endpoints and run ` +
    "pulumi up, then say again what the program says now",

  never_idle: (refusal) => neverIdleMessage(refusal.id, refusal),

  too_many_away: ({ keys, limit }) =>
    `members ${listedFew(keys)} wait for each other, so that ${keys.length} are away together, and no more than ` +
    `${limit} may be. Set \`rollout.maxUnavailable: ${keys.length}\`, or change them in several runs`,

  too_many({ deleted, replaced, limit, members }) {
    const parts = [
      ...(deleted.length > 0 ? [`deletes ${deleted.length} (${listedFew(deleted)})`] : []),
      ...(replaced.length > 0 ? [`replaces ${replaced.length} (${listedFew(replaced)})`] : []),
    ];
    return (
      `of ${members} members the plan ${parts.join(" and ")}, and no more than ${limit} may go at a time. If that is meant, set ` +
      `\`maxDeletions: ${deleted.length + replaced.length}\``
    );
  },

  imported({ foreign }) {
    const met = foreign.filter((one) => one.met !== undefined);
    const it = foreign.length === 1 ? "it" : "them";
    const again = `run the same command again with PGCOMPUTE_ADOPT_INTERRUPTED=1, as in:${commandLines(TAKE_UP_COMMAND)}`;

    if (met.length === 0) {
      return (
        `${createdFor(foreign)}. A state may still have ${it} there, and of two owners either deletes what the other has. What you can do:` +
        bullets([
          `where a state has ${it}, take ${it} out of it first, which deletes nothing, ${forgetCommands(foreign)}`,
          `once no state has ${it}, ${again}`,
          WHO_HAS,
        ])
      );
    }

    const owners = [...new Set(met.flatMap((one) => one.met ?? []))];
    const isMarked = met.some(({ marked }) => marked);

    return (
      `${listedFew(met.map(({ what }) => what))}: ${listedFew(owners.map(formatResource))} ${owners.length === 1 ? "has" : "have"} ${it}, and an ` +
      `endpoint has one owner. What you can do:${bullets([
        `to leave ${it} there, take the import off`,
        `to have ${it} here, take ${it} out there without the import, which deletes nothing, ${forgetCommands(met)}`,
        isMarked && `then, once no state has ${it}, ${again}`,
      ])}`
    );
  },

  import: ({ reason }) => sentenceOf(importProblems, reason, undefined),
};

const remedies: Sentences<Remedy, Reader> = {
  gone: () => `Run \`${UP_COMMAND}\` again: a new one is created, with another host name`,
  delete_accepted: () => "The next run finds it gone",
  unknown_project: lostProjectAdvice,
  active_limit: (remedy) => activeLimitAdvice(remedy, `\`${UP_COMMAND}\``),
  fixed_delay: ({ plan }) => {
    const why =
      "The account's plan fixes the autosuspend delay, and the change carried one: take suspendTimeoutSeconds out of the program";
    const then = "then the preview refuses what that plan does not have, and the delay that it fixes is not sent";
    if (plan === "free") return `${why}.`;
    const tell = plan === undefined ? "or tell the plan" : `or, as pgcompute:plan says ${plan}, correct that`;
    return `${why}, ${tell} (${then}), run:${commandLines("pulumi config set pgcompute:plan free")}`;
  },
  wrong_address: () => WRONG_ADDRESS_ADVICE,
  root_branch: (_, { urn }) =>
    isMember(urn)
      ? "Keep the member, set `retainOnDelete: true`, run `pulumi up`, then remove it."
      : "A program that still has it sets the resource option `retainOnDelete: true` and runs `pulumi up` first.",
  not_applied: ({ properties }) =>
    properties.includes("branchId")
      ? `Another branch means another endpoint, with another host name, after you run:${commandLines("pulumi config set pgcompute:moves replace")}`
      : `Take ${properties.join(" and ")} out of the program: this platform does not do it.`,
  maybe_created: maybeCreatedAdvice,
};

/** The message of a refusal, with the ways on for this reader. */
export function refusalMessage(refusal: Refusal, reader: Reader): string {
  if (isSingleCall(reader.urn) && "occupant" in refusal && refusal.occupant) return singleCallMessage(refusal.occupant);
  return sentenceOf(sentences, refusal, reader);
}

/** The refusal of a change that waits for an idle moment of an endpoint that never suspends. */
export function neverIdleMessage(id: string, { aboveCu }: NeverIdle): string {
  const change = `the change waits for an idle moment (restartWhen: "idle"), and endpoint ${id} never suspends as it is now`;
  if (aboveCu !== undefined)
    return `${change}: the platform keeps sizes above ${aboveCu} CU active, whatever the delay. Set \`restartWhen: "now"\``;
  return `${change}. Run pulumi up with another suspendTimeoutSeconds alone first, which is not held back, or set \`restartWhen: "now"\``;
}

/** Says that a new endpoint takes the place of one that is gone, and what to do where Pulumi refuses that replacement. */
export function goneMessage(id: string): string {
  return inOneLine([
    `endpoint ${id} is gone: somebody, or a run that was interrupted, has deleted it. A new one is created or taken up, with another host ` +
      "name. Where Pulumi refuses to replace this resource because the program still has the option `import`, take that out",
    `where it does because the resource is protected, run:${commandLines("pulumi refresh", UP_COMMAND)}`,
  ]);
}

/** The refusal of a single endpoint's state in a fleet, by an alias: the fleet's state would lose the endpoint. */
export function notAFleetMessage(id: string): string {
  return (
    `an alias gives this fleet the state of the single endpoint ${plain(id)}, which would then be in no state any more. Take the ` +
    `alias off. To have that endpoint in the fleet, set \`importId: "${plain(id)}"\` for a member, in the run in which the single ` +
    "resource leaves the program"
  );
}

/** The refusal of a fleet's state in an endpoint, by an alias: the fleet's members would be deleted. */
export function notAnEndpointMessage(id: string): string {
  return `an alias gives this endpoint the state of fleet ${plain(id)}, all of whose members would be deleted. Take the alias off`;
}

/** The refusal for a single call, without advice that needs a program, a run or a state. */
function singleCallMessage(occupant: EndpointRecord): string {
  return (
    `branch ${plain(occupant.branchId)} already has a read-write endpoint, ${formatOccupant(occupant)}, and a branch has at most ` +
    `one: \`pulumi do\` reads, patches and deletes it by its id, ${idOf(occupant)}`
  );
}

function memberLabel(owner: Owner): string {
  return `member ${quoted(memberIn(owner)?.key ?? "")}`;
}

/**
 * Reports a replica that an earlier run left, with the delete command. A new resource there also gets
 * `adoptInterrupted`.
 */
export function orphanMessage(record: EndpointRecord, isNewThere = false): string {
  const id = idOf(record);
  return inOneLine([
    `endpoint ${id} on branch ${record.branchId} was created for this resource by an earlier run, and no resource of this run has it`,
    isNewThere && `to take it up instead of creating another beside it, run:${commandLines(TAKE_UP_COMMAND)}`,
    `to delete it, with its host name, unless a state has it, as in a forced replacement, run:${commandLines(deleteCommand(id))}`,
  ]);
}

/** What a Read says of an endpoint that no import may take in, in case it is one. */
export function refusedImportMessage(refusal: string): string {
  return `a \`get\` may read it, but an import is refused, for which Pulumi says "provider does not support importing": ${refusal}`;
}

/** Warns of imported endpoints with other owners' marks, which the user has called ownerless. */
export function importedOwnersMessage(foreign: readonly ForeignEndpoint[]): string {
  const it = foreign.length === 1 ? "it" : "them";
  return (
    `${createdFor(foreign)}; if a state still has ${it} there, two owners would have one endpoint, and removing one would delete ` +
    `what the other has: take ${it} out of that state, ${forgetCommands(foreign)}`
  );
}

function createdFor(foreign: readonly ForeignEndpoint[]): string {
  const owners = foreign.map(({ marked: { name, urn } = { name: "" } }) =>
    urn === undefined || isMember(urn) ? quoted(urn === undefined ? name : ownerName(urn)) : formatResource(urn),
  );
  return `${listedFew(foreign.map(({ what }) => what))}: created for ${listedFew([...new Set(owners)])}`;
}

/** Commands that drop endpoints from a state without deleting them; one command for one resource. */
function forgetCommands(foreign: readonly ForeignEndpoint[]): string {
  const [only] = foreign.map(({ met, marked }) => met ?? marked?.urn);
  if (only !== undefined && !isMember(only) && foreign.length === 1)
    return `run:${commandLines(`pulumi state delete ${formatUrnArgument(only)}`)}`;
  return "a resource by `pulumi state delete URN`, a member of a fleet by `pulumi up` with `retainOnDelete: true`, and once more without it";
}

/** Runs a call and adds advice to its error. */
export async function advised<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PgComputeError) adviseError(error, reader);
    throw error;
  }
}

/** Adds the advice that needs a Pulumi command to an error. */
export function adviseError(error: PgComputeError, reader: Reader): void {
  const { remedy } = error;
  if (remedy) error.advise(sentenceOf(remedies, remedy, reader));
}

/** Advice to drop a deleted project from the state: resources, members, and entries left by replacements. */
export function lostProjectAdvice({ projectId }: { projectId: string }): string {
  return (
    `${CHECK_ACCESS} If project ${plain(projectId)} was deleted with all that was in it, take what it had out of the program, and then:` +
    forgetAdvice(projectId)
  );
}

/** True for a delete's error that a repeat may not help. */
export function needsPerson(error: unknown): error is PgComputeError {
  return isKind(error, "refused", "forbidden", "not_found", "conflict", "not_ready", "invalid_request");
}

/** Advice on a failed delete, which later runs try again: how to leave the endpoint where it is. */
export function pendingDeleteAdvice(id: string): string {
  return `${PENDING_DELETE} ${keepInPlaceAdvice(id)}`;
}

/** Ways to leave an endpoint, or a project's endpoints, in place instead of deleting them. */
export function keepInPlaceAdvice(id: string): string {
  return `To leave ${id.includes("/") ? "the endpoint where it is" : "the endpoints where they are"} instead:${forgetAdvice(id)}`;
}

/** Ways to drop an endpoint or a project from a run or the state, without a request. */
function forgetAdvice(id: string): string {
  return bullets([
    `have the same command let go of it, as in:${commandLines(withVariable("PGCOMPUTE_FORGET", id, UP_COMMAND))}`,
    `or take it out of the state, run:${commandLines(forgetCommand(id))}`,
  ]);
}

/** The command that drops an owner from the state. */
function stateDropCommand(urn: Owner): string {
  const member = memberIn(urn);
  if (!member)
    return `for ${quoted(ownerName(urn))}, run:${commandLines(`pulumi state delete ${formatUrnArgument(urn)}`)}`;
  const { fleet, key } = member;
  return (
    `for member ${quoted(key)} of the fleet ${quoted(nameOfUrn(fleet))}, take its importId out, where the fleet has it not yet; else run:` +
    commandLines(forgetCommand(shownUrn(urn)))
  );
}
