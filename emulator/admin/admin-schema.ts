/** The bodies and queries of the admin calls. */
import { z } from "zod";
import type { CallEffect, Fault, OperationEffect } from "../faults/fault";
import { idText as id, regionText } from "../requests/body";
import { commonFields } from "../requests/endpoint-body";
import { type Choice, fixedChoices, settingChoices } from "../settings/choices";
import { planNames } from "../settings/platforms";
import { defaultSettings, type Settings } from "../settings/settings";
import type { ProjectContents } from "./seed";

const text = z.string().max(1000);
const count = z.int().min(0).max(1_000_000);

/** Fields of an endpoint in seeds and drift. */
const fields = commonFields({ dialect: "json", settings: defaultSettings });

const plan = z.enum(planNames);
const type = z.enum(["read_write", "read_only"]);

const projectFields = z.strictObject({
  id: id.optional(),
  name: text.optional(),
  plan: plan.optional(),
  regionId: regionText.optional(),
  branchId: id.startsWith("br-").optional(),
  branchName: text.optional(),
  endpointId: id.startsWith("ep-").optional(),
  endpoint: z.union([z.literal(false), z.strictObject(fields)]).optional(),
});

/** Body of a project seed. */
export const projectSeed = projectFields.default({});

/** Body of an endpoint seed. */
export const endpointSeed = z.strictObject({
  ...fields,
  id: id.startsWith("ep-").optional(),
  branch_id: text,
  type: type.optional(),
  current_state: z.enum(["active", "idle"]).optional(),
});

const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T12:00:00Z" });
const restrictedActions = z.array(z.strictObject({ name: text, reason: text })).max(100);

const branchFields = z.strictObject({
  id: id.startsWith("br-").optional(),
  name: text.optional(),
  parentId: text.optional(),
  protected: z.boolean().optional(),
  restricted_actions: restrictedActions.optional(),
  expires_at: time.optional(),
  endpoint: endpointSeed.omit({ branch_id: true }).optional(),
});

/** Body of a branch seed. */
export const branchSeed = branchFields.default({});

/** Body of a change to a branch outside the API. */
export const branchDrift = z.strictObject({
  name: z.string().min(1).max(256).optional(),
  protected: z.boolean().optional(),
  restricted_actions: restrictedActions.nullable().optional(),
  expires_at: time.nullable().optional(),
});

/** Body of a change to an endpoint outside the API. */
export const endpointDrift = z.strictObject({
  ...fields,
  branch_id: text.optional(),
  current_state: z.enum(["init", "active", "idle", "stopped"]).optional(),
});

/** Initial contents, as a person writes them. */
export const contents: z.ZodType<readonly ProjectContents[]> = z
  .array(
    projectFields.extend({ branches: z.array(branchFields).optional(), endpoints: z.array(endpointSeed).optional() }),
  )
  .min(1);

/** Body of a fleet seed. */
export const fleetSeed = z.strictObject({
  count: z.int().min(1).max(100_000),
  type: type.optional(),
  branchId: text.optional(),
});

/** Body of operations to start. */
export const operationSeed = z.strictObject({
  action: z.string().min(1).max(100),
  branchId: text.optional(),
  endpointId: text.optional(),
  count: z.int().min(1).max(1_000_000).optional(),
});

/** Body of a clock change: the mode applies first, then the advance, in milliseconds. */
export const clockChange = z.strictObject({
  mode: z.enum(["real", "manual"]).optional(),
  at: z.number().optional(),
  advanceMs: z.number().optional(),
});

/** Body of a connect or disconnect call. */
export const connection = z.strictObject({ connections: count.optional(), pooled: z.boolean().optional() }).default({});

/** Body for refusing connections for `forMs` milliseconds of the machine's time. */
export const refusal = z.strictObject({ forMs: z.number().min(1).max(600_000) });

/** The most calls, or operations of a project, in one answer, and the default. */
export const MOST_LISTED = 1_000;

const listed = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .pipe(z.number().max(MOST_LISTED))
  .default(MOST_LISTED);

/** Query of the log. */
export const logQuery = z.strictObject({
  method: text.optional(),
  route: text.optional(),
  status: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .optional(),
  after: z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number)
    .optional(),
  limit: listed,
});

