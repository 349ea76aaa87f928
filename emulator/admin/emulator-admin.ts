import type { Fault, FaultStatus } from "../faults/fault";
import { faultSchema } from "../faults/fault-schema";
import type { Listener } from "../http/listener";
import type { RequestCounts, RequestLogEntry, RequestLogFilter } from "../http/request-log";
import type { Runtime } from "../http/runtime";
import type { ClockMode } from "../lib/clock";
import { badRequest } from "../lib/errors";
import { deleteProject } from "../lifecycle/change-project";
import { watchIdleness } from "../lifecycle/compute";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import type { BranchRecord } from "../model/branch";
import type { ConnectionStrings, Session } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import { type OperationRecord, toOperationRecord } from "../model/operation";
import type { Project } from "../model/project";
import { validate } from "../requests/validate";
import { withPlatform } from "../settings/platforms";
import type { Settings } from "../settings/settings";
import { settingsChange } from "./admin-schema";
import { type ConnectRequest, connectClient, connectionStringsOf, disconnectClients, sessionsOf } from "./clients";
import { driftEndpoint, dropWholeBranch, type EndpointDrift, type OperationRequest, startOwnOperations } from "./drift";
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

// Beyond the year 2223 a cursor in microseconds is no exact number any more.
const LATEST = 8e12;

/**
 * Steers the emulator: the same powers as the admin calls over HTTP, without HTTP. Errors are `ApiError`s
 * with the status that the HTTP call would have.
 */
export class EmulatorAdmin {
  readonly #runtime: Runtime;
  readonly #listener: Listener;
  readonly #contents: readonly ProjectContents[];

  constructor(runtime: Runtime, listener: Listener, contents: readonly ProjectContents[]) {
    this.#runtime = runtime;
    this.#contents = contents;
    this.#listener = listener;
  }

  /** Returns everything to the seed: platform, clock, settings, faults, log; calls that are held back are cut. */
  reset(): void {
    this.#runtime.reset();
    seedContents(this.#runtime.platform, this.#contents);
  }

  /** Refuses connections until `acceptConnections`, and cuts those that are open. */
  refuseConnections(): Promise<void> {
    return this.#listener.shut();
  }

  /** Refuses connections for `forMs` milliseconds of the machine's time. */
  refuseFor(forMs: number): void {
    this.#listener.shutFor(forMs);
  }

  /** Listens again, at the same port. */
  acceptConnections(): Promise<void> {
    return this.#listener.open();
  }

  /** Calls that a fault keeps from ending, and whose client has not given up. */
  stalledCalls(): number {
    return this.#runtime.stalledCalls;
  }

  /** The platform with every project, branch, endpoint and at most `operations` operations of each project. */
  state(options: { operations?: number } = {}): EmulatorState {
    return takeState(this.#current(), options.operations);
  }

  /** One project of the state. */
  project(projectId: string): ProjectState {
    return this.#projectState(this.#current().project(projectId));
  }

  /** One endpoint of the state, of any project. */
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

  /** Many endpoints at once; returns their ids. */
  seedFleet(projectId: string, seed: FleetSeed): string[] {
    const platform = this.#current();
    return seedFleet(platform, platform.project(projectId), seed).map((endpoint) => endpoint.record.id);
  }

  /** Deletes a project as its owner would: everything in it is gone, and a delete_tenant operation runs. */
  deleteProject(projectId: string): void {
    const platform = this.#current();
    deleteProject(platform, platform.project(projectId));
  }

  /** Takes a branch and its endpoints away behind everybody's back. */
  dropBranch(projectId: string, branchId: string): void {
    const platform = this.#current();
    dropWholeBranch(platform, platform.project(projectId), branchId);
  }

  /** Takes an endpoint away behind everybody's back. */
  dropEndpoint(endpointId: string): void {
    const platform = this.#current();
    const { project, endpoint } = platform.findEndpoint(endpointId);
    dropEndpoint(platform, project, endpoint);
  }

  /** Changes an endpoint behind everybody's back: no check, no operation, no restart. */
  changeEndpoint(endpointId: string, changes: EndpointDrift): EndpointState {
    return this.#endpointState(driftEndpoint(this.#current(), endpointId, changes));
  }

  /**
   * A client's access, which wakes an idle endpoint. Throws as the platform refuses it (406 disabled, 429 full), and 400 for
   * connections to a Postgres server, which only clients can open.
   */
  connect(request: ConnectRequest): EndpointState {
    return this.#endpointState(connectClient(this.#current(), request));
  }

  /** Closes connections, by default all that are open. */
  disconnect(request: { endpointId: string; connections?: number }): EndpointState {
    return this.#endpointState(disconnectClients(this.#current(), request));
  }

  /** How clients reach an endpoint's Postgres server. Throws 400 where endpoints are none. */
  connectionStrings(endpointId: string): ConnectionStrings {
    return connectionStringsOf(this.#current(), endpointId);
  }

  /** The connections to an endpoint's Postgres server, oldest first. Throws 400 where endpoints are none. */
  sessions(endpointId: string): Session[] {
    return sessionsOf(this.#current(), endpointId);
  }

  /** Starts operations of any action, such as check_availability; they change nothing. Returns the last one. */
  startOperation(request: OperationRequest): OperationRecord {
    return toOperationRecord(startOwnOperations(this.#current(), request));
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#runtime.clock.now();
  }

  clockMode(): ClockMode {
    return this.#runtime.clock.mode;
  }

  /** Switches between the real and the manual clock; without `at` the time goes on from where it is. */
  setClock(mode: ClockMode, at?: number): void {
    assertTime(at ?? this.now());
    this.#runtime.clock.set(mode, at);
    this.#current();
  }

  /** Moves the time by `ms` (a real clock is shifted) and lets everything happen that falls due. */
  advance(ms: number): void {
    assertTime(this.now() + ms);
    this.#runtime.clock.advance(ms);
    this.#current();
  }

  /** Adds a fault rule; returns its id. Throws 400 for one that could never strike as it says. */
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

  /** Removes a fault rule; false when there is none of that id. */
  removeFault(id: string): boolean {
    return this.#runtime.faults.remove(id);
  }

  clearFaults(): void {
    this.#runtime.faults.clear();
  }

  /** The calls to the API, oldest first; admin calls are not in it. */
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

  /** Changes settings until the next reset; what is `undefined` stays, but for the limit. Throws 400 for a wrong value. */
  configure(changes: Partial<Settings>): Settings {
    const platform = this.#current();
    const given = Object.entries(validate(settingsChange, changes, "settings"));
    const kept = given.filter(([name, value]) => value !== undefined || name === "rateLimit");
    platform.settings = { ...platform.settings, ...withPlatform(Object.fromEntries(kept)) };
    // What decides when a compute suspends may have become another.
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

  #current() {
    this.#runtime.platform.runDue();
    return this.#runtime.platform;
  }
}

function assertTime(at: number): void {
  if (!(at >= 0 && at <= LATEST)) throw badRequest(`the clock runs from 0 to ${LATEST} milliseconds since the epoch`);
}
