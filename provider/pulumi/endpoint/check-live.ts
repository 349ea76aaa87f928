/** Check's rules that need the platform or the program's other resources, such as that on restored branches. */
import { requestOptions } from "../../endpoint/context";
import type { DiffResult } from "../../endpoint/diff";
import { type BranchPlace, idOf } from "../../endpoint/identity";
import { undoesRestoreMessage } from "../../endpoint/impact/sentences";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import type { Failure } from "../../lib/failure";
import { isKnown, type Maybe } from "../../lib/unknown";
import { commandLines, listedFew, nearestName, plain, quoted } from "../../lib/wording";
import type { Change } from "../../places/wish";
import { withAddressChecked } from "../../platform/account";
import { HttpError, isKind, type PgComputeError } from "../../platform/errors";
import type { EndpointSnapshot } from "../../platform/project/endpoint-cache";
import type { BranchRecord, EndpointRecord } from "../../platform/records";
import type { LifecycleContext } from "../call";
import { UP_COMMAND, withVariable } from "../messages/commands";
import { messageFor } from "../messages/errors";
import { lostProjectAdvice } from "../messages/remedies";

/** An endpoint's inputs to check against the platform. */
export interface PlaceToCheck {
  inputs: CheckedInputs;
  /** The last run's inputs. */
  olds: CheckedInputs;
  /** True for a property that has failed already. */
  isBad(property: string): boolean;
}

/**
 * Checks that each endpoint's project can be read, and that it has its branch and libraries (specification, section 1).
 * Returns the failures of each.
 */
export async function checkPlaces(context: LifecycleContext, all: readonly PlaceToCheck[]): Promise<Failure[][]> {
  const projects = new Map<string, ReturnType<typeof readProject>>();
  const had = new Set(all.map(({ olds }) => olds.projectId));

  const failures = all.map(async (one): Promise<Failure[]> => {
    const { projectId } = one.inputs;
    if (!isKnown(projectId) || one.isBad("projectId")) return [];

    const reading = projects.get(projectId) ?? readProject(context, { projectId, hasOne: had.has(projectId) });
    projects.set(projectId, reading);
    const { snapshot, failure } = await reading;
    return snapshot ? checkPlace(context, one, snapshot) : [failure];
  });
  return Promise.all(failures);
}

/**
 * A project's endpoints, or the failure to read them. `hasOne`: the state has one there. Throws if the platform is
 * unreachable.
 */
async function readProject(
  context: LifecycleContext,
  { projectId, hasOne }: { projectId: string; hasOne: boolean },
): Promise<{ snapshot: EndpointSnapshot; failure?: undefined } | { snapshot?: undefined; failure: Failure }> {
  const { account, signal } = context;
  const list = () => account.project(projectId).cache.snapshot({ signal, onWait: context.reporter.status });
  try {
    return { snapshot: await withAddressChecked(account.api, list, signal) };
  } catch (error) {
    if (!isKind(error, "not_found", "forbidden")) throw error;
    // A bad key or address is no property's fault.
    if (error.kind === "forbidden" || error.remedy) return { failure: { property: "", reason: messageFor(error) } };
    const reason = `project ${projectId} does not exist, or this API key may not see it (${answerOf(error)})`;
    const property = "projectId";
    if (hasOne) return { failure: { property, reason: `${reason}. ${lostProjectAdvice({ projectId })}` } };
    return { failure: { property, reason, advice: { kind: "find_project" } } };
  }
}

async function checkPlace(
  context: LifecycleContext,
  { inputs, olds, isBad }: PlaceToCheck,
  snapshot: EndpointSnapshot,
): Promise<Failure[]> {
  const { projectId, branchId } = inputs;
  const isPlaced = isKnown(projectId) && isKnown(branchId) && !isBad("branchId");
  const missing = isPlaced && (await missingBranch(context, { projectId, branchId }, snapshot));
  const libraries = isBad("preloadLibraries") ? [] : await missingLibraries(context, inputs, olds);
  return [...(missing ? [missing] : []), ...libraries];
}

async function missingBranch(
  context: LifecycleContext,
  { projectId, branchId }: BranchPlace,
  snapshot: EndpointSnapshot,
): Promise<Failure | undefined> {
  const { branches } = context.account.project(projectId);
  const options = requestOptions(context);
  if (snapshot.onBranch(branchId).length > 0 || !(await branches.areListed(options))) return undefined;
  if (await branches.find(branchId, options)) return undefined;
  const successor = (await branches.successors(branchId, options)).at(-1);
  if (successor) {
    const what = `was replaced by ${formatBranch(successor)}, when a snapshot was restored`;
    return { property: "branchId", reason: `branch ${plain(branchId)} ${what}; ${keepAdvice(successor)}` };
  }

  const reason = `branch ${branchId} does not exist in project ${projectId}`;
  return { property: "branchId", reason, advice: { kind: "find_branch", projectId } };
}

