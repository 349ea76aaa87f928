/** Splits a fleet's steps into its members', so that these are reported, gated and sealed as endpoints. */
import { TAKES } from "../../provider/endpoint/input-notes";
import { type EndpointProperty, endpointProperties, propertyOf } from "../../provider/endpoint/properties";
import { limitNames, sizeNames } from "../../provider/endpoint/rules/size";
import { BOOKKEEPING, bookkeepingOf } from "../../provider/endpoint/state";
import { rulesOfType } from "../../provider/endpoint/types";
import { memberPath } from "../../provider/fleet/model";
import { type Member, parseFleet } from "../../provider/fleet/parse-fleet";
import { decodeMembers } from "../../provider/fleet/state";
import { memberUrn, nameOfUrn } from "../../provider/lib/owner";
import { hasUnknown, isRecord, ownValue, UNKNOWN } from "../../provider/lib/unknown";
import { isKind } from "../../provider/platform/errors";
import { hostOf } from "../hosts";
import { readChange } from "./change";
import type { Moves } from "./configuration";
import { harmless, lacksSide, replacing } from "./fate";
import { holdsSecret, type PlanState, type PlanStep, SECRET, type Unread } from "./plan-model";

/**
 * Splits a fleet's steps into one endpoint step per member; one step with the reason if unreadable. `moves`: what the
 * stack's settings make of a new branch. `drift`: both sides are the platform's.
 */
export function stepsOfMembers(
  steps: readonly PlanStep[],
  { drift, moves }: { drift: boolean; moves: Moves },
): PlanStep[] {
  const left = steps.filter(({ op, before }) => op === "delete" && before?.delete === true);
  const own = steps.filter((step) => !left.includes(step));
  const first = own.find(({ op }) => replacing.has(op));
  const whole: PlanStep = Object.assign({}, ...own, first && { op: "replace" });
  if (whole.before && first?.op === "delete-replaced") whole.before = { ...whole.before, pendingReplacement: true };

  return [
    ...(own.length === 0 ? [] : readable(whole, () => (drift ? foundSteps(whole) : plannedSteps(whole, moves)))),
    ...(drift ? [] : left.flatMap((step) => readable(step, () => plannedSteps(step, moves)))),
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

function plannedSteps(step: PlanStep, moves: Moves): PlanStep[] {
  const before = membersBefore(step);
  if (harmless.has(step.op)) return [...before].map(([key, old]) => memberStep(step, key, "same", { before: old }));
  const wanted =
    (step.op === "delete" ? undefined : parseFleet(step.after?.inputs ?? {}).members) ?? new Map<string, Member>();
  const isReplaced = step.op === "replace";
  // If the provider reports changed members, the others are unchanged.
  const isTold = step.changed?.some((path) => path.startsWith("endpoints[")) === true;

  return [...new Set([...wanted.keys(), ...before.keys()])].map((key) => {
    const member = wanted.get(key);
    const old = freedBy(member, before.get(key));
    if (!member) return memberStep(step, key, "delete", { before: old });

    const importId = importIdOf(step, member);
    // An added member of the state has lost its endpoint.
    const isGone = old !== undefined && step.added?.includes(memberPath(key)) === true;
    const takes = !old || isReplaced || isGone ? takesOf(step, member, isGone ? old.id : undefined) : undefined;
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

    if (!old || isGone || takes !== undefined) return memberStep(step, key, "create", { after });
    const isNamed = step.changed?.some((path) => path.startsWith(memberPath(key)));
    if (isTold && !isNamed) return memberStep(step, key, "same", { before: old });
    return changeOf(asKept(memberStep(step, key, "update", { before: old, after })), moves);
  });
}

/**
 * A member's update with the state's values of all that is known and that the provider does not name as changed: of a
 * value that `ignoreChanges` keeps, the plan's inputs have the program's.
 */
function asKept(step: PlanStep): PlanStep {
  const { changed, before, after } = step;
  if (!changed || !before || !after) return step;
  const named = new Set(changed.map((path) => path.split(/[.[]/)[0] as string));
  const isOther = (name: EndpointProperty) => named.has(name) || hasUnknown(after.inputs[name]);
  const isResized = isOther("sizeCu");
  const compared = endpointProperties.filter((name) => propertyOf(name).compared !== "never");
  const kept = compared.filter((name) => {
    const isSize = sizeNames.some((one) => one === name);
    return before.outputs[name] !== undefined && !isOther(name) && !(isSize && isResized);
  });
  const inputs = { ...after.inputs, ...Object.fromEntries(kept.map((name) => [name, before.outputs[name]])) };
  // A state has the limits of a fixed size too.
  if (limitNames.some((name) => kept.includes(name))) delete inputs.sizeCu;
  return { ...step, after: { ...after, inputs } };
}

/** A member's old side, protected only if the program still protects it. */
function freedBy(member: Member | undefined, before: PlanState | undefined): PlanState | undefined {
  if (!before?.protect || !member || member.options.protect === true) return before;
  const { protect: _, ...freed } = before;
  return freed;
}

/** The id of the endpoint that a member adopts; UNKNOWN if uncertain. `goneId`: the member's own, which is gone. */
function takesOf(step: PlanStep, member: Member, goneId?: string): string | typeof UNKNOWN | undefined {
  const importId = importIdOf(step, member);
  if (importId !== undefined && importId !== goneId) {
    // An `importId` counts once: the gone endpoint may have come by it.
    return importId === UNKNOWN || goneId !== undefined ? UNKNOWN : importId.split("/")[1];
  }

  const note = shown(step.after?.inputs[TAKES]);
  const noted = isRecord(note) ? ownValue(note, member.key) : note;
  if (noted === true || noted === UNKNOWN) return UNKNOWN;
  return typeof noted === "string" ? noted : undefined;
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
function changeOf(step: PlanStep, moves: Moves): PlanStep {
  const { found } = readChange(step);
  const onNewBranch = newBranchOf(step, moves);
  const identity = [found.type, found.projectId, onNewBranch === "replace" ? found.branchId : undefined].filter(
    (one) => one !== undefined,
  );

  // A formerly secret value may be unchanged and is not compared.
  const isOther = identity.some(({ before, after }) => before !== undefined && after !== UNKNOWN);
  if (step.before && isOther) {
    // A fleet deletes the old endpoint before it creates the new one.
    return { ...step, op: "replace", before: { ...step.before, pendingReplacement: true } };
  }

  const isOpen = found.branchId !== undefined && onNewBranch === undefined;
  if (isOpen || identity.length > 0) return { ...step, mayBeReplaced: true };
  const outputs = step.before?.outputs;
  // Secret bookkeeping may contain an open operation of an earlier run.
  const resumes = holdsSecret(outputs?.[BOOKKEEPING]) || (bookkeepingOf(outputs).operations ?? []).length > 0;
  return Object.keys(found).length > 0 || resumes ? step : { ...step, op: "same" };
}

/** What a new branch does to a member: by its type, and by the settings of the stack's own provider. */
function newBranchOf({ before, after }: PlanStep, moves: Moves): Moves {
  const canMove = rulesOfType(before?.outputs.type)?.moves;
  if (canMove === undefined) return undefined;
  if (!canMove) return "replace";
  return nameOfUrn(after?.provider ?? "").startsWith("default") ? moves : undefined;
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
