/**
 * The one table of an endpoint's properties: meaning, effect of a change, comparison, sending and reset. Parsing,
 * comparison, impact, requests, previews, `schema.json`, the SDK's types and the reference derive from it.
 */
import { z } from "zod";
import { defined } from "../lib/unknown";
import { endpointTypes } from "./types";

/** Pooler modes. The specification has `transaction`; the pooler also knows `session` and `statement`. */
export const poolerModes = ["transaction", "session", "statement"] as const;

/**
 * The effect of a changed property on an endpoint that is not disabled (specification, sections 3.2 and 3.3).
 * `not stated`: the specification mentions no restart, and the preview says so.
 */
export type PropertyEffect = "replacement" | "move" | "restart" | "suspend" | "not stated" | "none";

/** One property of the table. */
export interface Property {
  /** The accepted values, with any default. */
  schema: z.ZodType;
  /** For the schema, the SDK and the reference, with units and defaults. */
  description: string;
  /** The property's section in the specification. */
  section: string;
  effect: PropertyEffect;
  /** The comparison: by default as a value; sizes as a range, delays by their effect, instructions never. */
  compared?: "value" | "size" | "delay" | "never";
  /** When it is sent; by default in a create, and in an update that changes it. */
  sent?: "create" | "never";
  /** The value to send when the program drops the property; without it the endpoint keeps its value. */
  resetTo?: unknown;
  /** The reason why a program should no longer set it. */
  deprecated?: string;
  /** Its description as an output, if every endpoint has the property. */
  output?: string;
  /** The name of its enum in the package schema. */
  enumName?: string;
  /** A platform may have further values of the enum, which are valid if already in force. */
  openEnum?: true;
  /** A change takes effect at the next restart. */
  atRestart?: true;
  /** True for a number that a separate rule requires to be whole. */
  integer?: true;
}

/** The note on a deprecated property (specification, section 2.3, published). */
const DEPRECATED = "The platform has deprecated it: for pooled connections take `pooledHost`.";

