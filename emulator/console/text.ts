/** The console's texts for states, sizes, times and clients. */
import type { FaultStatus } from "../faults/fault";
import type { Session } from "../model/computes";
import { type Endpoint, type EndpointRecord, type EndpointState, suspendDelayMs } from "../model/endpoint";
import type { Settings } from "../settings/settings";

/** A state as in the platform's console, capitalized (specification, section 3.2). */
export function formatState(state: EndpointState): string {
  return state.charAt(0).toUpperCase() + state.slice(1);
}

/** The word for an endpoint's pending state. */
export function formatPending({ record, restarting }: Endpoint): string {
  const { current_state: from, pending_state: to } = record;
  if (restarting) return "restarting";
  if (from === to) return "being changed";
  return to === "active" ? "starting" : "suspending";
}

/** A fault rule in force, such as `hang on start_compute (fault-1, struck 2 times)`. */
export function formatFault({ id, struck, fault }: FaultStatus): string {
  const target =
    fault.on === "operation"
      ? [fault.action ?? "every operation", fault.endpointId, fault.branchId]
      : [fault.method, fault.route ?? fault.path ?? "every call"];
  return `${fault.effect.kind} on ${target.filter(Boolean).join(" ")} (${id}, struck ${struck === 1 ? "once" : `${struck} times`})`;
}

/** A fixed size or the bounds of autoscaling, such as `0.25 – 2 CU` (specification, section 2.4). */
export function formatSize({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max }: EndpointRecord): string {
  return min === max ? `${min} CU` : `${min} – ${max} CU`;
}

/** The autosuspend delay in seconds, as in the platform's console (specification, section 2.3). */
export function formatSuspend(record: EndpointRecord, settings: Settings): string {
  const ms = suspendDelayMs(record, settings);
  return Number.isFinite(ms) ? `${ms / 1000} s` : "never";
}

/** A duration, such as `0.5 s`, `12 s` or `3 min 05 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** Date and time in UTC, such as `2024-05-01 10:20:30`. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

/** A client, such as `postgres (psql): idle, since 2024-05-01 10:20:30`. */
export function formatSession({ user, application, state, since, pooled }: Session): string {
  const name = application === "" ? user : `${user} (${application})`;
  return `${name}: ${state}${pooled ? ", pooled host" : ""}, since ${formatTime(since)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
