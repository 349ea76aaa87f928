/** A fleet's raw values as members: each with the whole of its endpoint's inputs, the defaults laid under what it says itself. */
import type { z } from "zod";
import { DRIFTED, DROPPED, droppedInputs, IMPORTED } from "../endpoint/input-notes";
import { type CheckedInputs, parseInputs } from "../endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../endpoint/properties";
import { sizeNames } from "../endpoint/rules/size";
import { type Failure, formatIssue } from "../lib/failure";
import { isRecord, type Maybe, UNKNOWN } from "../lib/unknown";
import { nearestName } from "../lib/wording";
import {
  byKey,
  fleetProperties,
  KEY_PATTERN,
  type MemberOption,
  memberOptions,
  memberOptionsModel,
  memberPath,
} from "./model";
import { parseRollout, type RolloutInputs } from "./rollout";

type Values = Readonly<Record<string, unknown>>;

/** A member as the program wants it. */
export interface Member {
  key: string;
  /** The inputs of its endpoint with the defaults, raw; UNKNOWN for what is not known yet. */
  inputs: Record<string, unknown>;
  /** The same as an endpoint's inputs, as far as their shape is right; read when they are first asked for. */
  readonly parsed: Partial<CheckedInputs>;
  options: MemberOptions;
  /** Properties that stay as they are, whatever the program says. */
  ignored?: readonly EndpointProperty[];
  /** Properties whose values the messages must not show. */
  secret?: ReadonlySet<string>;
  /** True where nothing is known of it yet but that it is there. */
  isUnknown?: true;
  /** Where a property of it was written, for failures: with the member, or in what holds for all. */
  pathOf(property: string): string;
}

/** A member's options, as far as they are known. */
export interface MemberOptions {
  protect?: Maybe<boolean>;
  retainOnDelete?: Maybe<boolean>;
  importId?: Maybe<string>;
}

/** A fleet's inputs, read. */
export interface ParsedFleet {
  /** In the order of their keys; undefined while it is not known which there are. */
  members: ReadonlyMap<string, Member> | undefined;
  maxDeletions: Maybe<number>;
  rollout: RolloutInputs | undefined;
  failures: Failure[];
}

interface Defaults {
  values: Values;
  projectPath: string;
}

const names = [IMPORTED, DROPPED, DRIFTED];

/** Reads a fleet's inputs, of a program or a state. Failures are about the form of the fleet, not about its members' endpoints. */
export function parseFleet(raw: Values): ParsedFleet {
  const failures: Failure[] = [];
  for (const name of Object.keys(raw)) {
    if (name.startsWith("__") || fleetProperties.includes(name) || isUnset(raw[name])) continue;
    failures.push({ property: name, reason: unknownProperty(name, fleetProperties) });
  }
  const maxDeletions = parseMaxDeletions(raw.maxDeletions, failures);
  const defaults = parseDefaults(raw, failures);
  const { endpoints } = raw;
  const keys = isRecord(endpoints) ? new Set(Object.keys(endpoints)) : undefined;
  const rollout = parseRollout(raw.rollout, keys, failures);
  if (endpoints === UNKNOWN) return { members: undefined, maxDeletions, rollout, failures };
  if (!isRecord(endpoints)) {
    const reason = isUnset(endpoints) ? "required, but not set" : "has to be a map of endpoints by their keys";
    return { members: new Map(), maxDeletions, rollout, failures: [...failures, { property: "endpoints", reason }] };
  }
  const members = new Map<string, Member>();
  for (const [key, value] of Object.entries(endpoints).sort(([a], [b]) => byKey(a, b))) {
    const member = parseMember(key, value, defaults, failures);
    if (member) members.set(key, member);
  }
  return { members, maxDeletions, rollout, failures };
}

/** A member's values apart: the inputs of its endpoint, and its options. Whoever moves members in or out needs both. */
export function splitOptions(values: Values): { inputs: Record<string, unknown>; options: Record<string, unknown> } {
  const isOption = ([name]: [string, unknown]) => memberOptions.includes(name as MemberOption);
  const entries = Object.entries(values);
  return {
    inputs: Object.fromEntries(entries.filter((entry) => !isOption(entry))),
    options: Object.fromEntries(entries.filter(isOption)),
  };
}

function parseMember(key: string, value: unknown, defaults: Defaults, failures: Failure[]): Member | undefined {
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
  const inputs = value === UNKNOWN ? unknownInputs(defaults.values) : merge(defaults.values, own.inputs);
  let parsed: Partial<CheckedInputs> | undefined;
  return {
    key,
    inputs,
    get parsed() {
      parsed ??= parseInputs(inputs).inputs;
      return parsed;
    },
    options: parseOptions(key, own.options, failures),
    ...(value === UNKNOWN && { isUnknown: true as const }),
    pathOf: (property) => {
      const [name = ""] = property.split(".");
      if (!isUnset(own.inputs[name]) || isUnset(inputs[name])) return memberPath(key, property);
      return name === "projectId" ? defaults.projectPath : `defaults.${property}`;
    },
  };
}

