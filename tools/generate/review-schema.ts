import { z } from "zod";
import { reportModel } from "../../cli/review/report-model";

/** The JSON Schema of `pgcompute review --format json`. Unknown fields are allowed, as later releases may add some. */
export function reviewSchema(): string {
  const { $schema, ...model } = z.toJSONSchema(reportModel, { io: "input" });
  const title = "What `pgcompute review --format json` writes";
  return `${JSON.stringify({ $schema, title, ...model }, null, 2)}\n`;
}
