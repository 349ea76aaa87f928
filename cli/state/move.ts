/** `state gather` and `state scatter`: single endpoints become members of a fleet, and members single endpoints, in the state alone. */
import { DRIFTED, DROPPED, IMPORTED } from "../../provider/endpoint/input-notes";
import { derivedPlaces } from "../../provider/endpoint/outputs";
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { KEY_PATTERN, newFleetId } from "../../provider/fleet/model";
import { memberInputs, splitOptions, withNotes } from "../../provider/fleet/parse-fleet";
import {
  decodeMembers,
  encodeMembers,
  formerSecrets,
  memberOf,
  type StoredMember,
  type StoredMembers,
  withSpent,
} from "../../provider/fleet/state";
import { nameOfUrn } from "../../provider/lib/owner";
import { nearestName, shellWord } from "../../provider/lib/wording";
import { CommandError } from "../exit-code";
import { type Host, hostOf, hosts, isFleet } from "../hosts";
import { exchange } from "./exchange";
import { type Path, reveal, seal } from "./secrets";
import { ofType, resourcesOf, type StackExport, type StoredResource, unsettledReasons } from "./stack-export";

/** What is moved. */
export interface MoveOptions {
  /** The fleet's resource name, or to scatter it also its URN. `gather` makes one where the state has none. */
  fleet: string;
  /** The endpoints' resource names, or the members' keys; `*` stands for any text. */
  patterns: readonly string[];
  /** What names have before their keys. */
  prefix: string;
}

/** A state after a move. */
export interface Move {
  state: StackExport;
  endpoints: {
    /** The single resource's name. */
    name: string;
    /** The key in the fleet. */
    key: string;
    endpointId: string;
  }[];
}

/** Values of a resource. */
export type Values = Record<string, unknown>;

/** The values of a fleet in the clear, and where secrets stand in them. */
interface Fleet {
  inputs: Values;
  members: Map<string, StoredMember> & StoredMembers;
  secrets: Secrets;
}

interface Secrets {
  inputs: Path[];
  outputs: Path[];
}

/** What of an endpoint's values begins with two underscores and is not the host's own. */
const ownNotes = [BOOKKEEPING, IMPORTED, DROPPED, DRIFTED];

/** Moves the endpoints into the fleet. Throws a `CommandError` with every reason against it. */
export function gather(state: StackExport, { fleet: name, patterns, prefix }: MoveOptions): Move {
  const singles = chooseSingles(state, patterns);
  const first = singles[0];
  const host = first && hostOf(first.type);
  if (!first || !host) throw new CommandError("nothing was moved: no endpoint has such a name");
  const type = host.fleetType;
  const urn = urnBeside(first, type, name);
  const old = ofType(state, [type]).find((one) => one.urn === urn);
  const keyOf = (one: StoredResource) => {
    const own = nameOfUrn(one.urn);
    return own.startsWith(prefix) ? own.slice(prefix.length) : own;
  };
  const fleet = openFleet(old);
  refuseIfAny([
    ...(old ? unsettledReasons(state, old, "the fleet") : []),
    ...singles.flatMap((one) => reasonsAgainst(state, one, { first, old })),
    ...keyReasons(singles.map(keyOf), fleet),
    ...sharedReasons(singles, fleet),
  ]);
  const endpoints = singles.map((one) => {
    const key = keyOf(one);
    return { name: nameOfUrn(one.urn), key, endpointId: add(fleet, key, one) };
  });
  const gone = [...(old ? [old] : []), ...singles];
  const inside = new Set([urn, ...gone.map((one) => one.urn)]);
  const waited = new Set(gone.flatMap((one) => one.dependencies ?? []));
  const dependencies = [...waited].filter((one) => !inside.has(one));
  const { parent, provider } = first;
  const made: StoredResource = {
    ...(old ?? { custom: true, parent, provider }),
    ...{ urn, type, id: old?.id ?? newFleetId() },
    ...sidesOf({ urn, type }, fleet.inputs, encodeMembers(fleet.members, fleet.secrets.outputs), fleet.secrets),
    dependencies,
    propertyDependencies: dependencies.length > 0 ? { endpoints: dependencies } : {},
  };
  return { state: exchange(state, gone, [made]), endpoints };
}

