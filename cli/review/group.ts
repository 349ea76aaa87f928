/** Groups a plan's steps by endpoint and decides each endpoint's action. */
import { TAKES } from "../../provider/endpoint/input-notes";
import { bookkeepingOf } from "../../provider/endpoint/state";
import { UNKNOWN } from "../../provider/lib/unknown";
import { isKind } from "../../provider/platform/errors";
import { hostOf, isEndpoint, isFleet } from "../hosts";
import { readChange } from "./change";
import { isProvider, type Moves } from "./configuration";
import { type Fate, fateOf, harmless, lacksSide, type PlannedEndpoint, replacing, takenAlong } from "./fate";
import { stepsOfMembers } from "./fleet";
import { type LiveView, withOccupant } from "./live/look";
import { holdsSecret, type PlanStep } from "./plan-model";

const STACK = "pulumi:pulumi:Stack";

/**
 * Groups a plan's steps by endpoint: the changing, the unreadable, and counts of the rest. `drift`: the changes undo a
 * refresh's findings. `live`: adoptions show the platform's endpoint. `moves`: what the stack's settings make of a new
 * branch.
 */
export function groupSteps(
  steps: readonly PlanStep[],
  { drift = false, live, moves }: { drift?: boolean | undefined; live?: LiveView | undefined; moves?: Moves } = {},
) {
  const grouped = { changing: [] as PlannedEndpoint[], unread: [] as Fate[], unchanged: 0, otherChanges: 0 };
  const fates: Fate[] = [];
  const deleted = drift ? new Set<string>() : deletedIn(steps);

  for (const own of resourcesIn(steps)) {
    // A deployment does not undo drift of a resource that is only read.
    if (drift && own.some(({ before }) => before?.external)) continue;
    const goesWith = own.flatMap(({ before }) => before?.deletedWith ?? []).find((urn) => deleted.has(urn));
    const add = (one: readonly PlanStep[]) =>
      fates.push(...fatesOf(one, drift).map((fate) => takenAlong(fate, goesWith)));

    if (own.some(({ type }) => isFleet(type))) {
      for (const one of byUrn(stepsOfMembers(own, { drift, moves }))) add(one);
    } else if (own.some(({ type }) => isEndpoint(type))) add(own);
    else if (own.some((step) => !harmless.has(step.op) && step.type !== STACK && !isProvider(step)))
      grouped.otherChanges += 1;
  }

  for (const fate of drift ? fates.map(undoDrift) : withoutTaken(fates)) {
    const { action } = fate;
    if (action === "unread") grouped.unread.push(fate);
    else if (action === "same") grouped.unchanged += 1;
    else grouped.changing.push(live ? withOccupant({ ...fate, action }, live) : { ...fate, action });
  }
  return grouped;
}

/** The resources that the plan deletes, replaced ones included. */
function deletedIn(steps: readonly PlanStep[]): Set<string> {
  const isDeleted = ({ op, before }: PlanStep) =>
    /^(?:delete|replace)/.test(op) && !before?.retainOnDelete && !before?.external && !before?.delete;
  return new Set(steps.filter(isDeleted).map(({ urn }) => urn));
}

/** The steps of each resource. */
function resourcesIn(steps: readonly PlanStep[]): Iterable<PlanStep[]> {
  const isOurs = ({ type }: PlanStep) => hostOf(type) !== undefined;
  const coming = steps.filter((step) => isOurs(step) && /^replace$|-replacement$/.test(step.op));
  const byId = new Map(coming.map(({ before, urn, type }) => [before?.id, { urn, type }]));
  // The engine puts the old half of a renamed replacement under the old name.
  const named = steps.map((step) =>
    step.op === "delete-replaced" && isOurs(step) && step.before?.id ? { ...step, ...byId.get(step.before.id) } : step,
  );

  return byUrn(named);
}

function byUrn(steps: readonly PlanStep[]): Iterable<PlanStep[]> {
  const groups = new Map<string, PlanStep[]>();
  for (const step of steps) {
    const own = groups.get(step.urn);
    if (own) own.push(step);
    else groups.set(step.urn, [step]);
  }
  return groups.values();
}

