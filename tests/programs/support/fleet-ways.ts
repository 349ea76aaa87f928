/** Follows what the refusal of a fleet's own plan offers, by its data alone. */
import type { FleetRefusal, ImportProblem } from "../../../provider/fleet/refusal";
import { createdForOther } from "../../../provider/pulumi/run/run";
import { setWish, wishOf } from "./holdings";
import { resourceOf, urnOf } from "./names";
import type { Values } from "./stack";
import { giveUp, occupied, takeUp } from "./ways";
import type { World } from "./world";

/** Does what a refusal asks for, on behalf of the member that it is about; of the fleet where it is about all. */
export async function followFleet(world: World, name: string, refusal: FleetRefusal): Promise<void> {
  const { program } = world;
  const wish = wishOf(program, name);
  switch (refusal.kind) {
    case "left":
      return takeUp(world, name, refusal);
    case "declared_twice":
      setWish(program, name, undefined);
      return;
    case "moved_there":
      await world.bench.run(world.engine.refresh(world.process()));
      return;
    case "occupied":
      occupied(world, name, { ...refusal, other: createdForOther(refusal.occupant, urnOf(name)) });
      return;
    case "left_behind":
      if (!refusal.isNew) return giveUp(world, name);
      setWish(program, name, undefined);
      world.later.push(() => setWish(program, name, { ...wish, importId: refusal.id }));
      return;
    case "protected":
      unprotect(world, name, refusal.change);
      return;
    case "circle":
      world.later.push(() => world.send(name, wish?.branchId));
      world.send(name, world.freeBranch());
      return;
    case "too_many":
      setWish(program, name, { ...wish, maxDeletions: refusal.deleted.length + refusal.replaced.length });
      return;
    case "import":
      mendImport(world, name, refusal.reason);
  }
}

/** What leaves has to be there once more, without its protection; the whole fleet where that leaves. */
function unprotect(world: World, name: string, change: "deleted" | "replaced"): void {
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

function mendImport(world: World, name: string, problem: ImportProblem): void {
  const { importId, ...wish } = wishOf(world.program, name) ?? {};
  const isElsewhere = problem.kind === "elsewhere";
  setWish(world.program, name, isElsewhere ? { ...wish, ...placeOf({ ...problem.place }), importId } : wish);
  // It is taken over as it is, and changed in a second run.
  if (isElsewhere) world.later.push(() => setWish(world.program, name, wish));
}

function placeOf({ projectId, branchId, type }: Values): Values {
  return { projectId, branchId, type };
}
