/** The steps of the members' changes, their dependencies, and an order that satisfies them. */
import { branchKeyOf } from "../endpoint/identity";
import { isSole } from "../endpoint/types";
import { type Change, comes, goes, type Placed } from "./wish";

/** A step of a member's change. */
export interface PlaceStep {
  key: string;
  /** `go` deletes or releases the endpoint, `come` creates or adopts one, `change` updates in place. */
  part: "go" | "come" | "change";
  rank: number;
  after: PlaceStep[];
}

/**
 * The order without dependencies: deletes and moves that free a branch and primaries, then changes, creates, other
 * deletes.
 */
const rank = { awaited: 0, change: 1, come: 2, go: 3 };

/** The steps of each change. A move is one step that frees a branch and comes to another. */
const parts: Readonly<Record<Change, readonly PlaceStep["part"][]>> = {
  ...{ same: ["change"], update: ["change"], move: ["change"] },
  ...{ create: ["come"], adopt: ["come"], replace: ["go", "come"], delete: ["go"], release: ["go"] },
};

/** One branch: the steps that leave it and those that come to it. */
interface Traffic {
  leave: { one: Placed; step: PlaceStep }[];
  come: { one: Placed; step: PlaceStep }[];
}

/** Builds the members' steps with their dependencies. */
export function stepsOf(members: readonly Placed[]): PlaceStep[] {
  const branches = new Map<string, Traffic>();
  const trafficOn = (place: Parameters<typeof branchKeyOf>[0]) => {
    const key = branchKeyOf(place);
    const known = branches.get(key);
    if (known) return known;
    const traffic: Traffic = { leave: [], come: [] };
    branches.set(key, traffic);
    return traffic;
  };

  const freeing: PlaceStep[] = [];
  const others: PlaceStep[] = [];

  for (const one of members) {
    const own = parts[one.change].map((part): PlaceStep => ({ key: one.key, part, rank: rank[part], after: [] }));
    const [first, last] = [own[0], own.at(-1)];
    if (first && last && first !== last) last.after.push(first);
    if (first && one.at && goes(one)) trafficOn(one.at).leave.push({ one, step: first });
    // An adopted endpoint is already there.
    if (last && one.to && comes(one) && one.change !== "adopt") trafficOn(one.to).come.push({ one, step: last });
    for (const step of own) (step === first && goes(one) ? freeing : others).push(step);
  }

  const steps = [...freeing, ...others];
  for (const traffic of branches.values()) link(traffic);
  for (const step of steps) for (const before of step.after) before.rank = rank.awaited;
  return steps;
}

/** Adds a branch's dependencies: a read-write endpoint comes after all that leave, replicas after it. */
function link({ leave, come }: Traffic): void {
  const primaries = come.filter(({ one }) => isSole(one.to));
  for (const { one, step } of come) {
    const awaited = isSole(one.to) ? leave : primaries;
    step.after.push(...awaited.map((other) => other.step));
  }
}

/** Sorts steps by dependency, rank and input order. Returns those in cycles apart, as disjoint circles. */
export function order(steps: readonly PlaceStep[]): { ordered: PlaceStep[]; circles: PlaceStep[][] } {
  const open = new Map(steps.map((step) => [step, new Set(step.after)]));
  const waiting = new Map<PlaceStep, PlaceStep[]>();
  for (const step of steps) {
    for (const before of new Set(step.after)) waiting.set(before, [...(waiting.get(before) ?? []), step]);
  }

  const ready = Object.values(rank).map(() => ({ steps: [] as PlaceStep[], next: 0 }));
  const put = (step: PlaceStep) => ready[step.rank]?.steps.push(step);
  const take = () => {
    const first = ready.find(({ steps, next }) => next < steps.length);
    return first?.steps[first.next++];
  };
  for (const step of steps) if (step.after.length === 0) put(step);
  const ordered: PlaceStep[] = [];

  for (let step = take(); step !== undefined; step = take()) {
    ordered.push(step);
    for (const next of waiting.get(step) ?? []) {
      const left = open.get(next);
      if (left?.delete(step) && left.size === 0) put(next);
    }
  }
  return { ordered, circles: circlesAmong(steps, new Set(ordered)) };
}

/** Follows the dependencies from each step until a step repeats. Finds at least one cycle if any exists. */
function circlesAmong(steps: readonly PlaceStep[], done: ReadonlySet<PlaceStep>): PlaceStep[][] {
  const seen = new Set<PlaceStep>();
  const circles: PlaceStep[][] = [];

  for (const start of steps) {
    const path: PlaceStep[] = [];
    let step: PlaceStep | undefined = start;
    while (step !== undefined && !seen.has(step)) {
      seen.add(step);
      path.push(step);
      step = step.after.find((one) => !done.has(one));
    }

    const from = path.indexOf(step as PlaceStep);
    if (from >= 0) circles.push(path.slice(from));
  }
  return circles;
}
