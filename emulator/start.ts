/// <reference lib="esnext.disposable" preserve="true" />
/** An emulator in this process: the control plane, its HTTP side and, if requested, Postgres servers. */

import { contents as projectContents, startOptions } from "./admin/admin-schema";
import { EmulatorAdmin } from "./admin/emulator-admin";
import { defaultContents, type ProjectContents } from "./admin/seed";
import { Listener, urlHost } from "./http/listener";
import { Runtime } from "./http/runtime";
import { isRoot } from "./lib/machine";
import type { PostgresAccess } from "./postgres";
import { validate } from "./requests/validate";
import { ADMIN_PREFIX, API_PREFIX, buildServer } from "./server";
import { resolveOptions, type StartOptions } from "./settings/options";

/** Options of `createEmulator`; all optional. */
export interface EmulatorOptions extends StartOptions {
  /**
   * The contents at the start and after each reset. Default: one project with a primary branch and an idle endpoint.
   */
  projects?: readonly ProjectContents[];
}

/** A running emulator. */
export interface Emulator {
  /** Base address of the API, such as `http://127.0.0.1:40123/api/v2`. */
  readonly url: string;
  /** Base address of the admin calls, such as `http://127.0.0.1:40123/_emulator`. */
  readonly adminUrl: string;
  /** The console's page for people, such as `http://127.0.0.1:40123/`. */
  readonly consoleUrl: string;
  readonly port: number;
  readonly apiKey: string;
  /** With Postgres servers, the bearer token of the admin calls; also in the console's address. */
  readonly adminToken: string | undefined;
  /** Ids of the first project, its primary branch and that one's read-write endpoint (empty if there is none). */
  readonly projectId: string;
  readonly branchId: string;
  readonly endpointId: string;
  /** True if the emulator resumed the state in `data` instead of the contents; a reset starts from the contents. */
  readonly resumed: boolean;
  /** Access data of the Postgres servers; `undefined` without the option `postgres`. */
  readonly postgres: PostgresAccess | undefined;
  /** Adds contents, controls and observes the emulator, without HTTP. */
  readonly admin: EmulatorAdmin;
  /** Resets everything to the start. Address and key stay. */
  reset(): void;
  /** Ends the emulator: cuts open connections and leaves nothing behind. */
  close(): Promise<void>;
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /** Lets the process end without a `close`, like `unref` of Node's servers. Returns the emulator. */
  unref(): Emulator;
}

// Parts of the HTTP side load on first use, from files that perhaps only root can read.
async function loadServer(options: EmulatorOptions): Promise<void> {
  const runtime = new Runtime(options);
  await (await buildServer(runtime, new EmulatorAdmin(runtime, new Listener("", 0), []))).close();
}

/** Checks options and contents. Throws for invalid ones. */
export function checkOptions({ projects = defaultContents, ...others }: EmulatorOptions) {
  const options = resolveOptions(others);
  if (others.user !== undefined && !isRoot()) {
    throw new RangeError("user: only root can run the servers as another account");
  }
  validate(startOptions, others, "options");
  return { options, contents: validate(projectContents, projects, "projects") };
}

/**
 * Starts an emulator in this process. With Postgres servers as root, gives root up for good. Rejects like
 * `createEmulator`.
 */
export async function startEmulator(given: EmulatorOptions): Promise<Emulator> {
  const { options, contents } = checkOptions(given);
  // The only place that loads the Postgres code.
  const servers = options.postgres ? await import("./postgres") : undefined;
  const { data, user, postgresBin } = options;
  const programs: { run?: string; bin: string | undefined } =
    servers && isRoot()
      ? await servers.giveUpRoot({ user, bin: postgresBin, data }, () => loadServer(given))
      : { bin: postgresBin };

  const place = await servers?.takePlace(data, programs.run);
  const { projects: _, ...others } = given;
  const apiKey = given.apiKey ?? place?.secrets.apiKey;
  const token = place?.secrets.token;
  const runtime = new Runtime({ ...others, ...(apiKey !== undefined && { apiKey }) }, token);
  const listener = new Listener(options.host, options.port);
  const admin = new EmulatorAdmin(runtime, listener, contents);
  const { pgPort: port, maxRunning } = options;
  const { bin } = programs;
  const postgres = place && (await servers?.openPostgres(runtime.platform, { port, bin, maxRunning }, place));
  const keeps = postgres || data === undefined ? undefined : await import("./postgres/keeper");
  const kept = postgres ?? (await keeps?.keepIn(runtime.platform, data as string));
  let app: Awaited<ReturnType<typeof buildServer>> | undefined;
  let resumed = false;

  try {
    resumed = kept?.restore() ?? false;
    if (!resumed) admin.reset();
    app = await buildServer(runtime, admin);
    await listener.serve(app.server);
    kept?.begin();
  } catch (error) {
    await listener.shut();
    await app?.close();
    await kept?.close();
    throw error;
  }

  const served = app;
  const origin = `http://${urlHost(options.host)}:${listener.port}`;
  const close = async () => {
    runtime.stopHeldCalls();
    await listener.shut();
    await served.close();
    await kept?.close();
  };

  const emulator: Emulator = {
    url: `${origin}${API_PREFIX}`,
    adminUrl: `${origin}${ADMIN_PREFIX}`,
    consoleUrl: token === undefined ? `${origin}/` : `${origin}/?token=${token}`,
    port: listener.port,
    apiKey: runtime.options.apiKey,
    adminToken: token,
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

function firstIds(admin: EmulatorAdmin) {
  const [first] = admin.state({ operations: 0 }).projects;
  const branchId = first?.branches.find(({ primary }) => primary)?.id ?? "";
  const writer = first?.endpoints.find(({ branch_id, type }) => branch_id === branchId && type === "read_write");
  return { projectId: first?.project.id ?? "", branchId, endpointId: writer?.id ?? "" };
}
