/**
 * Finds the endpoint of a create whose answer was lost: by name or, without stored names, a primary by its place
 * (docs/decisions/0021-lost-creates-without-names.md).
 */
import { wholeSecond } from "../lib/clock";
import { isKind } from "../platform/errors";
import { ages, lost as policy } from "../platform/policy";
import type { Create } from "../platform/project/creates";
import type { EndpointRecord } from "../platform/records";
import { noticed } from "../platform/until";
import { type Context, requestOptions } from "./context";
import { ownerNameIn } from "./ownership-name";
import { lookPatiently, OPERATIONS } from "./recovery";
import { isSole } from "./types";

/** A create with a lost answer. */
export interface LostCreate {
  projectId: string;
  create: Create;
  /** True for an endpoint that shows all sent values. */
  isShownBy(record: EndpointRecord): boolean;
  /** True for an endpoint of a resource in this run. */
  isTaken(endpointId: string): boolean;
}

/**
 * The result of a search after a lost create: its endpoint, by name or place, or several candidates. With candidates
 * nothing is sent again. Where nothing is found, `change.ts` sends the create again, a bounded number of times.
 */
export type FoundCreate =
  | { kind: "named" | "placed"; record: EndpointRecord }
  | { kind: "unclear"; candidates: readonly EndpointRecord[] };

/**
 * Looks for a lost create's endpoint in several lists, as any may lag. `patient` repeats the lookup. Throws if the
 * platform is unreadable.
 */
export function findCreated(
  context: Context,
  lost: LostCreate,
  { patient }: { patient: boolean },
): Promise<FoundCreate | undefined> {
  // A lagging list may not show the create's own endpoint yet.
  const isBehind = (found: FoundCreate | undefined) => patient && (!found || found.kind === "unclear");
  return lookPatiently(context, (late) => lookForCreated(late, lost), isBehind);
}

async function lookForCreated(context: Context, lost: LostCreate): Promise<FoundCreate | undefined> {
  const { projectId, create } = lost;
  const { creates } = context.account.project(projectId);
  const seen = new Map<string, EndpointRecord>();
  for await (const records of listed(context, lost)) {
    const named = records.find(({ name }) => create.ownName !== undefined && name === create.ownName);
    if (named) return { kind: "named", record: named };
    for (const record of records) seen.set(record.id, record);
  }

  const showsNames = [...seen.values()].some((record) => ownerNameIn(record) !== undefined);
  if (create.ownName !== undefined && (creates.keepsNames ?? showsNames)) return undefined;

  // The endpoint may be the result of another running create of this run.
  const beside = creates.answersBeside(create);
  await noticed(context.account.clock, beside, "answers to other creates on this branch", context.reporter.status);
  const candidates = [...seen.values()].filter((record) => isNewBeside(context, lost, record));
  if (!isSole(create)) return { kind: "unclear", candidates };

  const [only] = candidates;
  if (only === undefined) return undefined;
  if (!isMade(context, lost, only)) return { kind: "unclear", candidates };
  // From here on no other create gets it.
  creates.take(only);
  return { kind: "placed", record: only };
}

/** Yields each list's visible candidates, the newest and nearest first. */
async function* listed(
  context: Context,
  { projectId, create: { branchId } }: LostCreate,
): AsyncGenerator<EndpointRecord[]> {
  const { signal } = context;
  const { api, clock } = context.account;
  const { cache, operations } = context.account.project(projectId);
  const options = requestOptions(context);

  yield await api.listBranchEndpoints(projectId, branchId, options).catch((error: unknown) => {
    // A platform without this call still has the project's list.
    if (isKind(error, "not_found", "invalid_request")) return [];
    throw error;
  });

  const snapshot = await cache.snapshot({ sinceMs: clock.now(), signal, onWait: context.reporter.status });
  yield snapshot.all();
  const unlisted = new Set<string>();
  const recent = operations.look({ branchIds: [branchId] }, signal);
  for (const operation of await noticed(clock, recent, OPERATIONS, context.reporter.status)) {
    if (operation.branchId !== branchId || operation.endpointId === undefined) continue;
    if (!snapshot.get(operation.endpointId)) unlisted.add(operation.endpointId);
  }

  for (const endpointId of [...unlisted].slice(0, policy.mostAsked)) {
    const record = await cache.readById(endpointId, options);
    if (record) yield [record];
  }
}

/** True for a new endpoint on the branch, as far as known, that no resource of this run has. */
function isNewBeside(
  { account }: Context,
  { projectId, create: { branchId, type, ownName, before }, isTaken }: LostCreate,
  { id, createdAt = "", ...record }: EndpointRecord,
): boolean {
  const { cache, creates } = account.project(projectId);
  if (!before || record.branchId !== branchId || record.type !== type) return false;
  if (creates.isTaken(id) || isTaken(id)) return false;
  // A create with the program's name makes no endpoint with a generated one.
  if (ownName === undefined && ownerNameIn(record) !== undefined) return false;
  if (before.mark !== undefined && cache.wasSeenBefore(before.mark, id)) return false;
  // NaN without a time of the platform; every comparison with NaN is false.
  return !(Date.parse(createdAt) < earliestMs(before.timeMs));
}

/**
 * True for a new primary that is certainly the create's: absent from a list before the request, and with all sent
 * values.
 */
function isMade(
  { account }: Context,
  { projectId, create: { ownName, before }, isShownBy }: LostCreate,
  record: EndpointRecord,
): boolean {
  if (before?.mark === undefined || !(Date.parse(record.createdAt ?? "") >= earliestMs(before.timeMs))) return false;
  // Unless the platform stores no names, another name means another creator. A program's name is among the sent values.
  const keepsNames = account.project(projectId).creates.keepsNames !== false;
  const isOthers = ownName !== undefined && keepsNames && (record.name ?? "") !== "";
  return !isOthers && isShownBy(record);
}

function earliestMs(timeMs = Number.NaN): number {
  return wholeSecond(timeMs) - ages.clockMs;
}