/** The outcomes of a single endpoint, and of those left under its name by an earlier replacement. */
function fatesOf(steps: readonly PlanStep[], drift: boolean): Fate[] {
  for (const step of steps) {
    const why = isOfOtherForm(step) ? "form" : lacksSide(step) ? "cut" : undefined;
    if (why) return [fateOf({ ...step, unread: { why } })];
  }

  if (drift) return steps.flatMap((step) => (step.before?.delete ? [] : [fateOf(step)])).slice(-1);
  const changes = steps.filter(({ op }) => !harmless.has(op));
  const replacement = changes.filter(({ op }) => replacing.has(op));
  const isLeft = ({ op, before }: PlanStep) =>
    op === "delete"
      ? before?.delete === true
      : op === "delete-replaced" && !replacement.some((one) => one.op !== op && one.before?.id === before?.id);

  const own = changes.filter((step) => !isLeft(step));
  const last = own.findLast(({ op }) => !replacing.has(op));
  const quiet = steps.find(({ op }) => harmless.has(op) && !op.startsWith("discard"));
  const found = [
    ...replacementOf(own.filter(({ op }) => replacing.has(op))),
    ...(last ? [fateOf(takenBy(last) ?? last)] : []),
  ];

  // An earlier fleet's endpoint belongs to the member that adopted it.
  const has = [...own, ...(quiet ? [quiet] : [])].flatMap(({ before }) => before?.id ?? []);
  const left = changes.filter((step) => isLeft(step) && !has.includes(step.before?.id ?? ""));
  return [
    ...left.map((step) => ({ ...fateOf(step), leftover: true as const })),
    ...(found.length === 0 && quiet ? [fateOf(quiet)] : found),
  ];
}

/** True for a changing endpoint with state that this version cannot fully read. */
function isOfOtherForm({ op, before, after }: PlanStep): boolean {
  if (harmless.has(op)) return false;
  try {
    for (const side of [before, after]) bookkeepingOf(side?.outputs);
    return false;
  } catch (error) {
    if (isKind(error, "refused")) return true;
    throw error;
  }
}

/** The outcome of a replacement, up to three steps of one URN. Adopting its own endpoint is no replacement. */
function replacementOf(steps: readonly PlanStep[]): Fate[] {
  const [first] = steps;
  const telling = steps.find(({ op }) => op === "replace") ?? steps.find(({ after }) => after) ?? first;
  if (!first || !telling) return [];

  const isPending = steps.some(({ before }) => before?.pendingReplacement === true);
  const deletesFirst = first.op === "delete-replaced" || isPending;
  const replaced = { ...fateOf({ ...telling, op: "replace" }), deletesFirst };
  const taken = telling.op === "replace" ? takenBy(telling) : undefined;
  if (!taken) return [replaced];
  const isOwn = taken.after?.id !== undefined && taken.after.id === telling.before?.id;
  if (!isOwn) return [replaced, fateOf(taken)];
  return [deletesFirst ? replaced : fateOf(taken)];
}

/** The adoption in a step, without a replaced resource's old side; undefined if it adopts nothing. */
function takenBy({ before, ...step }: PlanStep): PlanStep | undefined {
  const { op, after } = step;
  const { projectId, [TAKES]: noted } = after?.inputs ?? {};
  const takes = holdsSecret(noted) ? UNKNOWN : noted;
  if (!(typeof takes === "string" || takes === UNKNOWN) || !(op === "create" || op === "replace")) return undefined;
  const id = typeof projectId === "string" && takes !== UNKNOWN ? `${projectId}/${takes}` : undefined;

  return {
    ...step,
    op: "take-up",
    ...(op === "create" && before && { before }),
    after: { inputs: {}, outputs: {}, ...after, ...(id !== undefined && { id }) },
  };
}

/** Drops the deletes of adopted endpoints: the provider spares an endpoint that another resource has by then. */
function withoutTaken(fates: readonly Fate[]): Fate[] {
  const takers = new Map(
    fates.flatMap(({ action, after }) => (action === "adopt" && after?.id ? [[after.id, after]] : [])),
  );
  return fates.flatMap((fate) => {
    const { action, before } = fate;
    const taker = takers.get(before?.id ?? "");
    if (!taker || taker.provider !== before?.provider) return [fate];
    if (action === "replace") return [{ ...fate, deletesFirst: false }];
    return action === "delete" || action === "release" ? [] : [fate];
  });
}

/** The change that undoes an endpoint's drift. */
function undoDrift(fate: Fate): Fate {
  const { action, before: _, ...step } = fate;
  const { op, before, after } = fate;
  if (action === "unread") return fate;
  const wanted = before && { ...before, outputs: {} };
  if (wanted && op === "delete") return fateOf({ ...step, op: "recreate", after: wanted });
  const back = wanted && after && op === "update" ? { ...step, before: after, after: wanted } : undefined;
  return back && readChange(back).properties.length > 0 ? fateOf(back) : { ...fate, action: "same" };
}
