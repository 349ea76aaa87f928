/**
 * Plans in a few lines each: every endpoint's outcome, with the gate's, the seal's and the platform's verdicts;
 * compared with a recording.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { PlanValue } from "../../../../cli/review/change";
import { gateConditions } from "../../../../cli/review/disruption";
import { liveFacts } from "../../../../cli/review/live/messages";
import { headMessages } from "../../../../cli/review/messages";
import { readPlan } from "../../../../cli/review/plan";
import type { Plan, PlanStep } from "../../../../cli/review/plan-model";
import { type ReportOptions, toReport } from "../../../../cli/review/report";
import { sealOf } from "../../../../cli/review/seal";
import { root } from "../../../../tools/root.mjs";
import { expectReport } from "../../../support/report-schema";
import { planOf } from "./plans";

/** A report's input: steps, with their seal; a plan with options; or the engine's output. */
export type Told = PlanStep[] | Uint8Array | { plan: Plan | PlanStep[]; options: ReportOptions };

/** A plan, and how the report is asked for. */
export const told = (plan: Plan | PlanStep[], options: ReportOptions = {}): Told => ({ plan, options });

/** What follows from the rest, or is the same everywhere; whole reports have it. */
const untold = new Set("urn host hostName sizeCu memoryGb computeHours suspendTimeoutSeconds disabled live".split(" "));
const isNothing = (value: unknown) => value === "no" || (Array.isArray(value) && value.length === 0);
const shown = (value: PlanValue) => (value.is === "value" ? JSON.stringify(value.value) : value.is);

function briefOf(given: Told): string {
  const told = given instanceof Uint8Array ? { plan: readPlan(given), options: {} } : given;
  const { plan: some, options } = Array.isArray(told) ? { plan: told, options: {} } : told;
  const plan = Array.isArray(some) ? planOf(some) : some;
  const drift = options.drift === true;
  const report = toReport(plan, { ...(!drift && { failOn: gateConditions }), ...options });
  expectReport(JSON.stringify(report));
  const lines = report.endpoints.flatMap((endpoint) => {
    const { name, id = "-", action, properties, ...rest } = endpoint;
    const said = Object.entries(rest).filter(([key, value]) => !untold.has(key) && !isNothing(value));
    const facts = liveFacts(endpoint, report).map(({ label, text }) => `  ${label}: ${text}`);
    const changes = properties.map((one) => `${one.name} ${shown(one.from)} → ${shown(one.to)}`);
    const words = [...said.map(([key, value]) => `${key} ${JSON.stringify(value)}`), ...changes];
    return [`${action} ${name} ${id}: ${words.join(", ")}`, ...facts];
  });
  const { unchanged, otherChanges, platform, scale, gate, errors, messages } = report;
  const met = (gate?.met ?? []).map((one) => [one.condition, ...one.endpoints, ...(one.unread ?? [])].join(" "));
  const sealed = (Array.isArray(told) ? sealOf(plan).endpoints : []).map(
    ({ urn: _, ...one }) => `sealed: ${JSON.stringify(one)}`,
  );
  return [
    report.summary,
    `${platform ?? "no platform"}, up to ${scale.max} CU; ${unchanged} the same, ${otherChanges} others`,
    ...errors,
    ...messages.map((one) => `${one.severity} ${one.name}: ${one.message}`),
    ...headMessages(report),
    ...lines,
    ...(met.length > 0 ? [`gate: ${met.join("; ")}`] : []),
    ...sealed,
  ].join("\n");
}

/** Holds what was printed of this to what was recorded. */
export async function expectPrinted(what: string, text: string): Promise<void> {
  const file = `${what.replaceAll(/\W+/g, "-")}.txt`;
  await expect(text).toMatchFileSnapshot(join(root, "tests/unit/cli/samples/printed", file));
}

/** Every plan of a feature is decided as it was; `vitest -u` writes that anew, to be read as a difference. */
export function itDecides(feature: string, plans: Record<string, Told>): void {
  it(`${feature}: decided as it was`, async () => {
    const text = Object.entries(plans).map(([name, told]) => `# ${name}\n${briefOf(told)}\n`);
    await expectPrinted(feature, text.join("\n"));
  });
}