/** Every input property, in display order. */
export const endpointTable = {
  projectId: {
    schema: z.string(),
    description: "The project that owns the endpoint. A change replaces the endpoint.",
    section: "2.3",
    effect: "replacement",
    sent: "never",
  },
  branchId: {
    schema: z.string(),
    description:
      "The branch the endpoint serves: its id, which starts with `br-`. A change moves a read-write endpoint in " +
      "place (to a branch without endpoints, as the platform has it), or replaces it where the setting `moves` is `replace`; a read replica is replaced.",
    section: "2.3, 3.2, 4.5",
    effect: "move",
  },
  type: {
    schema: z.enum(endpointTypes).default("read_write"),
    description:
      "`read_write`, at most one on a branch, or `read_only`, a read replica (paid plan). A change replaces the endpoint.",
    section: "1, 2.3",
    effect: "replacement",
    sent: "create",
    enumName: "EndpointType",
  },
  name: {
    schema: z.string().optional(),
    description:
      "A name of 1 to 64 characters, as the platform shows it. A change renames in place and disturbs nothing; it stays when it is no longer set. " +
      "Unset, a create gives a name by which an endpoint of an interrupted run, or whose answer was lost, is found again: a name of your own " +
      "gives that up, and it is found as on a platform without names.",
    section: "2.3, published",
    effect: "none",
  },
  sizeCu: {
    schema: z.number().optional(),
    description:
      "A fixed compute size, in CU. Not together with the autoscaling limits. A change restarts the endpoint.",
    section: "2.4, 3.3",
    effect: "restart",
    compared: "size",
  },
  autoscalingLimitMinCu: {
    schema: z.number().optional(),
    description:
      "The smallest compute size that autoscaling goes down to, in CU; sets max_connections. A change restarts the endpoint.",
    section: "2.4, 3.3",
    effect: "restart",
    compared: "size",
    output: "The smallest compute size in force, in CU.",
  },
  autoscalingLimitMaxCu: {
    schema: z.number().optional(),
    description: "The largest compute size that autoscaling goes up to, in CU. A change restarts the endpoint.",
    section: "2.4, 3.3",
    effect: "restart",
    compared: "size",
    output: "The largest compute size in force, in CU.",
  },
  suspendTimeoutSeconds: {
    schema: z.number().optional(),
    description:
      "Seconds without activity after which the endpoint suspends: 1 to 604800; 0 is the platform's default (300), -1 never. " +
      "Put back to 0 when it is no longer set.",
    section: "3.4",
    effect: "none",
    compared: "delay",
    resetTo: 0,
    integer: true,
  },
  poolerEnabled: {
    schema: z.boolean().optional(),
    description: "Whether connection pooling is on. Put back to false when it is no longer set.",
    section: "2.3",
    effect: "not stated",
    resetTo: false,
    deprecated: DEPRECATED,
    output: "Whether connection pooling is on.",
  },
  poolerMode: {
    schema: z.enum(poolerModes).optional(),
    description: "How the pooler shares connections. Put back to `transaction` when it is no longer set.",
    section: "2.3",
    effect: "not stated",
    resetTo: "transaction",
    deprecated: DEPRECATED,
    output: "How the pooler shares connections.",
    enumName: "PoolerMode",
    openEnum: true,
  },
  pgSettings: {
    schema: z.record(z.string(), z.string()).optional(),
    description: "Postgres settings by name, as text. Put back to none when it is no longer set.",
    section: "2.3, 2.4",
    effect: "not stated",
    resetTo: {},
    output: "Postgres settings by name, as text.",
  },
  preloadLibraries: {
    schema: z.array(z.string()).optional(),
    description:
      "Libraries that Postgres loads when it starts, by name, in any order. A change takes effect at the endpoint's next restart (see " +
      "`restartTrigger`). Names are checked against the project's list where the platform has one. Put back to none when it is no longer set.",
    section: "2.3, published",
    effect: "not stated",
    resetTo: [],
    atRestart: true,
  },
  disabled: {
    schema: z.boolean().optional(),
    description:
      "Suspends the endpoint and keeps connections from waking it. Put back to false when it is no longer set.",
    section: "2.3",
    effect: "suspend",
    resetTo: false,
    output: "Whether it is suspended and connections cannot wake it.",
  },
  passwordlessAccess: {
    schema: z.boolean().optional(),
    description:
      "Whether connections without a password are allowed. The platform accepts it and ignores it for now. " +
      "Stays as it is when it is no longer set.",
    section: "2.3",
    effect: "not stated",
    output: "Whether connections without a password are allowed.",
  },
  adoptExisting: {
    schema: z.boolean().optional(),
    description:
      "Take over the branch's read-write endpoint, such as the one every primary branch is born with, instead of creating " +
      "one. What was taken over is released, not deleted, on destroy.",
    section: "1",
    effect: "none",
    compared: "never",
    sent: "never",
  },
  restartWhen: {
    schema: z.enum(["now", "idle"]).optional(),
    description:
      '`"now"`, the default, or `"idle"`: a change in place that restarts, moves or suspends the endpoint, or may, waits until the platform ' +
      "shows it idle. It waits as long as `customTimeouts.update` says, 10 minutes by default; then the error is `in_use`, and nothing " +
      "was sent. Creates, deletes and replacements do not wait.",
    section: "3.2",
    effect: "none",
    compared: "never",
    sent: "never",
    enumName: "RestartWhen",
  },
  restartTrigger: {
    schema: z.string().optional(),
    description: "Any text; a new value suspends and starts the endpoint, and waits for both.",
    section: "3.3",
    effect: "restart",
    sent: "never",
  },
} satisfies Readonly<Record<string, Property>>;

type Shape = { [P in keyof typeof endpointTable]: (typeof endpointTable)[P]["schema"] };

/** The model of the inputs, for parsing, schema and reference. */
export const endpointModel = modelOf(endpointTable) as z.ZodObject<Shape>;

/** An endpoint's checked inputs, without unknown values. */
export type EndpointInputs = z.output<typeof endpointModel>;

/** A property of the inputs. */
export type EndpointProperty = keyof Shape;

/** All input properties, in table order. */
export const endpointProperties = Object.keys(endpointTable) as EndpointProperty[];

/** A property's entry in the table. */
export function propertyOf(name: EndpointProperty): Property {
  return endpointTable[name];
}

/** Builds a model of inputs from a table, with the notes for schema and reference. */
export function modelOf(table: Readonly<Record<string, Property>>): z.ZodObject {
  const shape = Object.entries(table).map(([name, property]) => {
    const { schema, description, section, deprecated: deprecationMessage, enumName, integer } = property;
    const meta = defined({ section, deprecationMessage, enumName, integer });
    return [name, schema.describe(description).meta(meta)];
  });
  return z.object(Object.fromEntries(shape));
}
