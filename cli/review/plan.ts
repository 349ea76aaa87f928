import { CommandError } from "../exit-code";
import { readDigest } from "./digest";
import { readEvents } from "./events";

/** One side of a step: the resource as it is, or as the program wants it. Secrets and unknown values are marked. */
export interface PlanState {
  id?: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  /** The engine waits to delete it, or to create its replacement. */
  delete?: boolean;
  pendingReplacement?: boolean;
  retainOnDelete?: boolean;
}

/** Something that the engine plans for a resource, in its own words: `create`, `update`, `replace`, `delete-replaced`, ... */
export interface PlanStep {
  op: string;
  urn: string;
  type: string;
  before?: PlanState;
  after?: PlanState;
  /** The properties that the provider named as changed; absent where it names none. */
  changed?: string[];
}

/** What the engine printed. */
export interface Plan {
  /** In the engine's order. */
  steps: PlanStep[];
  /** Messages of severity error: the preview failed. */
  errors: string[];
  /** False for events that stop before their end, as those of a killed engine do. */
  complete: boolean;
  /** The stack's configuration, keys with their namespace. */
  config: Record<string, string>;
}

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
