/** Tables, and their places in pages of docs/. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../../tools/root.mjs";

/** A table of the page: its heads, and its rows as text. */
export interface Table {
  heads: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

const GB = 1_024 ** 3;
const MS = 1_000;

/** The machine as it is when a measurement begins, with what else keeps it busy. */
export function machine(): string {
  const [load = 0] = loadavg();
  const { length, 0: first } = cpus();
  return `${length} cores (${first?.model ?? "unknown"}), ${Math.round(totalmem() / GB)} GB, Node ${process.version}, load ${load.toFixed(1)} before the first run`;
}

/** A page of docs/ with places for tables, each between two marks. */
export type Page = "fleets" | "benchmarks";

/** Puts a table into its place on a page, with the day and the machine. Throws where the page has no such place. */
export function writeSection(on: Page, name: string, where: string, table: Table): void {
  const page = join(root, `docs/${on}.md`);
  const text = readFileSync(page, "utf8");
  const marks = new RegExp(`(<!-- measured: ${name} -->\n).*?(<!-- end -->)`, "s");
  if (!marks.test(text)) throw new Error(`${page} has no place for ${name}`);
  const day = new Date().toISOString().slice(0, 10);
  const body = `\n${tableText(table)}\n\nMeasured on ${day}: ${where}.\n\n`;
  writeFileSync(
    page,
    text.replace(marks, (_, open, close) => `${open}${body}${close}`),
  );
}

/** Milliseconds as seconds with one decimal. */
export function seconds(ms: number): string {
  return (ms / MS).toFixed(1);
}

function tableText({ heads, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${heads.map((_, at) => (at === 0 ? "---|" : "--:|")).join("")}`, ...rows.map(line)].join("\n");
}
