/** Tables of measurements, each in a CSV file of docs/benchmarks. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../../tools/root.mjs";

/** The heads of a table, and its rows. */
export interface Table {
  heads: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

const GB = 1_024 ** 3;
const MS = 1_000;
const WHEN = { heads: ["table", "day", "machine"], rows: [] };

/** The machine as it is when a measurement begins, with what else keeps it busy. */
export function machine(): string {
  const [load = 0] = loadavg();
  const { length, 0: first } = cpus();
  return `${length} cores (${first?.model ?? "unknown"}), ${Math.round(totalmem() / GB)} GB, Node ${process.version}, load ${load.toFixed(1)} before the first run`;
}

/** Writes a table into its file, and into measured.csv the day and the machine. */
export function writeTable(name: string, where: string, table: Table): void {
  const day = new Date().toISOString().slice(0, 10);
  const others = existsSync(fileOf("measured")) ? tableOf("measured") : WHEN;
  write(name, table);
  write("measured", { ...others, rows: [...others.rows.filter(([first]) => first !== name), [name, day, where]] });
}

/** The rows of a table, each by its heads. */
export function readTable(name: string): Record<string, string>[] {
  const { heads, rows } = tableOf(name);
  return rows.map((row) => Object.fromEntries(heads.map((head, at) => [head, String(row[at] ?? "")])));
}

/** Milliseconds as seconds with one decimal. */
export function seconds(ms: number): string {
  return (ms / MS).toFixed(1);
}

function fileOf(name: string): string {
  return join(root, `docs/benchmarks/${name}.csv`);
}

function tableOf(name: string): Table {
  const [heads = [], ...rows] = readFileSync(fileOf(name), "utf8").trimEnd().split("\n").map(cellsOf);
  return { heads, rows };
}

function write(name: string, { heads, rows }: Table): void {
  const lines = [heads, ...rows].map((row) => row.map(quoted).join(","));
  writeFileSync(fileOf(name), `${lines.join("\n")}\n`);
}

// No cell has a quote or a line break in it.
function quoted(cell: string | number): string {
  return String(cell).includes(",") ? `"${cell}"` : String(cell);
}

function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,"]*))/g)].map(([, quotedCell, bare]) => quotedCell ?? bare ?? "");
}
