/** A plan as data: the engine's steps, with marks for values that are secret or unknown. */
import { OUTPUT_MARK, SECRET_MARK, SIGNATURE, UNKNOWN } from "../../provider/lib/unknown";

/** One side of a step: the resource as it is, or as the program wants it. Secrets and unknown values are marked. */
export interface PlanState {
  id?: string;
  type?: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  /** The engine waits to delete it, or to create its replacement. */
  delete?: boolean;
  pendingReplacement?: boolean;
  retainOnDelete?: boolean;
  protect?: boolean;
  /** True if the stack only reads the resource. */
  external?: boolean;
  /** Its provider; the rows of a fleet's members have none. */
  provider?: string;
  /** The URNs of the resources that a property's value comes from; absent in the engine's streamed form. */
  sources?: Readonly<Record<string, readonly string[]>>;
}

/** Something that was said of a resource during the preview. */
export interface PlanMessage {
  urn: string;
  severity: "warning" | "info";
  message: string;
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
  /** The plan does not show whether this fleet member moves in place or is replaced. */
  mayBeReplaced?: true;
  unread?: Unread;
}

/** Why the members of a fleet, or an endpoint, cannot be read. */
export interface Unread {
  /** `cut`: the plan shows only a part of the value. */
  why: "secret" | "unknown" | "form" | "cut";
  /** Number of members, if known. */
  members?: number;
}

/** The engine's printed plan. */
export interface Plan {
  /** In the engine's order. */
  steps: PlanStep[];
  /** Messages of severity error: the preview failed. */
  errors: string[];
  /** The URNs of the resources that errors are of. */
  failed: string[];
  /** Messages about single resources, without errors. */
  messages: PlanMessage[];
  /** False for events that stop before their end, as those of a killed engine do. */
  complete: boolean;
  /** True for a refresh, false for a preview; absent if the text does not show it. */
  refreshes?: boolean;
  /** Changes that the engine counts and does not show, as in the summary form of a refresh. */
  untold: number;
  /** True for a form that does not show the deletes which earlier runs have left: a document without the steps of replacements. */
  hidesLeftDeletes: boolean;
  /** The stack's configuration, keys with their namespace. */
  config: Record<string, string>;
}

/** A value that the engine keeps to itself. */
export const SECRET: unique symbol = Symbol("pgcompute.secret");

/** The engine's text for a secret: in its summary form, and in events within a text that contains a secret setting. */
export const SECRET_TEXT = "[secret]";
/** The engine's texts for unknown values, one for each type. */
const UNKNOWN_TEXTS = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Between the parts of a URN, `urn:pulumi:STACK::PROJECT::TYPE::NAME`. */
const DELIMITER = "::";

/** The properties of a resource as the engine prints them, with secrets and unknown values as SECRET and UNKNOWN. */
export function readProperties(printed: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(printed ?? {}).map(([name, value]) => [name, readValue(value)]));
}

/** True if the engine has hidden a part of the text or all of it. */
export function isCut(text: string): boolean {
  return text.includes(SECRET_TEXT);
}

/** True if the value is a secret or contains one. */
export function holdsSecret(value: unknown): boolean {
  if (value === SECRET) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsSecret);
}

/** The stack and the project that a resource belongs to; each is absent where the text is no URN. */
export function ownerOf(urn: string): { stack?: string; project?: string } {
  const [first = "", project, type] = urn.split(DELIMITER);
  const stack = first.startsWith("urn:pulumi:") ? first.slice("urn:pulumi:".length) : "";
  return type === undefined ? {} : { ...(stack && { stack }), ...(project && { project }) };
}

function readValue(value: unknown): unknown {
  if (typeof value === "string") return readString(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(readValue);
  const signature = (value as Record<string, unknown>)[SIGNATURE];
  if (signature === SECRET_MARK) return SECRET;
  if (signature === OUTPUT_MARK) return readOutput(value as Record<string, unknown>);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, readValue(one)]));
}

function readString(text: string): unknown {
  if (isCut(text)) return SECRET;
  return UNKNOWN_TEXTS.has(text) ? UNKNOWN : text;
}

function readOutput(output: Record<string, unknown>): unknown {
  if (output.secret === true) return SECRET;
  return Object.hasOwn(output, "value") ? readValue(output.value) : UNKNOWN;
}
