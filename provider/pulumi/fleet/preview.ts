/** The outputs of a fleet as far as a preview can know them: what is unknown of one member is unknown of that one alone. */
import { setIn } from "../../endpoint/differences";
import { toState } from "../../endpoint/mapping";
import { BOOKKEEPING, type EndpointState } from "../../endpoint/state";
import { endpointInputs } from "../../fleet/notes";
import type { FleetPlan, MemberPlan } from "../../fleet/plan";
import { decodeMembers, shownOf } from "../../fleet/state";
import { UNKNOWN } from "../../lib/unknown";
import { isHeld, previewCreate, previewUpdate } from "../preview";
import { claimsDone } from "./claims";
import { type FleetCall, fleetContext, type PulumiFleetContext } from "./context";
import { type ProgramRequest, planOf } from "./plan";

type Values = Readonly<Record<string, unknown>>;

/** A fleet's outputs after a create, or after an update of what is there; and the plan, where there is one. */
export async function previewFleet(
  call: FleetCall,
  { state = {}, ...request }: ProgramRequest & { state?: Values },
): Promise<{ outputs: Record<string, unknown>; plan?: FleetPlan }> {
  const context = fleetContext(call);
  const plan = await planOf(context, request, { stored: decodeMembers(state) });
  if (!plan) return { outputs: { endpoints: UNKNOWN, [BOOKKEEPING]: UNKNOWN } };
  const shown = await Promise.all(
    [...plan.members.values()].map(async (member) =>
      member.member ? [[member.key, await previewMember(context, member, request.oldInputs)]] : [],
    ),
  );
  await announce(context, plan);
  claimsDone(context, plan);
  return { outputs: { endpoints: Object.fromEntries(shown.flat()), [BOOKKEEPING]: UNKNOWN }, plan };
}

/** True where a fleet's planned step waits with its answer, since others may contend with these members. */
export async function isFleetHeld(
  { run, ownerOf, member }: PulumiFleetContext,
  keys: Iterable<string>,
): Promise<boolean> {
  for (const key of keys) {
    // What is taken over, in whatever way, may be of a fleet that is not planned yet, and that lets it go.
    if (run.claims.of(ownerOf(key))?.arrival === "adopt" || (await isHeld(member(key)))) return true;
  }
  return false;
}

async function previewMember(
  context: PulumiFleetContext,
  { key, change, member, stored, found, ignored }: MemberPlan,
  oldInputs: Values | undefined,
): Promise<EndpointState | typeof UNKNOWN> {
  if (!member || member.isUnknown) return UNKNOWN;
  const set = setIn(member.parsed);
  if (change === "take" && found)
    return shownOf(previewUpdate(context.account.settings.profile, toState(found.record), member.inputs), set);
  const isNew = change === "create" || change === "replace" || !stored;
  const outputs = isNew
    ? await previewCreate(context.member(key), member.inputs)
    : previewUpdate(
        context.account.settings.profile,
        stored.state,
        member.inputs,
        endpointInputs(oldInputs, key),
        ignored,
      );
  return shownOf(outputs, set);
}

/** Where a member's place in the order counts, the answer waits until all were planned that wait for nothing. */
async function announce(context: PulumiFleetContext, { members }: FleetPlan): Promise<void> {
  const { run, urn, account, signal } = context;
  const { refuseLate } = run.record(urn);
  if (refuseLate || (await isFleetHeld(context, members.keys()))) await run.planning.quiet(account.clock, signal);
  await refuseLate?.();
}
