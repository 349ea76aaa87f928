/** A plan as data: the engine's steps, with marks for values that are secret or unknown. */
import { OUTPUT_MARK, SECRET_MARK, SIGNATURE, UNKNOWN } from "../../provider/lib/unknown";

/** One side of a step: the current or the wanted resource, with marks for secret and unknown values. */
export interface PlanState {
  id?: string;
  type?: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  /** The engine still has to delete it, or to create its replacement. */
  delete?: boolean;
  pendingReplacement?: boolean;
  retainOnDelete?: boolean;
  protect?: boolean;
  /** True if the stack only reads the resource. */
  external?: boolean;
  provider?: string;
  /** The URN of the resource that takes it along when it is deleted; absent in the streamed form. */
  deletedWith?: string;
  /** The URNs of the resources that a property's value comes from; absent in the streamed form. */
  sources?: Readonly<Record<string, readonly string[]>>;
}

/** A message about a resource during the preview. */
export interface PlanMessage {
  urn: string;
  severity: "warning" | "info";
  message: string;
}

/** A step of the plan in the engine's words: `create`, `update`, `replace`, `delete-replaced`, ... */
export interface PlanStep {
  op: string;
  urn: string;
  type: string;
  before?: PlanState;
  after?: PlanState;
  /** The properties that the provider reports as changed; absent if it reports none. */
  changed?: string[];
  /** Those of them that the provider reports as new: of a fleet also the members whose endpoint is gone. */
  added?: string[];
  /** True if the plan leaves open whether the member moves or is replaced. */
  mayBeReplaced?: true;
  unread?: Unread;
}

/** The reason why a fleet's members, or an endpoint, are unreadable. */
export interface Unread {
  /** `cut`: the plan contains only part of the value. */
  why: "secret" | "unknown" | "form" | "cut";
  /** Number of members, if known. */
  members?: number;
}

/** The engine's plan. */
export interface Plan {
  /** In plan order. */
  steps: PlanStep[];
  /** Messages of severity error: the preview failed. */
  errors: string[];
  /** The URNs of the resources with errors. */
  failed: string[];
  /** Messages on single resources, without errors. */
  messages: PlanMessage[];
  /** False if the events stop early, as after a killed engine. */
  complete: boolean;
  /** True for a refresh, false for a preview; absent if unclear. */
  refreshes?: boolean;
  /** The number of changes that the engine counts but does not show, as a refresh's summary form does. */
  untold: number;
  /** True for a form without deletes left from earlier runs: a document without replacement steps. */
  hidesLeftDeletes: boolean;
  /** The stack's configuration, keys with their namespace. */
  config: Record<string, string>;
}

/** The mark of a secret value. */
export const SECRET: unique symbol = Symbol("pgcompute.secret");

/** The engine's text for a secret: in its summary form, and in event texts that contain a secret setting. */
export const SECRET_TEXT = "[secret]";
/** The engine's texts for unknowns, one per type. */
const UNKNOWN_TEXTS = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** The separator in a URN, `urn:pulumi:STACK::PROJECT::TYPE::NAME`. */
const DELIMITER = "::";

/** A resource's printed properties, with SECRET and UNKNOWN for secret and unknown values. */
export function readProperties(printed: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(printed ?? {}).map(([name, value]) => [name, readValue(value)]));
}

/** True if the engine has hidden all or part of the text. */
export function isCut(text: string): boolean {
  return text.includes(SECRET_TEXT);
}

/** True for a secret, or a value that contains one. */
export function holdsSecret(value: unknown): boolean {
  if (value === SECRET) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsSecret);
}

/** The stack and the project of a URN; both absent for other text. */
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
