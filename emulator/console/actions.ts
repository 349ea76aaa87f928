/** The console's buttons: their actions, and when they are shown. */
import { assertUnlocked } from "../lifecycle/change";
import { startEndpoint, suspendEndpoint } from "../lifecycle/compute";
import { connect, disconnect } from "../lifecycle/connection";
import { type Endpoint, isRunning } from "../model/endpoint";
import type { Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";

/** The actions of the buttons. */
export type ActionName = "connect" | "disconnect" | "suspend" | "start";

type Action = (platform: Platform, project: Project, endpoint: Endpoint) => string;

/**
 * The buttons' actions, like a client's or a call's; each returns a sentence. Throws like the platform: 423, 406, 429.
 */
export const actions: Readonly<Record<ActionName, Action>> = {
  connect: (platform, project, endpoint) => {
    // Postgres servers only count real clients' connections.
    const connections = platform.computes ? 0 : 1;
    const { operation, waiting } = connect(platform, project, endpoint, { connections });
    if (operation) return `The connection wakes the endpoint: ${named(operation)}.`;
    return waiting > 0 ? "The connection waits for the compute." : "A connection is open.";
  },
  disconnect: (platform, project, endpoint) => {
    if (platform.computes) platform.computes.disconnect(endpoint);
    else disconnect(platform, project, endpoint);
    return "Every connection is closed.";
  },
  suspend: (platform, project, endpoint) => {
    assertUnlocked(platform, project, [endpoint.record.id, endpoint.record.branch_id]);
    return told(suspendEndpoint(platform, project, endpoint), "It does not run, so there is nothing to suspend.");
  },
  start: (platform, project, endpoint) => {
    assertUnlocked(platform, project, [endpoint.record.id, endpoint.record.branch_id]);
    return told(startEndpoint(platform, project, endpoint), "It runs already.");
  },
};

/** True for a button's name. */
export function isActionName(text: string): text is ActionName {
  return Object.hasOwn(actions, text);
}

/** The buttons to show for an endpoint in its current state. The platform may still refuse. */
export function possibleActions({ record, connections, waiting }: Endpoint, real: boolean): ActionName[] {
  const running = isRunning(record);
  return [
    ...(record.disabled || real ? [] : (["connect"] as const)),
    ...(connections + waiting > 0 ? (["disconnect"] as const) : []),
    ...(running ? (["suspend"] as const) : []),
    ...(running || record.disabled ? [] : (["start"] as const)),
  ];
}

function told(operations: readonly Operation[], otherwise: string): string {
  return operations.length > 0 ? `Begun: ${operations.map(named).join(", ")}.` : otherwise;
}

function named({ action, status }: Operation): string {
  return `${action} is ${status}`;
}
