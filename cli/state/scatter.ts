/** `state scatter`: members of a fleet become single endpoints, in the state alone. */
import { derivedPlaces } from "../../provider/endpoint/outputs";
import { splitOptions } from "../../provider/fleet/parse-fleet";
import { encodeMembers, type StoredMember, withSpent } from "../../provider/fleet/state";
import { nameOfUrn } from "../../provider/lib/owner";
import { nearestName, shellWord } from "../../provider/lib/wording";
import { CommandError } from "../exit-code";
import { type Host, hostOf, hosts } from "../hosts";
import { exchange, type Move, refuseIfAny, select } from "./moved";
import { type Path, seal } from "./secrets";
import { ofType, resourcesOf, type StackExport, type StoredResource, unsettledReasons } from "./stack-export";
import {
  hiddenFor,
  memberInputsOf,
  openFleet,
  type StoredFleet,
  urnBeside,
  type Values,
  withMembers,
} from "./stored-fleet";

/** What is scattered. */
export interface ScatterOptions {
  /** The fleet's resource name, or its URN. */
  fleet: string;
  /** The members' keys; `*` stands for any text. */
  patterns: readonly string[];
  /** Put before a key for the name of the single resource. */
  addPrefix: string;
}

/** A fleet and its resource. */
interface Fleet extends StoredFleet {
  resource: StoredResource;
  host: Host;
}

/** Makes the members single endpoints. Throws a `CommandError` with every reason against it. */
export function scatter(state: StackExport, { fleet: name, patterns, addPrefix }: ScatterOptions): Move {
  const fleet = findFleet(state, name);
  const inputs = (fleet.inputs.endpoints ?? {}) as Values;
  const { chosen, unmatched } = select([...new Set([...Object.keys(inputs), ...fleet.members.keys()])], patterns);
  refuseIfAny([
    ...unsettledReasons(state, fleet.resource, "the fleet"),
    ...unmatched.map((pattern) => `the fleet ${name} has no member ${pattern}`),
  ]);
  const keys = [...chosen];
  const taken = new Set(resourcesOf(state).map(({ urn }) => urn));
  refuseIfAny(
    keys.flatMap((key) => {
      if (!fleet.members.has(key) || !(key in inputs)) {
        const why = key in inputs ? "has no endpoint yet" : "is to be deleted";
        return [`${key} ${why}; run \`pulumi up\` first`];
      }
      return taken.has(urnBeside(fleet.resource, fleet.host.endpointType, addPrefix + key))
        ? [`the state has an endpoint ${addPrefix}${key} already`]
        : [];
    }),
  );
  const singles = keys.map((key) => toSingle(fleet, key, addPrefix + key));
  const rest = withoutMembers(fleet, chosen);
  const put = rest ? [...singles, rest] : singles;
  const moved = exchange(state, new Set([fleet.resource]), put, new Map([[fleet.resource.urn, put]]));
  return {
    state: moved,
    endpoints: keys.map((key) => ({
      name: addPrefix + key,
      key,
      endpointId: String(fleet.members.get(key)?.state.endpointId),
    })),
  };
}

function findFleet(state: StackExport, name: string): Fleet {
  const all = ofType(
    state,
    hosts.map(({ fleetType }) => fleetType),
  );
  const named = all.filter(({ urn }) => urn === name || nameOfUrn(urn) === name);
  const [resource] = named;
  if (!resource || named.length > 1) {
    const names = all.map(({ urn }) => nameOfUrn(urn));
    const near = nearestName(name, names);
    const urns = named.map(({ urn }) => shellWord(urn)).join(" or ");
    const found = urns
      ? `more than one fleet is called ${name}; give the URN, ${urns}`
      : `the state has no fleet ${name}`;
    throw new CommandError(`nothing was moved: ${found}${!urns && near ? `; did you mean ${near}?` : ""}`);
  }
  return { ...openFleet(resource), resource, host: hostOf(resource.type) as Host };
}

function toSingle(fleet: Fleet, key: string, name: string): StoredResource {
  const { resource, host, members, secrets } = fleet;
  const member = members.get(key) as StoredMember;
  const urn = urnBeside(resource, host.endpointType, name);
  const { inputs } = splitOptions(memberInputsOf(fleet.inputs).get(key) ?? {});
  const secretInputs = secretsWithin(secrets.inputs, key, inputs);
  const secretOutputs = secretsWithin(secrets.outputs, key, member.state);
  const hidden = hiddenFor(host, { urn, type: host.endpointType }, secretInputs);
  const { parent, provider, dependencies } = resource;
  return {
    custom: true,
    type: host.endpointType,
    urn,
    // After an update that failed in part, the engine has the inputs from before it.
    id: `${String(member.state.projectId ?? inputs.projectId)}/${String(member.state.endpointId)}`,
    inputs: seal({ ...inputs, ...hidden }, secretInputs) as Values,
    outputs: seal({ ...member.state, ...hidden }, [
      ...secretOutputs,
      ...secretOutputs.flatMap(derivedPlaces),
    ]) as Values,
    parent,
    provider,
    dependencies,
    ...((member.protect || resource.protect) && { protect: true }),
    ...((member.retainOnDelete || resource.retainOnDelete) && { retainOnDelete: true }),
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

/** What is left of the fleet; undefined where all of it went. */
function withoutMembers({ resource, inputs, members, host, secrets }: Fleet, gone: ReadonlySet<string>) {
  const left = withSpent(new Map([...members].filter(([key]) => !gone.has(key))), members.spent);
  if (left.size === 0) return undefined;
  const staying = new Map([...memberInputsOf(inputs)].filter(([key]) => !gone.has(key)));
  const hidden = hiddenFor(host, { urn: resource.urn, type: host.fleetType }, secrets.inputs);
  return {
    ...resource,
    inputs: seal({ ...withMembers(inputs, staying), ...hidden }, secrets.inputs) as Values,
    outputs: seal({ ...encodeMembers(left), ...hidden }, secrets.outputs) as Values,
  };
}
