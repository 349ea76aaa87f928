import { effectiveSuspendSeconds } from "../../provider/endpoint/rules/autosuspend";
import { formatSize } from "../../provider/lib/wording";
import type { EndpointRecord } from "../../provider/platform/records";
import type { Cell, Column, Paint } from "../terminal/output";

export const endpointColumns: readonly Column[] = [
  { title: "Endpoint" },
  { title: "Branch" },
  { title: "Type" },
  { title: "State" },
  { title: "Size" },
  { title: "Autosuspend" },
  { title: "Host" },
];

/** An endpoint as a row. */
export function endpointRow(endpoint: EndpointRecord, paint: Paint): Cell[] {
  const { id, branchId, type, host, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = endpoint;
  const delay = effectiveSuspendSeconds(endpoint.suspendTimeoutSeconds);
  return [
    { text: id },
    { text: branchId },
    { text: type },
    { text: formatState(endpoint), paint: statePaint(endpoint, paint) },
    { text: min === undefined || max === undefined ? "not told" : formatSize(min, max) },
    { text: delay === "never" ? "never" : `${delay} s` },
    { text: host ?? "not told" },
  ];
}

/** The state as the platform's console writes it (specification, section 2.3): `Active`, or `Idle -> Active` on the way. */
export function formatState({ currentState, pendingState, disabled }: EndpointRecord): string {
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
