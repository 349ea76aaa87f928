/** The steps of a plan by the endpoints that they are about: what becomes of each. */
import { TAKES } from "../../provider/endpoint/input-notes";
import { bookkeepingOf } from "../../provider/endpoint/state";
import { fleetUrnOf } from "../../provider/lib/owner";
import { UNKNOWN } from "../../provider/lib/unknown";
import { isKind } from "../../provider/platform/errors";
import { hostOf, isEndpoint, isFleet } from "../hosts";
import { readChange } from "./change";
import { isProvider } from "./configuration";
import { type Fate, fateOf, harmless, type PlannedEndpoint, replacing } from "./fate";
import { isRow, membersOf } from "./fleet";
import type { PlanStep } from "./plan-model";

const STACK = "pulumi:pulumi:Stack";

/** A plan's changed endpoints in the engine's order, how many do not change, what cannot be read, and changes of other resources. */
export interface Grouped {
  changing: PlannedEndpoint[];
  unread: PlanStep[];
  unchanged: number;
  otherChanges: number;
}

/**
 * What becomes of every endpoint, of each member of a fleet as of one by itself. With `drift` the steps are of a refresh, and the changes
 * are those that would put back what it found: from the platform's values to those of the last deployment.
 */
export function groupSteps(steps: readonly PlanStep[], drift = false): Grouped {
  const grouped: Grouped = { changing: [], unread: [], unchanged: 0, otherChanges: 0 };
  const fates: Fate[] = [];
  for (const own of resourcesIn(steps)) {
    if (own.some(({ type }) => isFleet(type))) fates.push(...membersOf(own, drift));
    else if (own.some(({ type }) => isEndpoint(type))) fates.push(...fatesOfEndpoint(own, drift));
    else if (own.some((step) => !harmless.has(step.op) && step.type !== STACK && !isProvider(step)))
      grouped.otherChanges += 1;
  }
  // A deployment does not put back what is only read.
  const owned = drift ? fates.filter(({ step }) => !step.before?.external).map(mending) : withoutTaken(fates);
  for (const fate of owned) {
    const { action } = fate;
    if (action === "unread") grouped.unread.push(fate.step);
    else if (action === "same") grouped.unchanged += 1;
    else grouped.changing.push({ ...fate, action });
  }
  return grouped;
}

/** The steps of each resource; those of a fleet with the rows of its members. */
function resourcesIn(steps: readonly PlanStep[]): Iterable<PlanStep[]> {
  const isOurs = ({ type }: PlanStep) => hostOf(type) !== undefined;
  const coming = steps.filter((step) => isOurs(step) && /^replace$|-replacement$/.test(step.op));
  const byId = new Map(coming.map(({ before, urn, type }) => [before?.id, { urn, type }]));
  const fleets = new Set(steps.filter(({ type }) => isFleet(type)).map(({ urn }) => urn));
  const resources = new Map<string, PlanStep[]>();
  for (const step of steps) {
    // The old half of what is replaced and renamed goes under its former name.
    const isOld = step.op === "delete-replaced" && isOurs(step) && step.before?.id;
    const named = isOld ? { ...step, ...byId.get(step.before?.id) } : step;
    const fleet = isRow(named) ? fleetUrnOf(named.urn) : undefined;
    const urn = fleet !== undefined && fleets.has(fleet) ? fleet : named.urn;
    const own = resources.get(urn);
    if (own) own.push(named);
    else resources.set(urn, [named]);
  }
  return resources.values();
}