function parseOptions(key: string, given: Values, failures: Failure[]): MemberOptions {
  const options: Record<string, unknown> = {};
  for (const name of memberOptions) {
    const value = given[name];
    if (isUnset(value)) continue;
    const parsed = value === UNKNOWN ? undefined : memberOptionsModel.shape[name].safeParse(value);
    if (parsed?.error) failures.push({ property: memberPath(key, name), reason: issueOf(parsed.error) });
    else options[name] = value;
  }
  return options as MemberOptions;
}

function parseDefaults({ projectId, defaults }: Values, failures: Failure[]): Defaults {
  const project = isUnset(projectId) ? {} : { projectId };
  if (defaults === UNKNOWN) {
    const unknown = Object.fromEntries(endpointProperties.map((name) => [name, UNKNOWN]));
    return { values: { ...unknown, ...project }, projectPath: isUnset(projectId) ? "defaults" : "projectId" };
  }
  if (isUnset(defaults)) return { values: project, projectPath: "projectId" };
  if (!isRecord(defaults)) {
    failures.push({ property: "defaults", reason: "has to be a map of an endpoint's inputs" });
    return { values: project, projectPath: "projectId" };
  }
  for (const name of Object.keys(defaults)) {
    if (endpointProperties.includes(name as EndpointProperty) || isUnset(defaults[name])) continue;
    const isOption = memberOptions.includes(name as MemberOption);
    const reason = isOption ? "an option of a member, which has no default" : unknownProperty(name, endpointProperties);
    failures.push({ property: `defaults.${name}`, reason });
  }
  const known = endpointProperties.filter((name) => !isUnset(defaults[name]));
  return {
    values: { ...project, ...Object.fromEntries(known.map((name) => [name, defaults[name]])) },
    projectPath: isUnset(defaults.projectId) ? "projectId" : "defaults.projectId",
  };
}

function merge(defaults: Values, own: Values): Record<string, unknown> {
  const under: Record<string, unknown> = { ...defaults };
  if (sizeNames.some((name) => !isUnset(own[name]))) for (const name of sizeNames) delete under[name];
  const over = Object.entries(own).filter(([, value]) => !isUnset(value));
  return { ...under, ...Object.fromEntries(over) };
}

function unknownInputs(defaults: Values): Record<string, unknown> {
  const unknown = Object.fromEntries(endpointProperties.map((name) => [name, UNKNOWN]));
  return isUnset(defaults.projectId) ? unknown : { ...unknown, projectId: defaults.projectId };
}

function parseMaxDeletions(value: unknown, failures: Failure[]): Maybe<number> {
  if (isUnset(value)) return undefined;
  if (value === UNKNOWN) return UNKNOWN;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  failures.push({ property: "maxDeletions", reason: "has to be a whole number, 0 or more" });
  return undefined;
}

function issueOf(error: z.ZodError): string {
  return error.issues.map(formatIssue).join("; ");
}

function unknownProperty(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `unknown property; ${near ? `did you mean "${near}"?` : `known properties: ${known.join(", ")}`}`;
}

function isUnset(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A member's inputs out of those of its fleet, with its notes; undefined where there is no such member. */
export function memberInputs(fleet: Values | undefined, key: string): Record<string, unknown> | undefined {
  const inputs = own(fleet?.endpoints, key);
  if (!isRecord(inputs)) return undefined;
  const notes = names.map((name) => [name, own(fleet?.[name], key)] as const);
  return { ...inputs, ...Object.fromEntries(notes.filter(([, note]) => note !== undefined)) };
}

/** The same without the member's options: what an endpoint's inputs would be. Empty where there is no such member. */
export function endpointInputs(fleet: Values | undefined, key: string): Record<string, unknown> {
  return splitOptions(memberInputs(fleet, key) ?? {}).inputs;
}

/** The inputs of members, by key, as those of a fleet: the map, and beside it the notes of all. */
export function withNotes(members: ReadonlyMap<string, Values>): Record<string, unknown> {
  const isOwnNote = ([name]: [string, unknown]) => names.includes(name);
  const endpoints = [...members].map(
    ([key, inputs]) => [key, Object.fromEntries(Object.entries(inputs).filter((one) => !isOwnNote(one)))] as const,
  );
  const notes = names.map((name) => {
    const noted = [...members].filter(([, inputs]) => inputs[name] !== undefined);
    return [name, Object.fromEntries(noted.map(([key, inputs]) => [key, inputs[name]]))] as const;
  });
  const present = notes.filter(([, noted]) => Object.keys(noted).length > 0);
  return { endpoints: Object.fromEntries(endpoints), ...Object.fromEntries(present) };
}

/** The old inputs of all members, as far as a host knows them that is not given any: what the program has dropped, by name. */
export function droppedByMember(fleet: Values): Record<string, unknown> {
  const dropped = fleet[DROPPED];
  if (!isRecord(dropped)) return {};
  const endpoints = Object.entries(dropped).map(([key, note]) => [key, droppedInputs({ [DROPPED]: note })]);
  return { endpoints: Object.fromEntries(endpoints) };
}

function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