/** Makes the members single endpoints. Throws a `CommandError` with every reason against it. */
export function scatter(state: StackExport, { fleet: name, patterns, prefix }: MoveOptions): Move {
  const resource = findFleet(state, name);
  const fleet = openFleet(resource);
  const inputs = (fleet.inputs.endpoints ?? {}) as Values;
  const { chosen, unmatched } = select([...new Set([...Object.keys(inputs), ...fleet.members.keys()])], patterns);
  refuseIfAny([
    ...unsettledReasons(state, resource, "the fleet"),
    ...unmatched.map((pattern) => `the fleet ${name} has no member ${pattern}`),
  ]);
  const { endpointType } = hostOf(resource.type) as Host;
  const taken = new Set(resourcesOf(state).map(({ urn }) => urn));
  const keys = [...chosen];
  refuseIfAny(
    keys.flatMap((key) => {
      if (!fleet.members.has(key) || !(key in inputs)) {
        const why = key in inputs ? "has no endpoint yet" : "is to be deleted";
        return [`${key} ${why}; run \`pulumi up\` first`];
      }
      return taken.has(urnBeside(resource, endpointType, prefix + key))
        ? [`the state has an endpoint ${prefix}${key} already`]
        : [];
    }),
  );
  const singles = keys.map((key) => toSingle(resource, fleet, key, urnBeside(resource, endpointType, prefix + key)));
  const left = withSpent(new Map([...fleet.members].filter(([key]) => !chosen.has(key))), fleet.members.spent);
  const staying = new Map([...memberInputsOf(fleet.inputs)].filter(([key]) => !chosen.has(key)));
  const outputs = encodeMembers(left, fleet.secrets.outputs);
  const rest = sidesOf(resource, withMembers(fleet.inputs, staying), outputs, fleet.secrets);
  const put = left.size === 0 ? singles : [...singles, { ...resource, ...rest }];
  const endpoints = keys.map((key) => {
    return { name: prefix + key, key, endpointId: String(fleet.members.get(key)?.state.endpointId) };
  });
  return { state: exchange(state, [resource], put), endpoints };
}

/** Throws the reasons, all at once, where there are any: each is about one resource. */
function refuseIfAny(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new CommandError(`nothing was moved: ${reasons.join("; ")}`);
}

/** The names that match any of the patterns, in which `*` stands for any text, and the patterns that match none. */
function select(
  names: readonly string[],
  patterns: readonly string[],
): { chosen: ReadonlySet<string>; unmatched: string[] } {
  const tests = patterns.map((pattern) => {
    const source = pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
    return { pattern, regex: new RegExp(`^${source.join(".*")}$`) };
  });
  return {
    chosen: new Set(names.filter((name) => tests.some(({ regex }) => regex.test(name)))),
    unmatched: tests.filter(({ regex }) => !names.some((name) => regex.test(name))).map(({ pattern }) => pattern),
  };
}

function chooseSingles(state: StackExport, patterns: readonly string[]): StoredResource[] {
  const types = hosts.map(({ endpointType }) => endpointType);
  const all = ofType(state, types);
  const names = all.map(({ urn }) => nameOfUrn(urn));
  const { chosen, unmatched } = select(names, patterns);
  refuseIfAny(
    unmatched.map((pattern) => {
      const near = nearestName(pattern, names);
      return `no endpoint of the state is called ${pattern}${near ? `; did you mean ${near}?` : ""}`;
    }),
  );
  return all.filter(({ urn }) => chosen.has(nameOfUrn(urn)));
}

