/** Formats the report as GitHub Actions commands: a warning for each verdict that a reviewer should see. */
import { cleanText } from "../../provider/lib/redact";
import { formatCount } from "../terminal/output";
import { entryOf, formatNames, groupEqual } from "./format";
import { headMessages } from "./messages";
import type { Report } from "./report-model";

/** GitHub's maximum of warnings per step. */
const MOST_WARNINGS = 10;

const LONGEST_TITLE = 200;

/** The report as workflow commands, one per line, worst first; empty if nothing is disrupted or unreadable. */
export function toAnnotations(report: Report): string {
  const verdicts = groupEqual(report.endpoints).flatMap((group) => {
    const { action, effects } = entryOf(group, report);
    return effects.length === 0 ? [] : [{ title: `${formatNames(group)}: ${action}`, text: effects.join(", ") }];
  });

  const heads = headMessages(report).map((text) => ({ title: "Endpoints", text }));
  const all = [...heads, ...verdicts];
  const shown = all.length > MOST_WARNINGS ? all.slice(0, MOST_WARNINGS - 1) : all;
  const more = all.length - shown.length;
  const rest =
    more > 0 ? [{ title: "Endpoints", text: `${formatCount(more, "further verdict")}: see the report` }] : [];
  return [...shown, ...rest].map(({ title, text }) => `::warning title=${property(title)}::${data(text)}\n`).join("");
}

/** Escapes the text of a workflow command, so that it cannot start another command. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes a property of a workflow command, where commas and colons are delimiters. */
function property(text: string): string {
  return data(cleanText(text, LONGEST_TITLE)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
