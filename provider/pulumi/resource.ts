/**
 * The interface of a kind of resource, an endpoint or a fleet. Values are parsed once, here; no code below sees raw
 * values.
 */
import type { DiffResult } from "../endpoint/diff";
import { ignoredIn } from "../endpoint/ignored";
import { droppedInputs } from "../endpoint/input-notes";
import { completeInputs, parseInputs } from "../endpoint/parse-inputs";
import { droppedByMember, parseFleet } from "../fleet/parse-fleet";
import { decodeMembers } from "../fleet/state";
import type { Failure } from "../lib/failure";
import type { Values } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";
import type { LifecycleContext } from "./call";
import type { CheckResult } from "./endpoint/check";
import { check, create, diff, read, remove, update } from "./endpoint/lifecycle";
import { previewOutputs, reportDiff } from "./endpoint/preview";
import { checkFleet, type FleetCheckRequest } from "./fleet/check";
import { applyFleet, diffFleet, type FleetDiff, readFleetState, removeFleet } from "./fleet/lifecycle";
import { previewFleet } from "./fleet/plan";
import { anothersStateMessage, notAFleetMessage, notAnEndpointMessage } from "./messages/aliases";
import { secretNames } from "./secrets";
import type { Applied, Changed, Wanted } from "./wanted";

interface Stored {
  id: string;
  state: Values;
}

/** A kind of resource, with parsed inputs and state. */
interface Resource<Inputs extends { failures: Failure[] }, State> {
  parse(values: Values): Inputs;
  /** Decodes a state. Throws `refused` for the state of another kind or provider, which an alias can bring. */
  decode(id: string, state: Values, call: LifecycleContext): State;
  /** Checks raw values and returns the values to plan with. */
  check(call: LifecycleContext, request: FleetCheckRequest): Promise<CheckResult>;
  /** Compares, plans and reports the change's effect. */
  diff(call: LifecycleContext, change: Changed<Inputs, State>): Promise<DiffResult | FleetDiff>;
  /** The outputs that a preview can know. */
  preview(call: LifecycleContext, change: Wanted<Inputs> & { state?: State }): Promise<Values>;
  /** Creates, adopts or changes. */
  apply(call: LifecycleContext, change: Applied<Inputs, State>): Promise<Stored>;
  /** Reads the resource, without inputs if no import may take it in. */
  read(call: LifecycleContext, request: ReadStored): Promise<(Stored & { inputs?: Values }) | undefined>;
  remove(call: LifecycleContext, there: { id: string; state: State }): Promise<void>;
  /** Old inputs, as far as the notes of a Check with `notesDropped` have them. */
  noted(inputs: Values): Values;
}

interface ReadStored extends Stored {
  inputs: Values;
}

/** A single endpoint. */
const endpoint: Resource<ReturnType<typeof parseInputs>, Values> = {
  parse: (values) => parseInputs(values),
  decode: (id, state, { urn }) => {
    // Every fleet's state has `endpoints`, no endpoint's has.
    if (state.endpoints !== undefined) throw new PgComputeError("refused", notAnEndpointMessage(id));
    if (/^ep-[^/]*$/.test(id)) throw new PgComputeError("refused", anothersStateMessage(id, state, urn));
    return state;
  },
  check,
  diff: async (call, { secrets = [], inputs, ignoreChanges = [], ...change }) => {
    const ignored = ignoredIn(ignoreChanges);
    const result = await diff(call, { ...change, inputs: inputs.inputs, ignored, secret: secretNames(secrets) });
    reportDiff(call.reporter, result);
    return result;
  },
  preview: (call, { inputs, ignoreChanges = [], ...change }) =>
    previewOutputs(call, { ...change, inputs: inputs.inputs, ignored: ignoredIn(ignoreChanges) }),
  apply: (call, { inputs, there, ignoreChanges = [], ...change }) => {
    const complete = completeInputs(inputs);
    if (!there) return create(call, complete);
    return update(call, { ...change, ...there, inputs: complete, ignored: ignoredIn(ignoreChanges) });
  },
  read: async (call, { inputs, ...request }) => {
    const { id } = request;
    const result = await read(call, { ...request, oldInputs: Object.keys(inputs).length > 0 ? inputs : undefined });
    return result && { id, ...result };
  },
  remove,
  noted: droppedInputs,
};

/** A fleet. */
const fleet: Resource<ReturnType<typeof parseFleet>, ReturnType<typeof decodeMembers>> = {
  parse: parseFleet,
  decode: (id, state) => {
    if (state.endpointId !== undefined) throw new PgComputeError("refused", notAFleetMessage(id));
    return decodeMembers(state);
  },
  check: checkFleet,
  diff: diffFleet,
  preview: previewFleet,
  apply: applyFleet,
  read: readFleetState,
  remove: removeFleet,
  noted: droppedByMember,
};

/** A kind of resource with raw values in and out, for the hosts. */
export type Kind = ReturnType<typeof atBorder>;

/** The kind of a single endpoint. */
export const endpointKind: Kind = atBorder(endpoint);

/** The kind of a fleet. */
export const fleetKind: Kind = atBorder(fleet);

function atBorder<Inputs extends { failures: Failure[] }, State>(resource: Resource<Inputs, State>) {
  const { parse, decode, check, read, noted } = resource;
  return {
    check,
    read,
    noted,
    /** Checks the form of inputs, without an account. */
    formFailures: (inputs: Values) => parse(inputs).failures,
    diff: async (call: LifecycleContext, change: Changed<Values, Values>) =>
      resource.diff(call, { ...change, inputs: parse(change.inputs), state: decode(change.id, change.state, call) }),
    preview: async (call: LifecycleContext, { state, ...change }: Wanted<Values> & { id?: string; state?: Values }) => {
      const there = state && { state: decode(change.id ?? "", state, call) };
      return resource.preview(call, { ...change, ...there, inputs: parse(change.inputs) });
    },
    create: async (call: LifecycleContext, inputs: Values) => resource.apply(call, { inputs: parse(inputs) }),
    update: async (call: LifecycleContext, { id, state, ...change }: Changed<Values, Values>) => {
      const there = { id, state: decode(id, state, call) };
      return resource.apply(call, { ...change, there, inputs: parse(change.inputs) });
    },
    remove: async (call: LifecycleContext, { id, state }: Stored) =>
      resource.remove(call, { id, state: decode(id, state, call) }),
  };
}
