import type { Fault, FaultStatus } from "../faults/fault";
import type { Listener } from "../http/listener";
import type { RequestCounts, RequestLogEntry, RequestLogFilter } from "../http/request-log";
import type { Runtime } from "../http/runtime";
import type { ClockMode } from "../lib/clock";
import { badRequest } from "../lib/errors";
import { toTimestamp } from "../lib/timestamp";
import { dropBranch } from "../lifecycle/branch-end";
import { type BranchDrift, changeBranch } from "../lifecycle/change-branch";
import { deleteProject } from "../lifecycle/change-project";
import { watchIdleness } from "../lifecycle/compute";
import { type ConnectionRequest, connect, disconnect } from "../lifecycle/connection";
import { wholeSettings } from "../lifecycle/create-endpoint";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import { startOperation } from "../lifecycle/operation-run";
import type { EndpointUpdate } from "../lifecycle/update-endpoint";
import type { BranchRecord } from "../model/branch";
import type { Computes, ConnectionStrings, Session } from "../model/computes";
import type { Endpoint, EndpointRecord } from "../model/endpoint";
import { type OperationRecord, toOperationRecord } from "../model/operation";
import type { Project } from "../model/project";
import { validate } from "../requests/validate";
import { withPlatform } from "../settings/platforms";
import type { Settings } from "../settings/settings";
import { faultSchema, settingsChange } from "./admin-schema";
import {
  type BranchSeed,
  type EndpointSeed,
  type FleetSeed,
  type ProjectContents,
  type ProjectSeed,
  seedBranch,
  seedContents,
  seedEndpoint,
  seedFleet,
  seedProject,
} from "./seed";
import {
  type EmulatorState,
  type EndpointState,
  endpointState,
  type ProjectState,
  projectState,
  takeState,
} from "./state";

/** A client's connection to an endpoint. */
export interface ConnectRequest extends ConnectionRequest {
  endpointId: string;
}

/** A change of an endpoint outside the API, which may set its state. */
export interface EndpointDrift extends EndpointUpdate {
  current_state?: EndpointRecord["current_state"];
}

/** An operation that the platform starts on its own. */
export interface OperationRequest {
  projectId: string;
  action: string;
  /** Default the endpoint's branch, else the primary one. */
  branchId?: string;
  endpointId?: string;
  /** The number of operations. Default 1. */
  count?: number;
}

// After the year 2223 a cursor in microseconds exceeds exact numbers.
const LATEST = 8e12;

/** Controls the emulator in process, like the admin calls over HTTP. Throws `ApiError`s with the HTTP call's status. */
export class EmulatorAdmin {
  readonly #runtime: Runtime;
  readonly #listener: Listener;
  readonly #contents: readonly ProjectContents[];

  /** @internal */
  constructor(runtime: Runtime, listener: Listener, contents: readonly ProjectContents[]) {
    this.#runtime = runtime;
    this.#contents = contents;
    this.#listener = listener;
  }

