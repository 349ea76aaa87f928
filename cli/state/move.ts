/** `state gather` and `state scatter`: single endpoints become members of a fleet, and members single endpoints, in the state alone. */
import { idOfState } from "../../provider/endpoint/identity";
import { DRIFTED, DROPPED, IMPORTED } from "../../provider/endpoint/input-notes";
import { derivedPlaces } from "../../provider/endpoint/outputs";
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { KEY_PATTERN, newFleetId } from "../../provider/fleet/model";
import { memberInputs, splitOptions, withNotes } from "../../provider/fleet/parse-fleet";
import { decodeMembers, encodeMembers, formerSecrets, memberOf, type StoredMember } from "../../provider/fleet/state";
import { nameOfUrn, siblingUrn } from "../../provider/lib/owner";
import { nearestName, shellWord } from "../../provider/lib/wording";
import { CommandError } from "../exit-code";
import { type Host, hostOf, isEndpoint, isFleet } from "../hosts";
import { exchange } from "./exchange";
import { type Path, reveal, seal } from "./secrets";
import { resourcesOf, type StackExport, type StoredResource, staying, unsettledReasons } from "./stack-export";

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
  /** The names of the single resources, and the keys in the fleet. */
  endpoints: { name: string; key: string; endpointId: string }[];
}

/** Values of a resource. */
export type Values = Record<string, unknown>;

/** A single endpoint that is to be a member: its values in the clear, and where secrets stand in them. */
type Single = ReturnType<typeof chooseSingles>[number];

type Fleet = ReturnType<typeof openFleet>;

interface Secrets {
  inputs: Path[];
  outputs: Path[];
}

const notes = [IMPORTED, DROPPED, DRIFTED];

/** Moves the endpoints into the fleet. Throws a `CommandError` with every reason against it. */
export function gather(state: StackExport, { fleet: name, patterns, prefix }: MoveOptions): Move {
  const singles = chooseSingles(state, patterns, prefix);
  const { resource: first } = singles[0] as Single;
  const type = (hostOf(first.type) as Host).fleetType;
  const urn = urnBeside(first, type, name);
  const old = staying(state, isFleet).find((one) => one.urn === urn);
  const fleet = openFleet(old);
  refuseIfAny([
    ...(old ? unsettledReasons(state, old, "the fleet") : []),
    ...reasonsAgainst(state, singles, fleet, old),
  ]);
  for (const one of singles) add(fleet, one);
  const gone = [...(old ? [old] : []), ...singles.map(({ resource }) => resource)];
  const inside = new Set([urn, ...gone.map((one) => one.urn)]);
  const waited = new Set(gone.flatMap((one) => one.dependencies ?? []));
  const dependencies = [...waited].filter((one) => !inside.has(one));
  const { parent, provider } = first;
  const made: StoredResource = {
    ...(old ?? { custom: true, parent, provider }),
    ...{ urn, type, id: old?.id ?? newFleetId() },
    ...closed(fleet, { urn, type }),
    dependencies,
    propertyDependencies: dependencies.length > 0 ? { endpoints: dependencies } : {},
  };
  const endpoints = singles.map(({ name, key }) => ({ name, key, endpointId: endpointIdOf(fleet, key) }));
  return { state: exchange(state, gone, [made]), endpoints };
}

