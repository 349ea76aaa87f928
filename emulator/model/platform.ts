import type { FaultRules } from "../faults/fault-rules";
import { Agenda } from "../lib/agenda";
import type { EmulatorClock } from "../lib/clock";
import { type ApiError, notFound } from "../lib/errors";
import { Random } from "../lib/random";
import type { ResolvedOptions } from "../settings/options";
import type { Settings } from "../settings/settings";
import type { BranchRecord } from "./branch";
import type { Computes } from "./computes";
import type { Endpoint, EndpointRecord, EndpointState } from "./endpoint";
import type { Project } from "./project";

/** Saves changes of the platform. */
export interface StateKeeper {
  /** Called before every answer. Returns a refusal if the latest changes cannot be saved. */
  save(): ApiError | undefined;
  /** Called before every change. Throws if the change could not be saved. */
  assertReady(): void;
}

/** The control plane's memory: projects, settings and due events. Without timers: reads first call `runDue`. */
export class Platform {
  readonly clock: EmulatorClock;
  readonly options: ResolvedOptions;
  readonly projects = new Map<string, Project>();
  readonly agenda = new Agenda();
  readonly faults: FaultRules;
  settings: Settings;
  random: Random;
  /** Real computes, if there are any. */
  computes: Computes | undefined;
  /** The keeper of a state that outlasts the emulator. */
  keeper: StateKeeper | undefined;
  #runningAt: number | undefined;

  constructor(options: ResolvedOptions, clock: EmulatorClock, faults: FaultRules) {
    this.options = options;
    this.clock = clock;
    this.faults = faults;
    this.settings = { ...options.settings };
    this.random = new Random(options.seed);
  }

  /** Milliseconds since the epoch; within `runDue`, the event's own time. */
  now(): number {
    return this.#runningAt ?? this.clock.now();
  }

  /** Runs all due events. */
  runDue(): void {
    const now = this.clock.now();
    for (;;) {
      const due = this.agenda.takeDue(now);
      if (!due) break;
      this.#runningAt = due.at;
      try {
        due.run();
      } finally {
        this.#runningAt = undefined;
      }
    }
  }

  /** Drops all projects, settings and events; ids restart from the seed. */
  reset(): void {
    this.projects.clear();
    this.agenda.clear();
    this.computes?.reset();
    this.settings = { ...this.options.settings };
    this.random = new Random(this.options.seed);
  }

  /** The state of an endpoint with a stopped compute (specification, section 3.2). */
  restingState({ disabled }: Pick<EndpointRecord, "disabled">): EndpointState {
    return disabled ? this.settings.disabledState : "idle";
  }

  /** The project with this id. Throws 404. */
  project(id: string): Project {
    const project = this.projects.get(id);
    if (!project) throw notFound("project", id);
    return project;
  }

  /** The branch with this id. Throws 404. */
  branch(project: Project, id: string): BranchRecord {
    const branch = project.branches.get(id);
    if (!branch || branch.snapshot) throw notFound("branch", id);
    return branch;
  }

  /** The endpoint with this id. Throws 404. */
  endpoint(project: Project, id: string): Endpoint {
    const endpoint = project.endpoints.get(id);
    if (!endpoint) throw notFound("endpoint", id);
    return endpoint;
  }

  /** The endpoint with this id in any project. Throws 404. */
  findEndpoint(id: string): { project: Project; endpoint: Endpoint } {
    for (const project of this.projects.values()) {
      const endpoint = project.endpoints.get(id);
      if (endpoint) return { project, endpoint };
    }
    throw notFound("endpoint", id);
  }

  /** A new unused id, such as `ep-calm-river-01234567`; with an empty prefix a project's. */
  newId(prefix: "br-" | "ep-" | "snap-" | ""): string {
    for (;;) {
      const id = `${prefix}${this.random.name()}`;
      if (!this.#isTaken(id)) return id;
    }
  }

  #isTaken(id: string): boolean {
    for (const project of this.projects.values()) {
      if (project.endpoints.has(id) || project.branches.has(id) || project.record.id === id) return true;
    }
    return false;
  }
}
