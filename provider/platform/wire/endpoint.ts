import { z } from "zod";
import { cleanText } from "../../lib/text";
import type { EndpointRecord } from "../records";
import { id, optional, optionalText, present, text } from "./fields";

// Servers have been seen to send numbers and switches unquoted; the provider compares text.
const settingValue = z.union([z.string(), z.number(), z.boolean()]).nullable();

const settings = z.looseObject({ pg_settings: z.record(z.string(), settingValue).nullish() });

/** A compute endpoint (specification, section 2.3; public facts, wire fields). */
export const endpointSchema = z
  .object({
    id,
    project_id: id,
    branch_id: id,
    type: text(),
    host: text(),
    proxy_host: optionalText(),
    region_id: optionalText(),
    name: optionalText(),
    current_state: optionalText(),
    pending_state: optionalText(),
    autoscaling_limit_min_cu: z.number(),
    autoscaling_limit_max_cu: z.number(),
    suspend_timeout_seconds: optional(z.number()),
    settings: settings.nullish(),
    pooler_enabled: optional(z.boolean()),
    pooler_mode: optionalText(),
    disabled: optional(z.boolean()),
    passwordless_access: optional(z.boolean()),
    last_active: optionalText(),
    created_at: text(),
    updated_at: text(),
  })
  .transform(
    (wire): EndpointRecord =>
      present({
        id: wire.id,
        projectId: wire.project_id,
        branchId: wire.branch_id,
        type: wire.type,
        host: wire.host,
        proxyHost: wire.proxy_host,
        regionId: wire.region_id,
        name: wire.name,
        currentState: wire.current_state,
        pendingState: wire.pending_state,
        autoscalingLimitMinCu: wire.autoscaling_limit_min_cu,
        autoscalingLimitMaxCu: wire.autoscaling_limit_max_cu,
        suspendTimeoutSeconds: wire.suspend_timeout_seconds,
        pgSettings: toPgSettings(wire.settings?.pg_settings ?? {}),
        otherSettings: otherThanPg(wire.settings),
        poolerEnabled: wire.pooler_enabled ?? false,
        poolerMode: wire.pooler_mode,
        disabled: wire.disabled ?? false,
        passwordlessAccess: wire.passwordless_access ?? false,
        lastActive: wire.last_active,
        createdAt: wire.created_at,
        updatedAt: wire.updated_at,
      }),
  );

function toPgSettings(wire: Record<string, z.output<typeof settingValue>>): Record<string, string> {
  const entries = Object.entries(wire).filter(([, value]) => value !== null);
  // A setting that was cut would differ from the program's for ever; the answer's own size bounds it.
  const whole = Number.POSITIVE_INFINITY;
  return Object.fromEntries(entries.map(([name, value]) => [cleanText(name, whole), cleanText(String(value), whole)]));
}

function otherThanPg(wire: z.output<typeof settings> | null | undefined): Record<string, unknown> | undefined {
  const { pg_settings: _, ...others } = wire ?? {};
  const given = Object.entries(others).filter(([, value]) => value !== null && value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
