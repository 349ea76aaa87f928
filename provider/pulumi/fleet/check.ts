/** Check of a fleet: its form, then each member as an endpoint, then rules across members. */
import { isPlaceUnknown, placeOf } from "../../endpoint/identity";
import { TAKES } from "../../endpoint/input-notes";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import { memberPath } from "../../fleet/model";
import {
  endpointInputs,
  type Member,
  memberInputs,
  parseFleet,
  splitOptions,
  withNotes,
} from "../../fleet/parse-fleet";
import type { Failure } from "../../lib/failure";
import { UNKNOWN, type Values } from "../../lib/unknown";
import { declaredTwice } from "../../places/places";
import { fleetContext, type LifecycleContext, type PulumiFleetContext } from "../call";
import { asCheck, type CheckRequest, type CheckResult, checkInputs, isMisplacing } from "../endpoint/check";
import { checkPlaces } from "../endpoint/check-live";
import { recordImportedOwners } from "../imports";
import { groupLines, type MemberProblem, refusalFailures, sameOnce } from "../messages/fleet";
import { secretsWithin, valueRedactor } from "../secrets";
import type { Path } from "../values";
import { planAhead, type WantedFleet, wantedMembers } from "./plan";
import { reportPlan } from "./report";

/** The input of Check for a fleet. A host always passes the old inputs and the secret paths. */
export type FleetCheckRequest = CheckRequest & { olds: Values; secrets: readonly Path[] };

interface Problem extends MemberProblem {
  failure: Failure;
  /** True if the member has no place to plan for. */
  isMisplaced: boolean;
}

/** Checks a fleet's inputs and returns them with each member's inputs whole. Rules on the state are Diff's. */
export function checkFleet(call: LifecycleContext, request: FleetCheckRequest): Promise<CheckResult> {
  return asCheck(call, request, () => checkedFleet(fleetContext(call), request));
}

async function checkedFleet(context: PulumiFleetContext, request: FleetCheckRequest): Promise<CheckResult> {
  recordImportedOwners(context);
  const { news, olds, secrets } = request;
  const parsed = parseFleet(news, olds);
  const { members, maxDeletions } = parsed;
  const failures = parsed.failures.map(valueRedactor(secrets));
  const isNew = !("endpoints" in olds);

  // A repeat within the run comes without a Check, so this is a new run.
  Object.assign(context.run.record(context.urn), {
    phase: isNew ? "new" : "kept",
    unfinished: undefined,
    isRepeated: false,
    maxDeletions,
  });
  if (!members) return { inputs: { ...news }, failures };

  const { checked, before, problems } = checkMembers(context, members, request);
  const bad = new Set(problems.map(({ failure }) => failure.property));
  problems.push(...(await checkMemberPlaces(context, members, bad, before)));
  failures.push(...failuresOf(problems));
  for (const { key, parsed } of members.values()) context.run.declare(context.ownerOf(key), placeOf(parsed));

  const nowhere = new Set(problems.filter(({ isMisplaced }) => isMisplaced).map(({ key }) => key));
  const placed = new Map([...members].filter(([key]) => !nowhere.has(key)));
  // A fleet that is new or replaced by force has no Diff, so plan here.
  if (isNew)
    failures.push(...(await planOfNew(context, { inputs: { ...parsed, members: placed, failures }, secrets })));
  // After a failure no Diff follows, so report here what needs no plan.
  else if (failures.length > 0) failures.push(...clashes(context, placed));
  return { inputs: inputsToPlan(context, { request, members, checked, isNew }), failures };
}

/** Plans a fleet that is new, and reports the plan if its inputs have no failure. Returns the plan's failures. */
async function planOfNew(context: PulumiFleetContext, wanted: WantedFleet): Promise<Failure[]> {
  const set = wantedMembers(wanted);
  if (!set) return [];
  const isSound = wanted.inputs.failures.length === 0;
  const { plan, failures } = await planAhead(context, set, new Map(), isSound);
  if (isSound && failures.length === 0) reportPlan(context, plan);
  return failures;
}

