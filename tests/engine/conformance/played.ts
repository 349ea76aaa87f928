/** A run of the real engine, and the state that it leaves, in the words of the engine's model. */
import type { Resource } from "../../engine-model/deployment/resource";
import type { Values } from "../../engine-model/words";
import type { Line } from "./record";
import type { Run } from "./sequences";

/** What is left of a resource in the real state. */
export interface RealResource {
  urn: string;
  type: string;
  custom: boolean;
  id?: string;
  inputs?: Values;
  outputs?: Values;
  parent?: string;
  provider?: string;
  dependencies?: string[];
  propertyDependencies?: Record<string, string[] | null>;
  ignoreChanges?: string[];
  importID?: string;
  protect?: boolean;
  retainOnDelete?: boolean;
  delete?: boolean;
  pendingReplacement?: boolean;
  initErrors?: string[];
}

/** A run of the real engine: what it was asked, what the provider was asked, and how it ended. */
export interface Played {
  run: Run;
  lines: Line[];
  code: number;
  /** What the engine wrote. */
  text: string;
  before: RealResource[];
  after: RealResource[];
  pending: unknown[];
  /** Whether the engine came to no end by itself. */
  isHanging: boolean;
}

/** A resource of the real state, as the model has it. */
export function fromReal(one: RealResource): Resource {
  const needs = Object.entries(one.propertyDependencies ?? {});
  const propertyDependencies = Object.fromEntries(
    needs.flatMap(([name, urns]) => (urns?.length ? [[name, urns]] : [])),
  );
  return {
    ...{ urn: one.urn, custom: one.custom, id: one.id ?? "", inputs: one.inputs ?? {}, outputs: one.outputs ?? {} },
    ...{ parent: one.parent, provider: one.provider?.split("::").slice(0, -1).join("::") || undefined },
    ...(one.type.startsWith("pulumi:providers:") && { isProvider: true }),
    ...{ dependencies: one.dependencies ?? [], propertyDependencies },
    ...{ protect: one.protect === true, retainOnDelete: one.retainOnDelete === true },
    ...{ ignoreChanges: one.ignoreChanges ?? [], replaceOnChanges: [], importId: one.importID },
    ...{ isPendingDelete: one.delete === true, isPendingReplacement: one.pendingReplacement === true },
    initErrors: one.initErrors ?? [],
  };
}
