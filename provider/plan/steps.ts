/** The parts of the members' changes, which of them has to wait for which, and an order in which each comes after those. */
import { isReadWrite } from "../endpoint/identity";
import type { Arranged, Branch } from "./branch";
import type { Change } from "./ledger";

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
  ...{ same: ["change"], update: ["change"], unknown: ["change"], move: ["change"] },
  ...{ create: ["come"], adopt: ["come"], replace: ["go", "come"], delete: ["go"], release: ["go"] },
};

/** The steps of the members, each with those that it waits for. */
export function stepsOf(members: readonly Arranged[], branches: ReadonlyMap<string, Branch>): PlaceStep[] {
  const going = new Map<Arranged, PlaceStep>();
  const coming = new Map<Arranged, PlaceStep>();
  for (const member of members) {
    const { key, change } = member;
    for (const part of parts[change]) {
      const step: PlaceStep = { key, part, rank: rank[part], after: [] };
      if (part === "go" || change === "move") going.set(member, step);
      if (part !== "go") coming.set(member, step);
    }
  }
  for (const branch of branches.values()) link(branch, going, coming);
  for (const [member, step] of coming) {
    const gone = going.get(member);
    if (gone && gone !== step) step.after.push(gone);
  }
  const steps = [...new Set([...going.values(), ...coming.values()])];
  for (const step of steps) for (const before of step.after) before.rank = rank.awaited;
  return steps;
}

function link(branch: Branch, going: ReadonlyMap<Arranged, PlaceStep>, coming: ReadonlyMap<Arranged, PlaceStep>): void {
  const stepsIn = (steps: ReadonlyMap<Arranged, PlaceStep>, some: readonly Arranged[]) =>
    some.flatMap((member) => steps.get(member) ?? []);
  const movers = branch.come.filter(({ change }) => change === "move");
  const primaries = branch.come.filter(({ to }) => isReadWrite(to));
  for (const member of branch.come) {
    const isMover = member.change === "move";
    const isPrimary = isReadWrite(member.to);
    const leavers = branch.leave.filter(({ from }) => isMover || (isPrimary && isReadWrite(from)));
    // A move in place needs an empty branch, so all others come after it, and replicas after the read-write endpoint.
    const arrivals = isMover ? [] : [...movers, ...(isPrimary ? [] : primaries)];
    coming.get(member)?.after.push(...stepsIn(going, leavers), ...stepsIn(coming, arrivals));
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

/** From each step along what it waits for, until a step comes again: at least one circle where there is any. */
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
