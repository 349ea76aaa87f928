import { contents as projectContents, startOptions } from "./admin/admin-schema";
import { EmulatorAdmin } from "./admin/emulator-admin";
import { defaultContents, type ProjectContents } from "./admin/seed";
import { Listener, urlHost } from "./http/listener";
import { Runtime } from "./http/runtime";
import type { Postgres } from "./postgres";
import type { PostgresAccess } from "./postgres/access";
import { validate } from "./requests/validate";
import { ADMIN_PREFIX, API_PREFIX, buildServer } from "./server";
import type { StartOptions } from "./settings/options";

export type { ConnectRequest } from "./admin/clients";
export type { EndpointDrift, OperationRequest } from "./admin/drift";
export type { EmulatorAdmin } from "./admin/emulator-admin";
export type { BranchSeed, EndpointSeed, FleetSeed, ProjectContents, ProjectSeed } from "./admin/seed";
export type { EmulatorState, EndpointState, ProjectState } from "./admin/state";
export type {
  CallEffect,
  CallFault,
  Fault,
  FaultFrequency,
  FaultMoment,
  FaultStatus,
  OperationEffect,
  OperationFault,
} from "./faults/fault";
export type { RequestCounts, RequestLogEntry, RequestLogFilter } from "./http/request-log";
export type { ClockMode } from "./lib/clock";
export { ApiError } from "./lib/errors";
export type { RateLimit, RetryAfterForm } from "./lib/rate-limit";
export type { BranchRecord } from "./model/branch";
export type { ConnectionStrings, Session } from "./model/computes";
export type { EndpointRecord } from "./model/endpoint";
export type { OperationRecord } from "./model/operation";
export type { ProjectRecord } from "./model/project";
export type { PostgresAccess } from "./postgres/access";
export type { StartOptions } from "./settings/options";
export type { IdleChange, LastPage, LockMode, MoveRule, Plan, RemovedFields, Settings } from "./settings/settings";

/** Options of `createEmulator`; all are optional. */
export interface EmulatorOptions extends StartOptions {
  /** What is there from the start and after each reset. Default one project with a primary branch and an idle endpoint. */
  projects?: readonly ProjectContents[];
}

/** A running emulator. */
export interface Emulator {
  /** Base address of the API, such as `http://127.0.0.1:40123/api/v2`. */
  readonly url: string;
  /** Where the admin calls are, such as `http://127.0.0.1:40123/_emulator`. */
  readonly adminUrl: string;
  /** The console, a page for people, such as `http://127.0.0.1:40123/`. */
  readonly consoleUrl: string;
  readonly port: number;
  readonly apiKey: string;
  /** Ids of the first project, its primary branch and the read-write endpoint of that (empty where it has none). */
  readonly projectId: string;
  readonly branchId: string;
  readonly endpointId: string;
  /** Whether it goes on with what another one left in `data`, in place of the contents; a reset brings those. */
  readonly resumed: boolean;
  /** How its Postgres servers are reached; `undefined` without the option `postgres`. */
  readonly postgres: PostgresAccess | undefined;
  /** Seeds, steers and watches the emulator without HTTP. */
  readonly admin: EmulatorAdmin;
  /** Returns everything to the seed. The address and the key stay. */
  reset(): void;
  /** Ends at once: open connections are cut, and nothing is left behind. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Lets the process end although this was not closed, as `unref` of node's servers does. Returns the emulator. */
  unref(): Emulator;
}

/**
 * Starts the platform's control plane on a port of its own. Rejects when the port is taken, or an option or the
 * contents cannot be used.
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { projects = defaultContents, ...others } = options;
  const runtime = new Runtime(others);
  validate(startOptions, others, "options");
  const { host, port, apiKey } = runtime.options;
  const listener = new Listener(host, port);
  const contents = validate(projectContents, projects, "projects");
  const admin = new EmulatorAdmin(runtime, listener, contents);
  const postgres = await openComputes(runtime);
  let app: Awaited<ReturnType<typeof buildServer>> | undefined;
  let resumed = false;
  try {
    resumed = postgres?.restore() ?? false;
    if (!resumed) admin.reset();
    app = await buildServer(runtime, admin);
    await listener.serve(app.server);
  } catch (error) {
    await app?.close();
    await postgres?.close();
    throw error;
  }
  const served = app;
  postgres?.begin();
  const origin = `http://${urlHost(host)}:${listener.port}`;
  const close = async () => {
    runtime.stopHeldCalls();
    await listener.shut();
    await served.close();
    await postgres?.close();
  };
  const emulator: Emulator = {
    url: `${origin}${API_PREFIX}`,
    adminUrl: `${origin}${ADMIN_PREFIX}`,
    consoleUrl: `${origin}/`,
    port: listener.port,
    apiKey,
    ...firstIds(admin),
    resumed,
    postgres: postgres?.access,
    admin,
    reset: () => admin.reset(),
    close,
    [Symbol.asyncDispose]: close,
    unref: () => {
      listener.unref();
      return emulator;
    },
  };
  return emulator;
}

// Only here is anything of Postgres loaded.
async function openComputes({ platform, options }: Runtime): Promise<Postgres | undefined> {
  const { postgres, pgPort, postgresBin, data, maxRunning } = options;
  if (!postgres) return undefined;
  const { openPostgres } = await import("./postgres");
  return openPostgres(platform, { port: pgPort, bin: postgresBin, data, maxRunning });
}

function firstIds(admin: EmulatorAdmin) {
  const [first] = admin.state({ operations: 0 }).projects;
  const branchId = first?.branches.find(({ primary }) => primary)?.id ?? "";
  const writer = first?.endpoints.find(({ branch_id, type }) => branch_id === branchId && type === "read_write");
  return { projectId: first?.project.id ?? "", branchId, endpointId: writer?.id ?? "" };
}
