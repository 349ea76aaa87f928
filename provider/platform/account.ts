import { type Clock, systemClock } from "../lib/clock";
import type { Api } from "./api";
import { HttpError, type KeySource, PgComputeError } from "./errors";
import type { Profile } from "./profiles/profile";
import { type Plan, profileOnPlan } from "./profiles/profiles";
import { Branches } from "./project/branches";
import { ChangeQueue } from "./project/change-queue";
import { Creates } from "./project/creates";
import { EndpointCache } from "./project/endpoint-cache";
import { OperationWaiter } from "./project/operation-waiter";
import { RecentOperations } from "./project/recent-operations";

/** A project's shared data: endpoints, branches, recent operations, waits, queued changes and creates. */
export interface SharedProject {
  cache: EndpointCache;
  branches: Branches;
  operations: RecentOperations;
  waiter: OperationWaiter;
  changes: ChangeQueue;
  creates: Creates;
  /** Properties that the platform accepted and did not show; each is reported once. */
  neverShown: Set<string>;
}

/** A configured account of the platform: its API and, by project, the data that its resources share. */
export interface Account {
  readonly api: Api;
  readonly clock: Clock;
  readonly settings: AccountSettings;
  /** The project's shared data, created on first use. */
  project(projectId: string): SharedProject;
}

/** Settings for resources and functions. The configuration's model (`provider/config/model.ts`) describes each. */
export interface AccountSettings {
  /** The base address, for the commands in messages. */
  baseUrl?: URL | undefined;
  keySource?: KeySource | undefined;
  profile: Profile;
  plan?: Plan | undefined;
  maxSizeCu?: number | undefined;
  checks: "refuse" | "warn";
  operationTimeoutSeconds: number;
  adoptInterrupted: boolean;
  undoRestore?: string | undefined;
  /** Endpoints (`PROJECT/ENDPOINT`) or projects (`PROJECT`) that the run leaves alone. */
  forget?: readonly string[] | undefined;
  moves?: "inPlace" | "replace" | undefined;
}

/** Opens an account on an API client. */
export function openAccount(api: Api, given: AccountSettings, clock: Clock = systemClock): Account {
  const settings = { ...given, profile: profileOnPlan(given.profile, given.plan) };
  const projects = new Map<string, SharedProject>();
  return {
    api,
    clock,
    settings,
    project(projectId) {
      let shared = projects.get(projectId);
      if (!shared) {
        const operations = new RecentOperations(api, projectId);
        const waiter = new OperationWaiter(api, clock, projectId);
        const cache = new EndpointCache(api, clock, projectId);

        shared = {
          cache,
          branches: new Branches(api, clock, projectId),
          operations,
          waiter,
          changes: new ChangeQueue(operations, waiter, clock, api),
          creates: new Creates(cache, api, settings.profile.keepsNames),
          neverShown: new Set(),
        };
        projects.set(projectId, shared);
      }
      return shared;
    },
  };
}

/** Runs the work. If the base address is not the platform's API, a 404 gets the remedy `wrong_address`. */
export async function withAddressChecked<T>(
  api: Pick<Api, "isThere">,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError && error.kind === "not_found")) throw error;
    if (await api.isThere({ signal })) throw error;
    throw new PgComputeError(error.kind, error.summary, { cause: error, remedy: { kind: "wrong_address" } });
  }
}
