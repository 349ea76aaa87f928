/**
 * Refuses what a branch's protection forbids, that an endpoint leaves it, and says when a new endpoint's branch expires.
 * The facts are those of one list of branches a project and run, asked for only where an endpoint leaves or comes.
 */
import { requestOptions } from "../../endpoint/context";
import { isForgotten } from "../../endpoint/forget";
import { formatId } from "../../endpoint/identity";
import { reasonToStay } from "../../endpoint/rules/protection";
import { isKnown } from "../../lib/unknown";
import { commandLines, listedFew, plain, quoted } from "../../lib/wording";
import { isKind } from "../../platform/errors";
import type { BranchRecord } from "../../platform/records";
import type { LifecycleContext } from "../call";
import { forgettingCommand } from "../messages/commands";

/** An endpoint that leaves its branch, as the state or a list has it. */
export interface Departure {
  projectId: string;
  branchId: string;
  /** Absent where a forced replacement does not know its old endpoint. */
  endpointId?: string | undefined;
  type: unknown;
  how: "deleted" | "moved" | "replaced";
  key?: string | undefined;
}

/** A departure that the platform refuses. */
type Kept = Departure & { branch: BranchRecord; reason: string };

const ways: Readonly<Record<Departure["how"], string>> = {
  deleted: "then run this again",
  moved: "then run this again; or write the branch that it stands on",
  replaced: "then run this again; or take back what replaces it",
};

/** The reasons against endpoints that leave their branches, one for those of a branch. */
export async function refusedDepartures(context: LifecycleContext, all: readonly Departure[]): Promise<string[]> {
  if (!context.account.settings.profile.restrictsBranches) return [];
  const leaving = all.filter((one) => one.how === "moved" || !isLeftAlone(context, one));
  const kept = (await Promise.all(leaving.map((one) => keptBy(context, one)))).filter((one) => one !== undefined);
  const groups = new Map<string, Kept[]>();

  for (const one of kept) {
    const group = `${one.branch.id} ${one.how} ${one.reason}`;
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  const messages = [...groups.values()].map(keptMessage);
  const last = messages.pop();
  return last === undefined ? [] : [...messages, `${last}${leaveAdvice(kept)}`];
}

/** Says when the branch of a new endpoint expires: the endpoint goes with it. */
export async function noteExpiry(
  context: LifecycleContext,
  arrivals: readonly { projectId?: unknown; branchId?: unknown; key?: string }[],
): Promise<void> {
  if (!context.account.settings.profile.restrictsBranches) return;
  const expiring = new Map<BranchRecord, string[]>();
  for (const { projectId, branchId, key } of arrivals) {
    if (!isKnown(projectId) || !isKnown(branchId)) continue;
    const branch = await branchOf(context, { projectId: String(projectId), branchId: String(branchId) });
    if (branch?.expiresAt !== undefined) expiring.set(branch, [...(expiring.get(branch) ?? []), ...(key ? [key] : [])]);
  }

  for (const [branch, keys] of expiring) {
    const who = keys.length === 0 ? "" : `${listedFew(keys)}: `;
    const expiry = `expires at ${plain(branch.expiresAt ?? "")}: the platform deletes it then, with its endpoints`;
    context.reporter.info(`${who}branch ${formatBranch(branch)} ${expiry}`);
  }
}

function isLeftAlone(context: LifecycleContext, { projectId, endpointId }: Departure): boolean {
  return isForgotten(context, { projectId, ...(endpointId !== undefined && { endpointId }) });
}

/** The departure with the reason against it. Before a refusal both are read anew: what is gone leaves freely. */
async function keptBy(context: LifecycleContext, one: Departure): Promise<Kept | undefined> {
  const known = await branchOf(context, one);
  if (!known || reasonToStay(known, one) === undefined) return undefined;

  const { api, project } = context.account;
  const { projectId, endpointId } = one;
  const options = requestOptions(context);
  const record = endpointId === undefined ? one : await project(projectId).cache.readById(endpointId, options);
  if (!record) return undefined;
  const branch = await api.getBranch(projectId, record.branchId, options);
  const reason = reasonToStay(branch, record);
  return reason === undefined ? undefined : { ...one, branch, reason };
}

/** The branch, as far as the key may read it: the platform's own answer to the change has the last word. */
async function branchOf(
  context: LifecycleContext,
  { projectId, branchId }: Pick<Departure, "projectId" | "branchId">,
): Promise<BranchRecord | undefined> {
  try {
    return await context.account.project(projectId).branches.find(branchId, requestOptions(context));
  } catch (error) {
    if (isKind(error, "forbidden", "not_found")) return undefined;
    throw error;
  }
}

function keptMessage(all: readonly Kept[]): string {
  const [{ branch, reason, how }] = all as [Kept];
  const keys = all.flatMap(({ key }) => key ?? []);
  const ids = idsOf(all);
  const who = `${keys.length > 0 ? `${listedFew(keys)}: ` : ""}${ids.length === 0 ? "its endpoint" : listedFew(ids)}`;
  const lift = "Take the protection or the restriction off the branch on the platform";
  return (
    `${who} cannot be ${how}, since the platform keeps the endpoint on branch ${formatBranch(branch)}: ${plain(reason)}. Nothing was sent. ` +
    `${lift}, ${ways[how]}`
  );
}

/** The command that leaves all deleted endpoints where they are: one for those of all branches, as a run has one. */
function leaveAdvice(all: readonly Kept[]): string {
  const ids = idsOf(all.filter(({ how }) => how === "deleted"));
  if (ids.length === 0) return "";
  const what = ids.length === 1 ? "the endpoint where it is" : "the endpoints where they are";
  const command = commandLines(forgettingCommand(...ids));
  return `. To leave ${what}, have the same command let go of ${ids.length === 1 ? "it" : "them"}, as in:${command}`;
}

function idsOf(all: readonly Kept[]): string[] {
  return all.flatMap(({ projectId, endpointId }) => (endpointId ? formatId({ projectId, endpointId }) : []));
}

function formatBranch({ id, name }: BranchRecord): string {
  return name === undefined || name === id ? plain(id) : `${plain(id)} (${quoted(name)})`;
}
