/** The first table of docs/benchmarks.md, from the CSV files beside it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/root.mjs";
import { readTable } from "./tables";

type Row = Record<string, string>;

/** Writes it anew; measures nothing. */
export function writePage(): void {
  const page = join(root, "docs/benchmarks.md");
  const text = readFileSync(page, "utf8").replace(
    /(<!-- from the CSV files -->\n).*?(<!-- end -->)/s,
    (_, open, close) => `${open}\n${stepsTable()}\n\n${close}`,
  );
  writeFileSync(page, text);
}

/** Seconds and calls of each step on the real engine, with operations of 0.2 s and `--parallel 10`. */
function stepsTable(): string {
  const usual = (row: Row) => row["an operation"] === "0.2 s" && row["--parallel"] === "10";
  const [endpoints, fleets] = [readTable("endpoints").filter(usual), readTable("fleets").filter(usual)];
  const cells = ["preview", "create", "no change", "refresh", "update", "destroy"].map((step) => {
    const single = (count: number) => rowOf(endpoints, { program: "plugin, YAML", N: `${count}`, step });
    const fleet = (count: number) => rowOf(fleets, { program: "fleet, plugin, YAML", N: `${count}`, step });
    const told = (row: Row) => `${row.seconds} (${row["calls / N"]})`;
    const [most, ...others] = [single(1_000), fleet(100), fleet(1_000)];
    return [step, told(single(1)), told(single(100)), told(most), most["stand-in"], ...others.map(told)];
  });
  const sizes = ["1 endpoint", "100", "1,000", "of it, Pulumi's engine", "a fleet of 100", "a fleet of 1,000"];
  return tableOf(["seconds (calls for each endpoint)", ...sizes], cells);
}

function rowOf(table: readonly Row[], wanted: Row): Row {
  return table.find((row) => Object.entries(wanted).every(([head, cell]) => row[head] === cell)) ?? {};
}

function tableOf(heads: readonly string[], cells: readonly (readonly (string | undefined)[])[]): string {
  const line = (row: readonly unknown[]) => `| ${row.join(" | ")} |`;
  return [
    line(heads),
    `|---|${heads
      .slice(1)
      .map(() => "--:|")
      .join("")}`,
    ...cells.map(line),
  ].join("\n");
}
