import { isKnown, UNKNOWN } from "../lib/unknown";
import type { EndpointBody } from "../platform/api";
import type { EndpointRecord } from "../platform/records";
import { type EndpointInputs, type EndpointProperty, endpointProperties, resettable } from "./model";
import { getComputeSize } from "./rules/compute-size";
import { sizeRange } from "./rules/size";
import type { EndpointState } from "./state";

/** Inputs that the platform stores one to one, with their wire names. Sizes and `pgSettings` have their own form. */
const plainNames = {
  branchId: "branch_id",
  suspendTimeoutSeconds: "suspend_timeout_seconds",
  poolerEnabled: "pooler_enabled",
  poolerMode: "pooler_mode",
  disabled: "disabled",
  passwordlessAccess: "passwordless_access",
} as const satisfies Partial<Record<EndpointProperty, string>>;

/** The body of a create request (specification, section 4.3): what the program set, and nothing else. */
export function toCreateRequest(inputs: EndpointInputs, name: string | undefined): EndpointBody {
  const set = endpointProperties.filter((property) => inputs[property] !== undefined);
  return { ...toUpdateRequest(inputs, set), type: inputs.type, ...(name === undefined ? {} : { name }) };
}

/**
 * The body of an update request (specification, section 4.5) for the named properties only. A named property that the
 * inputs do not set is put back to its default; one without a default is left out.
 */
export function toUpdateRequest(inputs: EndpointInputs, changed: readonly EndpointProperty[]): EndpointBody {
  const body: Record<string, unknown> = {};
  for (const [property, wireName] of Object.entries(plainNames) as [keyof typeof plainNames, string][]) {
    if (!changed.includes(property)) continue;
    const value = inputs[property] ?? (resettable as Partial<EndpointInputs>)[property];
    if (value !== undefined) body[wireName] = value;
  }
  if (
    changed.includes("sizeCu") ||
    changed.includes("autoscalingLimitMinCu") ||
    changed.includes("autoscalingLimitMaxCu")
  ) {
    const range = sizeRange({
      sizeCu: undefined,
      autoscalingLimitMinCu: undefined,
      autoscalingLimitMaxCu: undefined,
      ...inputs,
    });
    if (isKnown(range)) {
      body.autoscaling_limit_min_cu = range.minCu;
      body.autoscaling_limit_max_cu = range.maxCu;
    }
  }
  if (changed.includes("pgSettings")) body.settings = { pg_settings: inputs.pgSettings ?? resettable.pgSettings };
  return body;
}

/** What the platform says about an endpoint, as visible properties of the state. */
export function toState(record: EndpointRecord): EndpointState {
  return {
    ...toInputs(record),
    endpointId: record.id,
    host: record.host,
    pooledHost: pooledHostOf(record),
    proxyHost: record.proxyHost ?? "",
    regionId: record.regionId ?? "",
    createdAt: record.createdAt,
    ...sizeOutputs(record.autoscalingLimitMinCu, record.autoscalingLimitMaxCu),
  };
}

/** The settings in force as inputs; both size forms where the size is fixed. */
export function toInputs(record: EndpointRecord): EndpointState {
  const fixed = record.autoscalingLimitMinCu === record.autoscalingLimitMaxCu;
  return {
    projectId: record.projectId,
    branchId: record.branchId,
    type: record.type,
    ...(fixed ? { sizeCu: record.autoscalingLimitMinCu } : {}),
    autoscalingLimitMinCu: record.autoscalingLimitMinCu,
    autoscalingLimitMaxCu: record.autoscalingLimitMaxCu,
    ...(record.suspendTimeoutSeconds === undefined ? {} : { suspendTimeoutSeconds: record.suspendTimeoutSeconds }),
    poolerEnabled: record.poolerEnabled,
    poolerMode: record.poolerMode ?? resettable.poolerMode,
    pgSettings: { ...record.pgSettings },
    disabled: record.disabled,
    passwordlessAccess: record.passwordlessAccess,
  };
}

/** Outputs that follow from the size alone, so that a preview can show them; UNKNOWN while a size is not known. */
export function sizeOutputs(minCu: number | typeof UNKNOWN, maxCu: number | typeof UNKNOWN): EndpointState {
  const min = minCu === UNKNOWN ? UNKNOWN : sizeFacts(minCu);
  const max = maxCu === UNKNOWN ? UNKNOWN : sizeFacts(maxCu);
  return {
    autoscalingLimitMinCu: minCu,
    autoscalingLimitMaxCu: maxCu,
    ...(min === UNKNOWN
      ? { maxConnections: UNKNOWN }
      : min.maxConnections === undefined
        ? {}
        : { maxConnections: min.maxConnections }),
    memoryGbMin: min === UNKNOWN ? UNKNOWN : min.memoryGb,
    memoryGbMax: max === UNKNOWN ? UNKNOWN : max.memoryGb,
    vcpuMin: min === UNKNOWN ? UNKNOWN : min.vcpu,
    vcpuMax: max === UNKNOWN ? UNKNOWN : max.vcpu,
  };
}

/** The host name for pooled connections: `-pooler` after the endpoint id (public facts, wire fields). */
function pooledHostOf({ id, host }: EndpointRecord): string {
  return host.startsWith(`${id}.`) ? `${id}-pooler${host.slice(id.length)}` : host;
}

const GB_PER_VCPU = 4;

function sizeFacts(cu: number): { vcpu: number; memoryGb: number; maxConnections: number | undefined } {
  const size = getComputeSize(cu);
  return {
    vcpu: size?.vcpu ?? cu,
    memoryGb: size?.memoryGb ?? cu * GB_PER_VCPU,
    maxConnections: size?.maxConnections,
  };
}
