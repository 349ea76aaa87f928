/**
 * Parses a fleet's raw values into members. A member's inputs are the fleet's defaults, overridden by its own values.
 */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { type Ignored, ignoredIn, withIgnored } from "../endpoint/ignored";
import { DRIFTED, DROPPED, droppedInputs, IMPORTED, isDrifted } from "../endpoint/input-notes";
import { type CheckedInputs, parseBy, parseInputs, type ReadInputs, unknownNames } from "../endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../endpoint/properties";
import { limitNames } from "../endpoint/rules/size";
import type { EndpointState } from "../endpoint/state";
import type { Failure } from "../lib/failure";
import { defined, isRecord, type Maybe, ownValue, UNKNOWN, type Values } from "../lib/unknown";
import {
  byKey,
  fleetModel,
  fleetProperties,
  KEY_PATTERN,
  type MemberOption,
  memberOptions,
  memberOptionsModel,
  memberPath,
  rolloutModel,
} from "./model";

/** A member in the program. */
export interface Member {
  key: string;
  /** The raw inputs of its endpoint, with the defaults; UNKNOWN for unknown values. */
  inputs: Record<string, unknown>;
  /** The same inputs, parsed on first use. */
  readonly read: ReadInputs;
  /** The inputs with a valid shape. */
  readonly parsed: CheckedInputs;
  options: Parsed<typeof memberOptionsModel>;
  /** What `ignoreChanges` keeps. */
  ignored?: Ignored;
  /** Properties whose values messages must not show. */
  secret?: ReadonlySet<string>;
  /** True if only the member's key is known. */
  isUnknown?: true;
  /** The path of the value that sets a property: in the member, or in the fleet's defaults. */
  pathOf(property: string): string;
}

/** A model's valid values; UNKNOWN for unknown ones. */
type Parsed<M extends z.ZodObject> = { [P in keyof z.output<M>]?: Maybe<NonNullable<z.output<M>[P]>> };

/** Parsed rollout settings, with defaults. */
export type RolloutInputs = Parsed<typeof rolloutModel>;

/** A fleet's parsed inputs. */
export interface ParsedFleet {
  /** Members ordered by key; undefined while the set of members is unknown. */
  members: ReadonlyMap<string, Member> | undefined;
  maxDeletions: Maybe<number>;
  rollout: RolloutInputs | undefined;
  /** Values for members without their own, including the project. */
  defaults: Values;
  failures: Failure[];
}

const names = [IMPORTED, DROPPED, DRIFTED];

/** Endpoint inputs with every value unknown. */
const unknown: Values = Object.fromEntries(endpointProperties.map((name) => [name, UNKNOWN]));

/**
 * Parses a fleet's inputs, from a program or a state. Failures are about the fleet's form, not its members' endpoints.
 * `olds`, in a Check: a newer platform's enum value must be in force already.
 */
export function parseFleet(raw: Values, olds?: Values): ParsedFleet {
  const failures = unknownNames(raw, fleetProperties);
  const { maxDeletions } = parseBy(fleetModel.pick({ maxDeletions: true }), raw, { failures });
  const defaults = parseDefaults(raw, failures);
  const rollout = parseRollout(raw, failures);
  const parsed = { maxDeletions: maxDeletions as Maybe<number>, rollout, defaults, failures };
  const { endpoints } = raw;
  if (endpoints === UNKNOWN) return { ...parsed, members: undefined };
  const members = new Map<string, Member>();

  if (!isRecord(endpoints)) {
    const reason = isUnset(endpoints) ? "required, but not set" : "has to be a map of endpoints by their keys";
    failures.push({ property: "endpoints", reason });
    return { ...parsed, members };
  }

  for (const [key, value] of Object.entries(endpoints).sort(([a], [b]) => byKey(a, b))) {
    const member = parseMember(key, value, { raw, defaults, olds }, failures);
    if (member) members.set(key, member);
  }
  return { ...parsed, members };
}

/**
 * What `ignoreChanges` keeps of a member, by the member's own paths or those of `defaults`. Later calls get members
 * whole: what equals the default now, and did before, counts as inherited.
 */
