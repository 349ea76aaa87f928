/**
 * The interface of a kind of resource, an endpoint or a fleet. Values are parsed once, here; no code below sees raw
 * values.
 */
import { ignoredIn } from "../endpoint/ignored";
import { droppedInputs } from "../endpoint/input-notes";
import { parseInputs, type ReadInputs } from "../endpoint/parse-inputs";
import { droppedByMember, type ParsedFleet, parseFleet } from "../fleet/parse-fleet";
import type { StoredMembers } from "../fleet/state";
import type { Failure } from "../lib/failure";
import type { Values } from "../lib/unknown";
import type { Border, ReadStored, Stored } from "./border";
import type { LifecycleContext } from "./call";
import { endpointBorder, wantedOne } from "./endpoint/border";
import { type CheckResult, check } from "./endpoint/check";
import { previewOutputs } from "./endpoint/preview";
import { ONLY } from "./endpoint/set";
import { fleetBorder } from "./fleet/border";
import { checkFleet, type FleetCheckRequest } from "./fleet/check";
import { previewFleet, type WantedSet, wantedMembers } from "./fleet/plan";
import { carryOut, diff, read, remove } from "./life";
import type { Changed, Wanted } from "./wanted";

/** A kind of resource: how its inputs are parsed and checked, and its border. */
interface Resource<Inputs extends { failures: Failure[] }> {
  parse(values: Values): Inputs;
  /** Checks raw values and returns the values to plan with. */
  check(call: LifecycleContext, request: FleetCheckRequest): Promise<CheckResult>;
  /** The set that the program wants; undefined while its members are unknown. */
  wanted(call: LifecycleContext, change: Wanted<Inputs>, isThere: boolean): WantedSet | undefined;
  /** The outputs that a preview can know. */
  preview(call: LifecycleContext, change: Wanted<Inputs> & { members?: StoredMembers }): Promise<Values>;
  /** Old inputs, as far as the notes of a Check with `notesDropped` have them. */
  noted(inputs: Values): Values;
  border: Border;
}

/** A single endpoint. */
const endpoint: Resource<ReadInputs> = {
  parse: parseInputs,
  check,
  wanted: wantedOne,
  preview: (call, { inputs, ignoreChanges = [], members, ...change }) => {
    const ignored = ignoredIn(ignoreChanges);
    return previewOutputs(call, { ...change, state: members?.get(ONLY)?.state, inputs: inputs.inputs, ignored });
  },
  noted: droppedInputs,
  border: endpointBorder,
};

/** A fleet. */
const fleet: Resource<ParsedFleet> = {
  parse: parseFleet,
  check: checkFleet,
  wanted: (_, change) => wantedMembers(change),
  preview: previewFleet,
  noted: droppedByMember,
  border: fleetBorder,
};

/** A kind of resource with raw values in and out, for the hosts. */
export type Kind = ReturnType<typeof atBorder>;

/** The kind of a single endpoint. */
export const endpointKind: Kind = atBorder(endpoint);

/** The kind of a fleet. */
export const fleetKind: Kind = atBorder(fleet);

function atBorder<Inputs extends { failures: Failure[] }>(resource: Resource<Inputs>) {
  const { parse, check, noted, border } = resource;
  const changeOf = (call: LifecycleContext, { id, state, ...change }: Changed<Values, Values>) => {
    const there = { id, members: border.decode(state, id, call) };
    return { there, set: resource.wanted(call, { ...change, inputs: parse(change.inputs) }, true) };
  };
  // The engine applies nothing that is not known.
  const known = (set: WantedSet | undefined) => set as WantedSet;

  return {
    check,
    noted,
    /** Checks the form of inputs, without an account. */
    formFailures: (inputs: Values) => parse(inputs).failures,
    diff: async (call: LifecycleContext, change: Changed<Values, Values>) => diff(border, call, changeOf(call, change)),
    preview: async (call: LifecycleContext, { state, ...change }: Wanted<Values> & { id?: string; state?: Values }) => {
      const there = state && { members: border.decode(state, change.id ?? "", call) };
      return resource.preview(call, { ...change, ...there, inputs: parse(change.inputs) });
    },
    read: async (call: LifecycleContext, request: ReadStored) => read(border, call, request),
    create: async (call: LifecycleContext, inputs: Values) =>
      carryOut(border, call, { set: known(resource.wanted(call, { inputs: parse(inputs) }, false)) }),
    update: async (call: LifecycleContext, change: Changed<Values, Values>) => {
      const { set, there } = changeOf(call, change);
      return carryOut(border, call, { set: known(set), there });
    },
    remove: async (call: LifecycleContext, { id, state }: Stored) =>
      remove(border, call, { id, members: border.decode(state, id, call) }),
  };
}
