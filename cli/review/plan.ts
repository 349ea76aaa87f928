import { CommandError } from "../exit-code";
import { readDigest, readEvents } from "./engine-output";
import type { Plan } from "./plan-model";

/**
 * Reads what `pulumi preview --json` prints: one document, or one event a line where the engine streams. Throws
 * `CommandError` for anything else.
 */
export function readPlan(bytes: Uint8Array): Plan {
  const text = decode(bytes).trim();
  if (text === "") {
    throw new CommandError(
      "there is no plan to read: the input is empty (did `pulumi preview --json` fail before it?)",
    );
  }
  const whole = parse(text);
  if (whole !== undefined) {
    const plan = readDigest(whole) ?? readEvents([whole]);
    if (plan) return plan;
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const events = lines.map(parse);
  const plan = events.includes(undefined) ? undefined : readEvents(events);
  if (plan) return plan;
  throw new CommandError(
    "this is not what `pulumi preview --json` prints: give its standard output alone, without other text in it",
  );
}

/** PowerShell's `>` writes UTF-16, and some editors a byte order mark. */
function decode(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
