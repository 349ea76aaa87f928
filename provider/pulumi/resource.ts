/**
 * The interface of a kind of resource, an endpoint or a fleet. Values are parsed here, at the border; below it nothing is raw, and nothing is
 * parsed a second time.
 */
import type { DiffResult } from "../endpoint/diff";
import { droppedInputs } from "../endpoint/input-notes";
import { completeInputs, parseInputs } from "../endpoint/parse-inputs";
import { droppedByMember, parseFleet } from "../fleet/parse-fleet";
import type { FleetPlan } from "../fleet/plan";
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
import { notAFleetMessage, notAnEndpointMessage } from "./messages/refusals";
import { secretNames } from "./secrets";
import type { Applied, Changed, Wanted } from "./wanted";

interface Stored {
  id: string;
  state: Values;
}

/** A kind of resource, with its inputs and its state as they are read. */
interface Resource<Inputs extends { failures: Failure[] }, State> {
  parse(values: Values): Inputs;
  /** Reads a state. Throws `refused` for one that is not of this kind: an alias brings either to either. */
  decode(id: string, state: Values): State;
  /** Checks values before anything is planned; it is given them as they came, since it gives back those to plan with. */
  check(call: LifecycleContext, request: FleetCheckRequest): Promise<CheckResult>;
  /** Compares, plans and says what the change does. */
  diff(call: LifecycleContext, change: Changed<Inputs, State>): Promise<DiffResult | FleetDiff>;
  /** The outputs as far as they can be known. */
  preview(
    call: LifecycleContext,
    change: Wanted<Inputs> & { state?: State },
  ): Promise<{ outputs: Values; plan?: FleetPlan }>;
  /** Creates, takes over or changes. */
  apply(call: LifecycleContext, change: Applied<Inputs, State>): Promise<Stored>;
  /** With `onlyReads` what is read without a state does not come under management. */
  read(call: LifecycleContext, request: ReadStored): Promise<(Stored & { inputs: Values }) | undefined>;
  remove(call: LifecycleContext, there: { id: string; state: State }): Promise<void>;
  /** Old inputs as far as the notes of a Check with `notesDropped` tell them. */
  noted(inputs: Values): Values;
}

interface ReadStored extends Stored {
  inputs: Values;
  onlyReads?: boolean;
}

/** A single endpoint. */
const endpoint: Resource<ReturnType<typeof parseInputs>, Values> = {
  parse: (values) => parseInputs(values),
  decode: (id, state) => {
    // By what every state of a fleet has, and none of an endpoint.
    if (state.endpoints !== undefined) throw new PgComputeError("refused", notAnEndpointMessage(id));
    return state;
  },
  check,
  diff: async (call, { secrets = [], inputs, ...change }) => {
    const result = await diff(call, { ...change, inputs: inputs.inputs, secret: secretNames(secrets) });
    reportDiff(call.reporter, result);
    return result;
  },
  preview: async (call, { inputs, ...change }) => ({
    outputs: await previewOutputs(call, { ...change, inputs: inputs.inputs }),
  }),
  apply: (call, { inputs, there, ...change }) => {
    const complete = completeInputs(inputs);
    return there ? update(call, { ...change, ...there, inputs: complete }) : create(call, complete);
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

/** A kind of resource as the hosts call it, with values as they came. */
export type Kind = ReturnType<typeof atBorder>;

/** An endpoint, for the hosts. */
export const endpointKind: Kind = atBorder(endpoint);

/** A fleet, for the hosts. */
export const fleetKind: Kind = atBorder(fleet);

function atBorder<Inputs extends { failures: Failure[] }, State>(resource: Resource<Inputs, State>) {
  const { parse, decode, check, read, noted } = resource;
  return {
    check,
    read,
    noted,
    /** Checks the form of inputs, which needs no account. */
    formFailures: (inputs: Values) => parse(inputs).failures,
    diff: async (call: LifecycleContext, change: Changed<Values, Values>) =>
      resource.diff(call, { ...change, inputs: parse(change.inputs), state: decode(change.id, change.state) }),
    preview: async (call: LifecycleContext, { state, ...change }: Wanted<Values> & { id?: string; state?: Values }) => {
      const there = state && { state: decode(change.id ?? "", state) };
      return resource.preview(call, { ...change, ...there, inputs: parse(change.inputs) });
    },
    create: async (call: LifecycleContext, inputs: Values) => resource.apply(call, { inputs: parse(inputs) }),
    update: async (call: LifecycleContext, { id, state, ...change }: Changed<Values, Values>) => {
      const there = { id, state: decode(id, state) };
      return resource.apply(call, { ...change, there, inputs: parse(change.inputs) });
    },
    remove: async (call: LifecycleContext, { id, state }: Stored) =>
      resource.remove(call, { id, state: decode(id, state) }),
  };
}
