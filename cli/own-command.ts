/** The command by which a person runs this command line again, for messages. */
import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { shellWord } from "../provider/lib/wording";
import { released, version } from "../provider/version";

/** The name of the command, as messages are written. */
const NAME = "pgcompute";

/** Set by npm in the processes that it starts. */
const BY_NPM = "npm_command";

/** The name before one of its subcommands. */
const WRITTEN =
  /(?<![\w/.@-])pgcompute (?=(?:branches|endpoints|import-file|init|operations|projects|review|state)\b)/g;

/** The process that runs the command line. */
export interface Started {
  /** The path of the script, as Node.js has it. */
  script: string;
  env: NodeJS.ProcessEnv;
  /** The working directory. */
  folder: string;
}

/** The name alone where the PATH finds this very script, else the way that it was started. */
export function ownCommand({ script, env, folder }: Started): string {
  const file = realPath(script);
  // Before a release no registry has the version.
  if (released && /[\\/]_npx[\\/]/.test(file)) return `npx -p pulumi-pgcompute@${version} ${NAME}`;
  // npm puts a project's commands on the PATH of its own processes only.
  if (env[BY_NPM] !== undefined) return `npx --no-install ${NAME}`;
  const isOnPath = (env.PATH ?? "").split(delimiter).some((one) => realPath(join(one, NAME)) === file);
  if (isOnPath) return NAME;

  const near = relative(folder, script);
  const isWithin = !near.startsWith("..") && !isAbsolute(near);
  return `node ${shellWord(isWithin ? near : script)}`;
}

/** A message whose commands of this package run where the reader is. */
export function withOwnCommand(text: string, command: string): string {
  return text.replaceAll(WRITTEN, () => `${command} `);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
