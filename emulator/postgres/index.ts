/** `--postgres`: the endpoints of an emulator as Postgres servers, with all that is needed to start and to end them. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { hostName } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { PostgresAccess } from "./access";
import { serverAccount } from "./account";
import { selfSignedCertificate } from "./certificate";
import { runCommand } from "./command";
import { PostgresComputes } from "./computes";
import { branchesFolder, type DataFolder, leaveFolder, takeFolder } from "./data-folder";
import { Door } from "./door";
import { prepareInstall } from "./install";
import { Keeper } from "./keeper";
import { endOrphans, watchOver } from "./orphans";
import { readState, restoreState } from "./saved-state";
import type { ServerHost } from "./server";
import { CLIENT_ROLE, DATABASE, type Passwords } from "./server-config";

/** What real computes are started with. */
export interface PostgresOptions {
  /** Port that all endpoints are reached by; 0 takes a free one. */
  port: number;
  /** A folder with Postgres's programs; `undefined` for those of the npm package. */
  bin: string | undefined;
  /** A folder that keeps everything; `undefined` for a temporary one. */
  data: string | undefined;
  maxRunning: number;
}

/** Real computes. */
export interface Postgres {
  access: PostgresAccess;
  /** Puts back what an emulator on the same folder left. False where none did. */
  restore(): boolean;
  /** Begins to do by itself what falls due, since clients that connect make no calls. */
  begin(): void;
  /** Ends every server and every connection. */
  close(): Promise<void>;
}

const LOOK_MS = 20;

const passwordsSchema = z.object({ admin: z.string(), client: z.string() });

/** Makes a platform's computes real. Rejects with the reason where this machine cannot have that. */
export async function openPostgres(platform: Platform, options: PostgresOptions): Promise<Postgres> {
  const folder = await takeFolder(options.data);
  try {
    return await open(platform, options, folder);
  } catch (error) {
    await leaveFolder(folder);
    throw error;
  }
}

async function open(platform: Platform, options: PostgresOptions, folder: DataFolder): Promise<Postgres> {
  const host = await prepareHost(options, folder);
  await endOrphans(host, folder.path);
  const passwords = passwordsIn(folder);
  const { regionId, serviceDomain } = platform.options;
  const certificate = await selfSignedCertificate([`*.${hostName(regionId, serviceDomain)}`]);
  const computes = new PostgresComputes({
    host,
    platform,
    passwords,
    maxRunning: options.maxRunning,
    folder: (anew) => branchesFolder(folder, anew),
  });
  const door = new Door(platform, computes, certificate);
  await door.open(options.port);
  computes.door = door;
  platform.computes = computes;
  const endWatch = watchOver(folder.path, folder.kept);
  const timers: NodeJS.Timeout[] = [];
  const keeper = folder.kept ? new Keeper(platform, folder.path) : undefined;
  return {
    access: {
      port: door.port,
      role: CLIENT_ROLE,
      database: DATABASE,
      password: passwords.client,
      certificate: certificate.cert,
    },
    restore: () => folder.kept && restore(platform, computes, folder),
    begin: () => {
      // Not sooner: what did not come to work must not be kept in place of what was there.
      keeper?.begin();
      platform.keep = () => keeper?.save();
      const look = () => {
        platform.runDue();
        computes.reconcile();
        door.look();
        platform.keep();
      };
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
      await endWatch();
      await leaveFolder(folder);
    },
  };
}

async function prepareHost(options: PostgresOptions, folder: DataFolder): Promise<ServerHost> {
  const account = serverAccount();
  const install = await prepareInstall(join(folder.path, "postgres"), options.bin, account);
  try {
    await runCommand(install.postgres, ["--version"], { account, cwd: folder.path });
  } catch (error) {
    const who = account ? "the account nobody, as which the servers run, " : "";
    throw new Error(`${who}cannot run ${install.postgres}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { install, account, durable: folder.kept };
}

// They are in the data, and so stay as long as those.
function passwordsIn({ path }: DataFolder): Passwords {
  const file = join(path, "passwords.json");
  if (existsSync(file)) return passwordsSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  const passwords = { admin: randomBytes(18).toString("hex"), client: randomBytes(9).toString("hex") };
  writeFileSync(file, JSON.stringify(passwords), { mode: 0o600 });
  return passwords;
}

function restore(platform: Platform, computes: PostgresComputes, folder: DataFolder): boolean {
  const state = readState(folder.path);
  if (!state) return false;
  restoreState(platform, state);
  computes.branches.find();
  for (const { branches } of state.projects) for (const branch of branches) computes.branches.know(branch);
  return true;
}