/** A single endpoint's: what becomes of it, and of those that an earlier replacement has left under its name. */
function fatesOfEndpoint(steps: readonly PlanStep[], drift: boolean): Fate[] {
  const newer = steps.find(isNewer);
  if (newer) return [fateOf({ ...newer, unread: { why: "newer" } })];
  if (drift) return steps.flatMap((step) => (step.before?.delete ? [] : [fateOf(step)])).slice(-1);
  const changes = steps.filter(({ op }) => !harmless.has(op));
  const replacement = changes.filter(({ op }) => replacing.has(op));
  const isLeft = ({ op, before }: PlanStep) =>
    op === "delete"
      ? before?.delete === true
      : op === "delete-replaced" && !replacement.some((one) => one.op !== op && one.before?.id === before?.id);
  const left = changes.filter(isLeft);
  const own = changes.filter((step) => !isLeft(step));
  const last = own.findLast(({ op }) => !replacing.has(op));
  const quiet = steps.find(({ op }) => harmless.has(op) && !op.startsWith("discard"));
  const found = [
    ...replacementOf(own.filter(({ op }) => replacing.has(op))),
    ...(last ? [fateOf(takenBy(last) ?? last)] : []),
  ];
  return [
    ...left.map((step) => fateOf(step, { leftover: true })),
    ...(found.length === 0 && quiet ? [fateOf(quiet)] : found),
  ];
}

/** True for an endpoint that changes and of whose state this version cannot read all. */
function isNewer({ op, before, after }: PlanStep): boolean {
  if (harmless.has(op)) return false;
  try {
    for (const side of [before, after]) bookkeepingOf(side?.outputs);
    return false;
  } catch (error) {
    if (isKind(error, "refused")) return true;
    throw error;
  }
}

/** A replacement is up to three steps of one URN and counts once. What takes over its own endpoint is not replaced. */
function replacementOf(steps: readonly PlanStep[]): Fate[] {
  const [first] = steps;
  const telling = steps.find(({ op }) => op === "replace") ?? steps.find(({ after }) => after) ?? first;
  if (!first || !telling) return [];
  const isPending = steps.some(({ before }) => before?.pendingReplacement === true);
  const deletesFirst = first.op === "delete-replaced" || isPending;
  const replaced = fateOf({ ...telling, op: "replace" }, { deletesFirst });
  const taken = telling.op === "replace" ? takenBy(telling) : undefined;
  if (!taken) return [replaced];
  const isOwn = taken.after?.id !== undefined && taken.after.id === telling.before?.id;
  if (!isOwn) return [replaced, fateOf(taken)];
  return [deletesFirst ? replaced : fateOf(taken)];
}

/** The takeover in a step, without what the resource had before; undefined where it takes over nothing. */
function takenBy({ before: _, ...step }: PlanStep): PlanStep | undefined {
  const { op, after } = step;
  const { projectId, [TAKES]: takes } = after?.inputs ?? {};
  if (!(typeof takes === "string" || takes === UNKNOWN) || !(op === "create" || op === "replace")) return undefined;
  const id = typeof projectId === "string" && takes !== UNKNOWN ? `${projectId}/${takes}` : undefined;
  return { ...step, op: "take-up", after: { inputs: {}, outputs: {}, ...after, ...(id !== undefined && { id }) } };
}

/** Who had what another resource takes over deletes nothing: what another resource has by then, one and the same provider leaves alone. */
function withoutTaken(fates: readonly Fate[]): Fate[] {
  const takers = new Map(
    fates.flatMap(({ action, step: { after } }) => (action === "adopt" && after?.id ? [[after.id, after]] : [])),
  );
  return fates.flatMap((fate) => {
    const { before } = fate.step;
    const taker = takers.get(before?.id ?? "");
    if (!taker || taker.provider !== before?.provider) return [fate];
    if (fate.action === "replace") return [{ ...fate, deletesFirst: false }];
    return fate.action === "delete" || fate.action === "release" ? [] : [fate];
  });
}

/** The change that puts an endpoint back as the last deployment left it. */
function mending(fate: Fate): Fate {
  const { op, before, after } = fate.step;
  if (fate.action === "unread") return fate;
  const wanted = before && { ...before, outputs: {} };
  if (wanted && op === "delete") {
    const { before: _, ...gone } = fate.step;
    return fateOf({ ...gone, op: "recreate", after: wanted });
  }
  const back = wanted && after && op === "update" ? { ...fate.step, before: after, after: wanted } : undefined;
  return back && readChange(back).properties.length > 0 ? fateOf(back) : { ...fate, action: "same" };
}
