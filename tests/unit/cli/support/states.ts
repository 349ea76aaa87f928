/** States as `pulumi stack export` prints them, written by hand. */

import { parseStackExport, resourcesOf, type StackExport } from "../../../../cli/state/stack-export";
import { encodeMembers, memberOf } from "../../../../provider/fleet/state";
import { nameOfUrn } from "../../../../provider/lib/owner";

/** The mark of a secret, without its value. */
export const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const TYPE = "pgcompute:index:Endpoint";
/** The type of a fleet. */
export const FLEET = "pgcompute:index:EndpointFleet";
const PROVIDER = `${urnOf("default_1_0_0", "pulumi:providers:pgcompute")}::6f0c`;

/** A secret as an export with `--show-secrets` has it. */
export function secret(value: unknown) {
  return { ...SECRET, plaintext: JSON.stringify(value) };
}

/** The URN of a resource of this name; of an endpoint where nothing else is said. */
export function urnOf(name: string, type = TYPE): string {
  return `urn:pulumi:dev::shop::${type}::${name}`;
}

/** An endpoint of the plugin as an export has it. */
export function endpoint(name: string, more: { inputs?: object; outputs?: object } & Record<string, unknown> = {}) {
  const { inputs, outputs, ...rest } = more;
  const own = { projectId: "quiet-lake-12345678", branchId: `br-${name}`, type: "read_write", sizeCu: 1, ...inputs };
  return {
    urn: urnOf(name),
    custom: true,
    id: `quiet-lake-12345678/ep-${name}`,
    type: TYPE,
    inputs: own,
    outputs: {
      ...own,
      endpointId: `ep-${name}`,
      host: `ep-${name}.eu.compute.test`,
      maxConnections: 450,
      __pgcompute: { v: 2, set: Object.keys(own) },
      ...outputs,
    },
    parent: urnOf("shop-dev", "pulumi:pulumi:Stack"),
    provider: PROVIDER,
    ...rest,
  };
}

/** The fleet `previews`, which has these endpoints as its members, under their names. */
export function fleetOf(...members: readonly ReturnType<typeof endpoint>[]) {
  const keyed = members.map((one): [string, typeof one & Record<string, unknown>] => [nameOfUrn(one.urn), one]);
  const options = ({ protect, retainOnDelete }: Record<string, unknown>) => ({
    ...(protect === true && { protect }),
    ...(retainOnDelete === true && { retainOnDelete }),
  });
  return {
    urn: urnOf("previews", FLEET),
    custom: true,
    id: "fleet-01234567",
    type: FLEET,
    inputs: { endpoints: Object.fromEntries(keyed.map(([key, one]) => [key, { ...one.inputs, ...options(one) }])) },
    outputs: encodeMembers(new Map(keyed.map(([key, one]) => [key, memberOf(one.outputs, options(one))]))),
    parent: urnOf("shop-dev", "pulumi:pulumi:Stack"),
    provider: PROVIDER,
  };
}

/** A resource of another provider that depends on these. */
export function other(name: string, dependencies: string[], more: Record<string, unknown> = {}) {
  const type = "other:index:Thing";
  return { urn: urnOf(name, type), custom: true, id: name, type, inputs: {}, outputs: {}, dependencies, ...more };
}

/** What `pulumi stack export` prints of a stack with these resources. */
export function exportOf(...resources: object[]): StackExport {
  const stack = { urn: urnOf("shop-dev", "pulumi:pulumi:Stack"), type: "pulumi:pulumi:Stack", outputs: {} };
  const provider = { urn: PROVIDER.slice(0, -6), custom: true, id: "6f0c", type: "pulumi:providers:pgcompute" };
  return parseStackExport(
    JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [stack, provider, ...resources] } }),
  );
}

/** The resource of this name in a state. */
export function named(state: StackExport, name: string, type = TYPE) {
  return resourcesOf(state).find(({ urn }) => urn === urnOf(name, type));
}
