/** The emulator that a file's projects are configured for, and how to get such a project. */
import { afterAll, beforeAll } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type EndpointState } from "../../../emulator";
import { type Owner, resourceOwner } from "../../../provider/lib/owner";
import type { Declarations, HostDriver } from "./hosts";
import { createProject, type Project, type StateResource } from "./project";
import type { Stack } from "./stack";
import type { Config } from "./stack-files";

/** An emulator and a way to get fresh projects that are configured for it. */
export interface Bench {
  readonly emulator: Emulator;
  readonly projectId: string;
  /** A branch of its own, without endpoints; and so many of them. */
  branch(): string;
  branches(many: number): string[];
  /** What the platform has on a branch. */
  on(branchId: string | undefined): EndpointState[];
  /** A Pulumi project of its own, with key and address in its configuration; closed after the tests. */
  project(config?: Config): Project;
  /** A project, its stack for a program, and what its state has. */
  program(host: HostDriver): Program;
}

/** One Pulumi project whose program can be given anew for each run. */
export interface Program {
  project: Project;
  host: HostDriver;
  is(declarations: Declarations): Stack;
  /** The URN of an endpoint, or of a resource of another type. */
  urn(name: string, type?: string): Owner;
  /** An endpoint as it lies in the state; fails where it is not there. */
  stored(name: string): StateResource;
  /** The platform's id of an endpoint in the state. */
  idOf(name: string): string;
  /** The names of the endpoints in the state, in its order. */
  names(): string[];
}

/** Starts an emulator for the tests of a file; every test gets branches and projects of its own. */
export function useBench(options: EmulatorOptions = {}): Bench {
  let emulator: Emulator | undefined;
  const projects: Project[] = [];
  const running = (): Emulator => {
    if (!emulator) throw new Error("the emulator runs only within tests");
    return emulator;
  };
  beforeAll(async () => {
    emulator = await createEmulator({ operationMs: 40, ...options });
  });
  afterAll(async () => {
    for (const project of projects) project.close();
    await emulator?.close();
  });
  const bench: Bench = {
    get emulator() {
      return running();
    },
    get projectId() {
      return running().projectId;
    },
    branch: () => running().admin.seedBranch(running().projectId).id,
    branches: (many) => Array.from({ length: many }, () => bench.branch()),
    on: (branchId) =>
      running()
        .admin.project(running().projectId)
        .endpoints.filter(({ branch_id }) => branch_id === branchId),
    project(config = {}) {
      const { url, apiKey } = running();
      const project = createProject({
        config: { "pgcompute:baseUrl": url, "pgcompute:apiKey": { secret: apiKey }, ...config },
      });
      projects.push(project);
      return project;
    },
    program: (host) => programOf(bench.project(), host),
  };
  return bench;
}

/** A project with its program by a host. */
export function programOf(project: Project, host: HostDriver): Program {
  const all = () => project.exportState().resources.filter(({ type }) => type === host.type);
  const program: Program = {
    project,
    host,
    is: (declarations) => host.stack(project, declarations),
    urn: (name, type = host.type) => resourceOwner(`urn:pulumi:dev::${project.name}::${type}::${name}`),
    stored(name) {
      const found = all().find(({ urn }) => urn.endsWith(`::${name}`));
      if (!found) throw new Error(`the state has no ${name}`);
      return found;
    },
    idOf: (name) => endpointIdOf(program.stored(name)),
    names: () => all().map(({ urn }) => urn.split("::").at(-1) ?? ""),
  };
  return program;
}

/** The endpoint's id in a resource id. */
export function endpointIdOf({ id }: StateResource): string {
  return id?.split("/")[1] ?? "";
}
