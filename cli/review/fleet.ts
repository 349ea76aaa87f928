/** Splits a fleet's step into one for each member, so that members are reported, gated and sealed as endpoints. */

import { isPlaceUnknown } from "../../provider/endpoint/identity";
import { stateWanted as stateOfInputs } from "../../provider/endpoint/impact/impact";
import { TAKES } from "../../provider/endpoint/input-notes";
import { parseInputs } from "../../provider/endpoint/parse-inputs";
import { BOOKKEEPING, bookkeepingOf } from "../../provider/endpoint/state";
import { memberPath } from "../../provider/fleet/model";
import { type Member, parseFleet } from "../../provider/fleet/parse-fleet";
import { decodeMembers, importMark, memberOf, type StoredMembers } from "../../provider/fleet/state";
import { fleetUrnOf, memberUrn } from "../../provider/lib/owner";
import { isRecord, UNKNOWN } from "../../provider/lib/unknown";
import { isKind } from "../../provider/platform/errors";
import { hostOf, isEndpoint, isFleet } from "../hosts";
import { mayResume, readChange } from "./change";
import { harmless, replacing } from "./group";
import { holdsSecret, ownValue, type PlanState, type PlanStep, SECRET, type UnreadReason } from "./plan-model";

/**
 * The steps of a plan with the members of each fleet in its place. The rows that a preview gives the members itself go: they
 * have less. What they alone have is which members are deleted and created again, and which are taken over, since that depends on
 * what else is on the branches. Of a fleet whose members nobody can read, and of an endpoint that a newer version wrote, one step is
 * left, which says why. `refreshes` is true for what a refresh found, where both sides are what the platform has.
 */
export function expandFleets(steps: readonly PlanStep[], refreshes: boolean): PlanStep[] {
  const rows = new Map<string, Map<string, PlanStep>>();
  for (const step of steps.filter(isRow)) {
    const fleet = fleetUrnOf(step.urn) ?? "";
    rows.set(fleet, (rows.get(fleet) ?? new Map<string, PlanStep>()).set(step.urn, step));
  }
  const fleets = new Map<string, PlanStep[]>();
  for (const step of steps) {
    if (isFleet(step.type)) fleets.set(step.urn, [...(fleets.get(step.urn) ?? []), step]);
  }
  return steps.flatMap((step) => {
    if (isRow(step) && fleets.has(fleetUrnOf(step.urn) ?? "")) return [];
    if (!isFleet(step.type)) return [isNewer(step) ? { ...step, unread: { why: "newer" } } : step];
    const own = fleets.get(step.urn) ?? [];
    fleets.set(step.urn, []);
    return own.length === 0 ? [] : membersOf(own, rows.get(step.urn) ?? new Map(), refreshes);
  });
}

/** A member's row in a preview has no provider; an endpoint of the program has one, even as a fleet's child. */
function isRow({ urn, before, after }: PlanStep): boolean {
  return fleetUrnOf(urn) !== undefined && before?.provider === undefined && after?.provider === undefined;
}

/** True for an endpoint that changes and of whose state this version cannot read all. */
function isNewer({ op, type, before, after }: PlanStep): boolean {
  if (!isEndpoint(type) || harmless.has(op)) return false;
  try {
    for (const side of [before, after]) bookkeepingOf(side?.outputs);
    return false;
  } catch (error) {
    if (isKind(error, "refused")) return true;
    throw error;
  }
}

/** What becomes of a fleet's members, by all of its steps: a refresh and a replacement have several. */
function membersOf(steps: readonly PlanStep[], rows: ReadonlyMap<string, PlanStep>, refreshes: boolean): PlanStep[] {
  const isLeftover = ({ op, before }: PlanStep) => op === "delete" && before?.delete === true;
  const own = steps.filter((step) => !isLeftover(step));
  const left = refreshes ? [] : steps.filter(isLeftover);
  const whole: PlanStep = Object.assign({}, ...own);
  const found = own.length === 0 ? [] : read(whole, () => fatesOf(own, whole, rows, refreshes));
  const taken = new Set(found.flatMap(({ before, after }) => before?.id ?? after?.id ?? []));
  return [
    ...found,
    // What has become of an earlier fleet's endpoints, the one that took its place has.
    ...left.flatMap((step) =>
      read(step, () =>
        [...membersBefore(step)].flatMap(([key, state]) =>
          taken.has(state.id ?? "") ? [] : [memberStep(step, key, "delete", { before: { ...state, delete: true } })],
        ),
      ),
    ),
  ];
}

