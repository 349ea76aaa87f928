/** Where a resource's state is secret, by what its program keeps secret. */
import type { Values } from "../../engine-model/words";
import { BOOKKEEPING, membersIn, stateOfFleet } from "../../support/stored";

/** A path inside nested values. */
export type Path = readonly (string | number)[];

/** The outputs that reveal an input. */
const derived: Readonly<Record<string, readonly string[]>> = {
  sizeCu: ["autoscalingLimitMinCu", "autoscalingLimitMaxCu", "maxConnections"],
  autoscalingLimitMinCu: ["sizeCu", "maxConnections"],
  autoscalingLimitMaxCu: ["sizeCu", "maxConnections"],
};

/** Values of a member that no input reveals. */
const open = new Set(["endpointId", "host", "pooledHost", "proxyHost", "regionId", "createdAt", BOOKKEEPING]);

/** The secret places of outputs. The values of a member that is secret as a whole are each so. */
export function outputPlaces(outputs: Values, secrets: readonly Path[]): Path[] {
  return secrets.flatMap((place): Path[] => {
    const [top, key, ...rest] = place;
    if (top !== "endpoints") return withDerived([], place);
    if (rest.length > 0) return withDerived([top, key as string], rest);
    const keys = key === undefined ? Object.keys((outputs.endpoints ?? {}) as Values) : [key];
    const each = keys.flatMap((one) => {
      const state = membersIn(outputs).get(String(one))?.state ?? {};
      return Object.keys(state).flatMap((name) => (open.has(name) ? [] : [["endpoints", one, name]]));
    });
    return key === undefined ? [place, [BOOKKEEPING], ...each] : each;
  });
}

/** Outputs with what is secret of members at places of its own, which the text of the state has otherwise. */
export function withPlaces(outputs: Values, places: readonly Path[]): Values {
  if (places.length === 0 || typeof outputs[BOOKKEEPING] !== "string") return outputs;
  const shown = new Map<string, string[]>();
  for (const [, key, name] of places) {
    if (name !== undefined) shown.set(String(key), [...(shown.get(String(key)) ?? []), String(name)]);
  }
  return { ...outputs, ...stateOfFleet(membersIn(outputs), shown) };
}

function withDerived(prefix: Path, [name, ...rest]: Path): Path[] {
  const also =
    name === "pgSettings" ? [[BOOKKEEPING, "spelled", ...rest]] : (derived[String(name)] ?? []).map((one) => [one]);
  return [[name as string, ...rest], ...also].map((path) => [...prefix, ...path]);
}
