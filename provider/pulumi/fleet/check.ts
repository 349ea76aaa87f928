/** Checks a fleet before anything is planned: the form of it, each member as an endpoint is checked, then what only all together show. */
import { isPlaceUnknown } from "../../endpoint/identity";
import { areImported, noteDropped, TAKES } from "../../endpoint/input-notes";
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
import { isKnown, UNKNOWN } from "../../lib/unknown";
import { isReplicaIn } from "../../plan/world";
import { claimPlaces, type FleetCall, fleetContext, type PulumiFleetContext } from "../call";
import { type CheckRequest, type CheckResult, checkInputs, limitsIn, replicasBeyond, warn } from "../check";
import { checkPlace, readProject } from "../check-live";
import { groupLines, type MemberProblem, sameOnce } from "../messages/fleet";
import { secretNames } from "../secrets";
import type { Path } from "../values";
import { planOrWait, refusedFailures } from "./plan-or-refuse";
import { reportPlan } from "./preview";

type Values = Readonly<Record<string, unknown>>;

/** The same of a fleet, of which a host always tells what was, and what is secret. */
export type FleetCheckRequest = CheckRequest & { olds: Values; secrets: readonly Path[] };

interface Problem extends MemberProblem {
  failure: Failure;
}

interface CheckedMember {
  key: string;
  inputs: Record<string, unknown>;
  failures: Problem[];
  warnings: string[];
  isUnknown: boolean;
}

/** Checks a fleet's inputs; those it gives have each member's endpoint whole. What depends on the state is found by the diff right after. */
export function checkFleet(call: FleetCall, request: FleetCheckRequest): Promise<CheckResult> {
  return call.run.planning.during(call.account.clock, () => checked(fleetContext(call), request));
}

async function checked(context: PulumiFleetContext, request: FleetCheckRequest): Promise<CheckResult> {
  const { news, olds } = request;
  const beganMs = context.account.clock.now();
  const record = context.run.record(context.urn);
  // A change that is repeated within the run is not checked again: this is another run.
  record.unfinished = undefined;
  // The Diff that comes now plans.
  record.isRefreshed = false;
  const { members, failures, maxDeletions } = parseFleet(news);
  record.phase = { kind: "fleet", maxDeletions };
  if (!members) return { inputs: { ...news }, failures };
  const found = [...members.values()].map((member) => checkMember(context, member, request));
  const problems = found.flatMap((one) => one.failures);
  for (const line of groupLines(found.flatMap(({ key, warnings }) => warnings.map((text) => ({ key, text }))))) {
    context.reporter.warn(line);
  }
  problems.push(
    ...(await checkPlaces(context, members, new Set(problems.map(({ failure }) => failure.property)), olds)),
  );
  failures.push(...failuresOf(problems), ...(await tooManyReplicas(context, members, olds, beganMs)));
  const isNew = !("endpoints" in olds);
  if (isNew && failures.length === 0) failures.push(...(await planNew(context, request)));
  const inputs = withNotes(new Map(found.map(({ key, inputs: one }) => [key, one])));
  const unknown = found.filter(({ isUnknown }) => isUnknown).map(({ key }) => [key, UNKNOWN]);
  const endpoints = { ...(inputs.endpoints as Values), ...Object.fromEntries(unknown) };
  const isOpen = found.some((one) => one.isUnknown || isPlaceUnknown(one.inputs));
  const told = isNew ? takenOver(context, members) : mayTakeUp(context, members, request);
  const takes = isOpen && context.account.settings.adoptInterrupted ? { [TAKES]: UNKNOWN } : told;
  // Only this Check says what is taken over, not a program.
  const { [TAKES]: _, ...said } = news;
  return { inputs: { ...said, ...inputs, endpoints, ...takes }, failures };
}

/** The note of what the members of a fleet that is new take over. */
function takenOver({ run, ownerOf }: PulumiFleetContext, members: ReadonlyMap<string, Member>): Values {
  const taken = [...members.keys()].map((key) => [key, run.claims.of(ownerOf(key))?.adopts] as const);
  return { [TAKES]: Object.fromEntries(taken.filter(([, id]) => id !== undefined)) };
}

/** For a review by the dynamic host, whose Diff shows no details: the new members of a fleet that is there, which may take something up. */
function mayTakeUp(
  { account }: PulumiFleetContext,
  members: ReadonlyMap<string, Member>,
  { olds, notesDropped }: FleetCheckRequest,
): Values {
  if (!notesDropped || !account.settings.adoptInterrupted) return {};
  const there = Object.keys(olds.endpoints as Values);
  return {
    [TAKES]: Object.fromEntries([...members.keys()].flatMap((key) => (there.includes(key) ? [] : [[key, true]]))),
  };
}

