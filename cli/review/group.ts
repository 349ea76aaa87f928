/** The steps of a plan by the endpoints that they are about. */
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { isRecord } from "../../provider/lib/unknown";
import { type Host, hostOf, isEndpoint } from "../hosts";
import { planValue } from "./change";
import { isProvider } from "./configuration";
import type { PlanStep } from "./plan-model";

/** What happens to an endpoint: the engine's words, and two of the provider's own. */
export type Action =
  | "create"
  /** A create that takes over the endpoint which the branch has (`adoptExisting`). */
  | "adopt"
  /** Somebody deleted it, and the next deployment creates it again; only of drift. */
  | "recreate"
  | "import"
  | "update"
  | "replace"
  | "delete"
  /** It leaves the stack and keeps running. */
  | "release";

/** One fate of one endpoint. */
export interface PlannedEndpoint {
  action: Action;
  host: Host["name"];
  step: PlanStep;
  /** For a replacement: the old endpoint goes before the new one comes. */
  deletesFirst: boolean;
  /** It was to go in an earlier run already, and its replacement is there. */
  leftover: boolean;
}

/** A plan's changed endpoints in the engine's order, how many do not change, what cannot be read, and changes of other resources. */
export interface Grouped {
  changing: PlannedEndpoint[];
  unread: PlanStep[];
  unchanged: number;
  otherChanges: number;
}

/** Steps that only look, or only tidy the engine's own books. */
export const harmless = new Set([
  "same",
  "refresh",
  "read",
  "read-replacement",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);
/** Steps of a replacement. */
export const replacing = new Set(["replace", "create-replacement", "delete-replaced", "import-replacement"]);

/**
 * Sorts the steps of a plan by endpoint. A replacement is up to three steps of one URN and counts once; an endpoint that was
 * refreshed before it changes counts as changing.
 */
export function groupSteps(steps: readonly PlanStep[]): Grouped {
  const changing = new Map<string, PlannedEndpoint>();
  const quiet = new Set<string>();
  const others = new Set<string>();
  const replacements = replacingSteps(steps);
  for (const step of steps) {
    const host = isEndpoint(step.type) ? hostOf(step.type)?.name : undefined;
    const key = keyOf(step);
    const replacement = replacements.get(key) ?? [step];
    if (step.unread) continue;
    if (!host) {
      if (!harmless.has(step.op) && !isStack(step) && !isProvider(step)) others.add(step.urn);
    } else if (harmless.has(step.op)) {
      if (step.op !== "discard" && step.op !== "discard-replaced") quiet.add(key);
    } else if (isLeftover(step, replacement)) {
      // It has the URN of the one that took its place.
      const left = `${key} ${step.before?.id}`;
      changing.set(left, { action: departureOf(step), host, step, deletesFirst: false, leftover: true });
    } else if (replacing.has(step.op)) {
      if (changing.has(key)) continue;
      const own = replacement.filter((one) => !isLeftover(one, replacement));
      changing.set(key, replacementOf(own, host));
    } else {
      // What is replaced and takes over another endpoint than its own has two fates.
      const own = replacements.has(key) ? `${key} ${step.after?.id}` : key;
      changing.set(own, { action: actionOf(step), host, step, deletesFirst: false, leftover: false });
    }
  }
  return {
    changing: [...changing.values()],
    unread: unreadIn(steps),
    unchanged: [...quiet].filter((key) => !changing.has(key)).length,
    otherChanges: others.size,
  };
}

/** What nobody can read, each once: a replacement has several steps. */
export function unreadIn(steps: readonly PlanStep[]): PlanStep[] {
  const unread = steps.filter((step) => step.unread !== undefined);
  return [...new Map(unread.map((step) => [step.urn, step])).values()];
}

/** A member may bear the URN of an endpoint that is a child of its fleet. */
export function keyOf({ urn, isMember }: PlanStep): string {
  return isMember ? `${urn} of its fleet` : urn;
}

/** The steps of each replacement, by URN. */
function replacingSteps(steps: readonly PlanStep[]): ReadonlyMap<string, PlanStep[]> {
  const found = new Map<string, PlanStep[]>();
  for (const step of steps) {
    if (!replacing.has(step.op)) continue;
    const same = found.get(keyOf(step));
    if (same) same.push(step);
    else found.set(keyOf(step), [step]);
  }
  return found;
}

function replacementOf(steps: PlanStep[], host: PlannedEndpoint["host"]): PlannedEndpoint {
  const [first] = steps as [PlanStep];
  const telling = steps.find(({ op }) => op === "replace") ?? steps.find(({ after }) => after) ?? first;
  const deletesFirst =
    first.op === "delete-replaced" || steps.some(({ before }) => before?.pendingReplacement === true);
  return { action: "replace", host, step: telling, deletesFirst, leftover: false };
}

/** True for what an earlier run replaced and did not delete yet: no other step of a replacement has its id. */
function isLeftover({ op, before }: PlanStep, replacement: readonly PlanStep[]): boolean {
  if (op === "delete") return before?.delete === true;
  if (op !== "delete-replaced") return false;
  return !replacement.some((one) => one.op !== "delete-replaced" && one.before?.id === before?.id);
}

function actionOf(step: PlanStep): Action {
  switch (step.op) {
    case "create":
      return mayAdopt(step.after?.inputs.adoptExisting) ? "adopt" : "create";
    case "take":
    case "take-up":
      return "adopt";
    case "import":
      return "import";
    case "delete":
      return departureOf(step);
    default:
      // What a newer engine calls by another name changes the endpoint somehow.
      return "update";
  }
}

/** What becomes of an endpoint that leaves the stack. */
function departureOf({ before }: PlanStep): Action {
  return before?.retainOnDelete === true || isAdopted(before?.outputs) ? "release" : "delete";
}

/** True for `adoptExisting` where it is set; where it is secret or not known yet, it may be. */
export function mayAdopt(adoptExisting: unknown): boolean {
  const found = planValue(adoptExisting);
  return found.is === "value" ? found.value === true : found.is === "secret" || found.is === "unknown";
}

function isAdopted(outputs: Readonly<Record<string, unknown>> | undefined): boolean {
  const book = outputs?.[BOOKKEEPING];
  return isRecord(book) && book.adopted === true;
}

function isStack({ type }: PlanStep): boolean {
  return type === "pulumi:pulumi:Stack";
}
