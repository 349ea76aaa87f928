/** What a run said and did, what lies in the state, and what reached the platform. */
import { platformIn } from "../../../provider/platform/profiles/profiles";
import type { Bench } from "./platform";
import type { Run, Step } from "./run";

/** A run's messages about one resource, or all, as one text, without status lines and the line about the platform. */
export function said(run: Run, name?: string): string {
  return run.diagnostics
    .filter(({ ephemeral, message }) => !ephemeral && platformIn(message) === undefined)
    .filter((one) => name === undefined || one.name === name)
    .map(({ message }) => message)
    .join("\n");
}

/**
 * What check found wrong with a resource, out of the engine's frame; the property is empty where none is to blame. The
 * engine ends a run at the first resource that check refuses, so no run has failures of two.
 */
export function failuresOf(run: Run, name: string): { property: string; reason: string }[] {
  const frame = /resource '[^']*':? (?:property (\S+) value .*? )?has a problem: (.*)$/s;
  return run.diagnostics
    .filter((one) => one.severity === "error" && one.name === name)
    .map(({ message }) => {
      const [, property = "", reason = message] = message.match(frame) ?? [];
      return { property, reason };
    });
}

/** The kinds of step that a run took for a resource, in their order. */
export function opsOf(run: Run, name: string): Step["op"][] {
  return run.steps.filter((step) => step.name === name).map(({ op }) => op);
}

/** The calls that changed something, as `METHOD route`, since the log was last cleared. */
export function changesCalled({ emulator }: Bench): string[] {
  const calls = emulator.admin.log().filter(({ method }) => method !== "GET");
  return calls.map(({ method, route }) => `${method} ${route}`);
}
