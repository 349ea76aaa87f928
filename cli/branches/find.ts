/** The branch that people mean, by its name or its id. */
import { isId } from "../../provider/lib/ids";
import { plain } from "../../provider/lib/wording";
import type { Api } from "../../provider/platform/api";
import type { BranchRecord } from "../../provider/platform/records";
import { CommandError, exitCodes } from "../exit-code";

/** The branch of this name or id. Throws a usage error that lists the branches if there is none such. */
export function findBranch(branches: readonly BranchRecord[], wanted: string): BranchRecord {
  const found = branches.find(({ id, name }) => name === wanted || id === wanted);
  if (found) return found;
  const known = branches.map(({ id, name }) => plain(name ?? id)).join(", ");
  throw new CommandError(`the project has no branch "${plain(wanted)}"; it has ${known}`, exitCodes.usage);
}

/** The id of the branch that an option names. An id need not exist: a deleted branch may still have operations. */
export async function branchIdOf(
  api: Pick<Api, "listBranches">,
  projectId: string,
  wanted: string,
  signal: AbortSignal,
): Promise<string> {
  if (wanted.startsWith("br-") && isId(wanted)) return wanted;
  return findBranch(await api.listBranches(projectId, { signal }), wanted).id;
}
