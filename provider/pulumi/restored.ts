/**
 * A restore in place: a new branch has taken the place of the one that a program names by its id, with all endpoints. To put an endpoint
 * back there would bring back the data of before the restore.
 */
import { idOf } from "../endpoint/identity";
import { undoesRestoreMessage } from "../endpoint/impact/impact";
import { isKnown, type Maybe } from "../lib/unknown";
import { listedFew, plain, quoted } from "../lib/wording";
import type { BranchRecord, EndpointRecord } from "../platform/records";
import type { LifecycleContext } from "./context";

/** An endpoint, and what a plan does to it. */
export interface RestorePlan {
  /** The endpoint as the platform has it now. */
  record: EndpointRecord | undefined;
  /** The branch that the program names, in the project of the endpoint. */
  wanted: Maybe<string>;
  /** True where the plan puts it, or another in its place, on that branch. */
  isPutBack: boolean;
  /** The member of a fleet that it is. */
  key?: string;
}

/**
 * Why a plan cannot be: it would undo a restore, and `undoRestore` does not name the restored branch. Warns of a plan that leaves an
 * endpoint there. Branches are listed only where an endpoint stands elsewhere than the program says.
 */
export async function undoneRestoreMessage(
  context: LifecycleContext,
  plans: Iterable<RestorePlan>,
): Promise<string | undefined> {
  const looked = await Promise.all([...plans].map((plan) => restoreOf(context, plan)));
  const found = looked.filter((one) => one !== undefined);
  for (const { plan, branch } of found) {
    if (!plan.isPutBack) context.reporter.warn(restoredMessage([plan], branch));
  }
  const refused = found.filter(({ plan }) => plan.isPutBack);
  const branches = new Map(refused.map(({ branch }) => [branch.id, branch]));
  const messages = [...branches.values()].map((branch) =>
    restoredMessage(
      refused.filter((one) => one.branch.id === branch.id).map(({ plan }) => plan),
      branch,
    ),
  );
  return messages.length === 0 ? undefined : messages.join("\n");
}

/** What became of a branch that is not there any more: another has its place since a restore. */
export async function successorMessage(
  { account, signal }: LifecycleContext,
  projectId: string,
  branchId: string,
): Promise<string | undefined> {
  const branch = await account.project(projectId).cache.branchRestoredAs(branchId, { signal });
  return (
    branch &&
    `branch ${plain(branchId)} was replaced by ${formatBranch(branch)}, when a snapshot was restored; ${keepAdvice(branch)}`
  );
}

interface Found {
  plan: RestorePlan;
  branch: BranchRecord;
}

async function restoreOf(
  { account, signal, reporter }: LifecycleContext,
  plan: RestorePlan,
): Promise<Found | undefined> {
  const { record, wanted } = plan;
  if (!record || !isKnown(wanted) || record.branchId === wanted) return undefined;
  const { cache } = account.project(record.projectId);
  const branch = await cache.branch(record.branchId, { signal });
  if (!branch || !(await cache.replaced(branch.id, wanted, { signal }))) return undefined;
  if (account.settings.undoRestore === branch.id) {
    const who = plan.key === undefined ? "" : `${plan.key}: `;
    if (plan.isPutBack) reporter.warn(`${who}${undoesRestoreMessage(branch.id)}`);
    return undefined;
  }
  return { plan, branch };
}

function restoredMessage(plans: readonly RestorePlan[], branch: BranchRecord): string {
  const keys = plans.flatMap(({ key }) => key ?? []);
  const ids = listedFew(plans.flatMap(({ record }) => (record ? [idOf(record)] : [])));
  const who = `${keys.length > 0 ? `${listedFew(keys)}: ` : ""}${plans.length === 1 ? "endpoint" : "endpoints"} ${ids}`;
  return (
    `${who} ${plans.length === 1 ? "stands" : "stand"} on ${formatBranch(branch)}, which replaced ${plain(String(plans[0]?.wanted))} when a snapshot was ` +
    `restored. ${keepAdvice(branch)}; to go back to the data of before the restore, run: PGCOMPUTE_UNDO_RESTORE=${branch.id} pulumi up`
  );
}

function keepAdvice({ id }: BranchRecord): string {
  return `To keep the restored data write branchId: ${quoted(id)}, or use getBranch by the branch's name`;
}

function formatBranch({ id, name }: BranchRecord): string {
  return name === undefined || name === id ? id : `${id} (now named ${quoted(name)})`;
}
