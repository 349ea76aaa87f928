import { EmulatorAdmin } from "./admin/emulator-admin";
import { seededIds } from "./admin/seed";
import { Listener, urlHost } from "./http/listener";
import { Runtime } from "./http/runtime";
import { ADMIN_PREFIX, API_PREFIX, buildServer } from "./server";
import type { EmulatorOptions } from "./settings/options";

export type { EndpointDrift, OperationRequest } from "./admin/drift";
export type { ConnectRequest, EmulatorAdmin } from "./admin/emulator-admin";
export type { BranchSeed, EndpointSeed, FleetSeed } from "./admin/seed";
export type { EmulatorState, EndpointState, ProjectState } from "./admin/state";
export type {
  CallEffect,
  CallFault,
  Fault,
  FaultFrequency,
  FaultMoment,
  FaultStatus,
  OperationEffect,
  OperationFault,
} from "./faults/fault";
export type { RequestCounts, RequestLogEntry, RequestLogFilter } from "./http/request-log";
export type { ClockMode } from "./lib/clock";
export { ApiError } from "./lib/errors";
export type { RateLimit, RetryAfterForm } from "./lib/rate-limit";
export type { NewProject } from "./lifecycle/create-project";
export type { BranchRecord } from "./model/branch";
export type { EndpointRecord } from "./model/endpoint";
export type { OperationRecord } from "./model/operation";
export type { ProjectRecord } from "./model/project";
export type { EmulatorOptions, LastPage, LockMode, MoveRule, Plan, Settings } from "./settings/options";

/** A running emulator. */
export interface Emulator {
  /** Base address of the API, such as `http://127.0.0.1:40123/api/v2`. */
  readonly url: string;
  /** Where the admin calls are, such as `http://127.0.0.1:40123/_emulator`. */
  readonly adminUrl: string;
  /** The console, a page for people, such as `http://127.0.0.1:40123/`. */
  readonly consoleUrl: string;
  readonly port: number;
  readonly apiKey: string;
  /** Ids of the seeded project, its primary branch and the read-write endpoint of that. They never change. */
  readonly projectId: string;
  readonly branchId: string;
  readonly endpointId: string;
  /** Seeds, steers and watches the emulator without HTTP. */
  readonly admin: EmulatorAdmin;
  /** Returns everything to the seed. The address and the key stay. */
  reset(): void;
  /** Ends at once: open connections are cut, and nothing is left behind. */
  close(): Promise<void>;
}

/**
 * Starts the platform's control plane on a port of its own, with one seeded project. Rejects when the port is taken or
 * an option cannot be used.
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const runtime = new Runtime(options);
  const { host, port, apiKey } = runtime.options;
  const listener = new Listener(host, port);
  const admin = new EmulatorAdmin(runtime, listener);
  admin.reset();
  const app = await buildServer(runtime, admin);
  try {
    await listener.serve(app.server);
  } catch (error) {
    await app.close();
    throw error;
  }
  const origin = `http://${urlHost(host)}:${listener.port}`;
  return {
    url: `${origin}${API_PREFIX}`,
    adminUrl: `${origin}${ADMIN_PREFIX}`,
    consoleUrl: `${origin}/`,
    port: listener.port,
    apiKey,
    ...seededIds,
    admin,
    reset: () => admin.reset(),
    close: async () => {
      runtime.stopHeldCalls();
      await listener.shut();
      await app.close();
    },
  };
}
