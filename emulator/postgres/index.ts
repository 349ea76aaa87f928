/** `--postgres`: an emulator's endpoints as Postgres servers, from their start to their end. */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { hostName } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { DEFAULT_LOGIN } from "../model/project";
import { accountOf, assertNamed, becomeAccount, handOver, handOverFolders } from "./account";
import { selfSignedCertificate } from "./certificate";
import { runCommand } from "./command";
import { PostgresComputes } from "./computes";
import { branchesFolder, type DataFolder, leaveFolder, makeRunFolder, takeFolder } from "./data-folder";
import { Door } from "./door";
import { prepareInstall } from "./install";
import { Keeper } from "./keeper";
import { endOrphans, type Watch, watchOver } from "./orphans";
import { readState, restoreState, type SavedState } from "./saved-state";
import type { ServerHost } from "./server";
import { type Passwords, REPLICATION_ROLE } from "./server-config";
import { writeWhole } from "./write-file";

/** Access data for clients of Postgres servers; see `admin.connectionStrings(id)` for one endpoint. */
export interface PostgresAccess {
  /** The port on 127.0.0.1 for all endpoints. */
  readonly port: number;
  readonly role: string;
  readonly database: string;
  /** Required where an endpoint's passwordless access is off. */
  readonly password: string;
  /** That port's certificate, as PEM. */
  readonly certificate: string;
}

/** Random secrets of an emulator with servers. */
interface Secrets extends Passwords {
  apiKey: string;
  /** The token of the admin calls and the console. */
  token: string;
}

/** The options of real computes. */
export interface PostgresOptions {
  /** The port for all endpoints; 0 for a free one. */
  port: number;
  /** The folder of Postgres's programs; `undefined` for the npm package's. */
  bin: string | undefined;
  maxRunning: number;
}

/** Real computes. */
export interface Postgres {
  access: PostgresAccess;
  /** Restores the state of an earlier emulator on the same folder. False if there is none. */
  restore(): boolean;
  /** Starts to run due events by timer, as connecting clients make no calls. Throws if the folder is not writable. */
  begin(): void;
  /** Ends every server and every connection. */
  close(): Promise<void>;
}

const LOOK_MS = 20;
const SECRETS = "passwords.json";

// They are used in SQL and in libpq's password files, where other characters have a meaning.
const password = z.string().regex(/^[0-9a-f]{16,64}$/);
const savedSecrets = z.strictObject({
  admin: password,
  client: password,
  replication: password,
  apiKey: password,
  token: password,
});

/** The folder of an emulator's servers, with its secrets. */
export interface Place {
  folder: DataFolder;
  secrets: Secrets;
}

/**
 * Makes programs and folders accessible to the account, then gives root up for good. `load` runs before. Throws for
 * data of root.
 */
