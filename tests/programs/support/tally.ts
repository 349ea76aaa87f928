/** What a program comes to, so that a sitting can count how many of each kind it had. */
import { wishOf } from "./holdings";
import { isFleet, resourceOf } from "./names";
import type { Run } from "./stack";
import type { World } from "./world";

/** How a case ended, and what its first preview planned. */
export interface Tally {
  end: "done" | "refused in preview" | "order" | "conflict";
  moves: number;
  adoptions: number;
  replacements: number;
  /** Whether a fleet takes part. */
  fleets: boolean;
  /**
   * How endpoints came to bear the names of those who have them not; with `met` where the program has such a one and the run was shown
   * it, with `hidden` where it was not shown all.
   */
  owners: string[];
  /** The words by which its runs took over what was there. */
  taken: World["taken"];
}

/** What the first preview of a case planned. */
export function tallyOf(world: World, { changes, failed }: Run): Omit<Tally, "end"> {
  const { program, engine } = world;
  const held = world.holdings();
  const count = (test: (name: string) => boolean) => (failed.length > 0 ? 0 : [...changes.keys()].filter(test).length);
  const stored = (name: string) => held.find((one) => one.name === name);
  const comes = (name: string) => ["create", "new"].includes(changes.get(name) ?? "") && isOccupied(world, name);
  return {
    moves: count(
      (name) => changes.get(name) === "update" && stored(name)?.branchId !== wishOf(program, name)?.branchId,
    ),
    adoptions: count((name) => changes.get(name) === "adopt" || comes(name)),
    replacements: count((name) => changes.get(name) === "replace"),
    owners: ownersOf(world),
    taken: world.taken,
    fleets: [...program.keys(), ...engine.state.keys()].some(isFleet),
  };
}

function ownersOf({ formerOwners, hidden, program }: World): string[] {
  const all = formerOwners.flatMap(({ kind, name }) => {
    const isMet = wishOf(program, name) !== undefined && !hidden.has(resourceOf(name));
    return isMet ? [kind, `${kind} met`, ...(hidden.size > 0 ? [`${kind} hidden`] : [])] : [kind];
  });
  return [...new Set(all)];
}

function isOccupied(world: World, name: string): boolean {
  const { adoptExisting, branchId } = wishOf(world.program, name) ?? {};
  if (adoptExisting !== true) return false;
  return world.endpoints().some((one) => one.branch_id === branchId && one.type === "read_write");
}
