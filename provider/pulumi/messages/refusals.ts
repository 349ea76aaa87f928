/**
 * Turns refusals into messages: one table, one row a kind.
 *
 * A message is one sentence on what is wrong and at most two ways on, the one that most often fits first. Each way is
 * an item of a list, and its commands follow on lines of their own, deeper than the item:
 *
 *     WHAT IS WRONG. What you can do:
 *       - DO THIS, WITH ITS PRICE. If CONDITION, DO THAT instead:
 *           pulumi up
 *       - Or DO THIS.
 *
 * A sentence that begins with `If` replaces the one before it where its condition holds; a way whose first sentence
 * begins so does not apply elsewhere. One of two ways needs no command. `tests/engine/ways` follows each way by its
 * text.
 */
import type { NeverIdle } from "../../endpoint/diff";
import { idOf } from "../../endpoint/identity";
import { nameOfUrn, type Owner, ownerName, resourceOf } from "../../lib/owner";
import { commandLines, listed, listedFew, plain, quoted } from "../../lib/wording";
import type { ForeignEndpoint, ImportProblem, Maker, Refusal } from "../../places/refusal";
import type { EndpointRecord } from "../../platform/records";
import { isSingleCall } from "../call";
import { deleteCommand, forgettingCommand, TAKE_UP_COMMAND, UP_COMMAND, withoutCommand } from "./commands";
import { type Reader, type Sentences, sentenceOf } from "./errors";
import {
  AT_MOST_ONE,
  aliasAdvice,
  createdFor,
  formatOccupant,
  formatResource,
  importWay,
  leftBehind,
  madeFor,
  madeForThis,
  namesOf,
  unowned,
} from "./phrases";

/** What is wrong, and the ways on. */
export interface Told {
  what: string;
  ways: [] | [string] | [string, string];
}

/** The lead of the second way, for what the first cannot do: members, dependents, options of the run. */
const ELSE = "Or, if Pulumi refuses that or nothing changes,";

/** Others may be in each other's way too, as in a chain. */
const ALSO_REFUSED = "Exclude whatever is refused then, too:";

