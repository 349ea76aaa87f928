import { z } from "zod";
import { commonFields } from "../requests/endpoint-body";
import { defaultSettings, type Settings } from "../settings/options";

const id = z.string().regex(/^[a-z0-9-]{1,60}$/, { error: "must match ^[a-z0-9-]{1,60}$" });
const text = z.string().max(1000);
// A hundred years: longer makes times that no calendar has.
const ms = z.number().min(0).max(3.2e12);
const count = z.int().min(0).max(1_000_000);

/** Fields of an endpoint as seeds and drift take them. */
const fields = commonFields({ dialect: "json", settings: { ...defaultSettings } });

const plan = z.enum(["free", "paid"]);
const type = z.enum(["read_write", "read_only"]);

/** Body of a project seed. */
export const projectSeed = z
  .strictObject({
    id: id.optional(),
    name: text.optional(),
    plan: plan.optional(),
    regionId: z
      .string()
      .regex(/^[a-z]+-[a-z0-9-]+$/)
      .optional(),
    branchId: id.startsWith("br-").optional(),
    branchName: text.optional(),
    endpointId: id.startsWith("ep-").optional(),
    endpoint: z.union([z.literal(false), z.strictObject(fields)]).optional(),
  })
  .default({});

/** Body of a branch seed. */
export const branchSeed = z
  .strictObject({
    id: id.startsWith("br-").optional(),
    name: text.optional(),
    parentId: text.optional(),
    endpoint: z.strictObject({ ...fields, id: id.startsWith("ep-").optional() }).optional(),
  })
  .default({});

/** Body of an endpoint seed. */
export const endpointSeed = z.strictObject({
  ...fields,
  id: id.startsWith("ep-").optional(),
  branch_id: text,
  type: type.optional(),
  current_state: z.enum(["active", "idle"]).optional(),
});

/** Body of a change behind everybody's back. */
export const endpointDrift = z.strictObject({
  ...fields,
  branch_id: text.optional(),
  current_state: z.enum(["init", "active", "idle", "stopped"]).optional(),
});

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

/** Body of a change of the clock: the mode first, then the advance, in milliseconds. */
export const clockChange = z.strictObject({
  mode: z.enum(["real", "manual"]).optional(),
  at: z.number().optional(),
  advanceMs: z.number().optional(),
});

/** Body of a connection or its end. */
export const connection = z.strictObject({ connections: count.optional(), pooled: z.boolean().optional() }).default({});

/** Body of a closed door, for `forMs` milliseconds of the machine's time. */
export const refusal = z.strictObject({ forMs: z.number().min(1).max(600_000) });

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
});

/** Query of the state. */
export const stateQuery = z.strictObject({
  operations: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .optional(),
});

const rateLimit = z.strictObject({
  perMinute: z.number().min(1).optional(),
  perSecond: z.number().min(1).optional(),
  retryAfter: z.enum(["none", "seconds", "date"]).optional(),
  scope: z.enum(["account", "route"]).optional(),
});

/** Body of a change of settings; `rateLimit: null` takes the limit away. */
export const settingsChange: z.ZodType<Partial<Settings>> = z.strictObject({
  plan: plan.optional(),
  operationMs: ms.optional(),
  operationMsByAction: z.record(z.string(), ms).optional(),
  lock: z.enum(["endpoint", "project", "none"]).optional(),
  lockStatus: z.union([z.literal(423), z.literal(422)]).optional(),
  moveRule: z.enum(["no-endpoint", "no-read-write"]).optional(),
  goneStatus: z.union([z.literal(404), z.literal(204)]).optional(),
  lastPage: z.enum(["short-page", "absent-pagination", "empty-page", "repeated-cursor"]).optional(),
  defaultPageSize: z.int().min(1).max(1000).optional(),
  restartCall: z.boolean().optional(),
  maxCu: z.number().min(0.25).max(56).optional(),
  defaultCu: z.number().min(0.25).max(56).optional(),
  minSuspendTimeoutSeconds: z.int().min(1).optional(),
  poolerModes: z.array(text).optional(),
  surprise: z.boolean().optional(),
  rateLimit: z.union([rateLimit, z.null().transform(() => undefined)]).optional(),
});
