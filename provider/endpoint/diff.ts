/** Compares state and inputs, and decides between a change in place, a move and a replacement. */

import { stepsOf } from "../lib/path";
import { isKnown, isRecord, UNKNOWN, type Values } from "../lib/unknown";
import { formatSize, plain } from "../lib/wording";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointRecord } from "../platform/records";
import { type Difference, differences, differencesSince, type SinceLastRun, takeoverDifferences } from "./differences";
import { type Ignored, withIgnored } from "./ignored";
import { type Impact, impactOf, withoutSecrets } from "./impact/impact";
import { impactMessages } from "./impact/sentences";
import { toState } from "./mapping";
import type { CheckedInputs } from "./parse-inputs";
import { type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { neverSuspends } from "./rules/autosuspend";
import { settingName, withSettingNames } from "./rules/pg-settings";
import { sizeRange } from "./rules/size";
import { type EndpointState, keptMessages, type Repair, repairOf } from "./state";
import { canMove, isSole } from "./types";

/** The state and the checked inputs to compare. UNKNOWN stands for unknown values. */
export interface DiffRequest extends SinceLastRun {
  id: string;
  state: EndpointState;
  inputs: CheckedInputs;
  /** What the user's `ignoreChanges` keeps. */
  ignored?: Ignored | undefined;
  /**
   * The endpoint's branch on the platform, which an update that resumes an earlier run compares with, instead of the
   * state's.
   */
  standsOn?: string | undefined;
  /** The configuration's `moves`: how a new branch changes a type that can move. Default `inPlace`. */
  moves?: "inPlace" | "replace" | undefined;
  /** Properties whose values messages must not show. */
  secret?: ReadonlySet<string> | undefined;
  /** True if the caller's replacement always deletes the old endpoint first. */
  deletesFirst?: true | undefined;
  /** Properties of `replaceOnChanges`, on a host that has to apply that option. */
  replaceOnChanges?: readonly string[] | undefined;
}

/** The differences and their impact on a running endpoint. */
export interface DiffResult {
  changes: boolean;
  /** True if the endpoint has to be replaced. */
  replaces: boolean;
  /** The differences; `replaces` is the reason for a replacement, absent for a change in place. */
  properties: Partial<Record<EndpointProperty, Difference & { replaces?: string }>>;
  /** True if the endpoint is gone: that is the reason of its replacement. */
  isGone?: true;
  /** For a replacement: the old endpoint is deleted before the new one is created. */
  deletesFirst: boolean;
  /** Absent without changes. */
  impact?: Impact;
  /** Present if an earlier run left operations that may have failed. */
  repair?: Repair;
  /** Sentences for people: the impact, and the reason of a replacement. */
  messages: string[];
}

const UNKNOWN_BRANCH =
  "branchId is not known yet: the endpoint moves there in place; where that branch cannot take it, the update is refused";

/** The reasons why another branch means another endpoint: its type, or the configuration. */
const noMoves = {
  type: "a read replica does not move to another branch",
  configured: "the configuration says that endpoints do not move",
};

/**
 * Compares and plans the change (specification, sections 3.2, 3.3 and 4.5). Kept operations count as a change, which
 * resumes them.
 */
export function diff(request: DiffRequest): DiffResult {
  const { secret = new Set<string>(), profile, standsOn } = request;
  const repair = repairOf(request.state, withIgnored(request.inputs, request.state, request));
  const state = repair && standsOn !== undefined ? { ...request.state, branchId: standsOn } : request.state;
  const inputs = withIgnored(request.inputs, state, request);
  const found = differencesSince({ ...request, state, inputs });
  const properties: DiffResult["properties"] = {};

  for (const [property, difference] of Object.entries(found) as [EndpointProperty, Difference][]) {
    const replaces = whyReplaced(property, inputs, request);
    properties[property] = { ...difference, ...(replaces !== undefined && { replaces }) };
  }

  const messages = keptMessages(state, inputs);
  const reasons = Object.values(properties).flatMap(({ replaces }) => replaces ?? []);
  const deletesFirst = request.deletesFirst ?? mustDeleteFirst(state, inputs);
  const changes = Object.keys(found).length > 0 || repair !== undefined;

  const result = {
    changes,
    replaces: reasons.length > 0,
    properties,
    deletesFirst,
    ...(repair && { repair }),
  };
  if (Object.keys(found).length === 0) return { ...result, messages };

  const kind = result.replaces ? "replace" : "update";
  const impact = withoutSecrets(impactOf({ kind, state, inputs, found, deletesFirst, profile }), secret);
  const notes = found.branchId?.after === UNKNOWN && !result.replaces ? [UNKNOWN_BRANCH] : [];
  return { ...result, impact, messages: [...messages, ...reasons, ...impactMessages(impact), ...notes] };
}

/**
 * The plan for a single endpoint that is gone: a new one. Nothing is deleted first, which would replace dependents too;
 * the delete of the old one finds nothing.
 */
export const replacesGone: DiffResult = {
  ...{ changes: true, replaces: true, isGone: true, deletesFirst: false },
  ...{ properties: {}, messages: [] },
};

/** The outputs or inputs that tell the engine why an endpoint is replaced. */
export function replacingNames({ properties, isGone }: Pick<DiffResult, "properties" | "isGone">): string[] {
  if (isGone) return ["endpointId"];
  return Object.entries(properties).flatMap(([name, { replaces }]) => (replaces === undefined ? [] : [name]));
}

/** Compares an endpoint to adopt with checked inputs; all differences are changes in place. */
export function diffTakeover({
  record,
  inputs,
  secret = new Set(),
  profile,
}: Pick<DiffRequest, "secret" | "profile"> & { record: EndpointRecord; inputs: CheckedInputs }): DiffResult {
  const state = toState(record);
  const properties = takeoverDifferences(state, inputs, profile);
  const changes = Object.keys(properties).length > 0;
  const impact = withoutSecrets(impactOf({ kind: "update", state, inputs, found: properties, profile }), secret);
  const kept = keptMessage(state, inputs, secret);
  const messages = [...(changes ? impactMessages(impact) : ["taken over unchanged"]), ...kept];
  return { changes, replaces: false, properties, deletesFirst: false, impact, messages };
}

/**
 * The reason why no idle moment would come: the size is above the limit of autosuspend (`aboveCu`), or autosuspend is
 * off.
 */
export interface NeverIdle {
  aboveCu?: number;
}

/**
 * The reason why an endpoint in its current state would never get the change's idle moment; undefined for other
 * changes.
 */
export function neverIdle(
  { impact }: Pick<DiffResult, "impact">,
  inForce: EndpointRecord | EndpointState,
  { alwaysActiveAboveCu: aboveCu }: Pick<Profile, "alwaysActiveAboveCu">,
): NeverIdle | undefined {
  if (!impact?.waitsForIdle) return undefined;
  // Another delay would not help, so the size is the reason.
  if (aboveCu !== undefined && Number(inForce.autoscalingLimitMaxCu) > aboveCu) return { aboveCu };
  return neverSuspends(inForce) ? {} : undefined;
}

/** Warns about settings of an adopted endpoint that the program does not manage. */
function keptMessage(state: EndpointState, inputs: CheckedInputs, secret: ReadonlySet<string>): string[] {
  const unset = endpointProperties.filter((name) => inputs[name] === undefined);
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = state;
  const isSized = sizeRange(inputs) !== undefined || typeof min !== "number" || typeof max !== "number";

  // Properties that the platform does not return cannot be listed.
  const told = Object.entries(differences(state, {}, new Set(unset))).filter(([, { before }]) => before !== undefined);
  const found = told.map(([name, { before }]) =>
    secret.has(name) ? name : `${name} ${plain(JSON.stringify(before))}`,
  );
  const kept = [...(isSized ? [] : [formatSize(min, max)]), ...found];
  return kept.length === 0 ? [] : [`keeps what the program does not set: ${kept.join(", ")}`];
}

function whyReplaced(
  property: EndpointProperty,
  inputs: CheckedInputs,
  { state, moves, replaceOnChanges = [] }: DiffRequest,
): string | undefined {
  if (propertyOf(property).effect === "replacement") {
    const what = property.replace(/Id$/, "");
    const unknown = isKnown(inputs[property]) ? "" : `${property} is not known yet, and `;
    return `replaced: ${unknown}an endpoint cannot change its ${what}`;
  }
  if (property === "branchId" && (moves === "replace" || !canMove(state))) {
    const unknown = isKnown(inputs.branchId) ? "" : "branchId is not known yet, and ";
    return `replaced: ${unknown}${canMove(state) ? noMoves.configured : noMoves.type}`;
  }

  const settingsIn = ({ pgSettings }: Values) => (isRecord(pgSettings) ? withSettingNames(pgSettings) : {});
  const [olds, news] = [settingsIn(state), settingsIn(inputs)];

  const asked = replaceOnChanges.some((path) => {
    const [name, part, ...deeper] = stepsOf(path);
    if (deeper.length > 0 || (name !== "*" && name !== property)) return false;
    if (part === undefined) return true;
    if (property !== "pgSettings") return false;
    const setting = settingName(part);
    return part === "*" || olds[setting] !== news[setting];
  });
  return asked ? `replaced: the program asks for it when ${property} changes (replaceOnChanges)` : undefined;
}

/** True if the old and the new endpoint cannot share the branch, as both are read-write. */
function mustDeleteFirst(state: EndpointState, inputs: CheckedInputs): boolean {
  return isSole(state) && isSole(inputs) && state.projectId === inputs.projectId && inputs.branchId === state.branchId;
}
