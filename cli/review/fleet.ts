/** A fleet's step as one step for each of its members, so that a member is reported, gated and sealed as an endpoint of its own. */
import { stateWanted as stateOfInputs } from "../../provider/endpoint/impact/impact";
import { parseInputs } from "../../provider/endpoint/parse-inputs";
import { endpointProperties } from "../../provider/endpoint/properties";
import { BOOKKEEPING, bookkeepingOf } from "../../provider/endpoint/state";
import { memberPath } from "../../provider/fleet/identity";
import { type Member, parseFleet } from "../../provider/fleet/parse-fleet";
import { decodeMembers, memberOf, type StoredMember } from "../../provider/fleet/state";
import { UNKNOWN } from "../../provider/lib/unknown";
import { fleetUrnOf, memberUrn } from "../../provider/lib/urn";
import { readChange } from "./change";
import { holdsSecret, type PlanState, type PlanStep, SECRET } from "./plan-model";

/** The type of a fleet, and that of its members, by host. */
const memberTypes: ReadonlyMap<string, string> = new Map([
  ["pgcompute:index:EndpointFleet", "pgcompute:index:Endpoint"],
  ["pulumi-nodejs:dynamic/pgcompute:EndpointFleet", "pulumi-nodejs:dynamic/pgcompute:Endpoint"],
]);

/** Steps that change nothing. */
const quietOps = new Set(["same", "refresh", "read", "discard", "remove-pending-replace"]);

/** True for the type of a fleet. */
export function isFleet(type: string): boolean {
  return memberTypes.has(type);
}

/**
 * The steps of a plan with the members of each fleet in its place. The rows that a preview gives the members itself go: they
 * have less. What they alone have is which members are deleted and created anew, and which are taken over, since that depends on
 * what else is on the branches. `refreshes` is true for what a refresh found, where both sides are what the platform has.
 */
export function expandFleets(steps: readonly PlanStep[], refreshes: boolean): PlanStep[] {
  if (!steps.some(({ type }) => isFleet(type))) return [...steps];
  const rows = new Map(steps.filter(({ urn }) => fleetUrnOf(urn) !== undefined).map(({ urn, op }) => [urn, op]));
  const members = new Map(
    lastOfEach(steps).map(
      (step) => [step.urn, refreshes ? refreshedMembers(step) : plannedMembers(step, rows)] as const,
    ),
  );
  const written = new Set<string>();
  return steps.flatMap((step) => {
    if (members.has(fleetUrnOf(step.urn) ?? "")) return [];
    if (!isFleet(step.type)) return [step];
    if (written.has(step.urn)) return [];
    written.add(step.urn);
    return members.get(step.urn) ?? [];
  });
}

/** The steps of a fleet that tell what becomes of it: of a refresh and of a replacement there are several. */
function lastOfEach(steps: readonly PlanStep[]): PlanStep[] {
  const told = new Map<string, PlanStep>();
  for (const step of steps.filter(({ type }) => isFleet(type))) {
    const known = told.get(step.urn);
    // A forced replacement of a fleet takes up what is there: from what was, to what the program wants.
    const sides = { ...(known?.before && { before: known.before }), ...(known?.after && { after: known.after }) };
    told.set(step.urn, { ...sides, ...step });
  }
  return [...told.values()];
}

interface Side {
  state: PlanState;
  inputs: Readonly<Record<string, unknown>>;
}

function plannedMembers(step: PlanStep, rows: ReadonlyMap<string, string>): PlanStep[] {
  const before = membersBefore(step);
  const goes = step.op === "delete" || step.after === undefined;
  const wanted = goes ? new Map<string, Member>() : membersWanted(step, before);
  const quiet = quietOps.has(step.op);
  return [...new Set([...wanted.keys(), ...before.keys()])].flatMap((key) => {
    const [old, next] = [before.get(key), wanted.get(key)];
    if (quiet) return old ? [memberStep(step, key, "same", { before: old.state })] : [];
    if (!next) return old ? [memberStep(step, key, "delete", { before: leaving(step, old.state) })] : [];
    const row = rows.get(memberUrn(step.urn, key));
    // A fleet that is replaced by force has rows as if every member were new, whatever it takes up.
    const told = step.op === "update" ? row : undefined;
    // Of a member of the state these mean that its endpoint is gone.
    if (!old || told === "create" || told === "import") return [arrivalOf(step, next, row)];
    return changeOf(step, key, { before: old.state, after: stateWanted(step, next, old) }, told);
  });
}

/**
 * A member that leaves. The fleet's own `retainOnDelete` keeps it only where the fleet goes: the engine deletes nothing then, and
 * tells the provider nothing of the option in an update.
 */
function leaving({ op, before }: PlanStep, state: PlanState): PlanState {
  return op !== "update" && before?.retainOnDelete ? { ...state, retainOnDelete: true } : state;
}

/**
 * How a member that is new to the fleet comes into it: as part of an import, taken over by its id, taken up where an interrupted run
 * made it, or made. Only a row tells of the third, and that a takeover changes nothing.
 */
function arrivalOf(step: PlanStep, member: Member, row: string | undefined): PlanStep {
  const { key, options, parsed } = member;
  const after = stateWanted(step, member);
  if (step.op === "import") return memberStep(step, key, "import", { after });
  const isThere = row === "import" || row === "update";
  // What is not known yet may name any endpoint.
  const op = options.importId !== undefined ? "take" : isThere ? "take-up" : "create";
  if (row !== "import") return memberStep(step, key, op, { after });
  const before = { ...(after.id && { id: after.id }), inputs: {}, outputs: stateOfInputs(parsed) };
  return { ...memberStep(step, key, op, { before, after }), changed: [] };
}

