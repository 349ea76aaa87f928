import type { Api } from "../api/api";
import { type Clock, systemClock } from "../api/clock";
import type { Settings } from "../config/resolve";
import { EndpointDirectory } from "../directory/endpoint-directory";
import { MutationGate } from "../operations/mutation-gate";
import { OperationWatcher } from "../operations/watcher";

/** What the provider keeps for one project: who is there, who waits, and who may change something. */
export interface SharedProject {
  directory: EndpointDirectory;
  watcher: OperationWatcher;
  gate: MutationGate;
}

/** One configured account of the platform: its API and, for each project, what all resources share. */
export interface Account {
  readonly api: Api;
  readonly clock: Clock;
  readonly settings: AccountSettings;
  /** What is shared for a project; made at first use. */
  project(projectId: string): SharedProject;
}

/** The settings that the resource and the functions look at. */
export type AccountSettings = Pick<
  Settings,
  "plan" | "minSizeCu" | "maxSizeCu" | "maxAutoscalingSpreadCu" | "operationTimeoutSeconds" | "adoptInterrupted"
>;

/** Opens an account on an API client. */
export function openAccount(api: Api, settings: AccountSettings, clock: Clock = systemClock): Account {
  const projects = new Map<string, SharedProject>();
  return {
    api,
    clock,
    settings,
    project(projectId) {
      let shared = projects.get(projectId);
      if (!shared) {
        const watcher = new OperationWatcher(api, clock, projectId);
        shared = {
          directory: new EndpointDirectory(api, clock, projectId),
          watcher,
          gate: new MutationGate(api, watcher, clock, projectId),
        };
        projects.set(projectId, shared);
      }
      return shared;
    },
  };
}