/** Makes the members single endpoints. Throws a `CommandError` with every reason against it. */
export function scatter(state: StackExport, { fleet: name, patterns, prefix }: MoveOptions): Move {
  const resource = findFleet(state, name);
  const fleet = openFleet(resource);
  const { inputs, members } = fleet;
  const { chosen: keys, unmatched } = select([...new Set([...inputs.keys(), ...members.keys()])], patterns);
  const { endpointType } = hostOf(resource.type) as Host;
  const urnOf = (key: string) => urnBeside(resource, endpointType, prefix + key);
  const taken = new Set(resourcesOf(state).map(({ urn }) => urn));
  refuseIfAny([
    ...unsettledReasons(state, resource, "the fleet"),
    ...unmatched.map((pattern) => `the fleet ${name} has no member ${pattern}`),
    ...keys.flatMap((key) => {
      const why = inputs.has(key) ? "has no endpoint yet" : "is to be deleted";
      if (!members.has(key) || !inputs.has(key)) return [`${key} ${why}; run \`pulumi up\` first`];
      return taken.has(urnOf(key)) ? [`the state has an endpoint ${prefix}${key} already`] : [];
    }),
  ]);
  const endpoints = keys.map((key) => ({ name: prefix + key, key, endpointId: endpointIdOf(fleet, key) }));
  const singles = keys.map((key) => toSingle(resource, fleet, key, urnOf(key)));
  for (const key of keys) {
    inputs.delete(key);
    members.delete(key);
  }
  const put = members.size === 0 ? singles : [...singles, { ...resource, ...closed(fleet, resource) }];
  return { state: exchange(state, [resource], put), endpoints };
}

/** Throws the reasons, all at once, where there are any: each is about one resource. */
function refuseIfAny(reasons: readonly string[]): void {
  if (reasons.length > 0) throw new CommandError(`nothing was moved: ${reasons.join("; ")}`);
}

/** The names that match any of the patterns, in which `*` stands for any text, and the patterns that match none. */
function select(names: readonly string[], patterns: readonly string[]): { chosen: string[]; unmatched: string[] } {
  const matching = patterns.map((pattern) => {
    const source = pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
    return names.filter((name) => new RegExp(`^${source.join(".*")}$`).test(name));
  });
  const chosen = new Set(matching.flat());
  return {
    chosen: names.filter((name) => chosen.has(name)),
    unmatched: patterns.filter((_, at) => matching[at]?.length === 0),
  };
}

function chooseSingles(state: StackExport, patterns: readonly string[], prefix: string) {
  const all = staying(state, isEndpoint).map((resource) => {
    const name = nameOfUrn(resource.urn);
    const key = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    return { resource, name, key, inputs: reveal(resource.inputs ?? {}), outputs: reveal(resource.outputs ?? {}) };
  });
  const names = all.map(({ name }) => name);
  const { chosen, unmatched } = select(names, patterns);
  refuseIfAny(unmatched.map((pattern) => `no endpoint of the state is called ${pattern}${meant(pattern, names)}`));
  return all.filter(({ name }) => chosen.includes(name));
}

function meant(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near ? `; did you mean ${near}?` : "";
}

/** Why endpoints do not go together, or into the fleet. */
function reasonsAgainst(
  state: StackExport,
  singles: readonly Single[],
  { members }: Fleet,
  old: StoredResource | undefined,
): string[] {
  const { resource: first } = singles[0] as Single;
  const like = { type: first, parent: old ?? first, provider: old ?? first };
  const keys = singles.map(({ key }) => key);
  // A fleet does not notice when two of its own members have one endpoint.
  const owners = new Map([...members].map(([key, { state }]) => [state.endpointId, `the fleet's member "${key}"`]));
  return singles.flatMap(({ resource, name, key, inputs, outputs }, at) => {
    const differs = (["type", "parent", "provider"] as const).find((what) => resource[what] !== like[what][what]);
    const { endpointId } = outputs.value as Values;
    const other = owners.get(endpointId);
    owners.set(endpointId, name);
    const reasons = [
      differs &&
        `${name} and ${nameOfUrn(like[differs].urn)} differ in their ${differs}; gather those alone that share it`,
      (inputs.isHidden || outputs.isHidden) &&
        `${name} has a secret that this export hides; use \`pulumi stack export --show-secrets\``,
      !KEY_PATTERN.test(key) && `"${key}" cannot be a key: 1 to 63 letters, digits, ".", "_" and "-"`,
      members.has(key) && `the fleet has a member "${key}" already`,
      keys.indexOf(key) < at && `two of the endpoints would have the key "${key}"`,
      other && `${name} and ${other} have the same endpoint, ${endpointId}`,
    ];
    return [...unsettledReasons(state, resource, name), ...reasons.filter((reason) => typeof reason === "string")];
  });
}

