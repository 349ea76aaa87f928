/** Checks a fleet before anything is planned: the form of it, each member as an endpoint is checked, then what only all together show. */
import { DRIFTED, noteDropped, stillDrifted } from "../../endpoint/hidden-inputs";
import { parseInputs } from "../../endpoint/parse-inputs";
import { endpointInputs, memberInputs, withNotes } from "../../fleet/notes";
import { type Member, parseFleet, splitOptions } from "../../fleet/parse-fleet";
import type { Failure } from "../../lib/failure";
import { isKnown, UNKNOWN } from "../../lib/unknown";
import { type CheckResult, checkRules, warn } from "../check";
import { missingBranch, readProject } from "../check-live";
import type { Path } from "../secrets";
import { type FleetCall, fleetContext, type PulumiFleetContext } from "./context";
import { groupLines } from "./messages";
import { claimPlaces } from "./places";
import { planFresh, refusedFailures } from "./plan";
import { reportPlan } from "./plan-report";
import { secretNamesOfMember } from "./secrets";

type Values = Readonly<Record<string, unknown>>;

/** What a host hands to a fleet's check: raw values, with UNKNOWN for what is not known yet. */
export interface FleetCheckRequest {
  /** The inputs of the last run; empty for a fleet that is new, or replaced by force. */
  olds: Values;
  news: Values;
  secrets: readonly Path[];
  /** True where later calls are not given the old inputs, so that the new ones have to tell what the program dropped. */
  notesDropped?: boolean;
}

interface CheckedMember {
  key: string;
  inputs: Record<string, unknown>;
  failures: Failure[];
  warnings: string[];
  isUnknown: boolean;
}

/**
 * Checks a fleet's inputs. Every failure comes at once, at the path where the program wrote the value. The inputs that it gives
 * have each member's endpoint whole. What depends on the state is found by the diff, which is asked right after.
 */
export function checkFleet(call: FleetCall, request: FleetCheckRequest): Promise<CheckResult> {
  return call.run.planning.during(call.account.clock, () => checked(fleetContext(call), request));
}

async function checked(context: PulumiFleetContext, request: FleetCheckRequest): Promise<CheckResult> {
  const { news, olds } = request;
  const record = context.run.record(context.urn);
  // A change that is repeated within the run is not checked again: this is another run.
  record.unfinished = undefined;
  // The Diff that comes now plans.
  record.isRefreshed = false;
  const { members, failures, maxDeletions } = parseFleet(news);
  record.maxDeletions = { limit: maxDeletions };
  if (!members) return { inputs: { ...news }, failures };
  const found = [...members.values()].map((member) => checkMember(context, member, request));
  failures.push(...found.flatMap((one) => one.failures));
  for (const line of groupLines(found.flatMap(({ key, warnings }) => warnings.map((text) => ({ key, text }))))) {
    context.reporter.warn(line);
  }
  failures.push(...(await checkPlaces(context, members, new Set(failures.map(({ property }) => property)))));
  const isNew = !("endpoints" in olds);
  if (isNew && failures.length === 0) failures.push(...(await planNew(context, request)));
  const inputs = withNotes(new Map(found.map(({ key, inputs: one }) => [key, one])));
  const unknown = found.filter(({ isUnknown }) => isUnknown).map(({ key }) => [key, UNKNOWN]);
  const endpoints = { ...(inputs.endpoints as Values), ...Object.fromEntries(unknown) };
  return { inputs: { ...news, ...inputs, endpoints }, failures: once(failures) };
}

function checkMember(context: PulumiFleetContext, member: Member, request: FleetCheckRequest): CheckedMember {
  const { key } = member;
  const raw = memberInputs(request.news, key) ?? {};
  const olds = endpointInputs(request.olds, key);
  const warnings: string[] = [];
  const secret = secretNamesOfMember(request.secrets, member);
  const reporter = { ...context.reporter, warn: (text: string) => warnings.push(text) };
  const parsed = parseInputs(member.inputs, olds);
  const drifted = stillDrifted(olds, member.inputs);
  const found = [...parsed.failures, ...checkRules(context, parsed.inputs, new Set(drifted))];
  warn({ ...context, reporter }, parseInputs(olds).inputs, parsed.inputs, secret);
  return {
    key,
    inputs: {
      ...splitOptions(raw).options,
      ...member.inputs,
      ...parsed.inputs,
      ...(drifted.length > 0 && { [DRIFTED]: drifted }),
      ...(request.notesDropped && noteDropped(olds, parsed.inputs)),
    },
    failures: found.map((failure) => ofMember(member, failure)),
    warnings,
    isUnknown: member.isUnknown === true,
  };
}

/** A failure of a member's endpoint, where the program wrote the value; one that no property is to blame for is that of the fleet. */
function ofMember({ pathOf }: Member, failure: Failure): Failure {
  return failure.property === "" ? failure : { ...failure, property: pathOf(failure.property) };
}

/** Projects that cannot be read, and branches that do not exist. */
async function checkPlaces(
  context: PulumiFleetContext,
  members: ReadonlyMap<string, Member>,
  bad: ReadonlySet<string>,
): Promise<Failure[]> {
  const projects = new Map<string, ReturnType<typeof readProject>>();
  const failures = [...members.values()].map(async (member): Promise<Failure[]> => {
    const { projectId, branchId } = member.parsed;
    if (!isKnown(projectId) || bad.has(member.pathOf("projectId"))) return [];
    const reading = projects.get(projectId) ?? readProject(context, projectId);
    projects.set(projectId, reading);
    const { snapshot, failure } = await reading;
    if (!snapshot) return [ofMember(member, failure)];
    if (!isKnown(branchId) || bad.has(member.pathOf("branchId"))) return [];
    const missing = await missingBranch(context, { projectId, branchId }, snapshot);
    return missing ? [ofMember(member, missing)] : [];
  });
  return (await Promise.all(failures)).flat();
}

/** A fleet that is new, or replaced by force, has no diff: its plan is made here, and refused from a fresh list. */
async function planNew(context: PulumiFleetContext, { news: inputs, secrets }: FleetCheckRequest): Promise<Failure[]> {
  const found = await planFresh(context, { inputs, secrets }, new Map());
  if (!found) return [];
  const { plan, outside } = found;
  const failures = refusedFailures(context, plan, outside);
  if (failures.length > 0) return failures;
  claimPlaces(context, plan);
  reportPlan(context, plan);
  return [];
}

/** What a default brings about in a thousand members is one failure. */
function once(failures: readonly Failure[]): Failure[] {
  const seen = new Set<string>();
  return failures.filter(({ property, reason }) => {
    const text = `${property}\n${reason}`;
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