function fatesOf(
  steps: readonly PlanStep[],
  whole: PlanStep,
  rows: ReadonlyMap<string, PlanStep>,
  refreshes: boolean,
): PlanStep[] | UnreadReason {
  if (refreshes) return refreshedMembers(whole);
  if (steps.some(({ op }) => replacing.has(op)) && whole.before && whole.after)
    return replacedMembers(steps, whole, rows);
  return plannedMembers(whole, rows);
}

/** What `tell` says of a fleet's members, or one step with the reason why they cannot be read, unless the fleet stays as it is. */
function read(step: PlanStep, tell: () => PlanStep[] | UnreadReason): PlanStep[] {
  const sides = [step.before?.inputs, step.before?.outputs, step.after?.inputs, step.after?.outputs];
  const maps = sides.map((side) => side?.endpoints);
  const unread = (why: UnreadReason): PlanStep[] => {
    const counts = maps.filter(isRecord).map((map) => Object.keys(map).length);
    return [{ ...step, unread: { why, ...(counts.length > 0 && { members: Math.max(...counts) }) } }];
  };
  const isQuiet = harmless.has(step.op);
  if (maps.includes(SECRET)) return isQuiet ? [] : unread("secret");
  if (step.after?.inputs.endpoints === UNKNOWN && !isQuiet) return unread("unknown");
  try {
    const told = tell();
    return typeof told === "string" ? unread(told) : told;
  } catch (error) {
    if (!isKind(error, "refused")) throw error;
    return isQuiet ? [] : unread("newer");
  }
}

/** What a plan says of a member and a comparison of both sides cannot find, since it depends on other endpoints of the branches. */
interface Told {
  /** What its row shows; of a fleet that is new also that it is created. */
  op?: string | undefined;
  /** The id of the endpoint that it takes over; true if it takes over an unknown one, or may. */
  takes?: string | true | undefined;
}

function plannedMembers(step: PlanStep, rows: ReadonlyMap<string, PlanStep>): PlanStep[] {
  const before = membersBefore(step);
  const goes = step.op === "delete" || step.after === undefined;
  const wanted = goes ? new Map<string, Member>() : membersWanted(step);
  const quiet = harmless.has(step.op);
  // Where the provider tells of each member that changes, one that it does not name stays.
  const isTold = rows.size > 0 || step.changed?.some((path) => path.startsWith("endpoints[")) === true;
  return [...new Set([...wanted.keys(), ...before.keys()])].flatMap((key) => {
    const [old, next] = [before.get(key), wanted.get(key)];
    if (quiet) return old ? [memberStep(step, key, "same", { before: old })] : [];
    if (!next) return old ? [memberStep(step, key, "delete", { before: leaving(step, old) })] : [];
    const told = mayTakeUp(step, next, rows, !old) ? { takes: true as const } : toldOf(step, key, rows);
    // Of a member of the state these mean that its endpoint is gone.
    if (!old || told.op === "create" || told.takes !== undefined) return [arrivalOf(step, next, told, before.spent)];
    const isNamed = step.changed?.some((path) => path.startsWith(memberPath(key)));
    if (isTold && told.op === undefined && !isNamed) return [memberStep(step, key, "same", { before: old })];
    return changeOf(step, key, { before: old, after: stateWanted(next) }, told.op);
  });
}

function toldOf({ op, urn, after }: PlanStep, key: string, rows: ReadonlyMap<string, PlanStep>): Told {
  const row = rows.get(memberUrn(urn, key));
  const { endpointId } = row?.after?.inputs ?? {};
  if (row) return { op: row.op, takes: typeof endpointId === "string" ? endpointId : row.op === "import" || undefined };
  const takes = after?.inputs[TAKES];
  const noted = isRecord(takes) ? ownValue(takes, key) : undefined;
  if (typeof noted === "string" || noted === true) return { takes: noted };
  // Of a fleet that is new the note is whole.
  return isRecord(takes) && op !== "update" ? { op: "create" } : {};
}

/**
 * True for a member that may take up what an interrupted run left, where the fleet's note is unknown, since a branch is. A row tells
 * which branch that is; without rows the note stands for every new member.
 */
