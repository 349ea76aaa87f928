/** Bodies of endpoint requests: creates, updates, and endpoints in a create-branch request. */

import { z } from "zod";
import type { NewEndpoint } from "../lifecycle/create-endpoint";
import type { EndpointUpdate } from "../lifecycle/update-endpoint";
import { MAX_SUSPEND_SECONDS, PRELOAD_LIBRARIES } from "../model/endpoint";
import type { Settings } from "../settings/settings";
import { type BodyContext, builtOnce, object, optionalText, without } from "./body";
import { scalars } from "./form";

/** A field refused as unknown, even where unknown fields are ignored. */
const refusedField = z.never({ error: "unknown field" }).optional();

const DEPRECATED = { pooler_enabled: refusedField, pooler_mode: refusedField };

const idText = z.string().min(1);

const newFields = { type: z.enum(["read_write", "read_only"]), region_id: optionalText() };

/** `{endpoint}` of a create request (specification, section 4.3). */
export const createEndpointBody = builtOnce((context): z.ZodType<{ endpoint: NewEndpoint }> => {
  const whole = object(context, { branch_id: idText, ...newFields, ...commonFields(context) });
  const fields = isRefused(context) ? whole.extend(DEPRECATED) : whole;
  return object(context, { endpoint: fields.transform((endpoint) => effective(context, endpoint)) });
});

/** `{endpoint}` of an update request (specification, section 4.5): neither type nor region can change. */
export const updateEndpointBody = builtOnce((context): z.ZodType<{ endpoint: EndpointUpdate }> => {
  const whole = object(context, { branch_id: idText.optional(), ...commonFields(context) });
  const fields = isRefused(context) ? whole.extend({ ...DEPRECATED, branch_id: refusedField }) : whole;
  // Only in updates `branch_id` is deprecated, and may be ignored.
  const noMove = context.settings.removedFields === "ignored" || context.settings.ignoredFields.includes("branch_id");
  return object(context, {
    endpoint: fields.transform((endpoint) => without(effective(context, endpoint), noMove ? ["branch_id"] : [])),
  });
});

/** An endpoint in a create-branch request, without a branch. */
export function branchEndpoint(context: BodyContext): z.ZodType<Omit<NewEndpoint, "branch_id">> {
  const whole = object(context, { ...newFields, ...commonFields(context) });
  return (isRefused(context) ? whole.extend(DEPRECATED) : whole).transform((endpoint) => effective(context, endpoint));
}

/** Fields of all endpoint requests and of admin calls. */
export function commonFields(context: BodyContext) {
  const { settings } = context;
  const { number, integer, boolean } = scalars(context.dialect);
  return {
    name: z.string().min(1).max(64).optional(),
    autoscaling_limit_min_cu: number.optional(),
    autoscaling_limit_max_cu: number.optional(),
    suspend_timeout_seconds: suspendTimeout(integer, settings).optional(),
    pooler_enabled: boolean.optional(),
    pooler_mode: optionalText(
      z.string().refine((mode) => settings.poolerModes.includes(mode), {
        error: `must be one of ${settings.poolerModes.join(", ")}`,
      }),
    ),
    settings: endpointSettings(context).optional(),
    disabled: boolean.optional(),
    passwordless_access: boolean.optional(),
    provisioner: optionalText(),
  };
}

/** An autosuspend delay in seconds (specification, section 3.4). */
export function suspendTimeout(integer: z.ZodType<number>, { minSuspendTimeoutSeconds: min }: Settings) {
  return integer.refine(
    (seconds) => seconds === -1 || seconds === 0 || (seconds >= min && seconds <= MAX_SUSPEND_SECONDS),
    {
      error: `must be -1 (never), 0 (default) or ${min} to ${MAX_SUSPEND_SECONDS}`,
    },
  );
}

/** Libraries that Postgres loads at its start, from the available ones. */
export function preloadLibraries(context: BodyContext) {
  const { boolean } = scalars(context.dialect);
  const library = z.enum(PRELOAD_LIBRARIES, { error: `must be one of ${PRELOAD_LIBRARIES.join(", ")}` });
  return object(context, { use_defaults: boolean.optional(), enabled_libraries: z.array(library).optional() });
}

function endpointSettings(context: BodyContext) {
  const { textMap } = scalars(context.dialect);
  const { pgSettingsRequired } = context.settings;
  const whole = object(context, {
    pg_settings: pgSettingsRequired ? textMap : textMap.optional(),
    pgbouncer_settings: textMap.optional(),
    preload_libraries: preloadLibraries(context).optional(),
  });
  return isRefused(context) ? whole.extend({ pgbouncer_settings: refusedField }) : whole;
}

function isRefused({ settings }: BodyContext): boolean {
  return settings.removedFields === "refused";
}

/** The request without ignored settings. */
function effective<T extends { settings?: object | undefined }>({ settings }: BodyContext, endpoint: T): T {
  const { endpointNames, ignoredFields, removedFields } = settings;
  const removed = removedFields === "ignored";
  const ignored = ignoredFields.filter((field) => field !== "branch_id" && field !== "type");

  const kept = without(endpoint, [
    ...ignored,
    ...(endpointNames ? [] : ["name"]),
    ...(removed ? Object.keys(DEPRECATED) : []),
  ]);
  if (removed && kept.settings) kept.settings = without(kept.settings, ["pgbouncer_settings"]);
  return kept;
}
