/** Applies a plan: each member's step in its turn among the resources of the run, and known to them at once. */
import { boundsOf } from "../endpoint/context";
import { completeInputs } from "../endpoint/parse-inputs";
import type { DoneStep, StoredEndpoint } from "../endpoint/stored";
import { type Applied, apply, type StepSlot } from "../fleet/apply";
import type { FleetPlan, MemberPlan } from "../fleet/plan";
import type { StoredMember, StoredMembers } from "../fleet/state";
import { bring, letGo } from "../fleet/step";
import type { PlaceStep } from "../places/steps";
import { stayOf } from "../places/wish";
import { PartialError } from "../platform/errors";
import type { PulumiFleetContext } from "./call";
import { createAnew } from "./endpoint/create";
import { changeInTurn } from "./endpoint/turn";
import { objectionNow, type WantedSet } from "./fleet/plan";
import { adviseError } from "./messages/remedies";

/** Applies a plan. Its errors get this host's advice. */
export async function applyPlan(caller: PulumiFleetContext, plan: FleetPlan, asked: Asked): Promise<Applied> {
  const context = plan.rollout ? inWaves(caller) : caller;
  const applied = await apply(context, {
    plan,
    make: (one, part, slot) => noted(context, one.key, makeStep(context, one, part, { ...asked, slot })),
  });
  for (const { key, error } of applied.failures) adviseError(error, { ...context, urn: context.ownerOf(key) });
  return applied;
}

/** What was planned, and from what. */
interface Asked {
  set: WantedSet;
  before: StoredMembers;
}

/** Makes a member's step, in its turn among the resources of the run. */
async function makeStep(
  context: PulumiFleetContext,
  one: MemberPlan,
  part: PlaceStep["part"],
  { set, before, slot }: Asked & { slot: StepSlot },
): Promise<DoneStep | undefined> {
  const { key, member, stored } = one;
  const own = { ...context.member(key), ...slot };
  if (!member) return letGo(own, one);

  const inputs = completeInputs(member.read);
  const values = { inputs, oldInputs: set.oldInputs?.(key), create: () => createAnew(own, inputs) };
  const objection = () => objectionNow(context, onlyOf(set, key), entryOf(before, key));
  const turn = { inputs, state: stored?.state, objection };
  // A replica that is replaced waits for its primary before its delete, too.
  return changeInTurn(own, turn, async () =>
    part === "go" ? letGo(own, one) : bring(own, one, values, part === "come"),
  );
}

/** Records a step's endpoint at once, for others of the run that look for what is theirs. */
async function noted<T extends StoredEndpoint | undefined>(
  context: PulumiFleetContext,
  key: string,
  step: Promise<T>,
): Promise<T> {
  const note = ({ state }: Pick<StoredEndpoint, "state">) => recognize(context, new Map([[key, { state }]]));
  try {
    const stored = await step;
    if (stored) note(stored);
    return stored;
  } catch (error) {
    if (error instanceof PartialError) note(error);
    throw error;
  }
}

/** With a rollout, `customTimeouts` applies to each member, from its own start. */
function inWaves(context: PulumiFleetContext): PulumiFleetContext {
  const { account, timeoutMs } = context;
  return {
    ...context,
    deadlineMs: undefined,
    member: (key) => ({ ...context.member(key), ...boundsOf(account, timeoutMs) }),
  };
}

/** The set as far as one member is concerned. */
function onlyOf(set: WantedSet, key: string): WantedSet {
  return { ...set, rollout: undefined, wanted: entryOf(set.wanted, key) };
}

function entryOf<T>(all: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const one = all.get(key);
  return new Map(one === undefined ? [] : [[key, one]]);
}

/** Records the endpoints of a set, and why one stays when its owner leaves. */
export function recognize(
  { run, ownerOf, replaces }: PulumiFleetContext,
  members: ReadonlyMap<string, Pick<StoredMember, "state">>,
): void {
  for (const [key, { state }] of members) {
    const owner = ownerOf(key);
    if (typeof state.endpointId === "string") run.identify(owner, state.endpointId);
    if (replaces === "engine") run.record(owner).stays = stayOf(state);
  }
}