  /** Resets platform, clock, settings, faults and log to the start; cuts held calls. */
  reset(): void {
    this.#runtime.reset();
    seedContents(this.#runtime.platform, this.#contents);
  }

  /** Refuses new connections until `acceptConnections`, and cuts open ones. */
  refuseConnections(): Promise<void> {
    return this.#listener.shut();
  }

  /** Refuses connections for `forMs` milliseconds of the machine's time. */
  refuseFor(forMs: number): void {
    this.#listener.shutFor(forMs);
  }

  /** Listens again, on the same port. */
  acceptConnections(): Promise<void> {
    return this.#listener.open();
  }

  /** The number of calls that a fault holds and whose client still waits. */
  stalledCalls(): number {
    return this.#runtime.stalledCalls;
  }

  /** A snapshot of the platform, with at most `operations` operations per project. */
  state(options: { operations?: number } = {}): EmulatorState {
    return takeState(this.#current(), options.operations);
  }

  /** A snapshot of one project. Throws 404 for an unknown id. */
  project(projectId: string): ProjectState {
    return this.#projectState(this.#current().project(projectId));
  }

  /** A snapshot of one endpoint of any project. Throws 404 for an unknown id. */
  endpoint(endpointId: string): EndpointState {
    return this.#endpointState(this.#current().findEndpoint(endpointId).endpoint);
  }

  seedProject(seed: ProjectSeed = {}): ProjectState {
    return this.#projectState(seedProject(this.#current(), seed));
  }

  seedBranch(projectId: string, seed: BranchSeed = {}): BranchRecord {
    const platform = this.#current();
    return seedBranch(platform, platform.project(projectId), seed);
  }

  seedEndpoint(projectId: string, seed: EndpointSeed): EndpointState {
    const platform = this.#current();
    return this.#endpointState(seedEndpoint(platform, platform.project(projectId), seed));
  }

  /** Adds many endpoints at once; returns their ids. */
  seedFleet(projectId: string, seed: FleetSeed): string[] {
    const platform = this.#current();
    return seedFleet(platform, platform.project(projectId), seed).map((endpoint) => endpoint.record.id);
  }

  /** Deletes a project as its owner would, with all its contents; a delete_tenant operation runs. */
  deleteProject(projectId: string): void {
    const platform = this.#current();
    deleteProject(platform, platform.project(projectId));
  }

  /**
   * Changes a branch outside the API: its name, protection, restrictions and expiry; null takes the latter two away.
   * Throws 404, 409 for a taken name, 400 for an expiry in the past.
   */
  changeBranch(projectId: string, branchId: string, changes: BranchDrift): BranchRecord {
    const platform = this.#current();
    const project = platform.project(projectId);
    return { ...changeBranch(platform, project, platform.branch(project, branchId), changes) };
  }

  /** Removes a branch and its endpoints without checks or operations. Throws 404. */
  dropBranch(projectId: string, branchId: string): void {
    const platform = this.#current();
    const project = platform.project(projectId);
    platform.branch(project, branchId);
    for (const endpoint of project.endpointsOn(branchId)) dropEndpoint(platform, project, endpoint);
    dropBranch(project, branchId);
  }

  /** Removes an endpoint without checks or operations. Throws 404. */
  dropEndpoint(endpointId: string): void {
    const { platform, project, endpoint } = this.#find(endpointId);
    dropEndpoint(platform, project, endpoint);
  }

  /** Changes an endpoint without checks, operations or a restart. Throws 404 for an unknown endpoint or branch. */
  changeEndpoint(endpointId: string, changes: EndpointDrift): EndpointState {
    const { platform, project, endpoint } = this.#find(endpointId);
    if (changes.branch_id !== undefined) platform.branch(project, changes.branch_id);
    const now = platform.now();
    const { settings, ...others } = changes;
    const whole = settings && { settings: wholeSettings(platform, settings, endpoint.record.settings) };
    const { current_state: before } = endpoint.record;
    project.changeEndpoint(endpoint, { ...others, ...whole, updated_at: toTimestamp(now) }, now);

    if (endpoint.record.current_state === "active") {
      if (before !== "active") endpoint.lastActiveAt = now;
      watchIdleness(platform, project, endpoint);
    }
    return this.#endpointState(endpoint);
  }

  /**
   * Opens connections, which wake an idle endpoint. Throws like the platform (406 disabled, 429 full), and 400 for
   * Postgres servers.
   */
  connect(request: ConnectRequest): EndpointState {
    const { platform, project, endpoint } = this.#find(request.endpointId);
    if (platform.computes && request.connections) {
      throw badRequest("connections: the endpoints are Postgres servers, whose connections only clients open");
    }
    connect(platform, project, endpoint, request);
    return this.#endpointState(endpoint);
  }

  /** Closes an endpoint's connections, oldest first; by default all. */
  disconnect({ endpointId, connections }: { endpointId: string; connections?: number }): EndpointState {
    const { platform, project, endpoint } = this.#find(endpointId);
    if (platform.computes) platform.computes.disconnect(endpoint, connections);
    else disconnect(platform, project, endpoint, connections);
    return this.#endpointState(endpoint);
  }

  /** The connection strings of an endpoint's Postgres server. Throws 400 in an emulator without servers. */
  connectionStrings(endpointId: string): ConnectionStrings {
    const { computes, endpoint } = this.#findServer(endpointId);
    return computes.connectionStrings(endpoint);
  }

  /**
   * The connections to an endpoint's Postgres server, oldest first, as copies. Throws 400 in an emulator without
   * servers.
   */
  sessions(endpointId: string): Session[] {
    const { computes, endpoint } = this.#findServer(endpointId);
    return computes.sessions(endpoint);
  }

  /**
   * Starts operations of the platform's own (specification, section 2.1). They lock, and change nothing. Returns the
   * last one. Throws 404.
   */
  startOperation(request: OperationRequest): OperationRecord {
    const platform = this.#current();
    const project = platform.project(request.projectId);
    const endpoint = request.endpointId === undefined ? undefined : platform.endpoint(project, request.endpointId);
    const branchId = request.branchId ?? endpoint?.record.branch_id ?? project.primaryBranch()?.id ?? "";
    platform.branch(project, branchId);

    const place = { branchId, ...(endpoint && { endpointId: endpoint.record.id }) };
    const plan = { action: request.action, ...place, changesNothing: true };
    let operation = startOperation(platform, project, plan);
    for (let more = (request.count ?? 1) - 1; more > 0; more--) operation = startOperation(platform, project, plan);
    return toOperationRecord(operation);
  }

  /** The emulator's time, in milliseconds since the epoch. */
  now(): number {
    return this.#runtime.clock.now();
  }

  clockMode(): ClockMode {
    return this.#runtime.clock.mode;
  }

  /** Switches between the real and the manual clock; without `at` the time continues. */
  setClock(mode: ClockMode, at?: number): void {
    assertTime(at ?? this.now());
    this.#runtime.clock.set(mode, at);
    this.#current();
  }

  /** Moves the time by `ms` (a real clock is shifted) and runs the events that fall due. */
  advance(ms: number): void {
    assertTime(this.now() + ms);
    this.#runtime.clock.advance(ms);
    this.#current();
  }

  /** Adds a fault rule and returns its id. Throws 400 for a rule that can never strike. */
  addFault(fault: Fault): string {
    const { faults } = this.#runtime;
    const rule = validate(faultSchema, fault, "fault");
    if (rule.on !== "operation" && rule.route !== undefined && !faults.knowsRoute(rule.route)) {
      throw badRequest(
        `route: there is none that ${JSON.stringify(rule.route)} matches, of ${[...faults.routes].join(", ")}`,
      );
    }
    return faults.add(rule);
  }

  faults(): FaultStatus[] {
    return this.#runtime.faults.list();
  }

  /** Removes a fault rule; false for an unknown id. */
  removeFault(id: string): boolean {
    return this.#runtime.faults.remove(id);
  }

  clearFaults(): void {
    this.#runtime.faults.clear();
  }

  /** The calls to the API, oldest first, without admin calls. */
  log(filter?: RequestLogFilter): RequestLogEntry[] {
    return this.#runtime.log.list(filter);
  }

  counts(): RequestCounts {
    return this.#runtime.log.counts();
  }

  clearLog(): void {
    this.#runtime.log.clear();
  }

  settings(): Settings {
    return { ...this.#runtime.platform.settings };
  }

  /**
   * Changes settings until the next reset; undefined fields stay, except `rateLimit`. Throws 400 for an invalid value.
   */
  configure(changes: Partial<Settings>): Settings {
    const platform = this.#current();
    const given = Object.entries(validate(settingsChange, changes, "settings"));
    const kept = given.filter(([name, value]) => value !== undefined || name === "rateLimit");
    platform.settings = { ...platform.settings, ...withPlatform(Object.fromEntries(kept)) };

    // The suspend time may have changed.
    for (const project of platform.projects.values()) {
      for (const endpoint of project.endpoints.values()) {
        if (endpoint.record.current_state === "active") watchIdleness(platform, project, endpoint);
      }
    }
    return this.settings();
  }

  #projectState(project: Project): ProjectState {
    return projectState(project, this.#runtime.platform.settings);
  }

  #endpointState(endpoint: Endpoint): EndpointState {
    return endpointState(endpoint, this.#runtime.platform.settings);
  }

  #find(endpointId: string) {
    const platform = this.#current();
    return { platform, ...platform.findEndpoint(endpointId) };
  }

  #findServer(endpointId: string): { computes: Computes; endpoint: Endpoint } {
    const { platform, endpoint } = this.#find(endpointId);
    if (!platform.computes) throw badRequest("the emulator was started without Postgres servers");
    return { computes: platform.computes, endpoint };
  }

  #current() {
    this.#runtime.platform.runDue();
    return this.#runtime.platform;
  }
}

function assertTime(at: number): void {
  if (!(at >= 0 && at <= LATEST)) throw badRequest(`the clock runs from 0 to ${LATEST} milliseconds since the epoch`);
}
