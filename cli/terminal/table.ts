/** Tables for people: as wide as they need, or as wide as the terminal is. */
import Table from "cli-table3";
import { cleanText } from "../../provider/lib/redact";
import type { Shell } from "../shell";
import { toJson } from "./output";

/** A cell: its text, or with how to colour it once it is clean. */
export type Cell = string | { text: string; paint: ((text: string) => string) | undefined };

/** A column of a table. */
export interface Column {
  title: string;
  /** Characters, where rows are printed one by one. */
  width?: number;
  /** Where the terminal is too narrow, columns with a number are left out, the smallest first. */
  leaveOut?: number;
}

const none = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""]),
);

const GAP = "  ";
const LONGEST_CELL = 120;

/** A table on the shell's output; on a terminal that is too narrow, what is left out is said on its error output. */
export function printTable(
  shell: Pick<Shell, "out" | "err">,
  columns: readonly Column[],
  rows: readonly Cell[][],
): void {
  const { text, leftOut } = renderTable(columns, rows, { maxWidth: widthOf(shell) });
  shell.out.write(text);
  if (leftOut.length > 0) shell.err.write(`without ${leftOut.join(", ")}, for which the terminal is too narrow\n`);
}

/** What a command lists: as JSON where there is some, else as a table; or that there is nothing. */
export function printList(
  shell: Pick<Shell, "out" | "err">,
  { noun, columns, rows, json }: { noun: string; columns: readonly Column[]; rows: readonly Cell[][]; json: unknown },
): void {
  if (json) shell.out.write(toJson(json));
  else if (rows.length === 0) shell.err.write(`no ${noun}\n`);
  else printTable(shell, columns, rows);
}

/** Characters of the terminal's line; undefined where the output is none. */
export function widthOf({ out }: Pick<Shell, "out">): number | undefined {
  return out.isTerminal ? out.columns?.() : undefined;
}

/**
 * A table without lines: a title row, two spaces between columns. Cells are one line of plain text each, whatever the
 * platform sent. What does not fit into `maxWidth` characters loses columns, whose titles are given, and where none can be left out the rest
 * is cut. Without `titles` rows follow others.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly Cell[][],
  { titles = true, maxWidth = Number.POSITIVE_INFINITY }: { titles?: boolean; maxWidth: number | undefined },
): { text: string; leftOut: string[] } {
  const clean = (cell: Cell = "") => cleanText(typeof cell === "string" ? cell : cell.text, LONGEST_CELL);
  const widest = (index: number) => Math.max(0, ...rows.map((row) => clean(row[index]).length));
  const widths = columns.map(({ title, width }, index) => width ?? Math.max(title.length, widest(index)));
  const kept = fitting(columns, widths, maxWidth);
  const fixed = columns.some(({ width }) => width !== undefined);
  const table = new Table({
    chars: { ...none, middle: GAP },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
    ...(titles && { head: kept.map((index) => columns[index]?.title ?? "") }),
    ...(fixed && { colWidths: kept.map((index) => widths[index] ?? null) }),
  });
  const painted = (cell: Cell = "") =>
    (typeof cell === "string" ? undefined : cell.paint)?.(clean(cell)) ?? clean(cell);
  for (const row of rows) table.push(kept.map((index) => painted(row[index])));
  const lines = table.toString().split("\n");
  return {
    text: lines.map((line) => `${line.trimEnd()}\n`).join(""),
    leftOut: columns.flatMap(({ title }, index) => (kept.includes(index) ? [] : [title])),
  };
}

/** The columns that there is room for, by their place. */
function fitting(columns: readonly Column[], widths: readonly number[], maxWidth: number): number[] {
  let kept = columns.map((_, index) => index);
  const total = () => kept.reduce((sum, index) => sum + (widths[index] ?? 0), GAP.length * (kept.length - 1));
  while (total() > maxWidth) {
    const [least] = kept
      .flatMap((index) => {
        const order = columns[index]?.leaveOut;
        return order === undefined ? [] : [{ index, order }];
      })
      .sort((a, b) => a.order - b.order);
    if (!least) break;
    kept = kept.filter((index) => index !== least.index);
  }
  return kept;
}
