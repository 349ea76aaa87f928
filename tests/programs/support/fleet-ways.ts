/** Follows what the refusal of a member offers, where that takes more than one step. */
import type { ImportProblem } from "../../../provider/plan/refusal";
import { setWish, wishOf } from "./holdings";
import { resourceOf } from "./names";
import type { Values } from "./stack";
import type { World } from "./world";

/** What leaves has to be there once more, without its protection; the whole fleet where that leaves. */
export function unprotect(world: World, name: string, change: "deleted" | "replaced"): void {
  const { program } = world;
  const fleet = resourceOf(name);
  const isGone = !program.has(fleet);
  const held = world.holdings().filter((one) => resourceOf(one.name) === fleet);
  if (isGone) program.set(fleet, { args: { endpoints: {} }, after: new Set() });
  for (const one of held) if (isGone) setWish(program, one.name, { ...placeOf(one.state), protect: false });
  const there = placeOf(held.find((one) => one.name === name)?.state ?? {});
  setWish(program, name, { ...(change === "replaced" ? wishOf(program, name) : there), protect: false });
  if (isGone) world.later.push(() => program.delete(fleet));
  else if (change === "deleted") world.later.push(() => setWish(program, name, undefined));
}

/** What an `importId` should have been. */
export function mendImport(world: World, name: string, problem: ImportProblem): void {
  const { importId, ...wish } = wishOf(world.program, name) ?? {};
  const isElsewhere = problem.kind === "elsewhere";
  setWish(world.program, name, isElsewhere ? { ...wish, ...placeOf({ ...problem.place }), importId } : wish);
  // It is taken over as it is, and changed in a second run.
  if (isElsewhere) world.later.push(() => setWish(world.program, name, wish));
}

function placeOf({ projectId, branchId, type }: Values): Values {
  return { projectId, branchId, type };
}