export async function giveUpRoot(
  { user, bin, data }: { user: string; bin: string | undefined; data: string | undefined },
  load: () => Promise<void>,
) {
  const account = accountOf(user);
  const run = makeRunFolder();
  try {
    const { postgres } = await prepareInstall(join(run, "postgres"), bin, true);
    if (data !== undefined) handOver(data, account);
    await load();
    handOverFolders(run, account);
    becomeAccount(account);
    return { run, bin: dirname(postgres) };
  } catch (error) {
    rmSync(run, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Takes the folder of an emulator's servers. Rejects if it is another's, or if no servers can run here: on Windows, or
 * as an account without a name.
 */
export async function takePlace(data: string | undefined, run: string | undefined): Promise<Place> {
  if (process.platform === "win32") throw new Error("--postgres: not on Windows, where it has not been tried");
  assertNamed();

  const folder = await takeFolder(data, run);
  try {
    return { folder, secrets: secretsIn(folder) };
  } catch (error) {
    await leaveFolder(folder);
    throw error;
  }
}

/** Makes a platform's computes real. If this machine cannot, rejects with the reason and releases the place. */
export async function openPostgres(platform: Platform, options: PostgresOptions, place: Place): Promise<Postgres> {
  const watch = watchOver(place.folder.run);
  try {
    return await open(platform, options, place, watch);
  } catch (error) {
    await watch.end();
    await leaveFolder(place.folder);
    throw error;
  }
}

async function open(
  platform: Platform,
  options: PostgresOptions,
  { folder, secrets }: Place,
  watch: Watch,
): Promise<Postgres> {
  const host = await prepareHost(options, folder, secrets, watch);
  await endOrphans(folder.path);
  const { regionId, serviceDomain } = platform.options;
  const certificate = await selfSignedCertificate([`*.${hostName(regionId, serviceDomain)}`]);

  const computes = new PostgresComputes({
    host,
    platform,
    passwords: secrets,
    maxRunning: options.maxRunning,
    folder: (anew) => branchesFolder(folder, anew),
  });

  const door = new Door(platform, computes, certificate);
  await door.open(options.port);
  computes.door = door;
  platform.computes = computes;
  const timers: NodeJS.Timeout[] = [];
  const keeper = folder.kept ? new Keeper(platform, folder.path) : undefined;
  let generation = 0;

  return {
    access: {
      port: door.port,
      ...DEFAULT_LOGIN,
      password: secrets.client,
      certificate: certificate.cert,
    },
    restore: () => {
      const state = folder.kept ? restore(platform, computes, folder) : undefined;
      generation = state?.generation ?? 0;
      return state !== undefined;
    },
    begin: () => {
      // Only now: a state that failed to start must not replace the saved one.
      keeper?.begin(generation);
      platform.keeper = keeper;

      const look = survived(() => {
        platform.runDue();
        computes.reconcile();
        door.look();
        keeper?.save();
      });

      look();
      timers.push(setInterval(look, LOOK_MS).unref());
      // Ready for the first endpoint that starts.
      computes.branches.template().catch(() => undefined);
    },
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      keeper?.end();
      door.shut();
      await computes.close();
      door.close();
      await watch.end();
      await leaveFolder(folder);
    },
  };
}

async function prepareHost(
  { bin }: PostgresOptions,
  { run, kept }: DataFolder,
  { replication }: Secrets,
  watch: Watch,
): Promise<ServerHost> {
  const programs = await prepareInstall(join(run, "postgres"), bin, false);
  const sockets = join(run, "s");
  mkdirSync(sockets, { mode: 0o700 });
  const passfile = join(run, "replication.pgpass");
  writeFileSync(passfile, `*:*:*:${REPLICATION_ROLE}:${replication}\n`, { mode: 0o600 });

  const { stdout } = await runCommand(programs.postgres, ["--version"], { cwd: run }).catch((error: Error) => {
    throw new Error(`the account that the servers run as cannot run ${programs.postgres}: ${error.message}`);
  });
  const version = Number(/\d+/.exec(stdout)?.[0]);
  return { install: { ...programs, version }, durable: kept, sockets, passfile, watch };
}

function restore(platform: Platform, computes: PostgresComputes, folder: DataFolder): SavedState | undefined {
  const state = readState(folder.path);
  if (!state) return undefined;
  restoreState(platform, state);
  computes.branches.find();
  for (const { branches } of state.projects) for (const branch of branches) computes.branches.know(branch);
  return state;
}

/** Wraps repeated work so that a failure is only printed, once for each new reason. */
function survived(work: () => void): () => void {
  let told = "";
  return () => {
    try {
      work();
      told = "";
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== told) console.error(`pgcompute-emulator: ${reason}`);
      told = reason;
    }
  };
}

/** The secrets stored in a folder, created if missing: they are part of its data. Throws for malformed ones. */
function secretsIn({ path }: DataFolder): Secrets {
  const file = join(path, SECRETS);
  if (!existsSync(file)) {
    const made = () => randomBytes(18).toString("hex");
    const fresh = { admin: made(), client: made(), replication: made(), apiKey: made(), token: made() };
    writeWhole(file, JSON.stringify(fresh));
    return fresh;
  }
  try {
    return savedSecrets.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new Error(`data: ${file} has no passwords of an emulator`);
  }
}
