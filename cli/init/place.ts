/** Where a new program lies, and where it finds this package from there. */
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { version } from "../../provider/version";
import { CommandError, exitCodes } from "../exit-code";
import type { Files } from "./program";

/** How a program in a folder names this package, its plugin and the emulator. */
export interface PackagePlace {
  /** For package.json: the version, or the clone that this runs from. */
  packageSource: string;
  /** The same of the emulator's package. */
  emulatorSource: string;
  /** The folder of the plugin's executable; absent where this package is somewhere that does not stay. */
  pluginPath?: string | undefined;
}

/** Files that may be there already: what they have stays. */
const shared = ["package.json", ".gitignore", "tsconfig.json"];

/** The name of the folder as Pulumi takes it for a project. The provider's own would make the program's configuration the provider's. */
export function projectNameOf(folder: string): string {
  const name = basename(resolve(folder)).replace(/[^A-Za-z0-9_.-]+/g, "-");
  return /^[A-Za-z]/.test(name) && name !== "pgcompute" ? name.slice(0, 100) : "database";
}

/** How a program in `folder` finds this package, whose own folder is `packageFolder`. */
export function placeOf(folder: string, packageFolder: string): PackagePlace {
  const path = relative(resolve(folder), packageFolder).split(sep).join("/");
  const isInstalled = packageFolder.split(sep).includes("node_modules");
  const pluginPath = `${path}/bin`;
  if (!isInstalled) return { packageSource: `file:${path}`, emulatorSource: `file:${path}/emulator`, pluginPath };
  const sources = { packageSource: `^${version}`, emulatorSource: `^${version}` };
  // One in npx's cache does not stay.
  return path.startsWith("node_modules/") ? { ...sources, pluginPath } : sources;
}

/** The folder of the package that this file has been bundled into. */
export function ownPackageFolder(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "bin", "pgcompute.cjs"))) return folder;
    if (dirname(folder) === folder) throw new CommandError("this command's package is incomplete: install it again");
  }
}

/**
 * Writes the files and gives the names of those that were written. A package.json that is there gets what it lacks; where there
 * is anything else of the program, nothing is written.
 */
export function writeFiles(folder: string, files: Files): string[] {
  // A link that leads nowhere is there as well: what is written through it would appear somewhere else.
  const isThere = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  const taken = Object.keys(files).filter((name) => !shared.includes(name) && isThere(name));
  if (taken.length > 0) {
    throw new CommandError(`${folder} has a program already (${taken.join(", ")}); nothing was written`);
  }
  const texts = Object.entries(files).flatMap(([name, text]): { name: string; text: string; flag: string }[] => {
    if (!isThere(name)) return [{ name, text, flag: "wx" }];
    return name === "package.json" ? [{ name, text: merged(join(folder, name), text), flag: "w" }] : [];
  });
  mkdirSync(folder, { recursive: true });
  for (const { name, text, flag } of texts) writeFileSync(join(folder, name), text, { flag });
  return texts.map(({ name }) => name);
}

/** The package.json of a file with the dependencies of another one that it has not, and its program where it names none that is there. */
function merged(file: string, text: string): string {
  const added = JSON.parse(text);
  let own: Record<string, unknown>;
  try {
    own = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new CommandError(`${file} ${reason}, and nothing was written`, exitCodes.failed, { cause: error });
  }
  // `npm init` names an index.js, of which Pulumi would say at every run that it is missing.
  const hasMain = typeof own.main === "string" && existsSync(join(dirname(file), own.main));
  if (!hasMain && added.main !== undefined) own.main = added.main;
  for (const kind of ["dependencies", "devDependencies"])
    if (added[kind]) own[kind] = { ...added[kind], ...(own[kind] ?? {}) };
  return `${JSON.stringify(own, null, 2)}\n`;
}
