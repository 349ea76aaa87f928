import type { PgComputeError } from "../../platform/errors";
import { adviseError } from "../advice";
import type { Reader } from "../occupied-advice";

/** Adds to a member's error what to do next. A member, which has this URN, is no resource that a command could name. */
export function adviseMember(error: PgComputeError, reader: Reader, urn: string): void {
  const { remedy } = error;
  if (remedy?.kind === "maybeCreated" && remedy.candidates.length === 0 && remedy.keepsNames !== false) {
    error.advise("Run `pulumi up` again: it takes the endpoint up if it is there, and creates it if it is not.");
  } else if (remedy?.kind === "rootBranch") {
    error.advise(
      "Set `retainOnDelete: true` for this member and run `pulumi up` first, with the member still in the program.",
    );
  } else {
    adviseError(error, remedy?.kind === "maybeCreated" ? { ...reader, urn } : reader);
  }
}
