/** Plans: recorded from the engine, or written by hand. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPlan } from "../../../../cli/review/plan";
import type { Plan, PlanState, PlanStep } from "../../../../cli/review/plan-model";
import { type ReportOptions, toReport } from "../../../../cli/review/report";
import type { EndpointReport, Report } from "../../../../cli/review/report-model";
import { root } from "../../../../tools/root.mjs";

/** What the engine really printed; `tests/cli/review-engine.test.ts` records it. */
export function sample(file: string): Uint8Array {
  return readFileSync(join(root, "tests/unit/cli/samples", file));
}

/** The report on a sample. */
export function reportOn(file: string, options?: ReportOptions): Report {
  return toReport(readPlan(sample(file)), options);
}

/** The endpoint of this name. */
export function endpointOf({ endpoints }: Report, name: string): EndpointReport {
  const found = endpoints.find((endpoint) => endpoint.name === name);
  if (!found) throw new Error(`the report has no endpoint ${name}`);
  return found;
}

/** A plan of steps that were written by hand. */
export function planOf(steps: PlanStep[], config: Record<string, string> = {}): Plan {
  return { steps, errors: [], failed: [], messages: [], complete: true, untold: 0, hidesLeftDeletes: false, config };
}

/** A running endpoint of the plugin, fixed at 1 CU, as a state has it. */
export function stateOf(outputs: Record<string, unknown> = {}): PlanState {
  const inputs = { projectId: "p-1", branchId: "br-1", type: "read_write", sizeCu: 1 };
  return {
    id: "p-1/ep-1",
    inputs,
    outputs: {
      ...inputs,
      autoscalingLimitMinCu: 1,
      autoscalingLimitMaxCu: 1,
      suspendTimeoutSeconds: 0,
      poolerEnabled: false,
      poolerMode: "transaction",
      pgSettings: {},
      disabled: false,
      host: "ep-1.region.example",
      __pgcompute: { v: 2, set: ["projectId", "branchId", "type", "sizeCu"] },
      ...outputs,
    },
  };
}

/** A step for an endpoint of this name. */
export function stepFor(name: string, op: string, rest: Partial<PlanStep> = {}): PlanStep {
  const type = "pgcompute:index:Endpoint";
  return { op, urn: `urn:pulumi:prod::shop::${type}::${name}`, type, ...rest };
}

/** A creation of an endpoint with these inputs beside those of `stateOf()`. */
export function creationOf(name: string, inputs: object = {}): PlanStep {
  return stepFor(name, "create", { after: { inputs: { ...stateOf().inputs, ...inputs }, outputs: {} } });
}

/** An update in place from `stateOf()` to these inputs. */
export function updateOf(name: string, inputs: Record<string, unknown>, before = stateOf()): PlanStep {
  return stepFor(name, "update", { before, after: { inputs: { ...before.inputs, ...inputs }, outputs: {} } });
}