export function ignoredOf(
  { key, inputs }: Pick<Member, "key" | "inputs">,
  {
    ignoreChanges = [],
    defaults,
    oldInputs,
  }: { ignoreChanges?: readonly string[] | undefined; defaults: Values; oldInputs?: Values | undefined },
): Ignored {
  const before = memberInputs(oldInputs, key) ?? {};
  const isInherited = (name: EndpointProperty) => {
    const isDefault = (value: unknown) => isDeepStrictEqual(value, defaults[name]);
    // A host without old inputs notes only those that the program dropped.
    const wasDefault = before[name] === undefined || isDefault(before[name]) || isDrifted(before, name);
    return name in defaults && isDefault(inputs[name]) && wasDefault;
  };
  const shared = [...ignoredIn(ignoreChanges, "defaults")].filter(isInherited);
  return new Set([...ignoredIn(ignoreChanges, "endpoints", key), ...shared]);
}

/** The member with the state's values of what it ignores. */
export function keptAs(member: Member, state: EndpointState, oldInputs: Values | undefined): Member {
  const { ignored } = member;
  if (!ignored || ignored.size === 0) return member;
  const { inputs: before, failures } = member.read;
  const inputs = withIgnored(before, state, { ignored, oldInputs });
  const isKept = ({ property }: Failure) => ignored.has(property as EndpointProperty);
  const read = { inputs, failures: failures.filter((one) => !isKept(one)) };
  return { ...member, inputs: { ...member.inputs, ...inputs }, read, parsed: inputs };
}

/** Splits a member's values into endpoint inputs and options, as a move into or out of a fleet needs. */
export function splitOptions(values: Values): { inputs: Record<string, unknown>; options: Record<string, unknown> } {
  const isOption = ([name]: [string, unknown]) => memberOptions.includes(name as MemberOption);
  const entries = Object.entries(values);
  return {
    inputs: Object.fromEntries(entries.filter((entry) => !isOption(entry))),
    options: Object.fromEntries(entries.filter(isOption)),
  };
}

function parseMember(
  key: string,
  value: unknown,
  { raw, defaults, olds }: { raw: Values; defaults: Values; olds: Values | undefined },
  failures: Failure[],
): Member | undefined {
  if (!KEY_PATTERN.test(key)) {
    const reason =
      "a key is 1 to 63 characters of letters, digits, `.`, `_` and `-`, and begins with a letter or a digit";
    failures.push({ property: memberPath(key), reason });
    return undefined;
  }
  if (value !== UNKNOWN && !isRecord(value)) {
    failures.push({ property: memberPath(key), reason: "has to be a map of an endpoint's inputs" });
    return undefined;
  }

  const own = splitOptions(value === UNKNOWN ? {} : value);
  const { projectId = UNKNOWN } = defaults;
  const inputs = value === UNKNOWN ? { ...unknown, projectId } : merge(defaults, own.inputs);
  const isProjects = isUnset(isRecord(raw.defaults) ? raw.defaults.projectId : undefined);
  // Lazy: most members of a large fleet are never parsed.
  let read: ReadInputs | undefined;

  return {
    key,
    inputs,
    get read() {
      read ??= parseInputs(inputs, olds && endpointInputs(olds, key));
      return read;
    },
    get parsed() {
      return this.read.inputs;
    },
    options: parseBy(memberOptionsModel, own.options, { failures, pathOf: (name) => memberPath(key, name) }),
    ...(value === UNKNOWN && { isUnknown: true as const }),
    pathOf: (property) => {
      const [name = ""] = property.split(".");
      if (!isUnset(own.inputs[name]) || isUnset(inputs[name])) return memberPath(key, property);
      return name === "projectId" && isProjects ? name : `defaults.${property}`;
    },
  };
}

