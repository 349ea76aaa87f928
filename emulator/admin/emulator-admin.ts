import type { ClockMode } from "../clock";
import { badRequest } from "../errors";
import type { Fault, FaultStatus } from "../faults/fault";
import { disconnect as closeConnections, connect } from "../lifecycle/connection";
import { deleteProject, type NewProject } from "../lifecycle/create-project";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import type { EndpointUpdate } from "../lifecycle/update-endpoint";
import type { Listener } from "../listener";
import type { BranchRecord } from "../model/branch";
import type { EndpointRecord } from "../model/endpoint";
import { type OperationRecord, toOperationRecord } from "../model/operation";
import { toTimestamp } from "../model/timestamp";
import type { Settings } from "../options";
import type { RequestCounts, RequestLogEntry, RequestLogFilter } from "../request-log";
import type { Runtime } from "../runtime";
import { dropBranch, runOperations } from "./interference";
import {
  type BranchSeed,
  type EndpointSeed,
  type FleetSeed,
  seedBranch,
  seedEndpoint,
  seededIds,
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

/** A client's access, by the admin's hand. */
export interface ConnectRequest {
  endpointId: string;
  /** Connections to open and hold; 0 is one short access. Default 0. */
  connections?: number;
  /** Through the pooler. Default false. */
  pooled?: boolean;
}

/** Fields of an endpoint that somebody else changes; the state is taken as given, too. */
export interface EndpointDrift extends EndpointUpdate {
  current_state?: EndpointRecord["current_state"];
}

/** An operation that the platform starts by itself. */
export interface OperationRequest {
  projectId: string;
  action: string;
  /** Default the endpoint's branch, or else the primary one. */
  branchId?: string;
  endpointId?: string;
  /** How many of them. Default 1. */
  count?: number;
}

// Beyond the year 2223 a cursor in microseconds is no exact number any more.
const LATEST = 8e12;

/**
 * The hand that steers the emulator: the same powers as the admin calls over HTTP, without HTTP. Errors are `ApiError`s
 * with the status that the HTTP call would have.
 */
export class EmulatorAdmin {
  readonly #runtime: Runtime;
  readonly #listener: Listener;

  constructor(runtime: Runtime, listener: Listener) {
    this.#runtime = runtime;
    this.#listener = listener;
  }

  /** Returns everything to the seed: platform, clock, settings, faults, log; calls that are held back are cut. */
  reset(): void {
    this.#runtime.reset();
    const { projectId: id, branchId, endpointId } = seededIds;
    seedProject(this.#runtime.platform, { id, name: "quiet-harbor", branchId, endpointId });
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

  /** The platform with every project, branch, endpoint and at most `operations` operations of each project. */
  state(options: { operations?: number } = {}): EmulatorState {
    return takeState(this.#settled(), options.operations);
  }

  /** One project of the state. */
  project(projectId: string): ProjectState {
    return projectState(this.#settled().project(projectId));
  }

  /** One endpoint of the state, of any project. */
  endpoint(endpointId: string): EndpointState {
    return endpointState(this.#settled().findEndpoint(endpointId).endpoint);
  }

  seedProject(seed: NewProject = {}): ProjectState {
    return projectState(seedProject(this.#settled(), seed));
  }

  seedBranch(projectId: string, seed: BranchSeed = {}): BranchRecord {
    const platform = this.#settled();
    return seedBranch(platform, platform.project(projectId), seed);
  }

  seedEndpoint(projectId: string, seed: EndpointSeed): EndpointState {
    const platform = this.#settled();
    return endpointState(seedEndpoint(platform, platform.project(projectId), seed));
  }

  /** Many endpoints at once; returns their ids. */
  seedFleet(projectId: string, seed: FleetSeed): string[] {
    const platform = this.#settled();
    return seedFleet(platform, platform.project(projectId), seed).map((endpoint) => endpoint.record.id);
  }

  /** Deletes a project as its owner would: everything in it is gone, and a delete_tenant operation runs. */
  deleteProject(projectId: string): void {
    const platform = this.#settled();
    deleteProject(platform, platform.project(projectId));
  }

  /** Takes a branch and its endpoints away behind everybody's back. */
  dropBranch(projectId: string, branchId: string): void {
    const platform = this.#settled();
    dropBranch(platform, platform.project(projectId), branchId);
  }

  /** Takes an endpoint away behind everybody's back. */
  dropEndpoint(endpointId: string): void {
    const platform = this.#settled();
    const { project, endpoint } = platform.findEndpoint(endpointId);
    dropEndpoint(platform, project, endpoint);
  }

  /** Changes an endpoint behind everybody's back: no check, no operation, no restart. */
  changeEndpoint(endpointId: string, changes: EndpointDrift): EndpointState {
    const platform = this.#settled();
    const { project, endpoint } = platform.findEndpoint(endpointId);
    if (changes.branch_id !== undefined) platform.branch(project, changes.branch_id);
    const now = platform.now();
    project.changeEndpoint(endpoint, { ...changes, updated_at: toTimestamp(now) }, now);
    return endpointState(endpoint);
  }

  /** A client's access, which wakes an idle endpoint. Throws as the platform refuses it (406 disabled, 429 full). */
  connect(request: ConnectRequest): EndpointState {
    const platform = this.#settled();
    const { project, endpoint } = platform.findEndpoint(request.endpointId);
    connect(platform, project, endpoint, request);
    return endpointState(endpoint);
  }

  /** Closes connections, by default all that are open. */
  disconnect(request: { endpointId: string; connections?: number }): EndpointState {
    const platform = this.#settled();
    const { project, endpoint } = platform.findEndpoint(request.endpointId);
    closeConnections(platform, project, endpoint, request.connections);
    return endpointState(endpoint);
  }

  /** Starts operations of any action, such as check_availability; they change nothing. Returns the last one. */
  startOperation(request: OperationRequest): OperationRecord {
    return toOperationRecord(runOperations(this.#settled(), request));
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
    this.#settled();
  }

  /** Moves the time by `ms` (a real clock is shifted) and lets everything happen that falls due. */
  advance(ms: number): void {
    assertTime(this.now() + ms);
    this.#runtime.clock.advance(ms);
    this.#settled();
  }

  /** Adds a fault rule; returns its id. */
  addFault(fault: Fault): string {
    return this.#runtime.faults.add(fault);
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

  /** Changes settings until the next reset. */
  configure(changes: Partial<Settings>): Settings {
    const platform = this.#settled();
    platform.settings = { ...platform.settings, ...changes };
    return this.settings();
  }

  #settled() {
    this.#runtime.platform.settle();
    return this.#runtime.platform;
  }
}

function assertTime(at: number): void {
  if (!(at >= 0 && at <= LATEST)) throw badRequest(`the clock runs from 0 to ${LATEST} milliseconds since the epoch`);
}
