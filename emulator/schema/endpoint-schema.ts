import { z } from "zod";
import type { NewEndpoint } from "../lifecycle/create-endpoint";
import type { EndpointUpdate } from "../lifecycle/update-endpoint";
import { MAX_SUSPEND_SECONDS } from "../model/endpoint";
import type { Settings } from "../options";
import { type Dialect, scalars } from "./dialect";

/** What a body is checked against besides the fixed rules. */
export interface SchemaContext {
  dialect: Dialect;
  settings: Settings;
}

/** `{endpoint}` of a create request (section 4.3). Unknown fields are refused, so that a typo does not pass. */
export function createEndpointBody(context: SchemaContext): z.ZodType<{ endpoint: NewEndpoint }> {
  return z.strictObject({
    endpoint: z.strictObject({ branch_id: idText, ...newFields(context) }),
  });
}

/** `{endpoint}` of an update request (section 4.5): neither type nor region can change. */
export function updateEndpointBody(context: SchemaContext): z.ZodType<{ endpoint: EndpointUpdate }> {
  return z.strictObject({
    endpoint: z.strictObject({ branch_id: idText.optional(), ...commonFields(context) }),
  });
}

/** An endpoint as a create-branch request lists it: it has no branch yet. */
export function branchEndpoint(context: SchemaContext): z.ZodType<Omit<NewEndpoint, "branch_id">> {
  return z.strictObject(newFields(context));
}

const idText = z.string().min(1);

// Some clients send an empty text for what their user left out (public facts).
const emptyIsAbsent = (schema: z.ZodType<string>) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());

function newFields(context: SchemaContext) {
  return { type: z.enum(["read_write", "read_only"]), region_id: emptyIsAbsent(z.string()), ...commonFields(context) };
}

/** The fields that every request for an endpoint may carry, and the admin calls, too. */
export function commonFields({ dialect, settings }: SchemaContext) {
  const { number, integer, boolean, textMap } = scalars(dialect);
  return {
    name: z.string().min(1).max(64).optional(),
    autoscaling_limit_min_cu: number.optional(),
    autoscaling_limit_max_cu: number.optional(),
    suspend_timeout_seconds: integer
      .refine((seconds) => isSuspendTimeout(seconds, settings), {
        error: `must be -1 (never), 0 (default) or ${settings.minSuspendTimeoutSeconds} to ${MAX_SUSPEND_SECONDS}`,
      })
      .optional(),
    pooler_enabled: boolean.optional(),
    pooler_mode: emptyIsAbsent(
      z.string().refine((mode) => settings.poolerModes.includes(mode), {
        error: `must be one of ${settings.poolerModes.join(", ")}`,
      }),
    ),
    settings: z
      .strictObject({
        pg_settings: textMap,
        pgbouncer_settings: textMap.optional(),
        preload_libraries: z
          .strictObject({ use_defaults: boolean.optional(), enabled_libraries: z.array(z.string()).optional() })
          .optional(),
      })
      .optional(),
    disabled: boolean.optional(),
    passwordless_access: boolean.optional(),
    provisioner: emptyIsAbsent(z.string()),
  };
}

function isSuspendTimeout(seconds: number, settings: Settings): boolean {
  return (
    seconds === -1 || seconds === 0 || (seconds >= settings.minSuspendTimeoutSeconds && seconds <= MAX_SUSPEND_SECONDS)
  );
}
