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

/** Writes down what has changed. */
export interface StateKeeper {
  /** Called before every answer. Returns a refusal where what has changed since the last call cannot be written. */
  save(): ApiError | undefined;
  /** Called before every change. Throws where it could not be written. */
  assertReady(): void;
}

/**
 * The control plane's memory: projects, settings and the schedule of due events. There are no timers: `runDue` performs
 * each event that the clock has reached, at its own instant. Every read of the state calls it first.
 */
export class Platform {
  readonly clock: EmulatorClock;
  readonly options: ResolvedOptions;
  readonly projects = new Map<string, Project>();
  readonly agenda = new Agenda();
  readonly faults: FaultRules;
  settings: Settings;
  random: Random;
  /** Real computes, where there are some. */
  computes: Computes | undefined;
  /** The keeper of a state that outlives the emulator. */
  keeper: StateKeeper | undefined;
  #runningAt: number | undefined;

  constructor(options: ResolvedOptions, clock: EmulatorClock, faults: FaultRules) {
    this.options = options;
    this.clock = clock;
    this.faults = faults;
    this.settings = { ...options.settings };
    this.random = new Random(options.seed);
  }

  /** Milliseconds since the epoch; while `runDue` works, the instant of what happens just then. */
  now(): number {
    return this.#runningAt ?? this.clock.now();
  }

  /** Lets everything happen that is due. */
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

  /** Forgets every project, setting and plan for the future; ids start from the seed again. */
  reset(): void {
    this.projects.clear();
    this.agenda.clear();
    this.computes?.reset();
    this.settings = { ...this.options.settings };
    this.random = new Random(this.options.seed);
  }

  /** The state of an endpoint whose compute does not run (specification, section 3.2). */
  restingState({ disabled }: Pick<EndpointRecord, "disabled">): EndpointState {
    return disabled ? this.settings.disabledState : "idle";
  }

  /** The project of that id. Throws 404. */
  project(id: string): Project {
    const project = this.projects.get(id);
    if (!project) throw notFound("project", id);
    return project;
  }

  /** The branch of that id. Throws 404. */
  branch(project: Project, id: string): BranchRecord {
    const branch = project.branches.get(id);
    if (!branch || branch.snapshot) throw notFound("branch", id);
    return branch;
  }

  /** The endpoint of that id. Throws 404. */
  endpoint(project: Project, id: string): Endpoint {
    const endpoint = project.endpoints.get(id);
    if (!endpoint) throw notFound("endpoint", id);
    return endpoint;
  }

  /** The endpoint of that id in any project. Throws 404. */
  findEndpoint(id: string): { project: Project; endpoint: Endpoint } {
    for (const project of this.projects.values()) {
      const endpoint = project.endpoints.get(id);
      if (endpoint) return { project, endpoint };
    }
    throw notFound("endpoint", id);
  }

  /** An id that nothing has yet, such as `ep-calm-river-01234567`; an empty prefix makes a project's. */
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
