/** What there is to call of each kind of resource, an endpoint or a fleet: all that the hosts tell apart by kind. */
import type { DiffResult } from "../endpoint/diff";
import { droppedInputs } from "../endpoint/input-notes";
import { parseInputs } from "../endpoint/parse-inputs";
import { droppedByMember, parseFleet } from "../fleet/parse-fleet";
import type { FleetPlan } from "../fleet/plan";
import type { Failure } from "../lib/failure";
import type { Values } from "../lib/unknown";
import { PgComputeError } from "../platform/errors";
import type { LifecycleContext } from "./call";
import { type CheckResult, completeInputs } from "./endpoint/check";
import { check, create, diff, read, remove, update } from "./endpoint/lifecycle";
import { previewOutputs, reportDiff } from "./endpoint/preview";
import { checkFleet, type FleetCheckRequest } from "./fleet/check";
import { createFleet, diffFleet, type FleetDiff, readFleetState, removeFleet, updateFleet } from "./fleet/lifecycle";
import { type FleetRequest, type ProgramRequest, previewFleet } from "./fleet/plan";
import { notAFleetMessage, notAnEndpointMessage } from "./messages/refusals";
import { secretNames } from "./secrets";
import type { Path } from "./values";

/** What a host hands over to have a change compared. */
export interface CompareRequest extends FleetRequest {
  secrets: readonly Path[];
  /** Properties of an endpoint whose changes are to replace it, where the engine leaves that to the host. */
  replaceOnChanges?: readonly string[];
}

interface Stored {
  id: string;
  state: Values;
  inputs: Values;
}

/** A kind of resource. */
export interface Kind {
  /** What is wrong with the form of inputs, which no account is needed for. */
  formFailures(inputs: Values): Failure[];
  check(call: LifecycleContext, request: FleetCheckRequest): Promise<CheckResult>;
  /** Compares, plans and says what the change does. */
  diff(call: LifecycleContext, request: CompareRequest): Promise<DiffResult | FleetDiff>;
  /** The outputs as far as they can be known; `state` is absent for a create. */
  preview(
    call: LifecycleContext,
    request: ProgramRequest & { state?: Values },
  ): Promise<{ outputs: Values; plan?: FleetPlan }>;
  create(call: LifecycleContext, inputs: Values): Promise<{ id: string; state: Values }>;
  /** With `onlyReads` what is read without a state does not come under management. */
  read(call: LifecycleContext, request: Stored & { onlyReads?: boolean }): Promise<Stored | undefined>;
  update(call: LifecycleContext, request: FleetRequest): Promise<{ state: Values }>;
  remove(call: LifecycleContext, request: Omit<Stored, "inputs">): Promise<void>;
  /** Old inputs as far as the notes of a Check with `notesDropped` tell them. */
  noted(inputs: Values): Values;
}

/** A single endpoint. */
export const endpointKind: Kind = {
  formFailures: (inputs) => parseInputs(inputs).failures,
  check,
  diff: async (call, { secrets, ...request }) => {
    if (isOfFleet(request.state)) throw new PgComputeError("refused", notAnEndpointMessage(request.id));
    const result = await diff(call, { ...request, secret: secretNames(secrets) });
    reportDiff(call.reporter, result);
    return result;
  },
  preview: async (call, request) => ({ outputs: await previewOutputs(call, request) }),
  create: (call, inputs) => create(call, completeInputs(inputs)),
  read: async (call, { inputs, ...request }) => {
    const { id } = request;
    const result = await read(call, { ...request, oldInputs: Object.keys(inputs).length > 0 ? inputs : undefined });
    return result && { id, ...result };
  },
  update: (call, { inputs, ...request }) => update(call, { ...request, inputs: completeInputs(inputs) }),
  remove,
  noted: droppedInputs,
};

/** A fleet. */
export const fleetKind: Kind = {
  formFailures: (inputs) => parseFleet(inputs).failures,
  check: checkFleet,
  diff: async (call, request) => {
    if (isOfEndpoint(request.state)) throw new PgComputeError("refused", notAFleetMessage(request.id));
    return diffFleet(call, request);
  },
  preview: previewFleet,
  create: createFleet,
  read: readFleetState,
  update: updateFleet,
  remove: removeFleet,
  noted: droppedByMember,
};

/** By what every state of one kind has and none of the other: an alias brings either to either. */
const isOfFleet = (state: Values) => state.endpoints !== undefined;
const isOfEndpoint = (state: Values) => state.endpointId !== undefined;
