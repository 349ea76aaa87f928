/** The parts of the members' changes, which of them has to wait for which, and an order in which each comes after those. */
import { branchKeyOf } from "../endpoint/identity";
import { isSole } from "../endpoint/types";
import type { PlaceRules } from "./ground";
import { type Change, comes, goes, type Placed } from "./wish";

/** A part of a member's change. */
export interface PlaceStep {
  key: string;
  /** `go` deletes its endpoint or lets it go, `come` creates or takes over one, `change` is done in place. */
  part: "go" | "come" | "change";
  rank: number;
  after: PlaceStep[];
}

/** What others wait for comes first: deletes and moves that free a branch, and primaries. Then changes, creates, and the other deletes. */
const rank = { awaited: 0, change: 1, come: 2, go: 3 };

/** The parts of each change: a move frees a branch, and comes to another. */
const parts: Readonly<Record<Change, readonly PlaceStep["part"][]>> = {
  ...{ same: ["change"], update: ["change"], move: ["change"] },
  ...{ create: ["come"], adopt: ["come"], replace: ["go", "come"], delete: ["go"], release: ["go"] },
};

/** One branch: the steps of those that leave it and of those that come. */
interface Traffic {
  leave: { one: Placed; step: PlaceStep }[];
  come: { one: Placed; step: PlaceStep }[];
}

/** The steps of the members, each with those that it waits for. */
export function stepsOf(members: readonly Placed[], rules: PlaceRules): PlaceStep[] {
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
    // What is taken over is there already.
    if (last && one.to && comes(one) && one.change !== "adopt") trafficOn(one.to).come.push({ one, step: last });
    for (const step of own) (step === first && goes(one) ? freeing : others).push(step);
  }
  const steps = [...freeing, ...others];
  for (const traffic of branches.values()) link(traffic, rules);
  for (const step of steps) for (const before of step.after) before.rank = rank.awaited;
  return steps;
}

/** A read-write endpoint comes after the one that leaves, by a move perhaps only after all that leave; replicas come after it. */
function link({ leave, come }: Traffic, { needsEmptyBranch }: PlaceRules): void {
  const primaries = come.filter(({ one }) => isSole(one.to));
  for (const { one, step } of come) {
    if (!isSole(one.to)) {
      step.after.push(...primaries.map((primary) => primary.step));
      continue;
    }
    const needsAll = one.change === "move" && needsEmptyBranch;
    const awaited = leave.filter((other) => needsAll || isSole(other.one.at));
    step.after.push(...awaited.map((other) => other.step));
  }
}

/** Orders steps by what they wait for, then by rank, then as they are given; and those that wait for each other, in disjoint circles. */
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

/** Follows the dependencies from each step until a step repeats. Finds at least one cycle if there is any. */
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