function parseRollout({ rollout, endpoints }: Values, failures: Failure[]): RolloutInputs | undefined {
  if (isUnset(rollout) || rollout === UNKNOWN) return undefined;
  const known = Object.keys(rolloutModel.shape);
  if (!isRecord(rollout)) {
    failures.push({ property: "rollout", reason: `has to be a map: { ${known.join(", ")} }` });
    return undefined;
  }

  const pathOf = (name: string) => `rollout.${name}`;
  failures.push(...unknownNames(rollout, known, pathOf));
  for (const [at, key] of (Array.isArray(rollout.canary) ? rollout.canary : []).entries()) {
    if (key === UNKNOWN || !isRecord(endpoints) || Object.hasOwn(endpoints, String(key))) continue;
    failures.push({ property: `rollout.canary[${at}]`, reason: "no member has this key" });
  }
  return parseBy(rolloutModel, rollout, { failures, pathOf });
}

/** Parses the values for every member without its own value. */
function parseDefaults({ projectId, defaults }: Values, failures: Failure[]): Values {
  const project = isUnset(projectId) ? {} : { projectId };
  if (defaults === UNKNOWN) return { ...unknown, ...project };
  if (isUnset(defaults)) return project;
  if (!isRecord(defaults)) {
    failures.push({ property: "defaults", reason: "has to be a map of an endpoint's inputs" });
    return project;
  }

  const { inputs, options } = splitOptions(defaults);
  const pathOf = (name: string) => `defaults.${name}`;
  for (const name of Object.keys(options)) {
    if (isUnset(options[name])) continue;
    failures.push({ property: pathOf(name), reason: "an option of a member, which has no default" });
  }

  if (!isUnset(inputs.name)) {
    const reason = "has no default, since all members would get one name: say it in each member, or leave it out";
    failures.push({ property: pathOf("name"), reason });
  }

  failures.push(...unknownNames(inputs, endpointProperties, pathOf));
  const known = Object.entries(inputs).filter(
    ([name, value]) => endpointProperties.includes(name as EndpointProperty) && name !== "name" && !isUnset(value),
  );
  return { ...project, ...Object.fromEntries(known) };
}

/** A member's own size leaves the other form of a size out. One limit goes with the other one of the defaults. */
function merge(defaults: Values, own: Values): Record<string, unknown> {
  const under: Record<string, unknown> = { ...defaults };
  const sets = (name: string) => !isUnset(own[name]);
  if (sets("sizeCu")) for (const name of limitNames) delete under[name];
  if (limitNames.some(sets)) delete under.sizeCu;
  const over = Object.entries(own).filter(([, value]) => !isUnset(value));
  return { ...under, ...Object.fromEntries(over) };
}

function isUnset(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Reads a member's inputs and notes from its fleet's inputs; undefined if the fleet has no such member. */
export function memberInputs(fleet: Values | undefined, key: string): Record<string, unknown> | undefined {
  const inputs = ownValue(fleet?.endpoints, key);
  const notes = Object.fromEntries(names.map((name) => [name, ownValue(fleet?.[name], key)]));
  return isRecord(inputs) ? { ...inputs, ...defined(notes) } : undefined;
}

/** Reads a member's endpoint inputs, without the member's options. Empty if the fleet has no such member. */
export function endpointInputs(fleet: Values | undefined, key: string): Record<string, unknown> {
  return splitOptions(memberInputs(fleet, key) ?? {}).inputs;
}

/** The members' inputs as a fleet's: the map by key, and the notes of all members beside it. */
export function withNotes(members: ReadonlyMap<string, Values>): Record<string, unknown> {
  const noNotes = Object.fromEntries(names.map((name) => [name, undefined]));
  const endpoints = [...members].map(([key, inputs]) => [key, defined({ ...inputs, ...noNotes })]);
  const notes = names.flatMap((name) => {
    const noted = [...members].filter(([, inputs]) => inputs[name] !== undefined);
    return noted.length > 0 ? [[name, Object.fromEntries(noted.map(([key, inputs]) => [key, inputs[name]]))]] : [];
  });
  return { endpoints: Object.fromEntries(endpoints), ...Object.fromEntries(notes) };
}

/** For a host without old inputs: the dropped properties of each member, from the notes. */
export function droppedByMember(fleet: Values): Record<string, unknown> {
  const dropped = fleet[DROPPED];
  if (!isRecord(dropped)) return {};
  const endpoints = Object.entries(dropped).map(([key, note]) => [key, droppedInputs({ [DROPPED]: note })]);
  return { endpoints: Object.fromEntries(endpoints) };
}
