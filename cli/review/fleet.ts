/** What becomes of each member of a fleet, so that members are reported, gated and sealed as endpoints. */
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
import { hostOf } from "../hosts";
import { mayResume, readChange } from "./change";
import { type Fate, fateOf, harmless, replacing } from "./fate";
import { holdsSecret, ownValue, type PlanState, type PlanStep, SECRET, type UnreadReason } from "./plan-model";

/** A member's row in a preview has no provider; an endpoint of the program has one, even as a fleet's child. */
export function isRow({ urn, before, after }: PlanStep): boolean {
  return fleetUrnOf(urn) !== undefined && before?.provider === undefined && after?.provider === undefined;
}

/**
 * What becomes of a fleet's members, by all of its steps (a refresh and a replacement have several) and by the rows that a preview gives
 * the members themselves. What these alone have is which members are deleted and created again, and which are taken over, since that
 * depends on what else is on the branches. Of a fleet whose members nobody can read there is one fate, which says why. With `drift` both
 * sides are what the platform has.
 */
export function membersOf(all: readonly PlanStep[], drift: boolean): Fate[] {
  const rows = new Map(all.filter(isRow).map((step) => [step.urn, step]));
  const steps = all.filter((step) => !isRow(step));
  const isLeftover = ({ op, before }: PlanStep) => op === "delete" && before?.delete === true;
  const own = steps.filter((step) => !isLeftover(step));
  const left = drift ? [] : steps.filter(isLeftover);
  const whole: PlanStep = Object.assign({}, ...own);
  const isReplaced = own.some(({ op }) => replacing.has(op)) && whole.before !== undefined && whole.after !== undefined;
  const found = read(whole, () => {
    if (own.length === 0) return [];
    if (drift) return refreshedMembers(whole);
    return isReplaced ? replacedMembers(own, whole, rows) : plannedMembers(whole, rows);
  });
  const taken = new Set(found.flatMap(({ step: { before, after } }) => before?.id ?? after?.id ?? []));
  return [
    ...found,
    // What has become of an earlier fleet's endpoints, the one that took its place has.
    ...left.flatMap((step) =>
      read(step, () =>
        [...membersBefore(step)].flatMap(([key, before]) =>
          taken.has(before.id ?? "") ? [] : [fateOf(memberStep(step, key, "delete", { before }), { leftover: true })],
        ),
      ),
    ),
  ];
}

/** What `tell` says of a fleet's members, or one fate with the reason why they cannot be read, unless the fleet stays as it is. */
function read(step: PlanStep, tell: () => Fate[] | UnreadReason): Fate[] {
  const sides = [step.before?.inputs, step.before?.outputs, step.after?.inputs, step.after?.outputs];
  const maps = sides.map((side) => side?.endpoints);
  const isQuiet = harmless.has(step.op);
  const unread = (why: UnreadReason): Fate[] => {
    const counts = maps.filter(isRecord).map((map) => Object.keys(map).length);
    const members = counts.length > 0 && { members: Math.max(...counts) };
    return isQuiet ? [] : [fateOf({ ...step, unread: { why, ...members } })];
  };
  if (maps.includes(SECRET)) return unread("secret");
  if (step.after?.inputs.endpoints === UNKNOWN && !isQuiet) return unread("unknown");
  try {
    const told = tell();
    return typeof told === "string" ? unread(told) : told;
  } catch (error) {
    if (!isKind(error, "refused")) throw error;
    return unread("newer");
  }
}

/** What a plan says of a member and a comparison of both sides cannot find, since it depends on other endpoints of the branches. */
interface Told {
  /** What its row shows; of a fleet that is new also that it is created. */
  op?: string | undefined;
  /** The id of the endpoint that it takes over; true if it takes over an unknown one, or may. */
  takes?: string | true | undefined;
}

