/** The data behind each refusal's sentence, so that a test follows its way on as the data says and matches no text. */
import { type FleetRefusal, keysOf } from "../../../provider/fleet/refusal";
import type * as advice from "../../../provider/pulumi/advice";
import type * as messages from "../../../provider/pulumi/fleet/messages";
import type { Refusal } from "../../../provider/pulumi/run/refusal";

/** A refusal, and the member that it is about. */
export type Told = { key?: string | undefined; refusal: Refusal } | { key?: string | undefined; fleet: FleetRefusal };

const told = new Map<string, Told>();

/** The module of advice, which takes note of every refusal that it makes a sentence of. */
export function recording(module: typeof advice): typeof advice {
  return {
    ...module,
    refusalMessage(refusal, reader) {
      const message = module.refusalMessage(refusal, reader);
      told.set(message, { refusal });
      return message;
    },
  };
}

/** The module of a fleet's messages, likewise. */
export function recordingFleets(module: typeof messages): typeof messages {
  return {
    ...module,
    refusalFailures(fleet, reader, urnOf) {
      const failures = module.refusalFailures(fleet, reader, urnOf);
      for (const [at, { property, reason }] of failures.entries()) {
        told.set(`${property}: ${reason}`, { key: keysOf(fleet)[at], fleet });
      }
      return failures;
    },
    outsideFailure(one, reader) {
      const failure = module.outsideFailure(one, reader);
      told.set(`${failure.property}: ${failure.reason}`, one);
      return failure;
    },
  };
}

/** The refusal that a text came of; with the member where it is one of a fleet. */
export function refusalIn(text: string): Told | undefined {
  const all = [...told].flatMap(([message, one]) => (text.includes(message) ? [one] : []));
  return all.find(({ key }) => key !== undefined) ?? all[0];
}

/** Forgets what was recorded. */
export function forgetRefusals(): void {
  told.clear();
}
