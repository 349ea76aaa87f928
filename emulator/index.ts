/** `createEmulator`: starts an emulator for a test or a program. */

import { startChild } from "./child";
import { isRoot } from "./lib/machine";
import { checkOptions, type Emulator, type EmulatorOptions, startEmulator } from "./start";

export type { ConnectRequest, EmulatorAdmin, EndpointDrift, OperationRequest } from "./admin/emulator-admin";
export type { BranchSeed, EndpointSeed, FleetSeed, ProjectContents, ProjectSeed } from "./admin/seed";
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
export type { BranchDrift } from "./lifecycle/change-branch";
export type { BranchRecord, RestrictedAction } from "./model/branch";
export type { ConnectionStrings, Session } from "./model/computes";
export type { EndpointRecord } from "./model/endpoint";
export type { OperationRecord } from "./model/operation";
export type { ProjectRecord } from "./model/project";
export type { PostgresAccess } from "./postgres";
export type { StartOptions } from "./settings/options";
export type { ConnectionsBy, IdleChange, MoveRule, Plan, PlatformName } from "./settings/platforms";
export type { LastPage, LockMode, RemovedFields, Settings } from "./settings/settings";

export type { Emulator, EmulatorOptions } from "./start";

/**
 * Starts an emulated control plane on its own port; for root with servers, in another account's process. Rejects for a
 * taken port or invalid options.
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  if (!options.postgres || !isRoot()) return startEmulator(options);
  return startChild(options);
}