/** Makes the endpoint a member, its secrets included. */
function add({ inputs, members, secrets }: Fleet, { resource, key, ...values }: Single): void {
  const { protect, retainOnDelete } = resource;
  const options = { ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) };
  inputs.set(key, { ...own(values.inputs.value as Values), ...options });
  members.set(key, memberOf(own(values.outputs.value as Values), options));
  const below = (path: Path) => ["endpoints", key, ...path];
  secrets.inputs.push(...values.inputs.secrets.map(below));
  secrets.outputs.push(...values.outputs.secrets.map(below));
}

function findFleet(state: StackExport, name: string): StoredResource {
  const all = staying(state, isFleet);
  const named = all.filter(({ urn }) => urn === name || nameOfUrn(urn) === name);
  const [resource] = named;
  if (resource && named.length === 1) return resource;
  const names = all.map(({ urn }) => nameOfUrn(urn));
  const urns = named.map(({ urn }) => shellWord(urn)).join(" or ");
  const found = urns
    ? `more than one fleet is called ${name}; give the URN, ${urns}`
    : `the state has no fleet ${name}${meant(name, names)}`;
  throw new CommandError(`nothing was moved: ${found}`);
}

function toSingle(resource: StoredResource, fleet: Fleet, key: string, urn: string): StoredResource {
  const type = (hostOf(resource.type) as Host).endpointType;
  const { state, protect, retainOnDelete } = fleet.members.get(key) as StoredMember;
  const { inputs } = splitOptions(fleet.inputs.get(key) ?? {});
  const outputs = secretsWithin(fleet.secrets.outputs, key, state);
  const secrets = {
    inputs: secretsWithin(fleet.secrets.inputs, key, inputs),
    outputs: [...outputs, ...outputs.flatMap(derivedPlaces)],
  };
  const { parent, provider, dependencies } = resource;
  return {
    ...{ custom: true, type, urn, id: idOfState(state) },
    ...sidesOf({ urn, type }, inputs, state, secrets),
    ...{ parent, provider, dependencies },
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

/** The fleet of a resource in the clear, and where secrets stand in it; an empty one without. Throws a `CommandError` where the export hides one. */
function openFleet(resource: StoredResource | undefined) {
  const inputs = reveal(resource?.inputs ?? {});
  const outputs = reveal(resource?.outputs ?? {});
  if (inputs.isHidden || outputs.isHidden) {
    throw new CommandError(
      "nothing was moved: the fleet has a secret that this export hides; use `pulumi stack export --show-secrets`",
    );
  }
  const stored = outputs.value as Values;
  const { endpoints = {}, ...shared } = inputs.value as Values;
  for (const note of notes) delete shared[note];
  const keys = Object.keys(endpoints as Values);
  return {
    /** The inputs of each member, with its notes. */
    inputs: new Map<string, Values>(keys.map((key) => [key, memberInputs(inputs.value as Values, key) ?? {}])),
    /** The other inputs. */
    shared,
    members: decodeMembers(stored),
    secrets: { inputs: inputs.secrets, outputs: [...outputs.secrets, ...formerSecrets(stored, outputs.secrets)] },
  };
}

/** Inputs and outputs of a fleet's resource, as a state has them. */
function closed({ inputs, shared, members, secrets }: Fleet, resource: Pick<StoredResource, "urn" | "type">) {
  const outputs = encodeMembers(members, secrets.outputs);
  return sidesOf(resource, { ...shared, ...withNotes(inputs) }, outputs, secrets);
}

function endpointIdOf({ members }: Fleet, key: string): string {
  return String(members.get(key)?.state.endpointId);
}

/** The URN that a resource of another type and name would have in the same place. */
function urnBeside({ urn, type }: StoredResource, newType: string, name: string): string {
  return siblingUrn(urn.replace(`${type}::`, `${newType}::`), name);
}

/** The values without the host's own: an endpoint's, and the notes on it. */
function own(all: Values): Values {
  const kept = [BOOKKEEPING, ...notes];
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("__") || kept.includes(name)));
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