/** A member that both sides have: changed, replaced within the fleet's update, or the same. */
function changeOf(
  step: PlanStep,
  key: string,
  sides: { before: PlanState; after: PlanState },
  row: string | undefined,
): PlanStep[] {
  const one = memberStep(step, key, "update", sides);
  const { found } = readChange(one);
  const replaces = [found.type, found.projectId].some((difference) => difference && difference.after !== UNKNOWN);
  // The fleet deletes the old endpoint before it creates the new one.
  if (replaces || row === "replace")
    return [
      { ...one, op: "delete-replaced" },
      { ...one, op: "replace" },
    ];
  // Only the row tells whether the branch will be free, and it cannot where the branch is not known yet.
  if (found.branchId && (row === undefined || found.branchId.after === UNKNOWN))
    return [{ ...one, mayBeReplaced: true }];
  const resumes = (bookkeepingOf(sides.before.outputs).operations ?? []).length > 0;
  return [Object.keys(found).length > 0 || resumes ? one : { ...one, op: "same" }];
}

/** What a refresh found of each member: both sides as the platform had it. */
function refreshedMembers(step: PlanStep): PlanStep[] {
  const before = membersBefore(step);
  if (step.op === "delete") {
    return [...before].map(([key, { state }]) => memberStep(step, key, "delete", { before: state }));
  }
  const now = step.after && step.op !== "same" && step.op !== "refresh" ? decode(step.after) : undefined;
  return [...before].map(([key, { state }]) => {
    if (!now) return memberStep(step, key, "same", { before: state });
    const outputs = now.get(key)?.state;
    if (!outputs) return memberStep(step, key, "delete", { before: state });
    return memberStep(step, key, "update", { before: state, after: { ...state, outputs } });
  });
}

function membersBefore({ before }: PlanStep): Map<string, Side> {
  if (!before) return new Map();
  const parsed = parseFleet(readable(before.inputs)).members;
  return new Map(
    [...decode(before, parsed)].map(([key, { state: outputs, retainOnDelete }]) => {
      const member = parsed?.get(key);
      const [projectId, endpointId] = [outputs.projectId ?? member?.inputs.projectId, outputs.endpointId];
      const state: PlanState = {
        ...(typeof projectId === "string" && typeof endpointId === "string" && { id: `${projectId}/${endpointId}` }),
        inputs: member?.inputs ?? {},
        outputs: { ...outputs, ...(projectId !== undefined && { projectId }) },
        ...(retainOnDelete && { retainOnDelete }),
        ...(before.external && { external: true }),
      };
      return [key, { state, inputs: state.inputs }];
    }),
  );
}

/** The members; of a bookkeeping that is secret what people see of them and what the program said, which may be all there is. */
function decode(
  { outputs }: PlanState,
  inputs: ReadonlyMap<string, Member> = new Map(),
): ReadonlyMap<string, StoredMember> {
  const { [BOOKKEEPING]: book, ...shown } = outputs;
  if (outputs.endpoints === SECRET) {
    return new Map([...inputs].map(([key, member]) => [key, memberOf(member.inputs, member.options)]));
  }
  if (!holdsSecret(book)) return decodeMembers(outputs);
  return new Map([...decodeMembers(shown)].map(([key, { state }]) => [key, memberOf(state, inputs.get(key)?.options)]));
}

/** The members that the program wants; where it is not known yet which, each that is there may become anything. */
function membersWanted({ after }: PlanStep, before: ReadonlyMap<string, Side>): ReadonlyMap<string, Member> {
  const { members } = parseFleet(readable(after?.inputs ?? {}));
  if (members) return members;
  const unknown = Object.fromEntries(endpointProperties.map((name) => [name, UNKNOWN]));
  const { inputs: parsed } = parseInputs(unknown);
  return new Map(
    [...before.keys()].map((key) => [
      key,
      { key, inputs: unknown, parsed, options: {}, isUnknown: true, pathOf: () => key },
    ]),
  );
}

/** Inputs in which what is secret as a whole counts as not known, since its parts are not there to be read. */
function readable({ endpoints, defaults, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const part = (value: unknown) => (value === SECRET ? UNKNOWN : value);
  const isMap = typeof endpoints === "object" && endpoints !== null;
  const members = isMap
    ? Object.fromEntries(Object.entries(endpoints).map(([key, one]) => [key, part(one)]))
    : part(endpoints);
  return { ...rest, endpoints: members, ...(defaults !== undefined && { defaults: part(defaults) }) };
}

function stateWanted({ after }: PlanStep, { inputs, options }: Member, old?: Side): PlanState {
  const { importId } = options;
  const sources = [...new Set(Object.values(after?.sources ?? {}).flat())];
  return {
    ...(old?.state.id ? { id: old.state.id } : typeof importId === "string" && { id: importId }),
    inputs,
    outputs: {},
    ...(sources.length > 0 && { sources: Object.fromEntries(endpointProperties.map((name) => [name, sources])) }),
  };
}

function memberStep(
  { urn, type, changed }: PlanStep,
  key: string,
  op: string,
  sides: Pick<PlanStep, "before" | "after">,
): PlanStep {
  const path = memberPath(key);
  const names = changed?.filter((one) => one.startsWith(`${path}.`)).map((one) => one.slice(path.length + 1));
  // Only the plugin tells which properties of a member differ; a path to the member itself tells none.
  const told = changed?.some((one) => one.startsWith("endpoints[")) && !changed.includes(path);
  return {
    op,
    urn: memberUrn(urn, key),
    type: memberTypes.get(type) ?? type,
    ...(told && { changed: names ?? [] }),
    ...sides,
  };
}
