import { expect } from "vitest";
import type { Declarations, HostDriver } from "../../support/hosts";
import { endpointIdOf, stored, storedNames } from "../../support/look";
import type { Bench } from "../../support/platform";
import type { Project } from "../../support/project";
import type { Scene } from "./scene";

/** The ids of all endpoints in the projects of a scene. */
export function idsOnPlatform({ emulator: { admin } }: Bench, { projectIds }: Scene): string[] {
  return projectIds.flatMap((projectId) => admin.project(projectId).endpoints.map(({ id }) => id)).sort();
}

/** The ids of all endpoints in the state. */
export function idsInState(project: Project, { type }: HostDriver): string[] {
  const endpoints = project.exportState().resources.filter((one) => one.type === type);
  return endpoints.map(endpointIdOf).sort();
}

/** Fails unless platform and state have the declared endpoints, each where and as it is declared, and no other. */
export function expectExactly(
  bench: Bench,
  scene: Scene,
  project: Project,
  host: HostDriver,
  declarations: Declarations,
): void {
  const names = Object.keys(declarations).sort();
  expect(storedNames(project, host).sort()).toEqual(names);
  expect(idsOnPlatform(bench, scene)).toEqual(idsInState(project, host));
  const seen = names.map((name) => {
    const resource = stored(project, host, name);
    const { project_id, branch_id, type, autoscaling_limit_min_cu } = bench.emulator.admin.endpoint(
      endpointIdOf(resource),
    );
    return { name, id: resource.id?.split("/")[0], project_id, branch_id, type, sizeCu: autoscaling_limit_min_cu };
  });
  const wanted = names.map((name) => {
    const { projectId, branchId, type = "read_write", sizeCu = 0.25 } = declarations[name]?.args ?? {};
    return { name, id: projectId, project_id: projectId, branch_id: branchId, type, sizeCu };
  });
  expect(seen).toEqual(wanted);
}
