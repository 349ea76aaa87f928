/** What of a fleet's members a program asks to leave as it is (`ignoreChanges`), by the engine's property paths. */
import { isDeepStrictEqual } from "node:util";
import { parseInputs } from "../../endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../../endpoint/properties";
import type { Member } from "../../fleet/parse-fleet";
import type { StoredMembers } from "../../fleet/state";
import { isRecord } from "../../lib/unknown";

/** The steps of a path as the engine reads it: `endpoints["pr-101"].sizeCu`, `endpoints[*]`, `defaults.sizeCu`. */
const step = /\["((?:\\"|[^"])*)"\]|\[(\*|\d+)\]|([^.[\]]+)/g;

/**
 * The properties of a member that the paths name as a whole, by the member or by the defaults that it has them from. A path into a
 * property leaves the rest of it to compare: the engine has put the ignored part back already.
 */
export function ignoredProperties(
  paths: readonly string[],
  { key, inputs }: Pick<Member, "key" | "inputs">,
  defaults: unknown,
): EndpointProperty[] {
  const ignored = paths.map((path) =>
    [...path.matchAll(step)].map(([, quoted, index, plain]) => quoted ?? index ?? plain),
  );
  // Later calls see each member whole: what it has from the defaults is as they say.
  const inherits = (name: string) =>
    isRecord(defaults) && Object.hasOwn(defaults, name) && isDeepStrictEqual(defaults[name], inputs[name]);
  const covers = (...steps: string[]) =>
    ignored.some(
      (one) =>
        one.length > 0 && one.length <= steps.length && one.every((part, at) => part === "*" || part === steps[at]),
    );
  return endpointProperties.filter(
    (name) => covers("endpoints", key, name) || (inherits(name) && covers("defaults", name)),
  );
}

/** The members of a program; one whose branch is ignored stands where the state has it. */
export function whereTheyStand(
  members: ReadonlyMap<string, Member>,
  stored: StoredMembers,
  ignored: (key: string) => readonly EndpointProperty[],
): ReadonlyMap<string, Member> {
  const standing = [...members].map(([key, member]): [string, Member] => {
    const { branchId } = stored.get(key)?.state ?? {};
    if (branchId === undefined || !ignored(key).includes("branchId")) return [key, member];
    const inputs = { ...member.inputs, branchId };
    return [key, { ...member, inputs, parsed: parseInputs(inputs).inputs }];
  });
  return new Map(standing);
}
