/** What a run said and did, what lies in the state, and what reached the platform. */
import { platformIn } from "../../../provider/platform/profiles/profiles";
import type { HostDriver } from "./hosts";
import type { Bench } from "./platform";
import type { Project, StateResource } from "./project";
import type { Run, Step } from "./run";

/** What a run told people about one resource, or about anything: every message but the status lines and the line on the platform, as one text. */
export function said(run: Run, name?: string): string {
  return run.diagnostics
    .filter(({ ephemeral, message }) => !ephemeral && platformIn(message) === undefined)
    .filter((one) => name === undefined || one.name === name)
    .map(({ message }) => message)
    .join("\n");
}

/**
 * What check found wrong with a resource, out of the engine's frame; the property is empty where none is to blame. The
 * engine ends a run at the first resource that check refuses, so no run has failures of two.
 */
export function failuresOf(run: Run, name: string): { property: string; reason: string }[] {
  const frame = /resource '[^']*':? (?:property (\S+) value .*? )?has a problem: (.*)$/s;
  return run.diagnostics
    .filter((one) => one.severity === "error" && one.name === name)
    .map(({ message }) => {
      const [, property = "", reason = message] = message.match(frame) ?? [];
      return { property, reason };
    });
}

/** The kinds of step that a run took for a resource, in their order. */
export function opsOf(run: Run, name: string): Step["op"][] {
  return run.steps.filter((step) => step.name === name).map(({ op }) => op);
}

/** A resource as it lies in the state; fails where it is not there. */
export function stored(project: Project, host: HostDriver, name: string): StateResource {
  const found = project
    .exportState()
    .resources.find(({ type, urn }) => type === host.type && urn.endsWith(`::${name}`));
  if (!found) throw new Error(`the state has no ${name}`);
  return found;
}

/** The names of the endpoints in the state, in its order. */
export function storedNames(project: Project, host: HostDriver): string[] {
  const found = project.exportState().resources.filter(({ type }) => type === host.type);
  return found.map(({ urn }) => urn.split("::").at(-1) ?? "");
}

/** The endpoint's id in a resource id. */
export function endpointIdOf({ id }: StateResource): string {
  return id?.split("/")[1] ?? "";
}

/** The actions that the platform ran for an endpoint, oldest first. */
export function actionsFor({ emulator, projectId }: Bench, endpointId: string): string[] {
  const { operations } = emulator.admin.project(projectId);
  return operations
    .filter((operation) => operation.endpoint_id === endpointId)
    .map(({ action }) => action)
    .reverse();
}

/** The calls that changed something, as `METHOD route`, since the log was last cleared. */
export function changesCalled({ emulator }: Bench): string[] {
  const calls = emulator.admin.log().filter(({ method }) => method !== "GET");
  return calls.map(({ method, route }) => `${method} ${route}`);
}