const table: Sentences<Refusal, Reader, Told> = {
  declared_twice: ({ branchId, first }) => ({
    what: `${formatResource(first)} already declares the read-write endpoint of branch ${plain(branchId)}, ${AT_MOST_ONE}`,
    ways: [
      "Remove one of the two from the program.",
      'Or give this one another branch, or make it a read replica with `type: "read_only"` (paid plan). If the other is ' +
        "there for one run only, leave this one out of the program for that run.",
    ],
  }),

  in_the_way: ({ occupant, other }, { urn }) => ({
    what: `branch ${plain(occupant.branchId)} has the read-write endpoint ${formatOccupant(occupant)} of ${formatResource(other)}, ${AT_MOST_ONE}`,
    ways: [
      `If nothing depends on this one, let the other resources go first, then this one. ${ALSO_REFUSED}${firstCommands(urn)}`,
      `${ELSE} leave this change out of the program for one run.`,
    ],
  }),

  exchange: ({ occupant, other, leaves }) => ({
    what:
      `${formatResource(other)}, whose ${formatOccupant(occupant)} is on branch ${plain(occupant.branchId)}, goes to branch ` +
      `${plain(leaves)} in exchange, and neither can go first`,
    ways: ["Give this one an empty branch for one run. It moves twice."],
  }),

  made_for_another: ({ occupant, other }, { urn }) => ({
    what: madeFor(occupant, other),
    ways: [
      letGo(other, urn),
      `${ELSE} say for one run what the program said before. If the two exchange their branches, give this one an empty ` +
        `branch for one run instead: it moves twice. If this stack has no ${quoted(other.name)}, give it another branch.`,
    ],
  }),

  renamed: ({ occupant, other }, { urn }) => ({
    what: madeFor(occupant, other),
    ways: [
      letGo(other, urn, " and nothing depends on this one"),
      `${ELSE} leave this one out of the program for one run. If it is ${quoted(other.name)} under a new name or parent, ` +
        `${aliasAdvice(other)}. If this stack has no ${quoted(other.name)}, give this one another branch.`,
    ],
  }),

  of_nobody: ({ occupant }, reader) => ({
    what: unowned(occupant),
    ways: [
      "Take it over with `adoptExisting: true`: it stays when this one goes. To have it deleted then, " +
        importWay(idOf(occupant), reader),
      "Or give this one another branch. If a resource of this stack has it and leaves the branch, leave this one out of " +
        "the program for one run.",
    ],
  }),

  unclaimed: ({ occupant }, { urn }) => ({
    what: unowned(occupant),
    ways: [
      "Give this one another branch.",
      `If a resource of this stack has it and leaves the branch, let the other resources go first, then this one. ${ALSO_REFUSED}${firstCommands(urn)}`,
    ],
  }),

  // Specification, section 4.5.
  not_empty: ({ branchId, from, there }) => ({
    what: `branch ${plain(branchId)} has ${listedFew(there.map(idOf))}, and a read-write endpoint moves only to a branch without endpoints`,
    ways: [
      `Say branch ${plain(from)} for one run, here and for each replica that is to be on the same branch. Then say branch ` +
        `${plain(branchId)} again, with \`dependsOn\` this one for each of these replicas: they get new host names.`,
      `Or have this one deleted and created there, with another host name:${commandLines("pulumi config set pgcompute:moves replace", UP_COMMAND)}`,
    ],
  }),

  primary_missing: ({ primary, branchId }) =>
    primary === undefined ? primaryUnknown(branchId) : primaryNotThere(primary, branchId),

  two_owners: ({ branchId, id, first }, { urn }) => ({
    what:
      `${[first, urn].map(formatResource).join(" and ")} both have endpoint ${plain(id)} of branch ${plain(branchId)}, and ` +
      "removing one would delete what the other has",
    ways: [
      `Take the one that is to go out of the program, in a run that sends nothing for it:${commandLines(forgettingCommand(id))}`,
    ],
  }),

  taken: ({ branchId, id, first }) => ({
    what:
      `${formatResource(first)} is to take over endpoint ${plain(id)} of branch ${plain(branchId)}, which this one has, and an ` +
      "endpoint has one owner",
    ways: [
      `Leave ${quoted(ownerName(first))} out of the program for one run. If this one is to stay there, take what asks for it ` +
        `(\`importId\`, \`adoptExisting\` or adoptInterrupted) off ${quoted(ownerName(first))}.`,
      "Or take this one out of the program. If it is a member of a fleet, run `pulumi up` with `retainOnDelete: true` for it " +
        `before, and without ${quoted(ownerName(first))}.`,
    ],
  }),

  left_behind: ({ branchId, other }) => ({
    what: leftBehind(branchId, other),
    ways: ["Give this one another branch."],
  }),

  left_for_importing: ({ branchId, other, id }) => ({
    what: leftBehind(branchId, other),
    ways: [
      `Leave this one out of the program for one run, then give it \`importId: "${plain(id)}"\`: the endpoint becomes the fleet's own.`,
      "Or give this one another branch.",
    ],
  }),

  left: ({ left }, { keys }) => ({
    what: `${madeForThis(left, keys)}, and another resource may have ${left.length === 1 ? "it" : "them"} by now`,
    ways: [
      `If a run was killed, take up what it made. Do not use --target or --exclude, which hide owners:${commandLines(TAKE_UP_COMMAND)}`,
      "Or give this one another branch. If --replace or a taint replaces the resource, leave it out of the program for one " +
        "run. It is deleted, with its host name.",
    ],
  }),

  left_to_others: ({ left, owners }, { keys }) => ({
    what: `${madeForThis(left, keys)}, and ${listed(owners.map(formatResource))} ${owners.length === 1 ? "has" : "have"} ${left.length === 1 ? "it" : "them"} now`,
    ways: [
      "Give this one another branch, or as a member of a fleet another key.",
      "Or, for a read replica, run `pulumi up` without adoptInterrupted: another one is created.",
    ],
  }),

  released: ({ occupant }) => ({
    what:
      `endpoint ${formatOccupant(occupant)} was taken over, so a replacement does not delete it: it stays on branch ` +
      `${plain(occupant.branchId)}, ${AT_MOST_ONE}`,
    ways: [
      "Take the option that replaces it, such as `replaceOnChanges`, off the resource: it changes in place.",
      `Or delete it, with its host name, and have a new one created:${commandLines(deleteCommand(idOf(occupant)), `${UP_COMMAND} --refresh`)}`,
    ],
  }),

  moved_there: ({ other, movedFrom }) => ({
    what:
      `the read-write endpoint of ${formatResource(other)} is on this branch, moved there from branch ${plain(movedFrom)} outside ` +
      `this program or by an interrupted run, ${AT_MOST_ONE}`,
    ways: [
      `Have that recorded, then moved back before this member comes:${commandLines("pulumi refresh", UP_COMMAND)}`,
    ],
  }),

  delete_protected: () => ({
    what: "it is protected, and this plan would have it deleted",
    ways: ["Keep the member with `protect: false` for one run."],
  }),

  replace_protected: ({ why }) => ({
    what: `it is protected, and this plan would have it replaced${why ? `: ${why}` : ""}`,
    ways: ["Set `protect: false`: its host name changes."],
  }),

  undeclared: ({ id }) => ({
    what: `it was imported (${plain(id ?? "")}), and the program does not declare it`,
    ways: [
      "Declare it under this key. To delete it, run `pulumi up` until that ends well, then remove it.",
      "Or import only what the program has, under its keys: PROJECT/KEY=ep-1,... If the fleet is in the state already, " +
        "run `pulumi state delete` before.",
    ],
  }),

  circle: (_, { keys = [] }) => ({
    what: `members ${listedFew(keys)} exchange their branches, and none of them can go first`,
    ways: ["Give one of them an empty branch for one run. It moves twice."],
  }),

  never_idle: ({ id, ...why }) => neverIdle(id, why),

  too_many_away: ({ keys, limit }) => ({
    what:
      `members ${listedFew(keys)} wait for each other, so that ${keys.length} are away together, and no more than ${limit} ` +
      "may be",
    ways: [`Set \`rollout.maxUnavailable: ${keys.length}\`.`, "Or change them in several runs."],
  }),

  forgotten: ({ what, id }) => ({
    what: `PGCOMPUTE_FORGET says that this run leaves ${what} ${plain(id)} alone, and the program would change it`,
    ways: ["Take it out of one of the two."],
  }),

  forgotten_stays: ({ id }) => ({
    what:
      `PGCOMPUTE_FORGET says that this run leaves endpoint ${plain(id)} alone, so it stays on its branch, and the program would ` +
      "replace it there",
    ways: ["Run without PGCOMPUTE_FORGET.", "Or give this one another branch."],
  }),

  too_many({ deleted, replaced, limit, members }) {
    const parts = [
      ...(deleted.length > 0 ? [`deletes ${deleted.length} (${listedFew(deleted)})`] : []),
      ...(replaced.length > 0 ? [`replaces ${replaced.length} (${listedFew(replaced)})`] : []),
    ];
    return {
      what: `of ${members} members the plan ${parts.join(" and ")}, and no more than ${limit} may go at a time`,
      ways: [`If that is meant, set \`maxDeletions: ${deleted.length + replaced.length}\`.`],
    };
  },

  import_of_owned: ({ foreign }) => ({
    what: `${namesOf(foreign)}: ${listedFew([...new Set(foreign.flatMap(({ met }) => met ?? []))].map(formatResource))} of this stack has what is to be imported, and an endpoint has one owner`,
    ways: [
      "Take the import off.",
      `Or take the owner out of the program first, without this import, in a run that sends nothing for it:${commandLines(forgettingCommand(...foreign.map(({ id }) => id)))}`,
    ],
  }),

  import_of_marked: ({ foreign }) => ({
    what: `${createdFor(foreign)}, and of two owners either deletes what the other has`,
    ways: [
      `If no state has ${foreign.length === 1 ? "it" : "them"}, run the same command with PGCOMPUTE_ADOPT_INTERRUPTED=1, as in:${commandLines(TAKE_UP_COMMAND)}`,
      `If a stack has ${foreign.length === 1 ? "it" : "them"}, take the owner out of its program first, in a run that sends nothing for it:${commandLines(forgettingCommand(...foreign.map(({ id }) => id)))}`,
    ],
  }),

  import: ({ reason }) => sentenceOf(importProblems, reason, undefined),
};

