/** Checks the JSON of `review` against the shipped schema, and against the model that the schema derives from. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { reportModel } from "../../cli/review/report-model";
import { root } from "../../tools/root.mjs";

const shipped = z.fromJSONSchema(JSON.parse(readFileSync(join(root, "review.schema.json"), "utf8")));

/** Fails where a report is not as the schema has it, or has a field that the schema does not name. */
export function expectReport(json: string): void {
  const report: unknown = JSON.parse(json);
  shipped.parse(report);
  expect(reportModel.parse(report)).toEqual(report);
}
