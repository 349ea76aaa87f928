/** `PGCOMPUTE_FORGET`: endpoints to leave alone in one run, on both hosts. It is no setting of the configuration. */
import { isId } from "../lib/ids";
import { quoted } from "../lib/wording";

/** Names the endpoints that a run leaves alone: comma-separated `PROJECT/ENDPOINT`, or `PROJECT` for all of its own. */
export const FORGET_VARIABLE = "PGCOMPUTE_FORGET";

/** The variable's ids, or the reason why it is invalid, with the wrong one as `told` writes it. */
export function parseForget(
  text: string | undefined,
  told: (value: string) => string = (value) => value,
): { ids: string[]; reason?: undefined } | { ids?: undefined; reason: string } {
  const ids = (text ?? "").split(",").flatMap((one) => one.trim() || []);
  const wrong = ids.find((id) => !isForgettable(id));

  if (wrong === undefined) return { ids };
  return {
    reason: `${quoted(told(wrong))} names no endpoint: write PROJECT/ENDPOINT, or PROJECT for all of a project`,
  };
}

function isForgettable(id: string): boolean {
  const [projectId = "", endpointId, ...rest] = id.split("/");
  if (rest.length > 0 || !isId(projectId)) return false;
  return endpointId === undefined || (isId(endpointId) && endpointId.startsWith("ep-"));
}
