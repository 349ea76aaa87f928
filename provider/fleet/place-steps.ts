/** The parts of the members' changes, and which of them has to wait for which. */
import type { Place } from "../endpoint/place";
import type { Arranged, Branch } from "./places";

/** A part of a member's change. */
export interface PlaceStep {
  key: string;
  /** `go` deletes its endpoint or lets it go, `come` creates or takes over one, `change` is done in place. */
  part: "go" | "come" | "change";
  rank: number;
  after: PlaceStep[];
}

/** Deletes and moves that free a branch come first, then primaries, changes, creates, and the other deletes. */
const rank = { frees: 0, primary: 1, change: 2, create: 3, delete: 4 };

/** The steps of the members, each with those that it waits for. */
export function stepsOf(members: readonly Arranged[], branches: ReadonlyMap<string, Branch>): PlaceStep[] {
  const going = new Map<Arranged, PlaceStep>();
  const coming = new Map<Arranged, PlaceStep>();
  for (const member of members) {
    const { placed, arrival } = member;
    const step = (part: PlaceStep["part"], rankOf: number): PlaceStep => ({
      key: placed.key,
      part,
      rank: rankOf,
      after: [],
    });
    if (arrival === "leave" || arrival === "replace") going.set(member, step("go", rank.delete));
    if (arrival === "stay" || arrival === "unknown") coming.set(member, step("change", rank.change));
    if (arrival === "move") {
      const one = step("change", rank.change);
      going.set(member, one);
      coming.set(member, one);
    }
    if (arrival === "replace" || arrival === "create" || arrival === "adopt")
      coming.set(member, step("come", rank.create));
  }
  for (const branch of branches.values()) link(branch, going, coming);
  for (const [member, step] of coming) {
    const gone = going.get(member);
    if (gone && gone !== step) step.after.push(gone);
  }
  const steps = [...new Set([...going.values(), ...coming.values()])];
  for (const step of steps) for (const before of step.after) before.rank = Math.min(before.rank, ranked(before));
  return steps;
}

/** What waits for what on one branch. */
function link(branch: Branch, going: ReadonlyMap<Arranged, PlaceStep>, coming: ReadonlyMap<Arranged, PlaceStep>): void {
  const stepsIn = (steps: ReadonlyMap<Arranged, PlaceStep>, some: readonly Arranged[]) =>
    some.flatMap((member) => steps.get(member) ?? []);
  const isReadWrite = (place: Place | undefined) => place?.type === "read_write";
  const mover = stepsIn(
    coming,
    branch.come.filter(({ arrival }) => arrival === "move"),
  );
  const primary = stepsIn(
    coming,
    branch.come.filter(({ placed }) => isReadWrite(placed.to)),
  );
  for (const member of branch.come) {
    const step = coming.get(member);
    if (!step) continue;
    const leavers = branch.leave.filter(
      ({ placed }) => member.arrival === "move" || (isReadWrite(member.placed.to) && isReadWrite(placed.from)),
    );
    // An in-place move needs the branch empty: whoever else comes is later, the primary before its replicas.
    const arrivals = member.arrival === "move" ? [] : [...mover, ...(isReadWrite(member.placed.to) ? [] : primary)];
    step.after.push(...[...stepsIn(going, leavers), ...arrivals].filter((one) => one !== step));
  }
}

/** Something waits for it: what frees a branch comes first, then what a branch's replicas need. */
function ranked({ part }: PlaceStep): number {
  return part === "come" ? rank.primary : rank.frees;
}