function plannedMembers(step: PlanStep, rows: ReadonlyMap<string, PlanStep>): Fate[] {
  const before = membersBefore(step);
  const goes = step.op === "delete" || step.after === undefined;
  const wanted = goes ? new Map<string, Member>() : membersWanted(step);
  const quiet = harmless.has(step.op);
  // Where the provider tells of each member that changes, one that it does not name stays.
  const isTold = rows.size > 0 || step.changed?.some((path) => path.startsWith("endpoints[")) === true;
  return [...new Set([...wanted.keys(), ...before.keys()])].flatMap((key) => {
    const [old, next] = [before.get(key), wanted.get(key)];
    if (quiet) return old ? [fateOf(memberStep(step, key, "same", { before: old }))] : [];
    if (!next) return old ? [fateOf(memberStep(step, key, "delete", { before: leaving(step, old) }))] : [];
    const told = toldOf(step, next, rows, !old);
    // Of a member of the state these mean that its endpoint is gone.
    if (!old || told.op === "create" || told.takes !== undefined) return [arrivalOf(step, next, told, before.spent)];
    const isNamed = step.changed?.some((path) => path.startsWith(memberPath(key)));
    if (isTold && told.op === undefined && !isNamed) return [fateOf(memberStep(step, key, "same", { before: old }))];
    return changeOf(step, key, { before: old, after: stateWanted(next) }, told.op);
  });
}

function toldOf(
  { op, urn, after }: PlanStep,
  { key, inputs }: Member,
  rows: ReadonlyMap<string, PlanStep>,
  isNew: boolean,
): Told {
  const row = rows.get(memberUrn(urn, key));
  const takes = after?.inputs[TAKES];
  // It may take up what an interrupted run left: a row tells on which branch; without rows the note stands for every new member.
  if (takes === UNKNOWN && (row ? row.op === "create" && isPlaceUnknown(inputs) : isNew)) return { takes: true };
  const { endpointId } = row?.after?.inputs ?? {};
  if (row) return { op: row.op, takes: typeof endpointId === "string" ? endpointId : row.op === "import" || undefined };
  const noted = isRecord(takes) ? ownValue(takes, key) : undefined;
  if (typeof noted === "string" || noted === true) return { takes: noted };
  // Of a fleet that is new the note is whole.
  return isRecord(takes) && op !== "update" ? { op: "create" } : {};
}

/**
 * The members of a fleet that is replaced by force: a new fleet takes up what it finds, creates the rest, and the delete of the old
 * one takes what is left. A plan of a provider that does not tell what is taken up leaves that unsaid.
 */