function checkMember(context: PulumiFleetContext, member: Member, request: FleetCheckRequest): CheckedMember {
  const { key } = member;
  const raw = memberInputs(request.news, key) ?? {};
  const olds = endpointInputs(request.olds, key);
  const warnings: string[] = [];
  const secret = secretNames(request.secrets, key);
  const reporter = { ...context.reporter, warn: (text: string) => warnings.push(text) };
  const checked = checkInputs({ ...context, reporter }, member.inputs, olds);
  const before = { inputs: checked.olds, areImported: areImported(olds) };
  warn({ ...context, reporter }, before, checked.inputs, secret);
  return {
    key,
    inputs: {
      ...splitOptions(raw).options,
      ...member.inputs,
      ...checked.inputs,
      ...checked.noted,
      ...(request.notesDropped && noteDropped(olds, checked.inputs)),
    },
    failures: checked.failures.map((failure) => ofMember(member, failure)),
    warnings,
    isUnknown: member.isUnknown === true,
  };
}

/** A failure of a member's endpoint, where the program wrote the value; one that no property is to blame for is that of the fleet. */
function ofMember({ key, inputs, pathOf }: Member, failure: Failure): Problem {
  const { property, reason } = failure;
  const path = property === "" ? "" : pathOf(property);
  // A value from `defaults` that is wrong is one failure, not one for each member.
  const about = path === memberPath(key, property) ? property : `=${path}`;
  return { key, about, text: reason, own: [inputs.branchId], failure: { ...failure, property: path } };
}

/** One mistake is one failure: what a default brings about in a thousand members, and what many members have wrong in the same way. */
function failuresOf(problems: readonly Problem[]): Failure[] {
  const isShared = ({ about }: Problem) => about.startsWith("=");
  const shared = new Map(problems.filter(isShared).map((one) => [`${one.about}\n${one.text}`, one.failure]));
  const own = sameOnce(problems.filter((one) => !isShared(one)));
  return [...shared.values(), ...own.map(({ failure, text }) => ({ ...failure, reason: text }))];
}

/** Projects in which the fleet gets a replica, and then has more than the plan. What is there already is not refused. */
async function tooManyReplicas(
  context: PulumiFleetContext,
  members: ReadonlyMap<string, Member>,
  olds: Values,
  sinceMs: number,
): Promise<Failure[]> {
  const { account, run, ownerOf, isMember } = context;
  if (limitsIn(account).readReplicas === undefined) return [];
  const before = parseFleet(olds).members;
  const own = [...members.values()].map(({ key, parsed, options: { importId } }) => {
    const adopts = typeof importId === "string" ? (importId.split("/")[1] ?? "") : importId && "";
    return { urn: ownerOf(key), from: before?.get(key)?.parsed, to: parsed, adopts };
  });
  const gets = (projectId: string) =>
    own.some(({ from, to }) => isReplicaIn(projectId, to) && !isReplicaIn(projectId, from));
  const projects = new Set(own.flatMap(({ to }) => (isKnown(to.projectId) ? to.projectId : [])));
  const found = [...projects].filter(gets).map((projectId) => {
    const claims = [
      ...own.filter(({ from, to }) => isReplicaIn(projectId, from) || isReplicaIn(projectId, to)),
      ...run.claims.replicasIn(projectId).filter(({ urn }) => !isMember(urn)),
    ];
    return replicasBeyond(context, { projectId, claims, sinceMs });
  });
  return (await Promise.all(found)).flat().map((failure) => ({ ...failure, property: "endpoints" }));
}

/** Projects that cannot be read, and branches that do not exist. */
async function checkPlaces(
  context: PulumiFleetContext,
  members: ReadonlyMap<string, Member>,
  bad: ReadonlySet<string>,
  olds: Values,
): Promise<Problem[]> {
  const projects = new Map<string, ReturnType<typeof readProject>>();
  const failures = [...members.values()].map(async (member): Promise<Problem[]> => {
    const { projectId } = member.parsed;
    if (!isKnown(projectId) || bad.has(member.pathOf("projectId"))) return [];
    const reading = projects.get(projectId) ?? readProject(context, projectId);
    projects.set(projectId, reading);
    const { snapshot, failure } = await reading;
    if (!snapshot) return [ofMember(member, failure)];
    const isBad = (property: string) => bad.has(member.pathOf(property));
    const place = { inputs: member.parsed, olds: endpointInputs(olds, member.key), isBad };
    return (await checkPlace(context, place, snapshot)).map((failure) => ofMember(member, failure));
  });
  return (await Promise.all(failures)).flat();
}

/** A fleet that is new, or replaced by force, has no diff: its plan is made here, and refused from a fresh list. */
async function planNew(context: PulumiFleetContext, { news: inputs, secrets }: FleetCheckRequest): Promise<Failure[]> {
  const { plan, waits } = await planOrWait(context, { inputs, secrets }, new Map());
  const failures = plan && !waits ? refusedFailures(context, plan) : [];
  if (!plan || failures.length > 0) return failures;
  claimPlaces(context, plan);
  reportPlan(context, plan);
  return [];
}
