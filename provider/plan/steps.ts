/** The parts of the members' changes, which of them has to wait for which, and an order in which each comes after those. */
import { isReadWrite } from "../endpoint/identity";
import type { Arranged, Branch } from "./branch";

/** A part of a member's change. */
export interface PlaceStep {
  key: string;
  /** `go` deletes its endpoint or lets it go, `come` creates or takes over one, `change` is done in place. */
  part: "go" | "come" | "change";
  rank: number;
  after: PlaceStep[];
}

/** What others wait for comes first: deletes and moves that free a branch, and primaries. Then changes, creates, and the other deletes. */
const rank = { awaited: 0, change: 1, create: 2, delete: 3 };

/** The steps of the members, each with those that it waits for. */
export function stepsOf(members: readonly Arranged[], branches: ReadonlyMap<string, Branch>): PlaceStep[] {
  const going = new Map<Arranged, PlaceStep>();
  const coming = new Map<Arranged, PlaceStep>();
  for (const member of members) {
    const { wish, change } = member;
    const step = (part: PlaceStep["part"], rankOf: number): PlaceStep => ({
      key: wish.key,
      part,
      rank: rankOf,
      after: [],
    });
    if (change === "delete" || change === "release" || change === "replace") going.set(member, step("go", rank.delete));
    if (change === "same" || change === "unknown") coming.set(member, step("change", rank.change));
    if (change === "move") {
      const one = step("change", rank.change);
      going.set(member, one);
      coming.set(member, one);
    }
    if (change === "replace" || change === "create" || change === "adopt")
      coming.set(member, step("come", rank.create));
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
  const mover = stepsIn(
    coming,
    branch.come.filter(({ change }) => change === "move"),
  );
  const primary = stepsIn(
    coming,
    branch.come.filter(({ wish }) => isReadWrite(wish.to)),
  );
  for (const member of branch.come) {
    const step = coming.get(member);
    if (!step) continue;
    const leavers = branch.leave.filter(
      ({ wish }) => member.change === "move" || (isReadWrite(member.wish.to) && isReadWrite(wish.from)),
    );
    // A move in place needs an empty branch, so all others come after it, and replicas after the read-write endpoint.
    const arrivals = member.change === "move" ? [] : [...mover, ...(isReadWrite(member.wish.to) ? [] : primary)];
    step.after.push(...stepsIn(going, leavers), ...arrivals);
  }
}

interface Ordered<S> {
  rank: number;
  after: readonly S[];
}

interface Order<S> {
  ordered: S[];
  circles: S[][];
}

/** Orders steps by what they wait for, then by rank, then as they are given. */
export function order<S extends Ordered<S>>(steps: readonly S[]): Order<S> {
  const open = new Map(steps.map((step) => [step, new Set(step.after).size]));
  const waiting = new Map<S, S[]>();
  for (const step of steps) {
    for (const before of new Set(step.after)) waiting.set(before, [...(waiting.get(before) ?? []), step]);
  }
  const ready = new Ranks<S>();
  for (const step of steps) if (open.get(step) === 0) ready.put(step);
  const ordered: S[] = [];
  for (let step = ready.take(); step !== undefined; step = ready.take()) {
    ordered.push(step);
    for (const next of waiting.get(step) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) ready.put(next);
    }
  }
  return { ordered, circles: circlesAmong(steps, new Set(ordered)) };
}

/** From each step along what it waits for, until a step comes again: disjoint circles, at least one where there is any. */
function circlesAmong<S extends Ordered<S>>(steps: readonly S[], done: ReadonlySet<S>): S[][] {
  const seen = new Set<S>();
  const circles: S[][] = [];
  for (const start of steps) {
    const path = new Map<S, number>();
    let step: S | undefined = start;
    while (step !== undefined && !seen.has(step)) {
      seen.add(step);
      path.set(step, path.size);
      step = step.after.find((one) => !done.has(one));
    }
    const from = step && path.get(step);
    if (from !== undefined) circles.push([...path.keys()].slice(from));
  }
  return circles;
}

class Ranks<S extends Ordered<S>> {
  readonly #queues: { steps: S[]; next: number }[] = [];

  put(step: S): void {
    this.#queues[step.rank] ??= { steps: [], next: 0 };
    this.#queues[step.rank]?.steps.push(step);
  }

  take(): S | undefined {
    for (const queue of this.#queues) if (queue && queue.next < queue.steps.length) return queue.steps[queue.next++];
    return undefined;
  }
}
