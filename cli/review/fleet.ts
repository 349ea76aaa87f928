/** Splits a fleet's steps into its members', so that these are reported, gated and sealed as endpoints. */
import { isPlaceUnknown } from "../../provider/endpoint/identity";
import { stateWanted } from "../../provider/endpoint/impact/figures";
import { TAKES } from "../../provider/endpoint/input-notes";
import { BOOKKEEPING, bookkeepingOf } from "../../provider/endpoint/state";
import { memberPath } from "../../provider/fleet/model";
import { type Member, parseFleet } from "../../provider/fleet/parse-fleet";
import { decodeMembers } from "../../provider/fleet/state";
import { fleetUrnOf, memberUrn } from "../../provider/lib/owner";
import { isRecord, ownValue, UNKNOWN } from "../../provider/lib/unknown";
import { isKind } from "../../provider/platform/errors";
import { hostOf } from "../hosts";
import { readChange } from "./change";
import { harmless, lacksSide, replacing } from "./fate";
import { holdsSecret, type PlanState, type PlanStep, SECRET, type Unread } from "./plan-model";

/** True for a member's row in a preview: unlike an endpoint's step, it has no provider. */
export function isRow({ urn, before, after }: PlanStep): boolean {
  return fleetUrnOf(urn) !== undefined && before?.provider === undefined && after?.provider === undefined;
}

/**
 * Splits a fleet's steps and rows into one endpoint step per member; one step with the reason if unreadable. `drift`:
 * both sides are the platform's.
 */
export function stepsOfMembers(all: readonly PlanStep[], drift: boolean): PlanStep[] {
  const rows = new Map(all.filter(isRow).map((step) => [step.urn, step]));
  const steps = all.filter((step) => !isRow(step));
  const left = steps.filter(({ op, before }) => op === "delete" && before?.delete === true);
  const own = steps.filter((step) => !left.includes(step));
  const first = own.find(({ op }) => replacing.has(op));
  const whole: PlanStep = Object.assign({}, ...own, first && { op: "replace" });
  if (whole.before && first?.op === "delete-replaced") whole.before = { ...whole.before, pendingReplacement: true };

  return [
    ...(own.length === 0 ? [] : readable(whole, () => (drift ? foundSteps(whole) : plannedSteps(whole, rows)))),
    ...(drift ? [] : left.flatMap((step) => readable(step, () => plannedSteps(step, new Map())))),
  ];
}

/** A fleet's member steps, or one step with the reason why they are unreadable. An unchanged fleet passes as it is. */
function readable(step: PlanStep, read: () => PlanStep[]): PlanStep[] {
  const sides = [step.before?.inputs, step.before?.outputs, step.after?.inputs, step.after?.outputs];
  const maps = sides.map((side) => side?.endpoints);
  const parts = [
    ...sides.flatMap((side) => [side?.defaults, side?.[BOOKKEEPING]]),
    ...maps.filter(isRecord).flatMap(Object.values),
  ];

  const isQuiet = harmless.has(step.op);
  const unread = (why: Unread["why"]): PlanStep[] => {
    const counts = maps.filter(isRecord).map((map) => Object.keys(map).length);
    const members = counts.length > 0 && { members: Math.max(...counts) };
    return isQuiet ? [] : [{ ...step, unread: { why, ...members } }];
  };
  if ([...maps, ...parts].includes(SECRET)) return unread("secret");
  if (lacksSide(step) || (step.before && maps[1] === undefined)) return unread("cut");
  if (step.after?.inputs.endpoints === UNKNOWN && !isQuiet) return unread("unknown");

  try {
    return read();
  } catch (error) {
    if (!isKind(error, "refused")) throw error;
    return unread("form");
  }
}

function plannedSteps(step: PlanStep, rows: ReadonlyMap<string, PlanStep>): PlanStep[] {
  const before = membersBefore(step);
  if (harmless.has(step.op)) return [...before].map(([key, old]) => memberStep(step, key, "same", { before: old }));
  const wanted =
    (step.op === "delete" ? undefined : parseFleet(step.after?.inputs ?? {}).members) ?? new Map<string, Member>();
  const isReplaced = step.op === "replace";
  // If the provider reports changed members, a member without a row is unchanged.
  const isTold = rows.size > 0 || step.changed?.some((path) => path.startsWith("endpoints[")) === true;

  return [...new Set([...wanted.keys(), ...before.keys()])].map((key) => {
    const [member, row] = [wanted.get(key), rows.get(memberUrn(step.urn, key))];
    const old = freedBy(member, before.get(key));
    if (!member) return memberStep(step, key, "delete", { before: old });

    const importId = importIdOf(step, member);
    const takes = takesOf(step, member, row, !old || isReplaced);
    // A member's unknown value gets no source: the plan has sources only for the whole map, which would hide a swap of
    // two members.
    const inputs = takes === undefined ? member.inputs : { ...member.inputs, [TAKES]: takes, importId };
    const after = { inputs, outputs: {}, ...(step.after?.provider && { provider: step.after.provider }) };

    if (step.op === "import") {
      return memberStep(step, key, "import", {
        after: { ...after, ...(typeof importId === "string" && { id: importId }) },
      });
    }

    const isOwn = typeof takes === "string" && old?.id === `${String(member.inputs.projectId)}/${takes}`;
    if (old && isReplaced && !isOwn) return memberStep(step, key, "replace", { before: old, after });

    // For a member of the state, these mean that its endpoint is gone.
    if (!old || takes !== undefined || row?.op === "create") {
      const created = memberStep(step, key, "create", { after });
      // A row without changes.
      const found = row?.op === "import" && { inputs: {}, outputs: stateWanted(member.parsed) };
      return found ? { ...created, before: found, changed: [] } : created;
    }

    const isNamed = row !== undefined || step.changed?.some((path) => path.startsWith(memberPath(key)));
    if (isTold && !isNamed) return memberStep(step, key, "same", { before: old });
    return changeOf(memberStep(step, key, "update", { before: old, after }), row?.op);
  });
}

