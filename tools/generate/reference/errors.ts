import { errorCatalog } from "../../../provider/platform/errors";
import { kindAdvice } from "../../../provider/pulumi/messages/errors";
import { code, page, table } from "./markdown";
import { refusedRows, standing } from "./refusals";

/** docs/reference/errors.md: the meaning of each kind of error with its advice, and a preview's refusals, verbatim. */
export async function errorsPage(): Promise<string> {
  return page(
    "Errors",
    [
      "Two things can go wrong: a preview refuses what the program says, on the property that has to change; or a call, or an",
      "operation it started, fails. Messages say what failed, on which id, why, and what to do next.",
    ].join("\n"),
    "## When something fails",
    table(
      ["kind", "what it means", "what to do"],
      Object.entries(errorCatalog).map(([kind, meaning]) => [
        code(kind),
        meaning,
        kindAdvice[kind as keyof typeof errorCatalog],
      ]),
    ),
    [
      "An error that comes after an endpoint exists begins with `endpoint PROJECT/ENDPOINT:`. Its id, its state and the operations",
      "that had not ended well are kept in the stack's state, and the next `pulumi up` goes on from there instead of creating again.",
    ].join("\n"),
    "## What a preview refuses",
    [
      "Each failure stands on its property, and all of them come at once. These are the plugin's own messages for the inputs on the",
      `left, with ${standing} where they say nothing else.`,
    ].join("\n"),
    table(["inputs", "property", "message"], await refusedRows()),
  );
}
