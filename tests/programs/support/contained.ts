/** Checks an up against its preview: no unannounced change of an endpoint, and no takeover without permission. */
import { isDeepStrictEqual } from "node:util";
import type { EndpointState } from "../../../emulator";
import { resourceOf } from "../../engine-model/names";
import type { Change, Run } from "../../engine-model/words";
import { type Held, wishOf } from "./holdings";
import { isMadeFor, isMarked } from "./marks";
import type { World } from "./world";

/** The platform's endpoints and the stack's state at one moment. */
export interface Picture {
  endpoints: ReadonlyMap<string, EndpointState>;
  held: readonly Held[];
}

/** Takes a picture of platform and state. */
export function pictureOf(world: World): Picture {
  return { endpoints: new Map(world.endpoints().map((one) => [one.id, one])), held: world.holdings() };
}

/** What a preview has announced: by the program's names, what becomes of each endpoint. */
export type Announced = Pick<Run, "changes" | "moves">;

const leaving: readonly (Change | undefined)[] = ["delete", "drop", "replace"];
const coming: readonly (Change | undefined)[] = ["create", "new", "adopt", "import", "replace"];

/**
 * Throws if an up did more than its preview said. After a change by somebody else that covers deletes and replacements
 * only; a moved endpoint goes back by its type's rule.
 */
export function holdContained(world: World, announced: Announced, before: Picture): void {
  const after = pictureOf(world);
  const isMeddled = world.touched.size > 0;
  for (const [id, was] of before.endpoints) {
    const owners = before.held.filter((one) => one.id === id);
    const is = after.endpoints.get(id);
    if (!is) holdDelete(world, announced, id, owners);
    else if (!isMeddled) holdChange(announced, { was, is }, owners, takersOf(world, announced, id));
  }
  for (const { name, id, isLeftover } of before.held) {
    const now = after.held.find((one) => one.name === name && !one.isLeftover);
    const isReplaced = !isLeftover && now && now.id !== id && before.endpoints.has(id) && !world.moved.has(id);
    if (isReplaced && !leaving.includes(announced.changes.get(name)))
      throw new Error(`${name} was replaced unannounced: ${id} by ${now.id}`);
  }
  holdTakeovers(world, before, after);
}

/** The names of those that come, and are to take over an endpoint. */
function takersOf(world: World, { changes }: Announced, id: string): string[] {
  return [...changes].flatMap(([name, change]) =>
    coming.includes(change) && wordFor(world, name, id) !== undefined ? [name] : [],
  );
}

function holdDelete(world: World, { changes }: Announced, id: string, owners: readonly Held[]): void {
  const names = owners.map(({ name }) => name).join(", ");
  if (owners.length === 0) throw new Error(`${id} was deleted, and was nobody's`);
  if (world.moved.has(id)) return;
  const leavers = owners.filter(({ name, isLeftover }) => isLeftover || leaving.includes(changes.get(name)));
  if (leavers.length === 0) throw new Error(`${id} of ${names} was deleted unannounced`);
  // Of two that had one endpoint, either may have deleted it.
  if (leavers.every(({ isKept }) => isKept)) throw new Error(`${id} was deleted, and ${names} was to leave it`);
}

function holdChange(
  { changes, moves }: Announced,
  { was, is }: { was: EndpointState; is: EndpointState },
  owners: readonly Held[],
  takers: readonly string[],
): void {
  const names = owners.map(({ name }) => name);
  const isMoved = is.branch_id !== was.branch_id;
  if (isMoved && !names.some((name) => moves.has(name))) throw new Error(`${is.id} of ${names} was moved unannounced`);
  const isChanged = !isDeepStrictEqual(settingsOf(was), settingsOf(is));
  // Who was to be replaced, by a branch that was not known, may stay and change.
  const changing = names.filter((name) => ["update", "replace"].includes(changes.get(name) ?? ""));
  const isAnnounced = takers.length > 0 || changing.length > 0;
  if (isChanged && !isAnnounced) throw new Error(`${is.id} of ${names} was changed unannounced`);
}

function settingsOf({ autoscaling_limit_min_cu, autoscaling_limit_max_cu, settings, disabled }: EndpointState) {
  return { autoscaling_limit_min_cu, autoscaling_limit_max_cu, settings, disabled };
}

/** Nothing that was there is taken over but where the program or the person says so. */
function holdTakeovers(world: World, before: Picture, after: Picture): void {
  for (const { name, id } of after.held) {
    const owners = before.held.filter((one) => one.id === id && !one.isLeftover).map((one) => one.name);
    const was = world.program.get(resourceOf(name))?.was;
    if (!before.endpoints.has(id) || owners.includes(name)) continue;
    if (was !== undefined && owners.includes(name.replace(resourceOf(name), was))) continue;
    if (before.held.some((one) => one.id === id && one.name === name)) continue;
    if (wordFor(world, name, id) === undefined) throw new Error(`${name} has taken ${id} unsaid (${owners} had it)`);
  }
}

/** Who says that this very endpoint is to be taken over: the program or the person; undefined where nobody does. */
function wordFor(
  world: World,
  name: string,
  id: string,
): "importId" | "adoptExisting" | "adoptInterrupted" | undefined {
  const { importId, adoptExisting } = wishOf(world.program, name) ?? {};
  const endpoint = world.endpoints().find((one) => one.id === id);
  const asked = importId ?? world.program.get(name)?.importId;
  if (asked !== undefined && String(asked).endsWith(`/${id}`)) return "importId";
  if (!endpoint) return undefined;
  const shown = world.shown(endpoint);
  if (world.adoptInterrupted && isMadeFor(name)(shown)) return "adoptInterrupted";
  return adoptExisting === true && endpoint.type === "read_write" && !isMarked(shown) ? "adoptExisting" : undefined;
}
