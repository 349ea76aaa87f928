import { CommandError, unreadable } from "../exit-code";
import { decodeText } from "../input";
import { readDigest, readEvents } from "./engine-output";
import { expandFleets, isFleet } from "./fleet";
import { isEndpoint } from "./group";
import type { Plan, PlanStep } from "./plan-model";
import { createRedactor } from "./redact";
import { withTakeovers } from "./takeovers";

/** Reads what the engine printed, whatever form it has: bytes to a plan. */

/** The largest plan that is read, in bytes; one of ten thousand endpoints has some 100 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const TOO_LARGE = `it has more than ${MAX_BYTES} bytes`;

/**
 * Reads what `pulumi preview --json` prints: one document, or one event a line where the engine streams. Keys of the
 * platform are hidden in it: `apiKey`, and whatever else looks like one. `drift` says that it is a refresh where it does not tell, as that of a few targets.
 * Throws `CommandError` for anything else.
 */
export function readPlan(bytes: Uint8Array, apiKey?: string, drift = false): Plan {
  if (bytes.byteLength > MAX_BYTES) {
    throw unreadable("plan", TOO_LARGE);
  }
  const text = decodeText(bytes).trim();
  if (text === "") {
    throw new CommandError(
      "there is no plan to read: the input is empty (did `pulumi preview --json` fail before it?)",
    );
  }
  const redact = createRedactor(apiKey);
  const whole = parse(text, redact);
  if (whole !== undefined) {
    const plan = readDigest(whole) ?? readEvents([whole]);
    if (plan) return withMembers(plan, drift);
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const events = lines.map((line) => parse(line, redact));
  const plan = events.includes(undefined) ? undefined : readEvents(events);
  if (plan) return withMembers(plan, drift);
  throw new CommandError(
    "this is not what `pulumi preview --json` prints: give its standard output alone, without other text in it",
  );
}

function withMembers(plan: Plan, drift: boolean): Plan {
  const steps = underOneName(plan.steps);
  return { ...plan, steps: withTakeovers(expandFleets(steps, plan.refreshes ?? drift)) };
}

/** The old half of what is replaced and renamed goes under its former name: here under the new one, since both are one resource. */
function underOneName(steps: readonly PlanStep[]): PlanStep[] {
  const isOurs = ({ type }: PlanStep) => isEndpoint(type) || isFleet(type);
  const coming = steps.filter((step) => isOurs(step) && /^replace$|-replacement$/.test(step.op));
  const byId = new Map(coming.map(({ before, urn, type }) => [before?.id, { urn, type }]));
  return steps.map((step) => {
    const isOld = step.op === "delete-replaced" && isOurs(step) && step.before?.id;
    return isOld ? { ...step, ...byId.get(step.before?.id) } : step;
  });
}

function parse(text: string, redact: (document: unknown) => unknown): unknown {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  return redact(document);
}
