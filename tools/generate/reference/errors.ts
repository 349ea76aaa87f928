import type { ErrorKind } from "../../../provider/platform/errors";
import { errorCatalog, HttpError } from "../../../provider/platform/errors";
import { kindOfStatus, toHttpError } from "../../../provider/platform/http/http-errors";
import { createRoutes } from "../../../provider/platform/routes";
import { kindAdvice, messageFor } from "../../../provider/pulumi/kind-advice";
import { argumentRows, lifecycleMessages, lifecycleWarnings } from "./lifecycle-messages";
import { bullets, code, page, table } from "./markdown";
import { argumentMessages, callRows, purposes } from "./messages";
import { commandMessages, configurationChanges, programMessages } from "./program-messages";
import { place } from "./refusals";
import { configurationRows, refusedRows, standing, warnedRows } from "./samples";

/** Where the specification (or the public facts on it) has what an error is about. Every kind has to be here. */
const sections: Record<ErrorKind, string> = {
  configuration: "5, 9",
  invalid_argument: "2.1, 2.3",
  unauthorized: "5, 7",
  forbidden: "5, 7",
  not_found: "7",
  conflict: "1, 4.3, 4.5, 7",
  not_ready: "4.6, 7",
  locked: "7",
  rate_limited: "8",
  invalid_request: "7",
  server: "7",
  unreachable: "",
  answer_lost: "",
  bad_answer: "2, 4",
  answer_too_large: "",
  redirect_refused: "9",
  operation_failed: "2.1, 3.1, 7",
  operation_timeout: "3.1, 4.2",
  operation_vanished: "4.2",
  cancelled: "",
  internal: "",
  refused: "1, 3.2, 4.5",
};

/** docs/reference/errors.md: what each kind of error means and what to do, and what a preview refuses, in its own words. */
export async function errorsPage(): Promise<string> {
  const rows = (Object.keys(errorCatalog) as ErrorKind[]).map((kind) => [
    code(kind),
    errorCatalog[kind].meaning,
    kindAdvice[kind],
    sections[kind],
  ]);
  return page(
    "Errors",
    [
      "Two things can go wrong: a preview refuses what the program says, on the property that has to change; or a call, or an",
      "operation it started, fails. Messages say what failed, on which id, why, and what to do next.",
    ].join("\n"),
    "## When something fails",
    table(["kind", "what it means", "what to do", "section"], rows),
    `A refused call reads, for example:\n\n> ${conflictMessage()}`,
    [
      "An error that comes after an endpoint exists begins with `endpoint PROJECT/ENDPOINT:`. Its id, its state and the operations",
      "that had not ended well are kept in the stack's state, and the next `pulumi up` goes on from there instead of creating again.",
    ].join("\n"),
    "### Answers of the platform",
    table(["status", "kind"], statusRows()),
    "### What calls say",
    "The message of a call begins with what it was to do:",
    bullets(purposes()),
    "goes on with the reason, and ends with what to do, as the table of kinds has it:",
    table(["kind", "reason"], callRows()),
    "No call is made with what cannot be an id:",
    bullets(argumentMessages()),
    "### What creates, updates, deletes and functions say",
    "After their calls were answered, or when an answer was lost for good:",
    bullets(await lifecycleMessages()),
    "## What a preview refuses",
    [
      "Each failure stands on its property, and all of them come at once. These are the plugin's own messages for the inputs on the",
      `left, with ${standing} where they say nothing else.`,
    ].join("\n"),
    table(["inputs", "property", "message", "section"], await refusedRows()),
    "## What a configuration is refused for",
    table(["configuration", "key", "message"], configurationRows()),
    "## What a function refuses",
    "For `getEndpoint`; the others say the same of theirs:",
    table(["arguments", "argument", "message"], await argumentRows()),
    "## Warnings",
    "What is legal but will not do what it seems to:",
    table(["inputs", "message", "section"], await warnedRows()),
    "And after the fact:",
    bullets([...(await lifecycleWarnings()), ...configurationChanges()]),
    "## What the command lines say",
    "What a call says, they say as well; besides:",
    table(["command", "message"], commandMessages),
    "## When the provider cannot work at all",
    bullets(programMessages()),
  );
}

function statusRows(): string[][] {
  const statuses = [400, 401, 403, 404, 406, 409, 422, 423, 429, 500, 502, 503, 504];
  return statuses.map((status) => [String(status), code(kindOfStatus(status))]);
}

function conflictMessage(): string {
  const call = createRoutes().createEndpoint(place.projectId, { branchId: place.branchId });
  const text = JSON.stringify({ code: "ENDPOINTS_LIMIT_EXCEEDED", message: "read_write endpoint already exists" });
  const fault = toHttpError(call, { status: 409, headers: {}, text }, { secret: "a-key", nowMs: 0 });
  if (!(fault instanceof HttpError)) throw new Error("an answer 409 is an HttpError");
  return messageFor(fault);
}
