/** What the engine calls of a provider, for either kind of resource. */
import type { DiffResponse } from "@pulumi/pulumi/proto/provider_pb";
import { type DiffResult, replacingNames } from "../../provider/endpoint/diff";
import { droppedByMember, parseFleet } from "../../provider/fleet/parse-fleet";
import type { FleetPlan } from "../../provider/fleet/plan";
import type { Failure } from "../../provider/lib/failure";
import { UNKNOWN } from "../../provider/lib/unknown";
import { fleetContext, type LifecycleContext } from "../../provider/pulumi/call";
import { planOf, type WantedSet, wantedMembers } from "../../provider/pulumi/fleet/plan";
import { toDiffResponse } from "../../provider/pulumi/plugin/calls";
import { endpointKind, fleetKind } from "../../provider/pulumi/resource";
import type { FleetDiff } from "../../provider/pulumi/wanted";
import { isFleet, nameOf } from "./names";
import type { Change, Stored, Values } from "./words";

/** What a comparison comes to. */
export interface Compared {
  change: "same" | "update" | "replace";
  deleteFirst?: boolean;
  /** What becomes of a fleet's members. */
  members?: Map<string, Change>;
  /** The resource, or the members, whose update moves the endpoint. */
  moves?: string[];
  told?: Told;
}

/** What a host tells the engine of a difference; the dynamic one tells no details. */
export interface Told {
  diffs: string[];
  replaces: string[];
  detailed?: Record<string, string>;
}

/** What a preview knows of a resource's outputs; of a new fleet also what becomes of its members. */
export interface Previewed {
  outputs: Values;
  members?: Map<string, Change>;
}

/** What a provider does for a kind of resource. */
export interface Verbs {
  /** Throws where something is refused. */
  check(context: LifecycleContext, olds: Values, news: Values): Promise<Values>;
  diff(context: LifecycleContext, old: Stored, inputs: Values, replaceOnChanges?: string[]): Promise<Compared>;
  create(context: LifecycleContext, inputs: Values): Promise<{ id: string; state: Values }>;
  update(context: LifecycleContext, old: Stored, inputs: Values): Promise<{ id: string; state: Values }>;
  /** In a preview, of a plugin: the step that was planned. */
  preview(context: LifecycleContext, inputs: Values, old?: Stored): Promise<Previewed>;
  /** Undefined where it is gone; without inputs where no import may take it in. */
  read(context: LifecycleContext, stored: Stored): Promise<{ id: string; inputs?: Values; state: Values } | undefined>;
  remove(context: LifecycleContext, stored: Stored): Promise<void>;
}

/** The verbs of a resource. */
export function verbsOf(name: string): Verbs {
  return isFleet(name) ? fleetVerbs : endpointVerbs;
}

/** Of an endpoint. */
export const endpointVerbs: Verbs = {
  check: async (context, olds, news) => accepted(await endpointKind.check(context, { olds, news, secrets: [] })),
  diff: async (context, old, inputs, replaceOnChanges) => {
    // Of what also moves Diff cannot know that it is replaced; a branch that is not known may be the old one.
    const mayStay = inputs.branchId === old.state.branchId || inputs.branchId === UNKNOWN;
    const asked = mayStay ? replaceOnChanges : undefined;
    // A plugin is not told: the engine itself does what the option says, by the detailed diff.
    const isTold = context.host === "dynamic";
    const change = { ...changeOf(context, old, inputs), ...(isTold && { replaceOnChanges: asked ?? [] }) };
    const found = (await endpointKind.diff(context, change)) as DiffResult;
    const isForced = !isTold && asked !== undefined && Object.keys(found.properties).length > 0;
    const replaces = replacingNames(found);
    const told = isTold ? { diffs: [], replaces } : toldBy(toDiffResponse(found));
    const moves = found.properties.branchId ? [nameOf(context.urn)] : [];
    if (found.replaces || isForced) return { change: "replace", deleteFirst: found.deletesFirst, told, moves };
    return { change: found.changes ? "update" : "same", told, moves };
  },
  create: (context, inputs) => endpointKind.create(context, inputs).then(copied),
  update: (context, old, inputs) => endpointKind.update(context, changeOf(context, old, inputs)).then(copied),
  preview: async (context, inputs, old) => ({
    outputs: await endpointKind.preview(context, old ? changeOf(context, old, inputs) : { inputs }),
  }),
  read: async (context, { id, state, inputs }) => {
    const found = await endpointKind.read(context, structuredClone({ id, state, inputs }));
    return found && { ...found, state: { ...found.state } };
  },
  remove: (context, { id, state }) => endpointKind.remove(context, { id, state }),
};

