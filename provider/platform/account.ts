import { type Clock, systemClock } from "../lib/clock";
import type { Api } from "./api";
import { ChangeQueue } from "./project/change-queue";
import { EndpointCache } from "./project/endpoint-cache";
import { OpenCreates } from "./project/open-creates";
import { OperationWaiter } from "./project/operation-waiter";
import { RecentOperations } from "./project/recent-operations";

/** What the provider keeps for one project: who is there, what happens, who waits, who may change something, and who is to come. */
export interface SharedProject {
  cache: EndpointCache;
  operations: RecentOperations;
  waiter: OperationWaiter;
  changes: ChangeQueue;
  creates: OpenCreates;
  /** Properties that the platform was seen to take and not to show: that is said once. */
  untold: Set<string>;
}

/** One configured account of the platform: its API and, for each project, what all resources share. */
export interface Account {
  readonly api: Api;
  readonly clock: Clock;
  readonly settings: AccountSettings;
  /** What is shared for a project; made at first use. */
  project(projectId: string): SharedProject;
}

/** The settings that the resource and the functions look at; the configuration's model describes each. */
export interface AccountSettings {
  /** Undefined where nobody has said which plan the account is on. */
  plan?: "free" | "paid" | undefined;
  minSizeCu: number;
  maxSizeCu: number;
  maxAutoscalingSpreadCu: number;
  operationTimeoutSeconds: number;
  adoptInterrupted: boolean;
  /** Whether the platform moves endpoints to other branches; default `inPlace`. */
  moves?: "inPlace" | "replace" | undefined;
}

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
        const operations = new RecentOperations(api, clock, projectId);
        const waiter = new OperationWaiter(api, clock, projectId);
        const cache = new EndpointCache(api, clock, projectId);
        shared = {
          cache,
          operations,
          waiter,
          changes: new ChangeQueue(operations, waiter, clock, api),
          creates: new OpenCreates(cache, () => api.platformTime()),
          untold: new Set(),
        };
        projects.set(projectId, shared);
      }
      return shared;
    },
  };
}