/** Libraries that the project lacks. Those in the old inputs pass: an import may have read unlisted ones. */
async function missingLibraries(
  context: LifecycleContext,
  { projectId, preloadLibraries: names }: CheckedInputs,
  { preloadLibraries: before = [] }: CheckedInputs,
): Promise<Failure[]> {
  if (!isKnown(projectId) || !isKnown(names) || names.length === 0) return [];
  const known = await context.account.project(projectId).cache.preloadLibraries(requestOptions(context));
  return names
    .filter((name) => known && !known.includes(name) && !(Array.isArray(before) && before.includes(name)))
    .map((name) => {
      const near = nearestName(name, known ?? []);
      const hint = near ? `did you mean "${near}"?` : `there are ${(known ?? []).join(", ") || "none"}`;
      return {
        property: "preloadLibraries",
        reason: `project ${projectId} has no library ${quoted(name)} to load: ${hint}`,
      };
    });
}

function answerOf(error: PgComputeError): string {
  if (!(error instanceof HttpError)) return error.summary;
  return [error.status, error.requestId && `request ${error.requestId}`].filter(Boolean).join(", ");
}

/** An endpoint and its planned place. */
export interface RestorePlan {
  record: EndpointRecord | undefined;
  /** The branch that the program names, in the project of the endpoint. */
  wanted: Maybe<string>;
  /** True if the plan puts the endpoint, or its replacement, on that branch. */
  isPutBack: boolean;
  key?: string | undefined;
}

/** A planned endpoint that is on a restored branch. */
type Restored = Pick<RestorePlan, "key"> & { record: EndpointRecord; wanted: string };

/** True for a change that puts an endpoint, or its replacement, on the program's branch. */
export function isPutBack(change: Change, diff: Pick<DiffResult, "properties"> | undefined): boolean {
  return change === "replace" || diff?.properties.branchId !== undefined;
}

/**
 * Reasons to refuse plans that move endpoints back to a branch after a snapshot was restored in its place, without
 * `undoRestore`: the old data would return. Warns if a plan leaves an endpoint on the restored branch.
 */
export async function undoneRestores(context: LifecycleContext, plans: readonly RestorePlan[]): Promise<string[]> {
  const { account, reporter } = context;
  const refused = new Map<BranchRecord, Restored[]>();

  for (const { record, wanted, isPutBack, key } of plans) {
    if (!record || !isKnown(wanted) || record.branchId === wanted) continue;
    const successors = await account.project(record.projectId).branches.successors(wanted, requestOptions(context));
    const branch = successors.find(({ id }) => id === record.branchId);
    if (!branch) continue;
    const restored = { record, wanted, key };

    if (account.settings.undoRestore === branch.id) {
      if (isPutBack) reporter.warn(`${key === undefined ? "" : `${key}: `}${undoesRestoreMessage(branch.id)}`);
    } else if (isPutBack) refused.set(branch, [...(refused.get(branch) ?? []), restored]);
    else reporter.warn(restoredMessage(branch, [restored]));
  }
  return [...refused].map(([branch, all]) => restoredMessage(branch, all));
}

function restoredMessage(branch: BranchRecord, all: readonly Restored[]): string {
  const keys = all.flatMap(({ key }) => key ?? []);
  const isOne = all.length === 1;
  const ids = listedFew(all.map(({ record }) => idOf(record)));
  const who = `${keys.length > 0 ? `${listedFew(keys)}: ` : ""}${isOne ? "endpoint" : "endpoints"} ${ids}`;
  return (
    `${who} ${isOne ? "stands" : "stand"} on ${formatBranch(branch)}, which replaced ${plain(all[0]?.wanted ?? "")} when a snapshot was ` +
    `restored. ${keepAdvice(branch)}; to go back to the data of before the restore, run:${commandLines(withVariable("PGCOMPUTE_UNDO_RESTORE", branch.id, UP_COMMAND))}`
  );
}

function keepAdvice({ id }: BranchRecord): string {
  return `To keep the restored data write branchId: ${quoted(id)}, or use getBranch by the branch's name`;
}

function formatBranch({ id, name }: BranchRecord): string {
  return name === undefined || name === id ? id : `${id} (now named ${quoted(name)})`;
}
