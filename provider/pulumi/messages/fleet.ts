/** Messages about fleets: refusals, errors with advice, plans and results. */
import { branchKeyOf, idOf, idOfState, type Place, placeOf } from "../../endpoint/identity";
import { memberPath } from "../../fleet/model";
import { type FleetPlan, keysOf, type MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { wavesOf } from "../../fleet/rollout";
import type { Failure } from "../../lib/failure";
import { memberIn, type Owner } from "../../lib/owner";
import { commandLines, listed, listedFew, plain, quoted, sentences } from "../../lib/wording";
import type { Refusal, Refused } from "../../places/refusal";
import { madeForOther } from "../../places/take-over";
import type { PulumiFleetContext } from "../call";
import { UP_COMMAND } from "./commands";
import type { Reader } from "./errors";
import { refusalMessage } from "./refusals";
import { orphanMessage } from "./remedies";

/** The risk of a takeover by `importId`: no other process knows of it, and the endpoint does not name its owner. */
const SPARED =
  "if another resource of a state still has an endpoint that importId takes over, that resource's delete spares it only in a run that has " +
  "this fleet too (no --target, no --exclude), by the same provider, version and host";

/** The changes, in the order of messages. */
const changes = ["create", "adopt", "update", "replace", "delete", "release"] as const;

/** The property to name in a failure of many members or the whole fleet. */
const sharedProperties: Partial<Record<Refusal["kind"], string>> = {
  left: "endpoints",
  left_to_others: "endpoints",
  too_many: "maxDeletions",
  too_many_away: "rollout.maxUnavailable",
};

/** The member's property to name, if not `branchId`; an empty name is the whole member. */
const memberProperties: Partial<Record<Refusal["kind"], string>> = {
  import: "importId",
  never_idle: "restartWhen",
  delete_protected: "",
  replace_protected: "",
  undeclared: "",
  forgotten: "",
};

/** A refusal as failures of a check: one for each member, or one on a shared property. */
export function refusalFailures(refused: Refused, reader: Reader & Pick<PulumiFleetContext, "replaces">): Failure[] {
  const { about, refusal } = refused;
  const property = memberProperties[refusal.kind] ?? "branchId";
  if (reader.replaces === "engine") return [{ property, reason: refusalMessage(refusal, reader) }];

  const toFleet = { ...reader, keys: keysOf(refused) };
  const shared = sharedProperties[refusal.kind];
  if (shared !== undefined) return [{ property: shared, reason: refusalMessage(refusal, toFleet) }];
  return about.map((urn) => ({
    property: memberPath(memberIn(urn)?.key ?? "", property),
    reason: refusalMessage(refusal, { ...toFleet, urn }),
  }));
}

/** Merges equal lines of several members into one that names them. */
export function groupLines(lines: readonly { key: string; text: string }[]): string[] {
  const keys = new Map<string, string[]>();
  for (const { key, text } of lines) {
    const about = keys.get(text);
    if (about) about.push(key);
    else keys.set(text, [key]);
  }
  return [...keys].map(([text, about]) => `${listedFew(about)}: ${text}`);
}

/** A member's problem, and the values by which it differs from other members' same problem. */
export interface MemberProblem {
  key: string;
  /** The subject. Only lines with the same subject are merged. */
  about: string;
  text: string;
  own: readonly unknown[];
}

/** Merges the same problem of many members: the first one's text with the other keys. */
export function sameOnce<T extends MemberProblem>(problems: readonly T[]): T[] {
  const groups = new Map<string, { first: T; others: string[] }>();
  for (const one of problems) {
    const values = one.own.filter((value) => typeof value === "string" && value !== "");
    const shape = values.reduce((text: string, value) => text.replaceAll(String(value), "\0"), one.text);
    const group = groups.get(`${one.about}\n${shape}`);
    if (group) group.others.push(one.key);
    else groups.set(`${one.about}\n${shape}`, { first: one, others: [] });
  }
  return [...groups.values()].map(({ first, others }) =>
    others.length === 0 ? first : { ...first, text: sentences([first.text, `the same for ${listedFew(others)}`]) },
  );
}

/** Counts the members by change, planned or (`isDone`) applied; undefined if nothing changes. */
export function planMessage({ members }: Pick<FleetPlan, "members">, isDone = false): string | undefined {
  const all = [...members.values()];
  const counts = changes.flatMap((change) => {
    const keys = all.filter((member) => member.change === change).map(({ key }) => key);
    const verb = change === "update" ? "change" : change;
    const said = isDone ? verb.replace(/e?$/, "ed") : verb;
    return keys.length === 0 ? [] : [{ verb: said, count: keys.length, keys: listedFew(keys) }];
  });
  if (counts.length === 0) return undefined;

  const parts = counts.map(({ verb, count, keys }, at) => {
    const of = at === 0 ? ` of ${all.length === 1 ? "1 member" : `${all.length} members`}` : "";
    return `${verb} ${count}${of}${isDone ? "" : ` (${keys})`}`;
  });
  return `${isDone ? "" : "will "}${listed(parts)}`;
}

/** The order in which members' connections are cut; undefined without a rollout that holds any back. */
export function rolloutMessage({ rollout }: Pick<FleetPlan, "rollout">): string | undefined {
  if (!rollout || rollout.units.length === 0) return undefined;
  const { canaries, waves } = wavesOf(rollout);
  const { limit } = rollout;
  const size = `of at most ${limit === 1 ? "1 member" : `${limit} members`}`;
  const parts = [
    ...(canaries.length > 0 ? [`${listedFew(canaries)} first (rollout.canary)`] : []),
    ...(waves > 0 ? [`${waves === 1 ? "1 wave" : `${waves} waves`} ${size}`] : []),
  ];
  return `what may cut connections goes in order: ${parts.join(", then ")}`;
}

/** Messages on members whose endpoint is on another branch than state and program have. */
export function movedMessages({ members }: FleetPlan): string[] {
  return [...members.values()].flatMap(({ key, movedTo, member }) => {
    // What ignoreChanges holds no command brings back.
    if (movedTo === undefined || member?.ignored?.has("branchId")) return [];
    return [
      `${plain(key)}: the endpoint is on branch ${plain(movedTo)}, moved there outside this program or by an interrupted run, and ` +
        `stays there; to bring it back, run:${commandLines("pulumi refresh", UP_COMMAND)}`,
    ];
  });
}

/**
 * Warns that members may only have got another key: one is new where another's endpoint is deleted. Undefined without
 * any.
 */
export function anotherKeyMessage({ members }: FleetPlan): string | undefined {
  const leaving = new Map<string, { key: string; id: string }[]>();
  for (const { key, change, stored: { state = {} } = {} } of members.values()) {
    const place = change === "delete" && placeOf(state);
    if (!place) continue;
    leaving.set(spotOf(place), [...(leaving.get(spotOf(place)) ?? []), { key, id: idOfState(state) }]);
  }

  const pairs = [...members.values()].flatMap(({ key, change, to }) => {
    const there = change === "create" && to ? leaving.get(spotOf(to)) : undefined;
    const isCertain = there?.length === 1;
    const before = there?.shift();
    return before === undefined ? [] : [{ key, before, isCertain }];
  });
  const [first, ...others] = pairs;
  if (!first) return undefined;

  const [comes, is] = others.length === 0 ? ["comes", "is"] : ["come", "are"];
  const old = listedFew(pairs.map(({ before }) => before.key));
  const isKnownPair = others.length === 0 && first.isCertain;
  const importId = isKnownPair ? `\`importId: "${plain(first.before.id)}"\`` : "its `importId`";

  return (
    `${listedFew(pairs.map(({ key }) => key))} ${comes} to the branch of ${old}, which ${is} deleted: another key is another endpoint, with another ` +
    "host name. To keep an endpoint under a new key, take three runs of pulumi up: with the old key and `retainOnDelete: true`, without either " +
    `key, and with the new key and ${importId}`
  );
}

function spotOf(place: Place): string {
  return `${branchKeyOf(place)} ${place.type}`;
}

/** Reports adopted endpoints and the consequences; empty without any. */
export function takeoverMessages({ members }: FleetPlan, ownerOf: (key: string) => Owner): string[] {
  const all = [...members.values()].filter(({ change }) => change === "adopt");
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

/** Logs orphans of a member, with the delete command, on the member's row. */
export function nameOrphans(
  { reporterFor, ownerOf }: Pick<PulumiFleetContext, "reporterFor" | "ownerOf">,
  { orphans }: PreparedPlan,
): void {
  for (const { key, record, isNewThere } of orphans) reporterFor(ownerOf(key)).warn(orphanMessage(record, isNewThere));
}

/** Counts the members that failed or were interrupted, and those not begun after a failure of the whole fleet. */
export function outcomeMessage(
  total: number,
  {
    failed,
    interrupted = 0,
    notBegun,
    stop,
  }: { failed: number; interrupted?: number; notBegun: readonly string[]; stop?: string | undefined },
): string {
  const counts: [number, string][] = [
    [failed, "failed"],
    [interrupted, `${wereFor(interrupted)} interrupted`],
    [notBegun.length, `${wereFor(notBegun.length)} not begun (${listedFew(notBegun)})`],
  ];
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, what], at) => `${count}${at === 0 ? ` of ${total} members` : ""} ${what}`);
  if (stop !== undefined) parts.push(stop);
  return `${parts.join("; ")}. What is done is in the state; the next run does the rest`;
}

function wereFor(count: number): string {
  return count === 1 ? "was" : "were";
}

function takenMessage({ key, found }: MemberPlan, urn: Owner): string[] {
  if (!found || found.as === "interrupted") return [];
  const id = idOf(found.record);
  if (found.as === "adopted")
    return [
      `${plain(key)} adopts endpoint ${id}; when the member leaves the fleet, the endpoint is released, not deleted`,
    ];

  const owner = madeForOther(found.record, urn);
  const drop = owner
    ? `; it was created for ${quoted(owner.name)}, a resource or a member, which no program may have any more, in this stack or another`
    : "";
  return [`${plain(key)} takes over endpoint ${id}, which becomes the fleet's own${drop}`];
}