const fleetVerbs: Verbs = {
  check: async (context, olds, news) => {
    const notesDropped = context.host === "dynamic";
    return accepted(await fleetKind.check(context, { olds, news, secrets: [], notesDropped }));
  },
  diff: async (context, old, inputs) => {
    const found = (await fleetKind.diff(context, fleetChangeOf(context, old, inputs))) as FleetDiff;
    const told = context.host === "dynamic" ? { diffs: [], replaces: [] } : toldBy(toDiffResponse(found));
    const moving = [...(found.plan?.members.values() ?? [])].filter(({ isMove }) => isMove);
    const moves = moving.map(({ key }) => `${nameOf(context.urn)}/${key}`);
    return { change: found.changes ? "update" : "same", members: membersOf(context, found.plan), moves, told };
  },
  create: (context, inputs) => fleetKind.create(context, inputs).then(copied),
  update: (context, old, inputs) => fleetKind.update(context, fleetChangeOf(context, old, inputs)).then(copied),
  preview: async (context, inputs, old) => {
    const outputs = await fleetKind.preview(context, old ? fleetChangeOf(context, old, inputs) : { inputs });
    // What becomes of the members of a new fleet, which has no Diff.
    const plan = old
      ? undefined
      : await planOf(fleetContext(context), wantedMembers({ inputs: parseFleet(inputs) }) as WantedSet, {
          stored: new Map(),
        });
    return { outputs, ...(plan && { members: membersOf(context, plan) }) };
  },
  read: async (context, { id, state, inputs }) => {
    const found = await fleetKind.read(context, structuredClone({ id, state, inputs }));
    if (!found) return undefined;
    return { id: found.id, ...(found.inputs && { inputs: { ...found.inputs } }), state: { ...found.state } };
  },
  remove: (context, { id, state }) => fleetKind.remove(context, { id, state }),
};

/** A call that may have the option of this name. */
interface Call extends LifecycleContext {
  ignoreChanges?: readonly string[];
}

function copied({ id, state }: { id: string; state: Readonly<Values> }): { id: string; state: Values } {
  return { id, state: { ...state } };
}

function changeOf<Inputs>({ ignoreChanges }: Call, old: Stored, inputs: Inputs) {
  return { ...requestOf(old), inputs, ...(ignoreChanges && { ignoreChanges }) };
}

/** The dynamic host gives no old inputs: what the program has dropped stands in the new ones. */
function fleetChangeOf(context: Call, old: Stored, inputs: Values) {
  const request = changeOf(context, old, inputs);
  return context.host === "dynamic" ? { ...request, oldInputs: droppedByMember(inputs) } : request;
}

function membersOf({ urn }: LifecycleContext, plan: FleetPlan | undefined): Map<string, Change> {
  return new Map([...(plan?.members.values() ?? [])].map(({ key, change }) => [`${nameOf(urn)}/${key}`, change]));
}

const KINDS = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"];

function toldBy(response: DiffResponse): Told {
  const detailed: Record<string, string> = {};
  response.getDetaileddiffMap().forEach((one, path) => {
    detailed[path] = KINDS[one.getKind()] ?? "";
  });
  return { diffs: response.getDiffsList(), replaces: response.getReplacesList(), detailed };
}

function accepted({ inputs, failures }: { inputs: Values; failures: readonly Failure[] }): Values {
  if (failures.length > 0) throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
  return inputs;
}

function requestOf({ id, state, inputs }: Stored): { id: string; state: Values; oldInputs: Values } {
  return { id, state: structuredClone(state), oldInputs: inputs };
}