function mayTakeUp(
  { urn, after }: PlanStep,
  { key, inputs }: Member,
  rows: ReadonlyMap<string, PlanStep>,
  isNew: boolean,
): boolean {
  if (after?.inputs[TAKES] !== UNKNOWN) return false;
  const row = rows.get(memberUrn(urn, key));
  return row ? row.op === "create" && isPlaceUnknown(inputs) : isNew;
}

/**
 * The members of a fleet that is replaced by force: a new fleet takes up what it finds, creates the rest, and the delete of the old
 * one takes what is left. A plan of a provider that does not tell what is taken up leaves that unsaid.
 */
function replacedMembers(
  steps: readonly PlanStep[],
  step: PlanStep,
  rows: ReadonlyMap<string, PlanStep>,
): PlanStep[] | UnreadReason {
  if (step.after?.inputs[TAKES] === UNKNOWN) return "replaced";
  const before = membersBefore(step);
  const wanted = membersWanted(step);
  const told = new Map([...wanted.keys()].map((key) => [key, toldOf(step, key, rows)]));
  if ([...told.values()].some(({ op, takes }) => op === undefined && takes === undefined)) return "replaced";
  const byId = new Map([...before.values()].map((state) => [state.id, state]));
  const order = steps.filter(({ op }) => op === "delete-replaced" || op === "create-replacement").map(({ op }) => op);
  const takers = new Map<string | undefined, string>();
  const come = [...wanted].flatMap(([key, member]) => {
    const { op, takes } = told.get(key) as Told;
    const old = before.get(key);
    if (op === "create") return old ? [] : [arrivalOf(step, member, { op })];
    const there = typeof takes === "string" ? byId.get(`${member.inputs.projectId}/${takes}`) : old;
    if (!there) return [arrivalOf(step, member, { op, takes })];
    takers.set(there.id, key);
    const sides = { before: there, after: stateWanted(member) };
    return op === "import" ? [memberStep(step, key, "same", sides)] : changeOf(step, key, sides, op);
  });
  const gone = [...before].flatMap(([key, old]) => {
    const [member, left] = [wanted.get(key), leaving(step, old)];
    const taker = takers.get(old.id);
    if (taker === key) return [];
    if (!member) return taker === undefined ? [memberStep(step, key, "delete", { before: left })] : [];
    // Also where it takes over another endpoint than its own, or another member takes its own.
    const sides = { before: left, after: stateWanted(member) };
    const parts = ["create-replacement", "replace"].map((part) => memberStep(step, key, part, sides));
    const half = memberStep(step, key, "delete-replaced", { before: left });
    return order[0] === "delete-replaced" ? [half, ...parts] : [...parts, half];
  });
  return [...come, ...gone];
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
 * made it, or made. Where the plan says nothing of it, an `importId` decides that is not spent.
 */
function arrivalOf(step: PlanStep, member: Member, { op, takes }: Told, spent?: StoredMembers["spent"]): PlanStep {
  const { key, parsed } = member;
  const { importId } = member.options;
  const { projectId } = member.inputs;
  const wanted = stateWanted(member);
  const named = typeof takes === "string" && typeof projectId === "string" ? `${projectId}/${takes}` : importId;
  const after = { ...wanted, ...(typeof named === "string" && { id: named }) };
  if (step.op === "import") return memberStep(step, key, "import", { after });
  // What is not known yet may name any endpoint.
  const isNamed = importId !== undefined && (importId === UNKNOWN || spent?.get(key) !== importMark(importId));
  const isThere = takes !== undefined || op === "import" || op === "update" || (op === undefined && isNamed);
  if (!isThere) return memberStep(step, key, "create", { after: wanted });
  const way = isNamed ? "take" : "take-up";
  if (op !== "import") return memberStep(step, key, way, { after });
  // Its row says that nothing changes.
  const before = { inputs: {}, outputs: stateOfInputs(parsed) };
  return { ...memberStep(step, key, way, { before, after }), changed: [] };
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
  const identity = (["type", "projectId"] as const).filter((name) => name in found);
  // What is secret before may be the same.
  const isCertain = (name: "type" | "projectId") =>
    found[name]?.after !== UNKNOWN && !holdsSecret(sides.before.outputs[name]);
  // The fleet deletes the old endpoint before it creates the new one.
  if (identity.some(isCertain) || row === "replace")
    return [
      { ...one, op: "delete-replaced" },
      { ...one, op: "replace" },
    ];
  // Only the row says whether the branch will be free, and it cannot if the branch is not known yet.
  const isOpen = found.branchId && (row === undefined || found.branchId.after === UNKNOWN);
  if (isOpen || identity.length > 0) return [{ ...one, mayBeReplaced: true }];
  const resumes = mayResume(sides.before) || (bookkeepingOf(sides.before.outputs).operations ?? []).length > 0;
  return [Object.keys(found).length > 0 || resumes ? one : { ...one, op: "same" }];
}

/** What a refresh found of each member: both sides as the platform had it. */
function refreshedMembers(step: PlanStep): PlanStep[] {
  const before = membersBefore(step);
  const now = step.after && step.op !== "same" && step.op !== "refresh" ? decode(step.after) : undefined;
  return [...before].map(([key, state]) => {
    const outputs = now?.get(key)?.state;
    if (outputs && step.op !== "delete")
      return memberStep(step, key, "update", { before: state, after: { ...state, outputs } });
    return memberStep(step, key, now || step.op === "delete" ? "delete" : "same", { before: state });
  });
}

function membersBefore({ before }: PlanStep): Map<string, PlanState> & Pick<StoredMembers, "spent"> {
  if (!before) return new Map();
  const parsed = parseFleet(readable(before.inputs)).members;
  const stored = decode(before, parsed);
  const sides = new Map(
    [...stored].map(([key, { state: outputs, retainOnDelete }]) => {
      const member = parsed?.get(key);
      const [projectId, endpointId] = [outputs.projectId ?? member?.inputs.projectId, outputs.endpointId];
      const state: PlanState = {
        ...(typeof projectId === "string" && typeof endpointId === "string" && { id: `${projectId}/${endpointId}` }),
        inputs: member?.inputs ?? {},
        outputs: { ...outputs, ...(projectId !== undefined && { projectId }) },
        ...(retainOnDelete && { retainOnDelete }),
        ...(before.external && { external: true }),
      };
      return [key, state];
    }),
  );
  return Object.assign(sides, stored.spent && { spent: stored.spent });
}

/** The members; if the bookkeeping is secret as a whole, by the outputs and the program's inputs. */
function decode({ outputs }: PlanState, inputs: ReadonlyMap<string, Member> = new Map()): StoredMembers {
  const { [BOOKKEEPING]: book, ...shown } = outputs;
  if (book !== SECRET) return decodeMembers(outputs);
  return new Map(
    [...decodeMembers(shown)].map(([key, { state }]) => {
      const { inputs: set } = parseInputs(Object.fromEntries(Object.entries(state).filter((one) => !holdsSecret(one))));
      return [key, memberOf({ ...stateOfInputs(set), ...state, [BOOKKEEPING]: SECRET }, inputs.get(key)?.options)];
    }),
  );
}

function membersWanted({ after }: PlanStep): ReadonlyMap<string, Member> {
  return parseFleet(readable(after?.inputs ?? {})).members ?? new Map();
}

/** Inputs in which a wholly secret value counts as unknown, since its parts cannot be read. */
function readable({ endpoints, defaults, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const part = (value: unknown) => (value === SECRET ? UNKNOWN : value);
  const isMap = typeof endpoints === "object" && endpoints !== null;
  const members = isMap
    ? Object.fromEntries(Object.entries(endpoints).map(([key, one]) => [key, part(one)]))
    : part(endpoints);
  return { ...rest, endpoints: members, ...(defaults !== undefined && { defaults: part(defaults) }) };
}

/** Where an unknown value comes from is not told of a member: the plan has the sources of the whole map, which hide an exchange. */
function stateWanted({ inputs }: Member): PlanState {
  return { inputs, outputs: {} };
}

function memberStep(
  { urn, type, changed, before, after }: PlanStep,
  key: string,
  op: string,
  sides: Pick<PlanStep, "before" | "after">,
): PlanStep {
  const path = memberPath(key);
  // Only the plugin names the properties of a member that differ; a path to the member itself names none.
  const isTold = changed?.some((one) => one.startsWith("endpoints[")) && !changed.includes(path);
  const names = changed?.filter((one) => one.startsWith(`${path}.`)).map((one) => one.slice(path.length + 1));
  return {
    op,
    urn: memberUrn(urn, key),
    type: hostOf(type)?.endpointType ?? type,
    isMember: true,
    ...(isTold && names && { changed: names }),
    ...(sides.before && { before: { ...sides.before, ...(before?.provider && { provider: before.provider }) } }),
    ...(sides.after && { after: { ...sides.after, ...(after?.provider && { provider: after.provider }) } }),
  };
}
