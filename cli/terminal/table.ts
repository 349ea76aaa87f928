/** Prints lists: tables fitted to the terminal for people, JSON for machines. */
import pc from "picocolors";
import stringWidth from "string-width";
import { cleanText } from "../../provider/lib/redact";
import type { Shell } from "../shell";
import { toJson } from "./output";

/** A cell: a text, with its colour if any. */
export type Cell = string | { text: string; colour: "green" | "yellow" | "red" | undefined };

/** A column of a table. */
export interface Column<T> {
  title: string;
  of(one: T): Cell;
  /** The width in characters, for rows not known yet. */
  width?: number;
  /** The order in which a narrow terminal drops columns, lowest first. */
  leaveOut?: number;
}

type Outputs = Pick<Shell, "out" | "err" | "env">;

/** The width for a terminal of unknown width. */
export const USUAL_COLUMNS = 80;

const GAP = "  ";
const LONGEST_CELL = 120;

/** Prints a list as JSON or as a table; a message if it is empty. */
export function printList<T>(
  shell: Outputs,
  { noun, columns, all, json }: { noun: string; columns: readonly Column<T>[]; all: readonly T[]; json?: unknown },
): void {
  if (json) {
    shell.out.write(toJson(json));
  } else if (all.length === 0) {
    shell.err.write(`no ${noun}\n`);
  } else {
    const { titles, rowOf, leftOut } = layOut(shell, columns, all);
    shell.out.write([titles, ...all.map(rowOf)].join(""));
    if (leftOut.length > 0) shell.err.write(`without ${leftOut.join(", ")}, for which the terminal is too narrow\n`);
  }
}

/** The lines of a table, fitted to the terminal by leaving out columns. Without rows, the columns' own widths count. */
export function layOut<T>({ out, env }: Pick<Shell, "out" | "env">, columns: readonly Column<T>[], all?: readonly T[]) {
  const widthOf = ({ title, of, width = 0 }: Column<T>) =>
    Math.max(stringWidth(title), ...(all?.map((one) => stringWidth(cleaned(of(one), env))) ?? [width]));
  const sized = columns.map((column) => ({ ...column, width: widthOf(column) }));
  const kept = fitting(sized, (out.isTerminal && out.columns?.()) || Number.POSITIVE_INFINITY);
  const paint = colours({ out, env });

  const line = (cellOf: (column: Column<T>) => Cell) => {
    const cells = kept.map((column) => {
      const cell = cellOf(column);
      const text = cleaned(cell, env);
      const colour = typeof cell === "string" ? undefined : cell.colour;
      return (colour ? paint[colour](text) : text) + " ".repeat(Math.max(0, column.width - stringWidth(text)));
    });
    return `${cells.join(GAP).trimEnd()}\n`;
  };

  return {
    titles: line(({ title }) => title),
    rowOf: (one: T) => line(({ of }) => of(one)),
    leftOut: sized.filter((column) => !kept.includes(column)).map(({ title }) => title),
  };
}

/** Colour functions. Without a terminal, or with NO_COLOR, they return the text unchanged. */
export function colours({ out, env }: Pick<Shell, "out" | "env">): ReturnType<typeof pc.createColors> {
  const isPlain = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return pc.createColors(out.isTerminal && !isPlain);
}

function cleaned(cell: Cell, { PGCOMPUTE_API_KEY }: NodeJS.ProcessEnv): string {
  return cleanText(typeof cell === "string" ? cell : cell.text, LONGEST_CELL, PGCOMPUTE_API_KEY);
}

/** The columns that fit. */
function fitting<C extends { width: number; leaveOut?: number }>(columns: readonly C[], most: number): readonly C[] {
  const total = columns.reduce((sum, { width }) => sum + GAP.length + width, -GAP.length);
  const orderOf = ({ leaveOut = Number.POSITIVE_INFINITY }: C) => leaveOut;
  const least = Math.min(...columns.map(orderOf));
  if (total <= most || least === Number.POSITIVE_INFINITY) return columns;
  return fitting(
    columns.filter((column) => orderOf(column) !== least),
    most,
  );
}
