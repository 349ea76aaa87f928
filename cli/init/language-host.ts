/** The Pulumi CLI on PATH and the language hosts that it would find. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { listed, shellWord } from "../../provider/lib/wording";
import { CommandError, exitCodes } from "../exit-code";
import { packageFolder, type Shell } from "../shell";
import { isClone } from "./sources";
import { type Language, languages } from "./template";

/** The language host of each language, as the file after `pulumi-language-`. */
const hostNames: Readonly<Record<Language, string>> = {
  typescript: "nodejs",
  yaml: "yaml",
  python: "python",
  go: "go",
};

const INSTALL = "https://www.pulumi.com/docs/install/";

/**
 * The language of a new program: the given one, else TypeScript. Writes a note if Pulumi cannot run it here. Throws a
 * usage error if it was not given and Pulumi runs others only.
 */
export function languageFor(shell: Shell, given: Language | undefined): Language {
  const language = given ?? "typescript";
  const pulumi = onPath(shell, "pulumi");
  if (pulumi === undefined) {
    shell.err.write(`There is no Pulumi CLI on PATH: ${INSTALL}${orMake()}\n`);
    return language;
  }

  const hosts = languages.filter((one) => hasHost(shell, pulumi, one));
  if (hosts.includes(language)) return language;
  const found = hosts.length === 0 ? "none at all" : `only that for ${listed(hosts)}`;
  const missing = `${pulumi} finds no language host for ${language} (pulumi-language-${hostNames[language]}), ${found}`;
  const release = `install the released CLI, which has them all: ${INSTALL}`;
  if (given !== undefined || hosts.length === 0) {
    shell.err.write(`${missing}. Before \`pulumi up\`, ${release}\n`);
    return language;
  }
  throw new CommandError(
    `${missing}, and nothing was written. Give --language ${listed(hosts, "or")}, or ${release}`,
    exitCodes.usage,
  );
}

/** In a clone there is a Pulumi CLI to build. */
function orMake(): string {
  return isClone ? `. Or have the clone build one, for YAML alone: make -C ${shellWord(packageFolder)} engine` : "";
}

/** Pulumi looks for a language host on PATH, then beside itself. */
function hasHost(shell: Shell, pulumi: string, language: Language): boolean {
  const name = `pulumi-language-${hostNames[language]}`;
  return onPath(shell, name) !== undefined || programIn(dirname(realpathSync(pulumi)), name) !== undefined;
}

function onPath({ env }: Pick<Shell, "env">, name: string): string | undefined {
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => programIn(folder, name)).find((file) => file !== undefined);
}

function programIn(folder: string, name: string): string | undefined {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  return endings.map((ending) => join(folder, name + ending)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