function replacedMembers(
  steps: readonly PlanStep[],
  step: PlanStep,
  rows: ReadonlyMap<string, PlanStep>,
): Fate[] | UnreadReason {
  if (step.after?.inputs[TAKES] === UNKNOWN) return "replaced";
  const before = membersBefore(step);
  const wanted = membersWanted(step);
  const told = new Map([...wanted].map(([key, member]) => [key, toldOf(step, member, rows, false)]));
  if ([...told.values()].some(({ op, takes }) => op === undefined && takes === undefined)) return "replaced";
  const byId = new Map([...before.values()].map((state) => [state.id, state]));
  const deletesFirst =
    steps.find(({ op }) => op === "delete-replaced" || op === "create-replacement")?.op === "delete-replaced";
  const takers = new Map<string | undefined, string>();
  const come = [...wanted].flatMap(([key, member]) => {
    const { op, takes } = told.get(key) as Told;
    const old = before.get(key);
    if (op === "create") return old ? [] : [arrivalOf(step, member, { op })];
    const there = typeof takes === "string" ? byId.get(`${member.inputs.projectId}/${takes}`) : old;
    if (!there) return [arrivalOf(step, member, { op, takes })];
    takers.set(there.id, key);
    const sides = { before: there, after: stateWanted(member) };
    return op === "import" ? [fateOf(memberStep(step, key, "same", sides))] : changeOf(step, key, sides, op);
  });
  const gone = [...before].flatMap(([key, old]) => {
    const [member, taker] = [wanted.get(key), takers.get(old.id)];
    const before = leaving(step, old);
    if (taker === key) return [];
    if (!member) return taker === undefined ? [fateOf(memberStep(step, key, "delete", { before }))] : [];
    // Also where it takes over another endpoint than its own, or another member takes its own.
    return [fateOf(memberStep(step, key, "replace", { before, after: stateWanted(member) }), { deletesFirst })];
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
function arrivalOf(step: PlanStep, member: Member, { op, takes }: Told, spent?: StoredMembers["spent"]): Fate {
  const { key, parsed } = member;
  const { importId } = member.options;
  const { projectId } = member.inputs;
  const wanted = stateWanted(member);
  const named = typeof takes === "string" && typeof projectId === "string" ? `${projectId}/${takes}` : importId;
  const after = { ...wanted, ...(typeof named === "string" && { id: named }) };
  if (step.op === "import") return fateOf(memberStep(step, key, "import", { after }));
  // What is not known yet may name any endpoint.
  const isNamed = importId !== undefined && (importId === UNKNOWN || spent?.get(key) !== importMark(importId));
  const isThere = takes !== undefined || op === "import" || op === "update" || (op === undefined && isNamed);
  if (!isThere) return fateOf(memberStep(step, key, "create", { after: wanted }));
  const way = isNamed ? "take" : "take-up";
  if (op !== "import") return fateOf(memberStep(step, key, way, { after }));
  // Its row says that nothing changes.
  const before = { inputs: {}, outputs: stateOfInputs(parsed) };
  return fateOf({ ...memberStep(step, key, way, { before, after }), changed: [] });
}

/** A member that both sides have: changed, replaced within the fleet's update, or the same. */
function changeOf(
  step: PlanStep,
  key: string,
  sides: { before: PlanState; after: PlanState },
  row: string | undefined,
): Fate {
  const one = memberStep(step, key, "update", sides);
  const { found } = readChange(one);
  const identity = (["type", "projectId"] as const).filter((name) => name in found);
  // What is secret before may be the same.
  const isCertain = (name: "type" | "projectId") =>
    found[name]?.after !== UNKNOWN && !holdsSecret(sides.before.outputs[name]);
  // The fleet deletes the old endpoint before it creates the new one.
  if (identity.some(isCertain) || row === "replace") return fateOf({ ...one, op: "replace" }, { deletesFirst: true });
  // Only the row says whether the branch will be free, and it cannot if the branch is not known yet.
  const isOpen = found.branchId && (row === undefined || found.branchId.after === UNKNOWN);
  if (isOpen || identity.length > 0) return fateOf({ ...one, mayBeReplaced: true });
  const resumes = mayResume(sides.before) || (bookkeepingOf(sides.before.outputs).operations ?? []).length > 0;
  return fateOf(Object.keys(found).length > 0 || resumes ? one : { ...one, op: "same" });
}

/** What a refresh found of each member: both sides as the platform had it. */
function refreshedMembers(step: PlanStep): Fate[] {
  const before = membersBefore(step);
  const now = step.after && step.op !== "same" && step.op !== "refresh" ? decode(step.after) : undefined;
  return [...before].map(([key, state]) => {
    const outputs = now?.get(key)?.state;
    if (outputs && step.op !== "delete")
      return fateOf(memberStep(step, key, "update", { before: state, after: { ...state, outputs } }));
    return fateOf(memberStep(step, key, now || step.op === "delete" ? "delete" : "same", { before: state }));
  });
}

function membersBefore({ before }: PlanStep): Map<string, PlanState> & Pick<StoredMembers, "spent"> {
  if (!before) return new Map();
  const parsed = parseFleet(readable(before.inputs)).members;
  const stored = decode(before, parsed);
  const sides = new Map(
    [...stored].map(([key, { state: outputs, retainOnDelete }]) => {
      const { inputs = {} } = parsed?.get(key) ?? {};
      const [projectId, endpointId] = [outputs.projectId ?? inputs.projectId, outputs.endpointId];
      const state: PlanState = {
        ...(typeof projectId === "string" && typeof endpointId === "string" && { id: `${projectId}/${endpointId}` }),
        inputs,
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
    ...(isTold && names && { changed: names }),
    ...(sides.before && { before: { ...sides.before, ...(before?.provider && { provider: before.provider }) } }),
    ...(sides.after && { after: { ...sides.after, ...(after?.provider && { provider: after.provider }) } }),
  };
}
