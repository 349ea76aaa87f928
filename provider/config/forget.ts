/** The endpoints that a person says a run is to leave where they are. It is no setting: it holds for one run, on both hosts. */
import { isId } from "../lib/ids";
import { quoted } from "../lib/wording";

/** The environment variable: ids as `PROJECT/ENDPOINT`, or a `PROJECT` for all that is in it, with commas between several. */
export const FORGET_VARIABLE = "PGCOMPUTE_FORGET";

/** The ids that the variable names, or why it cannot be read. */
export function parseForget(
  text: string | undefined,
): { ids: string[]; reason?: undefined } | { ids?: undefined; reason: string } {
  const ids = (text ?? "").split(",").flatMap((one) => one.trim() || []);
  const wrong = ids.find((id) => !isForgettable(id));

  if (wrong === undefined) return { ids };
  return { reason: `${quoted(wrong)} names no endpoint: write PROJECT/ENDPOINT, or PROJECT for all of a project` };
}

function isForgettable(id: string): boolean {
  const [projectId = "", endpointId, ...rest] = id.split("/");
  if (rest.length > 0 || !isId(projectId)) return false;
  return endpointId === undefined || (isId(endpointId) && endpointId.startsWith("ep-"));
}