const importProblems: Sentences<ImportProblem, undefined, Told> = {
  form: ({ importId }) => ({
    what: `${quoted(importId)} is not the id of an endpoint`,
    ways: ["Write PROJECT/ENDPOINT."],
  }),
  unknown: ({ importId }) => ({
    what: `there is no endpoint ${quoted(importId)}, or this API key may not see it`,
    ways: ["Take importId out of the program: a new endpoint is created."],
  }),
  has_another: ({ endpointId }) => ({
    what: `the member has endpoint ${plain(endpointId)} already`,
    ways: ["Take importId out of the program."],
  }),
  elsewhere: ({ place: { projectId, branchId, type } }) => ({
    what:
      `that endpoint is ${plain(type)}, on branch ${plain(branchId)} of project ${plain(projectId)}, and not where the program ` +
      "puts this member",
    ways: ["Say that place for one run, which takes it over as it is. The next run changes it."],
  }),
  taken: ({ by }) => ({
    what: `that endpoint belongs to ${quoted(by)} already, and an endpoint has one owner`,
    ways: [
      `Leave this one out of the program for one run, in which ${quoted(by)} leaves it. If that is a member of another fleet, run ` +
        "`pulumi up` with `retainOnDelete: true` for it before.",
      "Or take importId out of the program.",
    ],
  }),
};