/** A member's old side, protected only if the program still protects it. */
function freedBy(member: Member | undefined, before: PlanState | undefined): PlanState | undefined {
  if (!before?.protect || !member || member.options.protect === true) return before;
  const { protect: _, ...freed } = before;
  return freed;
}

/** The id of the endpoint that a member newly adopts; UNKNOWN if uncertain. By default `importId` decides. */
function takesOf(
  step: PlanStep,
  member: Member,
  row: PlanStep | undefined,
  isNew: boolean,
): string | typeof UNKNOWN | undefined {
  const { key, inputs } = member;
  const importId = importIdOf(step, member);
  const note = shown(step.after?.inputs[TAKES]);
  if (isNew && importId === UNKNOWN) return UNKNOWN;

  // The member may adopt an interrupted run's endpoint. Its row has the branch; without rows the note covers all new
  // members.
  if (note === UNKNOWN && (row ? row.op === "create" && isPlaceUnknown(inputs) : isNew)) return UNKNOWN;
  const noted = isRecord(note) ? ownValue(note, key) : undefined;
  const named = isNew && typeof importId === "string" ? importId.split("/")[1] : undefined;
  const told = row ? shown(row.after?.inputs.endpointId) : (named ?? noted);
  if (told === true || told === UNKNOWN) return UNKNOWN;
  return typeof told === "string" ? told : undefined;
}

/** The endpoint in a member's `importId`; UNKNOWN if the plan hides it. */
function importIdOf({ after }: PlanStep, { key, options }: Member): Member["options"]["importId"] {
  const endpoints = after?.inputs.endpoints;
  const values = isRecord(endpoints) ? ownValue(endpoints, key) : undefined;
  return isRecord(values) && holdsSecret(values.importId) ? UNKNOWN : options.importId;
}

/** A plan's value; UNKNOWN if it contains a secret. */
function shown(value: unknown): unknown {
  return holdsSecret(value) ? UNKNOWN : value;
}

/** The step of a member on both sides: changed, replaced within the fleet's update, or the same. */
function changeOf(step: PlanStep, row: string | undefined): PlanStep {
  const { found } = readChange(step);
  const identity = [found.type, found.projectId].filter((one) => one !== undefined);
  // A formerly secret value may be unchanged and is not compared.
  const isOther = identity.some(({ before, after }) => before !== undefined && after !== UNKNOWN);
  if (step.before && (isOther || row === "replace")) {
    // A fleet deletes the old endpoint before it creates the new one.
    return { ...step, op: "replace", before: { ...step.before, pendingReplacement: true } };
  }

  // A member's row shows what a new branch does under the fleet's configuration; without a row that is unknown.
  const isOpen = found.branchId && row === undefined;
  if (isOpen || identity.length > 0) return { ...step, mayBeReplaced: true };
  const outputs = step.before?.outputs;
  // Secret bookkeeping may contain an open operation of an earlier run.
  const resumes = holdsSecret(outputs?.[BOOKKEEPING]) || (bookkeepingOf(outputs).operations ?? []).length > 0;
  return Object.keys(found).length > 0 || resumes ? step : { ...step, op: "same" };
}

/** The steps of a refresh, one for each changed member. */
function foundSteps(step: PlanStep): PlanStep[] {
  const isQuiet = step.op === "same" || step.op === "refresh";
  const now = decodeMembers(step.after?.outputs);
  return [...membersBefore(step)].map(([key, before]) => {
    if (isQuiet) return memberStep(step, key, "same", { before });
    const outputs = now.get(key)?.state;
    return memberStep(step, key, outputs ? "update" : "delete", {
      before,
      ...(outputs && { after: { ...before, outputs } }),
    });
  });
}

function membersBefore({ op, before }: PlanStep): Map<string, PlanState> {
  if (!before) return new Map();
  const { members } = parseFleet(before.inputs);
  const { provider, pendingReplacement } = before;

  return new Map(
    [...decodeMembers(before.outputs)].map(([key, { state: outputs, retainOnDelete, protect }]) => {
      const { projectId, endpointId } = outputs;
      const marks = {
        ...{ provider, pendingReplacement },
        id: typeof projectId === "string" && typeof endpointId === "string" && `${projectId}/${endpointId}`,
        delete: op === "delete" && before.delete,
        // A fleet's own retainOnDelete keeps members only when the fleet is deleted: updates do not get the option.
        retainOnDelete: retainOnDelete || (op !== "update" && before.retainOnDelete),
        protect: protect || (op !== "update" && before.protect),
      };

      const set = Object.fromEntries(Object.entries(marks).filter(([, mark]) => mark));
      return [key, { inputs: members?.get(key)?.inputs ?? {}, outputs, ...set }];
    }),
  );
}

function memberStep(
  { urn, type, changed }: PlanStep,
  key: string,
  op: string,
  { before, after }: { before?: PlanState | undefined; after?: PlanState | undefined },
): PlanStep {
  const path = memberPath(key);
  // Only the plugin lists a member's changed properties; a path to the member itself lists none.
  const isTold = changed?.some((one) => one.startsWith("endpoints[")) && !changed.includes(path);
  const names = changed?.filter((one) => one.startsWith(`${path}.`)).map((one) => one.slice(path.length + 1));

  return {
    op,
    urn: memberUrn(urn, key),
    type: hostOf(type)?.endpointType ?? type,
    ...(isTold && names && { changed: names }),
    ...(before && { before }),
    ...(after && { after }),
  };
}