function reasonsAgainst(
  state: StackExport,
  one: StoredResource,
  { first, old }: { first: StoredResource; old: StoredResource | undefined },
): string[] {
  const name = nameOfUrn(one.urn);
  const like = { type: first, parent: old ?? first, provider: old ?? first };
  const differs = (["type", "parent", "provider"] as const).find((what) => one[what] !== like[what][what]);
  return [
    ...unsettledReasons(state, one, name),
    ...(differs
      ? [`${name} and ${nameOfUrn(like[differs].urn)} differ in their ${differs}; gather those alone that share it`]
      : []),
    ...(reveal([one.inputs, one.outputs]).isHidden
      ? [`${name} has a secret that this export hides; use \`pulumi stack export --show-secrets\``]
      : []),
  ];
}

function keyReasons(keys: readonly string[], { members }: Fleet): string[] {
  return keys.flatMap((key, index) => {
    if (!KEY_PATTERN.test(key)) return [`"${key}" cannot be a key: 1 to 63 letters, digits, ".", "_" and "-"`];
    if (members.has(key)) return [`the fleet has a member "${key}" already`];
    return keys.indexOf(key) < index ? [`two of the endpoints would have the key "${key}"`] : [];
  });
}

/** A fleet does not notice when two of its own members have one endpoint. */
function sharedReasons(singles: readonly StoredResource[], { members }: Fleet): string[] {
  const owners = new Map([...members].map(([key, { state }]) => [state.endpointId, `the fleet's member "${key}"`]));
  return singles.flatMap(({ urn, outputs = {} }) => {
    const { endpointId } = reveal(outputs).value as Values;
    const other = owners.get(endpointId as string);
    owners.set(endpointId as string, nameOfUrn(urn));
    return other === undefined ? [] : [`${nameOfUrn(urn)} and ${other} have the same endpoint, ${endpointId}`];
  });
}

/** Makes the endpoint a member, its secrets included, and gives its id. */
function add(fleet: Fleet, key: string, one: StoredResource): string {
  const inputs = reveal(one.inputs ?? {});
  const outputs = reveal(one.outputs ?? {});
  const state = withoutHidden(outputs.value as Values);
  const { protect, retainOnDelete } = one;
  const options = { ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) };
  const own = { ...withoutHidden(inputs.value as Values), ...options };
  fleet.inputs = withMembers(fleet.inputs, memberInputsOf(fleet.inputs).set(key, own));
  fleet.members.set(key, memberOf(state, options));
  const below = (paths: readonly Path[]) => paths.map((path) => ["endpoints", key, ...path]);
  fleet.secrets.inputs.push(...below(inputs.secrets));
  fleet.secrets.outputs.push(...below(outputs.secrets));
  return String(state.endpointId ?? one.id);
}

function findFleet(state: StackExport, name: string): StoredResource {
  const types = hosts.map(({ fleetType }) => fleetType);
  const all = ofType(state, types);
  const named = all.filter(({ urn }) => urn === name || nameOfUrn(urn) === name);
  const [resource] = named;
  if (resource && named.length === 1) return resource;
  const names = all.map(({ urn }) => nameOfUrn(urn));
  const near = nearestName(name, names);
  const urns = named.map(({ urn }) => shellWord(urn)).join(" or ");
  const found = urns
    ? `more than one fleet is called ${name}; give the URN, ${urns}`
    : `the state has no fleet ${name}`;
  throw new CommandError(`nothing was moved: ${found}${!urns && near ? `; did you mean ${near}?` : ""}`);
}

function toSingle(resource: StoredResource, fleet: Fleet, key: string, urn: string): StoredResource {
  const type = (hostOf(resource.type) as Host).endpointType;
  const { state, protect, retainOnDelete } = fleet.members.get(key) as StoredMember;
  const { inputs } = splitOptions(memberInputsOf(fleet.inputs).get(key) ?? {});
  const outputs = secretsWithin(fleet.secrets.outputs, key, state);
  const secrets = {
    inputs: secretsWithin(fleet.secrets.inputs, key, inputs),
    outputs: [...outputs, ...outputs.flatMap(derivedPlaces)],
  };
  const { parent, provider, dependencies } = resource;
  return {
    custom: true,
    type,
    urn,
    // After an update that failed in part, the engine has the inputs from before it.
    id: `${String(state.projectId ?? inputs.projectId)}/${String(state.endpointId)}`,
    ...sidesOf({ urn, type }, inputs, state, secrets),
    parent,
    provider,
    dependencies,
    ...((protect || resource.protect) && { protect: true }),
    ...((retainOnDelete || resource.retainOnDelete) && { retainOnDelete: true }),
  };
}

