/** The data behind each refusal's sentence, so that a test follows its way on as the data says and matches no text. */
import type * as advice from "../../../provider/pulumi/advice";
import type { Refusal } from "../../../provider/pulumi/run/refusal";

const refusals = new Map<string, Refusal>();

/** The module of advice, which takes note of every refusal that it makes a sentence of. */
export function recording(module: typeof advice): typeof advice {
  return {
    ...module,
    refusalMessage(refusal, reader) {
      const message = module.refusalMessage(refusal, reader);
      refusals.set(message, refusal);
      return message;
    },
  };
}

/** The refusal that a text came of. */
export function refusalIn(text: string): Refusal | undefined {
  for (const [message, refusal] of refusals) if (text.includes(message)) return refusal;
  return undefined;
}

/** Forgets what was recorded. */
export function forgetRefusals(): void {
  refusals.clear();
}
