/** The account of the servers if root starts the emulator: root is given up before the data are touched. */

import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";

/** An account that is not root. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The account with this name. Throws for an unknown one, and for root. */
export function accountOf(name: string): Account {
  const idOf = (flag: string) => {
    try {
      return Number(execFileSync("id", [flag, "--", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    } catch {
      throw new Error(`--user: there is no account ${name}`);
    }
  };

  const account = { name, uid: idOf("-u"), gid: idOf("-g") };
  if (account.uid === 0) throw new Error("--user: Postgres refuses to run as root; name another account");
  return account;
}

/** Throws if this process's account has no name, as in a container that runs as any number: `initdb` refuses it. */
export function assertNamed(): void {
  try {
    userInfo();
  } catch {
    throw new Error(
      `--postgres: this machine has no account with uid ${process.getuid?.()}, and Postgres runs only as one that it has: ` +
        "start as another account, or as root, which starts the servers as --user (default nobody)",
    );
  }
}

/** Switches to the account for good, without root's groups. */
export function becomeAccount({ name, uid, gid }: Account): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid) throw new Error(`cannot become ${name}`);
}

/** Gives a missing or empty folder to the account. Throws for root's folder with contents, with the command to run. */
export function handOver(data: string, { name, uid, gid }: Account): void {
  const path = resolve(data);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (lstatSync(path).isSymbolicLink()) throw new Error(`data: ${path} is a link; name the folder that it leads to`);

  // By descriptor, so that the folder cannot be swapped.
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (fstatSync(folder).uid !== 0) return;
    if (readdirSync(path).length === 0) fchownSync(folder, uid, gid);
    else {
      throw new Error(`data: ${path} is root's, and the servers run as ${name}: chown -Rh ${name} ${path}`);
    }
  } finally {
    closeSync(folder);
  }
}

/** Gives folders, not files, to the account: a file may be a hard link to another in use. */
export function handOverFolders(path: string, account: Account): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) handOverFolders(join(path, entry.name), account);
  }
  chownSync(path, account.uid, account.gid);
}
