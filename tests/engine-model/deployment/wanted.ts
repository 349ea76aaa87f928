/** What a registration wants: its inputs with the values of others, and the options as the state is to have them. */
import type { Values } from "../words";
import { type Goal, Reference, type Resource, UNKNOWN } from "./resource";
import type { Registered } from "./steps";

/** Where a registration comes in. */
interface Around {
  /** What those before it have come to. */
  registered: ReadonlyMap<string, Registered>;
  isPreview: boolean;
  /** What the state has of it. */
  old?: Resource | undefined;
}

/** The resource that a registration wants, without an id. */
export function wantedBy(goal: Goal, { registered, isPreview, old }: Around): Resource {
  const { urn, custom, isProvider, provider, protect = false, retainOnDelete = false, importId } = goal;
  const { ignoreChanges = [], replaceOnChanges = [] } = goal;
  const now = (one: string) => registered.get(one)?.urn ?? one;
  const parent = goal.parent === undefined ? undefined : now(goal.parent);
  const propertyDependencies = Object.fromEntries(
    Object.entries(goal.inputs).flatMap(([name, one]) => (one instanceof Reference ? [[name, [now(one.urn)]]] : [])),
  );
  const needed = [...(goal.dependsOn ?? []).map(now), ...Object.values(propertyDependencies).flat()];
  const dependencies = [...new Set(needed)];
  const inputs = resolved(goal, registered, isPreview);
  return {
    ...{ urn, custom, id: "", inputs, outputs: {}, parent, provider, protect, retainOnDelete },
    ...{ dependencies, propertyDependencies, ignoreChanges, replaceOnChanges, importId, initErrors: [] },
    ...(isProvider && { isProvider }),
    formerUrn: old?.urn === urn ? old.formerUrn : old?.urn,
  };
}

/**
 * What is not known of another resource is unknown in a preview, and where that one failed; else it is left out. Of what
 * failed and has an id, an output is null.
 */
function resolved({ inputs }: Goal, registered: Around["registered"], isPreview: boolean): Values {
  const entries = Object.entries(inputs).flatMap(([name, value]) => {
    if (!(value instanceof Reference)) return [[name, value]];
    const { outputs, ended = "well" } = registered.get(value.urn) ?? {};
    if (outputs && value.output in outputs) return [[name, outputs[value.output]]];
    if (outputs && ended !== "well") return [[name, null]];
    return isPreview || ended !== "well" ? [[name, UNKNOWN]] : [];
  });
  return Object.fromEntries(entries);
}
