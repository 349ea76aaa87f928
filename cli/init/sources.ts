/** Where a new program has this package, the plugin and the emulator from. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { plain } from "../../provider/lib/wording";
import { released, version } from "../../provider/version";
import { CommandError } from "../exit-code";
import { packageFolder } from "../shell";

/** The sources of a new program's packages. */
export interface Sources {
  /** npm's source of this package. */
  npm: string;
  /** npm's source of the emulator, for a program without an account. */
  emulator: string | undefined;
  /** The plugin's folder relative to the program's; undefined if the engine fetches the released plugin. */
  plugin: string | undefined;
}

/** True if this command runs from a clone of the repository. */
export const isClone = !packageFolder.split(sep).includes("node_modules");

/** The folder whose package.json names an installed package. */
const installedBy = join(packageFolder, "..", "..");

/**
 * The sources for a program in the folder, of the same build as this package. Throws for an emulated program if this
 * package came without an emulator.
 */
export function sourcesFor(folder: string, isEmulated: boolean): Sources {
  const target = resolve(folder);
  const path = pathFrom(target, packageFolder);
  const npm = isClone ? `file:${path}` : installedFrom(target);
  const emulator = isEmulated ? emulatorBeside(npm, target) : undefined;
  // npx's cache is temporary, so a released plugin is fetched instead.
  const isFetched = released && !isClone && !path.startsWith("node_modules/");
  return { npm, emulator, plugin: isFetched ? undefined : `${path}/bin` };
}

/** npm's source of this installed package: its git address, URL or file; else the registry, or its own folder. */
function installedFrom(target: string): string {
  const source = sourceIn(installedBy) ?? "";
  if (source.startsWith("file:")) return `file:${pathFrom(target, resolve(installedBy, source.slice("file:".length)))}`;
  if (/^(git|https?|github|gitlab|bitbucket)\b.*:/.test(source)) return source;
  return released ? `^${version}` : `file:${pathFrom(target, packageFolder)}`;
}

/** npm's source of this package in the package.json of a folder; undefined without one. */
function sourceIn(folder: string): string | undefined {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { ...devDependencies, ...dependencies }["pulumi-pgcompute"];
  } catch {
    return undefined;
  }
}

/** npm's source of the emulator of the same build: the tag, file or folder beside this package's. */
function emulatorBeside(npm: string, target: string): string {
  if (npm === `^${version}`) return npm;
  const tarball = npm.replace(/pulumi-pgcompute(?=-[^/]+\.tgz$)/, "pgcompute-emulator");
  const found = npm.startsWith("file:") && !npm.endsWith(".tgz") ? `${npm}/emulator` : tarball;
  const source = found === npm ? npm.replace(/#(?=v\d)/, "#emulator-") : found;
  const isThere = source.startsWith("file:")
    ? existsSync(resolve(target, source.slice("file:".length)))
    : source !== npm;
  if (isThere) return source;
  throw new CommandError(
    `${plain(npm)} comes without the emulator, and nothing was written. Run init of a clone instead`,
  );
}

function pathFrom(target: string, path: string): string {
  return relative(target, path).split(sep).join("/");
}