/** The message of a refusal for this reader. */
export function refusalMessage(refusal: Refusal, reader: Reader): string {
  if (isSingleCall(reader.urn) && "occupant" in refusal) return singleCallMessage(refusal.occupant);
  return messageOf(sentenceOf<Refusal, Reader, Told>(table, refusal, reader));
}

/** What a Read says of an endpoint that no import may take in, in case it is one. */
export function refusedImportMessage(refusal: string): string {
  return `a \`get\` may read it, but an import is refused, for which Pulumi says "provider does not support importing": ${refusal}`;
}

/** Warns of imported endpoints with other owners' marks, which the user has called ownerless. */
export function importedOwnersMessage(foreign: readonly ForeignEndpoint[]): string {
  const it = foreign.length === 1 ? "it" : "them";
  return (
    `${createdFor(foreign)}; if a stack still has ${it}, removing it there deletes what this one has: take the owner out of its ` +
    `program, in a run that sends nothing for ${it}:${commandLines(forgettingCommand(...foreign.map(({ id }) => id)))}`
  );
}

/** A refusal as text: what is wrong, then its ways as a list. */
export function messageOf({ what, ways }: Told): string {
  return ways.length === 0 ? what : `${what}. What you can do:${ways.map((way) => `\n  - ${way}`).join("")}`;
}

/** The message for a single call, which has no program, no run and no state. */
function singleCallMessage(occupant: EndpointRecord): string {
  return (
    `branch ${plain(occupant.branchId)} has the read-write endpoint ${formatOccupant(occupant)}, ${AT_MOST_ONE}: ` +
    `\`pulumi do\` reads, patches and deletes it by its id, ${idOf(occupant)}`
  );
}

/**
 * The first way of what comes to a place that was made for another. An excluded resource that is in no state leaves
 * what depends on it with a state that Pulumi refuses to read.
 */
function letGo({ name }: Maker, urn: Owner, also = ""): string {
  return (
    `If this stack has ${quoted(name)}${also}, let the other resources go first, then this one. ${quoted(name)} is deleted with its host ` +
    `name if the program no longer has it. ${ALSO_REFUSED}${firstCommands(urn)}`
  );
}

/** The commands that apply all other resources first, then this one. */
function firstCommands(urn: Owner): string {
  return commandLines(withoutCommand(urn), UP_COMMAND);
}

function primaryNotThere(primary: Owner, branchId: string): Told {
  return {
    what:
      `${formatResource(primary)}, which moves to branch ${plain(branchId)} in this run, is not there yet, and it moves only ` +
      "to a branch without endpoints: so nothing was sent for this one",
    ways: [
      `Let this one wait for it: add \`dependsOn: [${plain(nameOfUrn(resourceOf(primary)))}]\` to its options, and run it again:${commandLines(UP_COMMAND)}`,
    ],
  };
}

function primaryUnknown(branchId: string): Told {
  return {
    what:
      `no read-write endpoint of branch ${plain(branchId)} is known in this run yet, and steps that wait, as this one does, hold ` +
      "all of Pulumi's workers, so that none can come: nothing was sent for this one",
    ways: [
      "Let this one wait for it: add the branch's read-write endpoint to `dependsOn` in its options.",
      `Or, if the program has none there, run:${commandLines("pulumi up --parallel 256")}`,
    ],
  };
}

function neverIdle(id: string, { aboveCu }: NeverIdle): Told {
  const what = `the change waits for an idle moment (restartWhen: "idle"), and endpoint ${id} never suspends as it is now`;
  if (aboveCu !== undefined) {
    const why = `${what}: the platform keeps sizes above ${aboveCu} CU active, whatever the delay`;
    return { what: why, ways: ['Set `restartWhen: "now"`.'] };
  }
  return {
    what,
    ways: [
      "Run `pulumi up` with another suspendTimeoutSeconds alone first, which is not held back.",
      'Or set `restartWhen: "now"`.',
    ],
  };
}
