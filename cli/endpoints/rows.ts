/** Endpoints as rows of a table. */
import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { formatSize } from "../../provider/lib/wording";
import type { EndpointRecord } from "../../provider/platform/records";
import type { Paint } from "../terminal/output";
import type { Cell, Column } from "../terminal/table";

/** What of an endpoint tells its state. */
type StateFields = { [F in "currentState" | "pendingState" | "disabled"]?: EndpointRecord[F] | undefined };

/** The host is the widest, and `endpoints show` has it. */
export const endpointColumns: readonly Column[] = [
  { title: "Endpoint" },
  { title: "Branch", leaveOut: 4 },
  { title: "Type", leaveOut: 3 },
  { title: "State" },
  { title: "Size" },
  { title: "Autosuspend", leaveOut: 2 },
  { title: "Host", leaveOut: 1 },
];

/** An endpoint as a row. */
export function endpointRow(endpoint: EndpointRecord, paint: Paint): Cell[] {
  const { id, branchId, type, host, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = endpoint;
  return [
    { text: id },
    { text: branchId },
    { text: type },
    { text: formatState(endpoint), paint: statePaint(endpoint, paint) },
    { text: min === undefined || max === undefined ? "not told" : formatSize(min, max) },
    { text: formatDelay(endpoint.suspendTimeoutSeconds) },
    { text: host ?? "not told" },
  ];
}

/** When it suspends: `300 s`, or `never`. */
export function formatDelay(seconds: number | undefined): string {
  const delay = effectiveSuspendSeconds(seconds);
  return delay === "never" ? delay : `${delay} s`;
}

/** The state as the platform's console writes it (specification, section 2.3): `Active`, or `Idle -> Active` on the way. */
export function formatState(endpoint: StateFields): string {
  const { currentState, pendingState, disabled } = endpoint;
  const state = currentState === undefined ? "not told" : capitalised(currentState);
  const next = pendingState === undefined || pendingState === currentState ? "" : ` -> ${capitalised(pendingState)}`;
  return `${state}${next}${disabled ? " (disabled)" : ""}`;
}

function statePaint({ currentState, pendingState }: EndpointRecord, paint: Paint) {
  if (pendingState !== undefined && pendingState !== currentState) return paint.yellow;
  return currentState === "active" ? paint.green : undefined;
}

function capitalised(state: string): string {
  return state.charAt(0).toUpperCase() + state.slice(1);
}