/** Query of the state. */
export const stateQuery = z.strictObject({ operations: listed });

const when = z.enum(["before", "after"]).optional();
// A hundred years: beyond, dates are invalid.
const ms = z.number().min(0).max(3.2e12);
const status = z.int().min(200).max(599);
const longText = z.string().max(100_000);

const callEffect: z.ZodType<CallEffect> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("reset"), when }),
  z.strictObject({ kind: z.literal("stall-headers"), when }),
  z.strictObject({ kind: z.literal("stall-body") }),
  z.strictObject({ kind: z.literal("truncate-body") }),
  z.strictObject({
    kind: z.literal("status"),
    status,
    when,
    retryAfter: z.strictObject({ form: z.enum(["none", "seconds", "date"]), seconds: ms }).optional(),
    code: longText.optional(),
    message: longText.optional(),
    echo: z.boolean().optional(),
    html: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal("html"), status: status.optional(), when }),
  z.strictObject({ kind: z.literal("json"), body: z.json().optional() }),
  z.strictObject({ kind: z.literal("unknown-enum"), fields: z.array(longText).optional() }),
  z.strictObject({
    kind: z.literal("huge-body"),
    bytes: z
      .int()
      .min(14)
      .max(1024 ** 3)
      .optional(),
  }),
  z.strictObject({
    kind: z.literal("redirect"),
    location: z.string().regex(/^[!-~]{1,2000}$/),
    status: z.int().min(300).max(399).optional(),
  }),
  z.strictObject({ kind: z.literal("delay"), ms, when }),
  z.strictObject({ kind: z.literal("stale-list"), ageMs: ms.optional(), at: z.number().optional() }),
  z.strictObject({ kind: z.literal("drop-endpoint"), endpointId: longText.optional() }),
]);

const operationEffect: z.ZodType<OperationEffect> = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("fail"),
    status: z.enum(["failed", "error", "cancelled"]).optional(),
    error: longText.optional(),
    failures: z.int().min(0).optional(),
  }),
  z.strictObject({
    kind: z.literal("fail-then-finish"),
    failures: z.int().min(1).max(1000).optional(),
    retryMs: ms.optional(),
    error: longText.optional(),
  }),
  z.strictObject({ kind: z.literal("hang"), status: longText.optional() }),
  z.strictObject({ kind: z.literal("vanish"), afterMs: ms.optional() }),
  z.strictObject({ kind: z.literal("backwards") }),
  z.strictObject({ kind: z.literal("skip") }),
  z.strictObject({ kind: z.literal("unknown-status"), status: longText.optional() }),
  z.strictObject({ kind: z.literal("unknown-action"), action: longText.optional() }),
  z.strictObject({ kind: z.literal("slow"), operationMs: ms }),
]);

const frequency = {
  skip: z.int().min(0).optional(),
  count: z.int().min(0).optional(),
  probability: z.number().min(0).max(1).optional(),
};

const glob = z.string().max(1_000).regex(/^[/*]/, { error: "must begin with / or *, which stands for any text" });

/** A fault rule. Without `on` it is about calls. */
export const faultSchema: z.ZodType<Fault> = z.discriminatedUnion("on", [
  z.strictObject({
    on: z.literal("operation"),
    action: longText.optional(),
    endpointId: longText.optional(),
    branchId: longText.optional(),
    ...frequency,
    effect: operationEffect,
  }),
  z.strictObject({
    on: z.literal("call").optional(),
    method: longText.optional(),
    route: longText.optional(),
    path: glob.optional(),
    ...frequency,
    effect: callEffect,
  }),
]);

const settingSchemas = optional(settingChoices);

/** Options of an emulator. Contents have a schema of their own; `projects` is here to suggest it for a typo. */
export const startOptions = z.strictObject({
  ...settingSchemas,
  ...optional(fixedChoices),
  projects: z.undefined().optional(),
});

/** Body of a change of settings; `rateLimit: null` removes the limit. */
export const settingsChange: z.ZodType<Partial<Settings>> = z.strictObject({
  ...settingSchemas,
  rateLimit: z.union([settingChoices.rateLimit.schema, z.null().transform(() => undefined)]).optional(),
});

function optional(choices: Readonly<Record<string, Choice<unknown>>>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(choices).map(([name, { schema }]) => [name, schema.optional()]));
}
