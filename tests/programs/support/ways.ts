/** Follows what a refusal offers, by its data alone: the changes to program, state or settings that it asks for. */
import type { Refusal } from "../../../provider/pulumi/run/refusal";
import { urnOf } from "../../support/bench";
import { refusalIn } from "./refusals";
import { type Declared, type Failed, ImportError } from "./stack";
import type { World } from "./world";

const PLACE = ["projectId", "branchId", "type"];

/** Does what a failed call's refusal asks for, on behalf of the resource that was refused. Throws where it offers nothing. */
export async function follow(world: World, { name, error }: Failed): Promise<void> {
  const refusal = refusalIn(error.message);
  // What was to be imported is gone or has changed: the program no longer asks for it.
  if (error instanceof ImportError) return remove(world, name);
  if (!refusal) throw new Error(`no way on for ${name}: ${error.message}`);
  switch (refusal.kind) {
    case "order":
      if (!world.wait(nameOf(refusal.second), nameOf(refusal.first))) giveUp(world, name);
      return;
    case "declared_twice":
      return remove(world, name);
    case "two_owners":
      return leave(world, nameOf(refusal.urns[1]));
    case "leaves_late":
      return giveUp(world, name);
    case "own_occupied":
      if (!refusal.isNew || world.adoptInterrupted) return giveUp(world, name);
      world.adoptInterrupted = true;
      return;
    case "occupied":
      return occupied(world, name, refusal);
  }
}

/** A person knows from the state whether the resource that is named really has the occupant. */
function occupied(world: World, name: string, refusal: Refusal & { kind: "occupied" }): void {
  const { other, isNew, occupant, leaves } = refusal;
  const declared = world.program.get(name);
  if (!other && isNew && declared && declared.args.adoptExisting !== true) {
    declared.args = { ...declared.args, adoptExisting: true };
    return;
  }
  const owner = [...world.engine.state.values()].find(({ id }) => id.endsWith(`/${occupant.id}`));
  const ownerName = owner && declaredName(world, owner.name);
  const ownerArgs = ownerName === undefined ? undefined : world.program.get(ownerName)?.args;
  if (other && !owner) world.bench.emulator.admin.dropEndpoint(occupant.id);
  else if (leaves && ownerName !== undefined && ownerArgs?.branchId === leaves.branchId) {
    world.exchange(name, ownerName, leaves.inTime);
  } else if (!world.wait(name, ownerName)) giveUp(world, name);
}

/** The name by which the program has a resource, after an alias too. */
function declaredName(world: World, name: string): string | undefined {
  if (world.program.has(name)) return name;
  return [...world.program].find(([, { was }]) => was === name)?.[0];
}

/** The program no longer asks for what cannot be: the resource stays as it was, or is not there. */
function giveUp(world: World, name: string): void {
  const declared = world.program.get(name) as Declared;
  const stored = world.engine.state.get(name) ?? world.engine.state.get(declared.was ?? "");
  if (!stored || stored.inputs.branchId === declared.args.branchId) remove(world, name);
  else declared.args = Object.fromEntries(PLACE.map((property) => [property, stored.state[property]]));
}

function remove(world: World, name: string): void {
  world.program.delete(name);
}

/** `pulumi state delete`, and out of the program. */
function leave(world: World, name: string): void {
  const declared = world.program.get(name);
  const stored = world.engine.state.get(name) ?? world.engine.state.get(declared?.was ?? "");
  if (stored) {
    world.engine.state.delete(stored.name);
    world.free.add(stored.id.split("/")[1] ?? "");
  }
  remove(world, name);
}

/** The name in a URN. */
export function nameOf(urn: string): string {
  return urn.slice(urnOf("").length);
}