/** The secret places of a member's values: all of them if the member or the whole map is secret. */
function secretsWithin(secrets: readonly Path[], key: string, values: Values): Path[] {
  const names = Object.keys(values).filter((name) => !name.startsWith("__"));
  return secrets.flatMap(([top, of = key, ...path]) => {
    if (top !== "endpoints" || of !== key) return [];
    return path.length > 0 ? [path] : names.map((name) => [name]);
  });
}

/** The fleet of a resource; an empty one without. Throws a `CommandError` where the export hides a secret of it. */
function openFleet(resource: StoredResource | undefined): Fleet {
  const inputs = reveal(resource?.inputs ?? {});
  const outputs = reveal(resource?.outputs ?? {});
  if (inputs.isHidden || outputs.isHidden) {
    throw new CommandError(
      "nothing was moved: the fleet has a secret that this export hides; use `pulumi stack export --show-secrets`",
    );
  }
  const stored = outputs.value as Values;
  return {
    inputs: inputs.value as Values,
    members: decodeMembers(stored),
    secrets: { inputs: inputs.secrets, outputs: [...outputs.secrets, ...formerSecrets(stored, outputs.secrets)] },
  };
}

/** The inputs of each member in those of a fleet, with its notes. */
export function memberInputsOf(inputs: Values): Map<string, Values> {
  const keys = Object.keys((inputs.endpoints ?? {}) as Values);
  return new Map(keys.map((key) => [key, memberInputs(inputs, key) ?? {}]));
}

/** The inputs of a fleet with these members instead of those that it has. */
function withMembers(inputs: Values, members: ReadonlyMap<string, Values>): Values {
  const replaced = ["endpoints", IMPORTED, DROPPED, DRIFTED];
  const rest = Object.entries(inputs).filter(([name]) => !replaced.includes(name));
  return { ...Object.fromEntries(rest), ...withNotes(members) };
}

/** The URN that a resource of another type and name would have in the same place. */
function urnBeside({ urn, type }: StoredResource, newType: string, name: string): string {
  const typed = urn.slice(0, urn.length - nameOfUrn(urn).length - "::".length);
  return `${typed.slice(0, typed.length - type.length)}${newType}::${name}`;
}

/** The values without the host's own: an endpoint's, and the notes on it. */
function withoutHidden(all: Values): Values {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("__") || ownNotes.includes(name)));
}

/** Inputs and outputs of a resource as a state has them, with its secrets and what its host needs among them. */
function sidesOf(
  resource: Pick<StoredResource, "urn" | "type">,
  inputs: Values,
  outputs: Values,
  secrets: Secrets,
): { inputs: Values; outputs: Values } {
  const hidden = hiddenFor(resource, secrets.inputs);
  return {
    inputs: seal({ ...inputs, ...hidden }, secrets.inputs) as Values,
    outputs: seal({ ...outputs, ...hidden }, secrets.outputs) as Values,
  };
}

/** What a resource of the dynamic host needs among its inputs and its outputs; the paths are those of the secrets among its inputs. */
export function hiddenFor({ urn, type }: Pick<StoredResource, "urn" | "type">, secrets: readonly Path[]): Values {
  if (hostOf(type)?.name !== "dynamic") return {};
  const names = isFleet(type) ? secrets : [...new Set(secrets.map(([name]) => name))];
  return {
    __provider: `exports.handler=()=>require("pulumi-pgcompute/dynamic").${isFleet(type) ? "fleetProvider" : "provider"}`,
    __urn: urn,
    ...(names.length > 0 && { __secret: names }),
  };
}
