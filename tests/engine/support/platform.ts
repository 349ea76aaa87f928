/** The emulator that a file's projects are configured for, and how to get such a project. */
import { afterAll, beforeAll } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type EndpointState } from "../../../emulator";
import { resourceOwner } from "../../../provider/lib/owner";
import type { Declarations, HostDriver } from "./hosts";
import { createProject, type Project, type StateResource } from "./project";
import type { Config } from "./stack-files";

/** An emulator and a way to get fresh projects that are configured for it. */
export type Bench = ReturnType<typeof useBench>;

/** One Pulumi project whose program can be given anew for each run. */
export type Program = ReturnType<typeof programOf>;

/** Starts an emulator for the tests of a file; every test gets branches and projects of its own. */
export function useBench(options: EmulatorOptions = {}) {
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
  const bench = {
    get emulator(): Emulator {
      return running();
    },
    get projectId(): string {
      return running().projectId;
    },
    /** A branch of its own, without endpoints; and so many of them. */
    branch: (): string => running().admin.seedBranch(running().projectId).id,
    branches: (many: number): string[] => Array.from({ length: many }, () => bench.branch()),
    /** What the platform has on a branch. */
    on: (branchId: string | undefined): EndpointState[] =>
      running()
        .admin.project(running().projectId)
        .endpoints.filter(({ branch_id }) => branch_id === branchId),
    /** A Pulumi project of its own, with key and address in its configuration; closed after the tests. */
    project(config: Config = {}): Project {
      const { url, apiKey } = running();
      const project = createProject({
        config: { "pgcompute:baseUrl": url, "pgcompute:apiKey": { secret: apiKey }, ...config },
      });
      projects.push(project);
      return project;
    },
    /** A project, its stack for a program, and what its state has. */
    program: (host: HostDriver): Program => programOf(bench.project(), host),
  };
  return bench;
}

/** A project with its program by a host. */
export function programOf(project: Project, host: HostDriver) {
  const all = () => project.exportState().resources.filter(({ type }) => type === host.type);
  const program = {
    project,
    host,
    is: (declarations: Declarations) => host.stack(project, declarations),
    /** The URN of an endpoint, or of a resource of another type. */
    urn: (name: string, type = host.type) => resourceOwner(`urn:pulumi:dev::${project.name}::${type}::${name}`),
    /** An endpoint as it lies in the state; fails where it is not there. */
    stored(name: string): StateResource {
      const found = all().find(({ urn }) => urn.endsWith(`::${name}`));
      if (!found) throw new Error(`the state has no ${name}`);
      return found;
    },
    /** The URN of the entry of the state that has an endpoint. */
    ownerIn(endpointId: string): string {
      const has = (one: StateResource) => JSON.stringify([one.id, one.outputs]).includes(endpointId);
      const found = project.exportState().resources.find((one) => /pgcompute/.test(one.type) && has(one));
      if (!found) throw new Error(`the state has no ${endpointId}`);
      return found.urn;
    },
    /** The platform's id of an endpoint in the state. */
    idOf: (name: string): string => endpointIdOf(program.stored(name)),
    /** The names of the endpoints in the state, in its order. */
    names: () => all().map(({ urn }) => urn.split("::").at(-1) ?? ""),
  };
  return program;
}

/** The endpoint's id in a resource id. */
export function endpointIdOf({ id }: StateResource): string {
  return id?.split("/")[1] ?? "";
}
