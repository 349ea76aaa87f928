/** `--postgres`: the endpoints of an emulator as Postgres servers, with all that is needed to start and to end them. */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { hostName } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { DEFAULT_LOGIN } from "../model/project";
import { accountOf, becomeAccount, handOver, handOverFolders } from "./account";
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

/** Access data for clients of the Postgres servers; an endpoint's own strings are `admin.connectionStrings(id)`. */
export interface PostgresAccess {
  /** The port on 127.0.0.1 that all endpoints are reached by. */
  readonly port: number;
  readonly role: string;
  readonly database: string;
  /** Asked for where an endpoint's passwordless access is off. */
  readonly password: string;
  /** The certificate of that port, as PEM. */
  readonly certificate: string;
}

/** Random secrets of an emulator with servers. */
interface Secrets extends Passwords {
  apiKey: string;
  /** Of the admin calls and the console. */
  token: string;
}

/** The options of real computes. */
export interface PostgresOptions {
  /** Port that all endpoints are reached by; 0 takes a free one. */
  port: number;
  /** A folder with Postgres's programs; `undefined` for those of the npm package. */
  bin: string | undefined;
  maxRunning: number;
}

/** Real computes. */
export interface Postgres {
  access: PostgresAccess;
  /** Puts back what an emulator on the same folder left. False where none did. */
  restore(): boolean;
  /** Begins to do by itself what falls due, since clients that connect make no calls. Throws where its folder takes nothing. */
  begin(): void;
  /** Ends every server and every connection. */
  close(): Promise<void>;
}

const LOOK_MS = 20;
const SECRETS = "passwords.json";

// They go into SQL and into libpq's files of passwords, where other characters mean something.
const password = z.string().regex(/^[0-9a-f]{16,64}$/);
const savedSecrets = z.strictObject({
  admin: password,
  client: password,
  replication: password,
  apiKey: password,
  token: password,
});

/** The folder of an emulator's servers, with the secrets that are in it. */
export interface Place {
  folder: DataFolder;
  secrets: Secrets;
}

/**
 * Lays the programs out where the account can run them, gives it its folders, and gives root up for good, before anything of
 * the data is touched. `load` does what only root may be able to. Returns what `takePlace` and `openPostgres` go on with. Throws where there is no such account, or the data are root's.
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

/** Takes the folder of an emulator's servers. Rejects where it is another's, in whatever sense, or this system's servers cannot be kept apart. */
export async function takePlace(data: string | undefined, run: string | undefined): Promise<Place> {
  if (process.platform === "win32") throw new Error("--postgres: not on Windows, where it has not been tried");
  const folder = await takeFolder(data, run);
  try {
    return { folder, secrets: secretsIn(folder) };
  } catch (error) {
    await leaveFolder(folder);
    throw error;
  }
}

/** Makes a platform's computes real. Rejects with the reason where this machine cannot have that; the place is given up then. */
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
      // The first endpoint to start has it ready.
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

/** Work that is done again and again, and whose failure ends nothing: a reason is written once, until another one comes. */
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

/** The secrets of a folder, made where it has none: they are in its data, and stay as long as those. Throws for others. */
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
