/** What a preview says of a step: its outputs as far as they can be known, what it does to people, and its place in the order. */
import type { Reporter } from "../endpoint/context";
import type { DiffRequest, DiffResult } from "../endpoint/diff";
import { isIgnored, resetValues, setBefore } from "../endpoint/differences";
import { isReadWrite } from "../endpoint/identity";
import { sizeOutputs, toState } from "../endpoint/mapping";
import { endpointOutputs } from "../endpoint/outputs";
import { type CheckedInputs, parseInputs } from "../endpoint/parse-inputs";
import { sizeRange } from "../endpoint/rules/size";
import type { EndpointState } from "../endpoint/state";
import { memberIn, type Owner } from "../lib/owner";
import { UNKNOWN } from "../lib/unknown";
import type { Claim } from "../plan/ledger";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointSnapshot } from "../platform/project/endpoint-cache";
import type { LifecycleContext } from "./call";

/** A change of an endpoint, or a create, as a host hands it over for a preview. */
type PreviewRequest = Pick<DiffRequest, "inputs" | "oldInputs" | "ignoreChanges"> & {
  state?: EndpointState | undefined;
};

/**
 * Takes note that a planned step was asked for, of a fleet with its members; where its place in the order counts, not before all were that
 * wait for nothing.
 */
export async function announceStep(context: LifecycleContext, members: readonly Owner[] = []): Promise<void> {
  const { run, urn, account, signal } = context;
  if (await isHeld(context, members)) await run.planning.quiet(account.clock, signal);
  await run.record(urn).refuseLate?.();
  for (const owner of [urn, ...members]) run.done(owner);
}

/** True where a planned step's answer waits, since another resource may contend. */
export async function isHeld(context: LifecycleContext, members: readonly Owner[] = []): Promise<boolean> {
  const { run, urn, account, signal } = context;
  if (run.record(urn).refuseLate) return true;
  for (const owner of [urn, ...members]) {
    const claim = run.record(owner).claim;
    // What a member takes over, in whatever way, may be of a fleet that is not planned yet, and that lets it go.
    if (claim?.arrival === "adopt" && memberIn(owner)) return true;
    // A member that is deleted makes room.
    const place = claim?.to ?? claim?.from;
    if (!claim || !place) continue;
    const snapshot = await account.project(place.projectId).cache.snapshot({ signal });
    if (mayContend(claim, snapshot, (endpointId) => run.isPlanned(endpointId))) return true;
  }
  return false;
}

/** True where one that was not checked yet may become something else if this step is answered first: then the answer waits. */
export function mayContend(
  { arrival, to, leavesInTime }: Claim,
  snapshot: EndpointSnapshot,
  isPlanned: (endpointId: string) => boolean,
): boolean {
  if (leavesInTime) return true;
  // An endpoint that is taken over is on the branch before and after.
  if (arrival === undefined || arrival === "adopt") return false;
  if (arrival !== "create") return true;
  // A new endpoint matters only to one that may still move to its branch; two read-write endpoints are refused in any order.
  return snapshot.all().some(({ id, branchId, type }) => {
    const mayCome = branchId !== to?.branchId && !(isReadWrite(to) && isReadWrite({ type }));
    return mayCome && !isPlanned(id);
  });
}

/**
 * The outputs as far as a preview can know them. Of an update, which has a `state`: what is, with what changes and what is put back. Of a create:
 * inputs, what follows from the size, and all of an endpoint that is taken over.
 */
export async function previewOutputs(
  { run, urn, account, signal }: LifecycleContext,
  { state, inputs: raw, oldInputs, ignoreChanges = [] }: PreviewRequest,
): Promise<EndpointState> {
  const { profile } = account.settings;
  const { inputs } = parseInputs(raw);
  if (state) {
    const isChanged = (name: string) => !isIgnored(name, ignoreChanges);
    const changed = Object.fromEntries(Object.entries(inputs).filter(([name]) => isChanged(name)));
    return withInputs(
      { ...state, ...resetValues([...setBefore(state, oldInputs)].filter(isChanged)) },
      changed,
      profile,
    );
  }
  const { to, adopts } = run.record(urn).claim ?? {};
  const taken = to && adopts !== undefined && (await account.project(to.projectId).cache.endpoint(adopts, { signal }));
  if (taken) return withInputs(toState(taken), inputs, profile);
  const unknown = Object.fromEntries(Object.keys(endpointOutputs.shape).map((name) => [name, UNKNOWN]));
  return withInputs(unknown, inputs, profile);
}

/** Inputs over what is. A size is given as a whole: with another one nothing of the old is left, without one all of it. */
function withInputs(state: EndpointState, inputs: CheckedInputs, profile: Profile): EndpointState {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu, ...others } = inputs;
  if (sizeRange(inputs) === undefined) return { ...state, ...others };
  const min = sizeCu ?? autoscalingLimitMinCu ?? UNKNOWN;
  const max = sizeCu ?? autoscalingLimitMaxCu ?? UNKNOWN;
  const { sizeCu: _, maxConnections: __, ...kept } = state;
  return { ...kept, ...others, ...(sizeCu !== undefined && { sizeCu }), ...sizeOutputs(min, max, profile) };
}

/** Says what a planned change does to the endpoint: as a warning where people are cut off, else as information. */
export function reportDiff(reporter: Reporter, diff: Pick<DiffResult, "impact" | "madeGoodBy" | "messages">): void {
  const { messages } = diff;
  if (messages.length === 0) return;
  const text = messages.join("; ");
  if (cutsOff(diff)) reporter.warn(text);
  else reporter.info(text);
}

/** True where a change cuts people off, or keeps them out. */
export function cutsOff({ impact, madeGoodBy }: Pick<DiffResult, "impact" | "madeGoodBy">): boolean {
  if (madeGoodBy === "restarted") return true;
  return impact !== undefined && (impact.restarts || impact.dropsConnections || impact.hostChanges || impact.downtime);
}
