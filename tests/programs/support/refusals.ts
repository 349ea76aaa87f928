/** The data behind each refusal's sentence, so that a test follows its way on as the data says and matches no text. */

import { memberIn } from "../../../provider/lib/owner";
import type { Refusal } from "../../../provider/places/refusal";
import { PartialError } from "../../../provider/platform/errors";
import type * as messages from "../../../provider/pulumi/messages/fleet";
import type * as advice from "../../../provider/pulumi/messages/refusals";

/** A refusal, and the member that it is about. */
export interface Told {
  key?: string | undefined;
  refusal: Refusal;
}

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
    refusalFailures(refused, reader) {
      const failures = module.refusalFailures(refused, reader);
      const { about, refusal } = refused;
      for (const [at, { property, reason }] of failures.entries()) {
        const owner = about[at];
        told.set(`${property}: ${reason}`, { key: owner && memberIn(owner)?.key, refusal });
      }
      return failures;
    },
  };
}

/** The refusal that a text came of; with the member where it is one of a fleet. */
export function refusalIn(text: string): Told | undefined {
  const all = refusalsIn(text);
  return all.find(({ key }) => key !== undefined) ?? all[0];
}

/** The refusals that a text has. */
export function refusalsIn(text: string): Told[] {
  return [...told].flatMap(([message, one]) => (text.includes(message) ? [one] : []));
}

/** All that an error says: of a fleet, the reason of each member that failed. */
export function textOf(error: Error): string {
  return error instanceof PartialError ? [error.message, ...(error.reasons ?? [])].join("\n") : error.message;
}

/** Forgets what was recorded. */
export function forgetRefusals(): void {
  told.clear();
}

/** The kinds of all that was recorded. */
export function kindsTold(): string[] {
  return [...told.values()].map(({ refusal }) => refusal.kind);
}
