/** What a fleet says to people: refusals with their ways on, what a plan does, and what became of it. */
import { idOf } from "../../endpoint/identity";
import { memberPath } from "../../fleet/identity";
import type { FleetPlan, MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { type FleetRefusal, type ImportProblem, keysOf } from "../../fleet/refusal";
import type { Failure } from "../../lib/failure";
import type { Owner } from "../../lib/owner";
import { listedFew, plain, quoted } from "../../lib/wording";
import { namelessOrphanMessage, orphanMessage, refusalMessage } from "../advice";
import { leftMessage } from "../left-advice";
import { occupiedMessage, type Reader } from "../occupied-advice";
import { createdForOther } from "../run/run";
import type { PulumiFleetContext } from "./context";
import type { OutsideRefusal } from "./places";

/** No other process, and no other run, knows of a takeover: the endpoint does not say whose it is by now. */
const SPARED =
  "where a state still has for another resource what importId takes over, that one's delete spares it only in a run that has this " +
  "fleet too (no --target, no --exclude), by the same provider, version and host";

/** A refusal as failures of a check: on every member that it is about, or on `maxDeletions`. */
export function refusalFailures(refusal: FleetRefusal, reader: Reader, ownerOf: (key: string) => Owner): Failure[] {
  // What is about many is said once.
  if (refusal.kind === "left") return [{ property: "endpoints", reason: leftMessage(refusal, reader) }];
  if (refusal.kind === "too_many") return [{ property: "maxDeletions", reason: tooManyMessage(refusal) }];
  return keysOf(refusal).map((key) => ({
    property: memberPath(key, propertyOf(refusal)),
    reason: reasonOf(refusal, { ...reader, urn: ownerOf(key) }),
  }));
}

/** The same for what another resource of the program has against a member. */
export function outsideFailure(
  { key, refusal }: OutsideRefusal,
  { ownerOf, ...reader }: Reader & Pick<PulumiFleetContext, "ownerOf">,
): Failure {
  const reason =
    refusal.kind === "occupied"
      ? occupiedMessage({
          ...refusal,
          ...reader,
          urn: ownerOf(key),
          forcedReplacementPossible: false,
          mayAdopt: refusal.isNew,
        })
      : refusalMessage(refusal, refusal.kind === "left_behind" ? { ...reader, urn: ownerOf(key) } : reader);
  return { property: memberPath(key, "branchId"), reason };
}

/** Lines that several members have in common, once each, with those that they are about. */
export function groupLines(lines: readonly { key: string; text: string }[]): string[] {
  const keys = new Map<string, string[]>();
  for (const { key, text } of lines) keys.set(text, [...(keys.get(text) ?? []), key]);
  return [...keys].map(([text, about]) => `${listedFew(about)}: ${text}`);
}

/** What a plan does, in numbers; undefined where it does nothing. */
export function planMessage({ members }: FleetPlan): string | undefined {
  const all = [...members.values()];
  const counts = (
    [
      ["create", "created"],
      ["take", "taken over"],
      ["update", "changed"],
      ["replace", "replaced"],
      ["delete", "deleted"],
      ["release", "released"],
    ] as const
  ).flatMap(([change, word]) => {
    const keys = all.filter((member) => member.change === change).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${keys.length} ${word} (${listedFew(keys)})`];
  });
  return counts.length === 0 ? undefined : `of ${all.length} members, ${counts.join("; ")}`;
}

/** Members whose endpoints stand elsewhere than state and program have them. */
export function movedMessages({ members }: FleetPlan): string[] {
  return [...members.values()].flatMap(({ key, movedTo }) =>
    movedTo === undefined
      ? []
      : [
          `${plain(key)}: the endpoint stands on branch ${plain(movedTo)}, moved there outside this program or by an interrupted run, and ` +
            "stays there; to bring it back, run: pulumi refresh, then: pulumi up",
        ],
  );
}

/** What is taken over, and what that means; undefined where nothing is. */
export function takeoverMessages({ members }: FleetPlan, ownerOf: (key: string) => Owner): string[] {
  const all = [...members.values()].filter(({ change }) => change === "take");
  const interrupted = all.filter(({ found }) => found?.as === "interrupted").map(({ key }) => key);
  const messages = all.flatMap((member) => takenMessage(member, ownerOf(member.key)));
  if (all.some(({ found }) => found?.as === "imported")) messages.push(SPARED);
  if (interrupted.length === 0) return messages;
  return [
    `${interrupted.length} of the members are there, created for this fleet by an earlier run (${listedFew(interrupted)}): they are ` +
      "taken up, nothing is replaced, unless this run deletes the fleet first (replaceWith, replaceOnChanges). Make sure that no other " +
      "state has them, of a stack of the same name in another backend, or of one that the fleet was moved to: each would delete what " +
      "the other has",
    ...messages,
  ];
}

/** Names what an earlier run made for a member and nobody takes up, with the command that deletes it, on the member's row. */
export function warnOfOrphans(
  { reporterFor, rowOf }: Pick<PulumiFleetContext, "reporterFor" | "rowOf">,
  { orphans }: PreparedPlan,
): void {
  for (const { key, record, isCertain } of orphans)
    reporterFor(rowOf(key)).warn(isCertain ? orphanMessage(record) : namelessOrphanMessage(record));
}

/** What an import of endpoints means that were created for other resources. */
export function importedOwnersMessage(foreign: readonly { key: string; name: string }[]): string {
  return (
    `${listedFew(foreign.map(({ key }) => key))}: created for other resources or members (${listedFew([...new Set(foreign.map(({ name }) => name))])}); ` +
    "if a state still has them there, two of them would have one endpoint, and removing one would delete what the other has: take " +
    "them out of that state first"
  );
}

/** How many members failed, and how many were not begun because of what concerns all. */
export function outcomeMessage(
  total: number,
  { failed, notBegun, stop }: { failed: number; notBegun: readonly string[]; stop?: string | undefined },
): string {
  const parts = [`${failed} of ${total} members failed`];
  if (notBegun.length > 0) parts.push(`${notBegun.length} were not begun (${listedFew(notBegun)})`);
  if (stop !== undefined) parts.push(stop);
  return `${parts.join("; ")}. What is done is in the state; the next run does the rest`;
}

function takenMessage({ key, found }: MemberPlan, urn: Owner): string[] {
  if (!found || found.as === "interrupted") return [];
  const id = idOf(found.record);
  if (found.as === "adopted")
    return [`${plain(key)} takes over endpoint ${id}; when it leaves the fleet, that is released, not deleted`];
  const owner = createdForOther(found.record, urn);
  const drop = owner
    ? `; it was created for ${quoted(owner.name)}, a resource or a member, which no program may have any more, in this stack or another`
    : "";
  return [`${plain(key)} takes over endpoint ${id}, which becomes the fleet's own${drop}`];
}

function propertyOf({ kind }: FleetRefusal): string {
  if (kind === "import") return "importId";
  return kind === "protected" || kind === "undeclared" ? "" : "branchId";
}

function reasonOf(refusal: Exclude<FleetRefusal, { kind: "too_many" | "left" }>, reader: Reader): string {
  switch (refusal.kind) {
    case "declared_twice":
      return (
        `member ${quoted(refusal.other)} has the read-write endpoint of the same branch, and a branch has at most one. Remove one of ` +
        'the two, give this one another branch, or make it a read replica with `type: "read_only"` (paid plan)'
      );
    case "moved_there":
      return (
        `the read-write endpoint of member ${quoted(refusal.other)} stands on this branch, moved there from branch ` +
        `${plain(refusal.movedFrom)} outside this program or by an interrupted run, and a branch has at most one. Record that first, ` +
        "run: pulumi refresh; the next pulumi up brings it back before this member comes"
      );
    case "left_behind":
      return (
        `the read-write endpoint of member ${quoted(refusal.other)} stays on the branch, since it was taken over or is to be kept ` +
        "(retainOnDelete), and a branch has at most one: give this member another branch" +
        (refusal.isNew
          ? ", or run pulumi up without this member first, and then give it " +
            `\`importId: "${plain(refusal.id ?? "PROJECT/ENDPOINT")}"\`, which makes it the fleet's own`
          : "")
      );
    case "occupied":
      return occupiedMessage({
        ...reader,
        occupant: refusal.occupant,
        other: createdForOther(refusal.occupant, reader.urn),
        forcedReplacementPossible: false,
        mayAdopt: refusal.isNew,
      });
    case "protected":
      return (
        `it is protected, and this plan would have it ${refusal.change}${refusal.why ? `: ${refusal.why}` : ""}. If that is meant, set ` +
        `\`protect: false\` and run pulumi up ${refusal.change === "deleted" ? "with the member still in the program first" : "again"}`
      );
    case "undeclared":
      return (
        `the state has it as an import read it (${plain(refusal.id ?? "")}), and the program does not have it. Declare it under this ` +
        "key, or import only what the program has, under its keys: PROJECT/KEY=ep-1,... (where the fleet is in the state already, run " +
        "pulumi state delete before). If it is to be deleted, run pulumi up with it in the program first, until that ends well"
      );
    case "circle":
      return (
        `members ${listedFew(refusal.keys)} change places, and none of them can make room: each is protected, was taken over, or is ` +
        "to be kept. Move one of them to a branch without endpoints first"
      );
    case "import":
      return importProblemMessage(refusal.reason);
  }
}

function importProblemMessage(problem: ImportProblem): string {
  switch (problem.kind) {
    case "form":
      return `${quoted(problem.importId)} is not the id of an endpoint: write PROJECT/ENDPOINT`;
    case "unknown":
      return (
        `there is no endpoint ${quoted(problem.importId)}, or this API key may not see it; where the fleet had it, and a refresh has ` +
        "found it deleted, take importId out of the program"
      );
    case "has_another":
      return `the member has endpoint ${plain(problem.endpointId)} already: take importId out of the program`;
    case "elsewhere": {
      const { projectId, branchId, type } = problem.place;
      return (
        `that endpoint is ${plain(type)}, on branch ${plain(branchId)} of project ${plain(projectId)}, and not where the program puts ` +
        "this member: take it over as it is, and change it in a second run"
      );
    }
    case "taken":
      return (
        `that endpoint belongs to ${quoted(problem.by)} already, and an endpoint has one owner: take it out of that one first. The member of ` +
        "another fleet may be taken out in the same run where that fleet waits for this one (dependsOn), or in a run after one with " +
        "`retainOnDelete: true`"
      );
  }
}

function tooManyMessage({ deleted, replaced, limit, members }: FleetRefusal & { kind: "too_many" }): string {
  const parts = [
    ...(deleted.length > 0 ? [`deletes ${deleted.length} (${listedFew(deleted)})`] : []),
    ...(replaced.length > 0 ? [`replaces ${replaced.length} (${listedFew(replaced)})`] : []),
  ];
  return (
    `of ${members} members the plan ${parts.join(" and ")}, and no more than ${limit} may go at a time. If that is meant, set ` +
    `\`maxDeletions: ${deleted.length + replaced.length}\``
  );
}
