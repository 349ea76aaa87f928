/** What an up has done to the endpoints that were there, by what the platform shows and by its operations. */
import { type Held, wishOf } from "./holdings";
import type { World } from "./world";

/** What its users notice of an endpoint. */
export type Effect =
  | "restarts"
  | "restartsIdle"
  | "dropsConnections"
  | "moved"
  | "replaced"
  | "deleted"
  | "downtime"
  | "accessOpens";

/** What there is before an up. */
export interface Picture {
  endpoints: ReturnType<World["endpoints"]>;
  held: readonly Held[];
  operations: number;
}

/** Takes a picture of platform and state. */
export function pictureOf(world: World): Picture {
  return { endpoints: world.endpoints(), held: world.holdings(), operations: operationsOf(world).length };
}

/** What has happened to an endpoint, and who had it before or has it after. */
export interface Happened {
  effects: Set<Effect>;
  owners: Set<string>;
}

/** What has happened since a picture, by endpoint; of those that were left alone there is none. */
export function effectsSince(world: World, before: Picture): Map<string, Happened> {
  const endpoints = new Map(world.endpoints().map((one) => [one.id, one]));
  const operations = operationsOf(world);
  const fresh = operations.slice(0, operations.length - before.operations);
  const now = world.holdings();
  const all = before.endpoints.map((was): [string, Happened] => {
    const is = endpoints.get(was.id);
    const effects = new Set<Effect>();
    const actions = new Set(fresh.filter(({ endpoint_id }) => endpoint_id === was.id).map(({ action }) => action));
    const owners = before.held.filter(({ id, isLeftover }) => id === was.id && !isLeftover).map(({ name }) => name);
    const ids = owners.map((owner) => now.find(({ name, isLeftover }) => name === owner && !isLeftover)?.id);
    const isReplaced = ids.some((id) => id !== undefined && id !== was.id);
    if (isReplaced) effects.add("replaced");
    if (!is && !isReplaced) effects.add("deleted");
    if (is && is.branch_id !== was.branch_id) effects.add("moved");
    const takers = now.filter(({ id }) => id === was.id).map(({ name }) => name);
    const all = new Set([...owners, ...takers]);
    // What the platform itself suspends meanwhile, since nobody uses it, is not the doing of up.
    const wishes = [...all].map((name) => wishOf(world.program, name)).filter((one) => one !== undefined);
    const isPatient = wishes.length > 0 && wishes.every((one) => one.restartWhen === "idle");
    const waits = is && !isReplaced && isPatient;
    const isResized = is?.autoscaling_limit_max_cu !== was.autoscaling_limit_max_cu;
    const isCut = effects.has("moved") || is?.disabled || isResized || actions.has("start_compute");
    if (waits && isCut && !was.disabled) effects.add("restartsIdle");
    if (is && !waits && !was.disabled && actions.has("suspend_compute") && actions.has("start_compute"))
      effects.add("restarts");
    if (!waits && !was.disabled && (!is || actions.has("suspend_compute"))) effects.add("dropsConnections");
    if (is?.disabled && !was.disabled) effects.add("downtime");
    if (is?.passwordless_access && !was.passwordless_access) effects.add("accessOpens");
    return [was.id, { effects, owners: all }];
  });
  return new Map(all.filter(([, { effects }]) => effects.size > 0));
}

function operationsOf({ bench: { emulator } }: World) {
  return emulator.admin.project(emulator.projectId).operations;
}
