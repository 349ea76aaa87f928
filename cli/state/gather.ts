/** `state gather`: single endpoints become members of a fleet, in the state alone. */
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { KEY_PATTERN, newFleetId } from "../../provider/fleet/model";
import { encodeMembers, memberOf } from "../../provider/fleet/state";
import { nameOfUrn } from "../../provider/lib/owner";
import { nearestName } from "../../provider/lib/wording";
import { CommandError } from "../exit-code";
import { type Host, hostOf, hosts } from "../hosts";
import { exchange, type Move, refuseIfAny, select } from "./moved";
import { type Path, reveal, seal } from "./secrets";
import { ofType, type StackExport, type StoredResource, unsettledReasons } from "./stack-export";
import {
  hiddenFor,
  memberInputsOf,
  openFleet,
  type StoredFleet,
  urnBeside,
  type Values,
  withMembers,
  withoutHidden,
} from "./stored-fleet";

/** What is gathered, and where. */
export interface GatherOptions {
  /** The fleet's resource name. It is made where the state has none. */
  fleet: string;
  /** The endpoints' resource names; `*` stands for any text. */
  patterns: readonly string[];
  /** Taken off a resource's name for its key in the fleet. */
  stripPrefix: string;
}

/** Moves the endpoints into the fleet. Throws a `CommandError` with every reason against it. */
export function gather(state: StackExport, options: GatherOptions): Move {
  const singles = choose(state, options);
  const first = singles[0];
  const host = first && hostOf(first.type);
  if (!first || !host) throw new CommandError("nothing was moved: no endpoint has such a name");
  const urn = urnBeside(first, host.fleetType, options.fleet);
  const old = ofType(state, [host.fleetType]).find((one) => one.urn === urn);
  const keyOf = (one: StoredResource) => {
    const name = nameOfUrn(one.urn);
    return name.startsWith(options.stripPrefix) ? name.slice(options.stripPrefix.length) : name;
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
    const { endpointId } = add(fleet, key, one);
    return { name: nameOfUrn(one.urn), key, endpointId };
  });
  const made = closeFleet(fleet, { old, first, host, urn, singles });
  const successors = new Map(singles.map((one) => [one.urn, [made]]));
  return { state: exchange(state, new Set(old ? [old, ...singles] : singles), [made], successors), endpoints };
}

function choose(state: StackExport, { patterns }: GatherOptions): StoredResource[] {
  const all = ofType(
    state,
    hosts.map(({ endpointType }) => endpointType),
  );
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

function keyReasons(keys: readonly string[], { members }: StoredFleet): string[] {
  return keys.flatMap((key, index) => {
    if (!KEY_PATTERN.test(key)) return [`"${key}" cannot be a key: 1 to 63 letters, digits, ".", "_" and "-"`];
    if (members.has(key)) return [`the fleet has a member "${key}" already`];
    return keys.indexOf(key) < index ? [`two of the endpoints would have the key "${key}"`] : [];
  });
}

/** A fleet does not notice when two of its own members have one endpoint. */
function sharedReasons(singles: readonly StoredResource[], { members }: StoredFleet): string[] {
  const owners = new Map([...members].map(([key, { state }]) => [state.endpointId, `the fleet's member "${key}"`]));
  return singles.flatMap(({ urn, outputs = {} }) => {
    const { endpointId } = reveal(outputs).value as Values;
    const other = owners.get(endpointId as string);
    owners.set(endpointId as string, nameOfUrn(urn));
    return other === undefined ? [] : [`${nameOfUrn(urn)} and ${other} have the same endpoint, ${endpointId}`];
  });
}

/** Makes the endpoint a member, its secrets included. */
function add(fleet: StoredFleet, key: string, one: StoredResource): { endpointId: string } {
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
  return { endpointId: String(state.endpointId ?? one.id) };
}

function closeFleet(
  { inputs, members, secrets }: StoredFleet,
  from: { old: StoredResource | undefined; first: StoredResource; host: Host; urn: string; singles: StoredResource[] },
): StoredResource {
  const { old, first, host, urn, singles } = from;
  const hidden = hiddenFor(host, { urn, type: host.fleetType }, secrets.inputs);
  // The text has the rest of every member's state, so one secret makes all of it secret.
  const ofText = secrets.outputs.length > 0 ? [[BOOKKEEPING]] : [];
  const inside = new Set([urn, ...singles.map((one) => one.urn)]);
  const waited = [...(old ? [old] : []), ...singles].flatMap((one) => one.dependencies ?? []);
  const dependencies = [...new Set(waited)].filter((one) => !inside.has(one));
  const { parent, provider } = first;
  return {
    ...(old ?? { custom: true, type: host.fleetType, parent, provider }),
    urn,
    type: host.fleetType,
    id: old?.id ?? newFleetId(),
    inputs: seal({ ...inputs, ...hidden }, secrets.inputs) as Values,
    outputs: seal({ ...encodeMembers(members), ...hidden }, [...secrets.outputs, ...ofText]) as Values,
    dependencies,
    propertyDependencies: dependencies.length > 0 ? { endpoints: dependencies } : {},
  };
}