/** Checks each member as an endpoint is checked. Equal warnings of several members are one warning. */
function checkMembers(
  context: PulumiFleetContext,
  members: ReadonlyMap<string, Member>,
  request: FleetCheckRequest,
): { checked: Map<string, Values>; before: Map<string, CheckedInputs>; problems: Problem[] } {
  const { news } = request;
  const checked = new Map<string, Values>();
  const before = new Map<string, CheckedInputs>();
  const problems: Problem[] = [];
  const warnings: { key: string; text: string }[] = [];

  for (const [key, member] of members) {
    const reporter = { ...context.reporter, warn: (text: string) => warnings.push({ key, text }) };
    const secrets = secretsWithin(request.secrets, key);
    const own = {
      ...request,
      secrets,
      news: member.inputs,
      olds: endpointInputs(request.olds, key),
      read: member.read,
    };
    const { values, olds, failures } = checkInputs({ ...context, reporter }, own);
    before.set(key, olds);
    checked.set(key, { ...splitOptions(memberInputs(news, key) ?? {}).options, ...values });
    problems.push(...failures.map((failure) => ofMember(member, failure)));
  }

  for (const line of groupLines(warnings)) context.reporter.warn(line);
  return { checked, before, problems };
}

/** The inputs to plan with: each member whole, unknown members as unknown, and the note of what may be taken over. */
function inputsToPlan(
  context: PulumiFleetContext,
  {
    request,
    members,
    checked,
    isNew,
  }: {
    request: FleetCheckRequest;
    members: ReadonlyMap<string, Member>;
    checked: ReadonlyMap<string, Values>;
    isNew: boolean;
  },
): Values {
  const inputs = withNotes(checked);
  const unknown = [...members.values()].filter(({ isUnknown }) => isUnknown).map(({ key }) => [key, UNKNOWN]);
  const endpoints = { ...(inputs.endpoints as Values), ...Object.fromEntries(unknown) };

  const isOpen = unknown.length > 0 || [...checked.values()].some(isPlaceUnknown);
  const { adoptInterrupted } = context.account.settings;
  const told = isNew ? takenOver(context, members) : adoptInterrupted && { [TAKES]: true };
  const takes = isNew && isOpen && adoptInterrupted ? { [TAKES]: UNKNOWN } : told;
  // Only Check writes this note; a program's own value is ignored.
  const { [TAKES]: _, ...said } = request.news;
  return { ...said, ...inputs, endpoints, ...takes };
}

/** The note of the endpoints that a new fleet's members adopt. */
function takenOver({ run, ownerOf }: PulumiFleetContext, members: ReadonlyMap<string, Member>): Values {
  const taken = [...members.keys()].map((key) => [key, run.record(ownerOf(key)).takes] as const);
  return { [TAKES]: Object.fromEntries(taken.filter(([, id]) => id !== undefined)) };
}

/** A member's failure on the property that the program wrote; without a property, the fleet's failure. */
function ofMember({ key, inputs, pathOf }: Member, failure: Failure): Problem {
  const { property, reason } = failure;
  const path = property === "" ? "" : pathOf(property);
  // A wrong value in `defaults` is one failure for all members.
  const about = path === memberPath(key, property) ? property : `=${path}`;
  const isMisplaced = isMisplacing(failure);
  return { key, about, text: reason, own: [inputs.branchId], failure: { ...failure, property: path }, isMisplaced };
}

/** The failures to report, one for each mistake: a default shared by members, or the same mistake in many members. */
function failuresOf(problems: readonly Problem[]): Failure[] {
  const isShared = ({ about }: Problem) => about.startsWith("=");
  const shared = new Map(problems.filter(isShared).map((one) => [`${one.about}\n${one.text}`, one.failure]));
  const own = sameOnce(problems.filter((one) => !isShared(one)));
  return [...shared.values(), ...own.map(({ failure, text }) => ({ ...failure, reason: text }))];
}

/** Failures for branches that get two read-write endpoints. */
function clashes(context: PulumiFleetContext, members: ReadonlyMap<string, Member>): Failure[] {
  const wishes = [...members.values()].map(({ key, parsed }) => ({ owner: context.ownerOf(key), to: placeOf(parsed) }));
  return declaredTwice(wishes, context.ground()).flatMap((refused) => refusalFailures(refused, context));
}

/** Failures for unreadable projects and missing branches. */
async function checkMemberPlaces(
  context: PulumiFleetContext,
  members: ReadonlyMap<string, Member>,
  bad: ReadonlySet<string>,
  before: ReadonlyMap<string, CheckedInputs>,
): Promise<Problem[]> {
  const all = [...members.values()];
  const places = all.map((member) => ({
    inputs: member.parsed,
    olds: before.get(member.key) ?? {},
    isBad: (property: string) => bad.has(member.pathOf(property)),
  }));
  const failures = await checkPlaces(context, places);
  return all.flatMap((member, at) => (failures[at] ?? []).map((failure) => ofMember(member, failure)));
}
