/** Tables of the matrix as a page. */
import { applies, type Outcome } from "./cell";
import { type Column, columns, type Row, rows } from "./rows";
import type { Subject } from "./subjects";

/** Where the outcome of a cell is kept. */
export function keyOf(subject: Subject, row: Row, column: Column, keepsNames: boolean): string {
  return `${subject.title}/${row.title}/${column}/${keepsNames ? "names" : "no names"}`;
}

/** The page of these subjects, from the outcomes by their keys. */
export function pageOf(title: string, subjects: readonly Subject[], outcomes: ReadonlyMap<string, Outcome>): string {
  const messages: string[] = [];
  const numberOf = (message: string) => {
    const known = messages.indexOf(message);
    return known < 0 ? messages.push(message) : known + 1;
  };
  const cell = (subject: Subject, row: Row, column: Column): string => {
    const [named, nameless] = [true, false].map((names) => outcomeOf(outcomes.get(keyOf(subject, row, column, names))));
    return nameless === "" || nameless === named ? `${named}` : `${named}; without names: ${nameless}`;
  };
  const outcomeOf = (outcome: Outcome | undefined): string => {
    if (!outcome) return "";
    if (!outcome.error) return "recovered";
    return `${outcome.end}, ${outcome.left} [${numberOf(generalised(outcome.error.message))}]`;
  };
  const tables = subjects.map((subject) => {
    const used = rows.filter((row) => columns.some((column) => applies(subject, row, column)));
    const lines = used.map(
      (row) => `| ${row.title} | ${columns.map((column) => cell(subject, row, column)).join(" | ")} |`,
    );
    const head = `| fault | ${columns.join(" | ")} |\n| --- | ${columns.map(() => "---").join(" | ")} |`;
    return `## ${subject.title}\n\n${subject.note}\n\n${head}\n${lines.join("\n")}`;
  });
  const list = messages.map((message, index) => `${index + 1}. ${message}`);
  const head = `# Faults while ${title}\n\nWhat a cell says, and how the page is written: [README](README.md).`;
  return `${[head, ...tables, `## Messages\n\n${list.join("\n")}`].join("\n\n")}\n`;
}

/** A message without what differs from run to run, as one line of Markdown. */
function generalised(message: string): string {
  const general = message
    .replace(/ep-[a-z]+-[a-z]+-\d{8}/g, "EP")
    .replace(/ep-stranger-[a-z]+/g, "EP")
    .replace(/answered 50[0-4]: injected: 50[0-4]/g, "answered 5XX: injected: 5XX")
    .replace(/br-[a-z]+-[a-z]+-\d{8}/g, "BR")
    .replaceAll("quiet-harbor-12345678", "PROJECT")
    .replace(/\[request [0-9a-f-]{36}\]/g, "[request ID]")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "OPERATION")
    .replace(/pulumi-main-[0-9a-f]{12}-[0-9a-f]{8}/g, "NAME")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/ \((UND_ERR_[A-Z]+|E[A-Z]+)\)/g, "")
    // Which of the two it was is a matter of how fast the machine is.
    .replace(/the platform did not begin to answer|the rest of the answer did not arrive/g, "no whole answer came")
    .replace(/: (the other side closed the connection|the connection was (reset|closed))/g, ": the connection was cut");
  return general
    .replace(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll("*", "\\*")
    .replaceAll("<", "&lt;");
}
