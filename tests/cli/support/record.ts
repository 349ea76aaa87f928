import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECORDED_FROM, recordedFrom } from "../../../tools/generate/recorded-plans";
import { root, userCache } from "../../../tools/root.mjs";
import type { Printed } from "./scenarios";

/** Of where a program was and what it called, which nobody reads and which differs from machine to machine. */
const dropped = new Set(["stackTrace", "sourcePosition", "created", "modified", "propertyDependencies"]);

/**
 * With PGCOMPUTE_RECORD, as `make generate PLANS=1` sets it, writes the engine's output to `tests/unit/cli/samples`,
 * for tests without an engine.
 */
export function record(host: string, printed: Printed): void {
  if (!process.env.PGCOMPUTE_RECORD) return;
  const folder = join(root, "tests/unit/cli/samples");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(printed)) {
    const streamed = name.endsWith("-streamed");
    const file = join(folder, `${host}-${name}.${streamed ? "jsonl" : "json"}`);
    const values = streamed ? text.trim().split("\n") : [text];
    const kept = values.map((line) => JSON.parse(JSON.stringify(JSON.parse(line), keep)));
    const lines = streamed ? kept.map((event) => JSON.stringify(event)) : kept.map(stepByStep);
    writeFileSync(file, `${lines.join("\n")}\n`);
  }
  writeFileSync(join(root, RECORDED_FROM), recordedFrom(root));
}

/** A document with each step, and each diagnostic, on a line of its own. */
function stepByStep(document: object): string {
  const parts = Object.entries(document).map(([name, value]) => {
    const lines = Array.isArray(value)
      ? `[\n${value.map((one) => JSON.stringify(one)).join(",\n")}\n]`
      : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${lines}`;
  });
  return `{${parts.join(",\n")}}`;
}

function keep(key: string, value: unknown): unknown {
  if (dropped.has(key)) return undefined;
  return typeof value === "string" ? value.replaceAll(root, "/clone").replaceAll(userCache(), "/cache") : value;
}
