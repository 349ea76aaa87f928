import { afterAll, beforeAll } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type EndpointState } from "../../../emulator";
import type { Declarations, HostDriver } from "./hosts";
import { createProject, type Project } from "./project";
import type { Stack } from "./stack";
import { API_KEY } from "./template";

/** An emulator and a way to get fresh projects that are configured for it. */
export interface Bench {
  readonly emulator: Emulator;
  readonly projectId: string;
  /** A branch of its own, without endpoints. */
  branch(): string;
  /** A Pulumi project of its own, with key and address in its configuration; closed after the tests. */
  project(config?: Record<string, string | { secret: string }>): Promise<Project>;
  /** A project, its stack for a program, and what the platform has of it. */
  program(host: HostDriver): Promise<Program>;
}

/** One Pulumi project whose program can be given anew for each run. */
export interface Program {
  project: Project;
  is(declarations: Declarations): Stack;
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
    emulator = await createEmulator({ operationMs: 40, apiKey: API_KEY, ...options });
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
    async project(config = {}) {
      const { url, apiKey } = running();
      const project = await createProject({
        config: { "pgcompute:baseUrl": url, "pgcompute:apiKey": { secret: apiKey }, ...config },
      });
      projects.push(project);
      return project;
    },
    async program(host) {
      const project = await bench.project();
      return { project, is: (declarations) => host.stack(project, declarations) };
    },
  };
  return bench;
}

/** What the platform has on a branch. */
export function endpointsOn({ emulator, projectId }: Bench, branchId: string): EndpointState[] {
  return emulator.admin.project(projectId).endpoints.filter((endpoint) => endpoint.branch_id === branchId);
}
