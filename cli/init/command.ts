/** `pgcompute init`: writes a new program from a language's template, for a project and branch that it asks for. */
import { basename, posix, resolve } from "node:path";
import { type Command, Option } from "commander";
import { listedFew, plain, shellWord } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import { profiles } from "../../provider/platform/profiles/profiles";
import { version } from "../../provider/version";
import { type AccountOptions, addAccountOptions, withAccount } from "../account";
import { choice } from "../arguments";
import { findBranch } from "../branches";
import { CommandError, exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { languageFor } from "./language-host";
import { sourcesFor } from "./sources";
import { EMULATOR_DATA, type Language, languages, type NewProgram, writeProgram } from "./template";

declare const __PGCOMPUTE_PLUGIN_URL__: string | undefined;

/** Download address of the plugin, set by the build. */
const pluginUrl = typeof __PGCOMPUTE_PLUGIN_URL__ === "string" ? __PGCOMPUTE_PLUGIN_URL__ : "URL";

interface InitOptions extends AccountOptions {
  language?: Language;
  branch?: string;
  emulator?: boolean;
}

/** The emulator's initial project; `--branch` adds a free branch. */
const EMULATED_PROJECT = "quiet-harbor-12345678";

const MOST_SHOWN = 20;

/** Adds `init`. */
export function addInit(program: Command, shell: Shell): void {
  const command = program
    .command("init")
    .description("Writes a Pulumi program of a primary and a replica that fits what the project has.")
    .argument("[folder]", "the target folder, created if missing", ".")
    .addOption(choice("--language <language>", `one of ${languages.join(", ")} (default: typescript)`, languages))
    .option("--branch <name>", "the branch (default: asked for; without a terminal the project's primary one)")
    .addOption(
      new Option("--emulator", "for the emulator's own project, without an account").conflicts(["project", "baseUrl"]),
    )
    .addHelpText("after", "\nOther languages: docs/other-languages.md in the repository.");
  addAccountOptions(command).action((folder: string, options: InitOptions) => init(shell, folder, options));
}

async function init(shell: Shell, folder: string, options: InitOptions): Promise<void> {
  const { platform = "specification", branch = "dev", emulator: isEmulated = false } = options;
  const language = languageFor(shell, options.language);
  const sources = sourcesFor(folder, isEmulated);
  const target = isEmulated
    ? { projectId: EMULATED_PROJECT, branch, profile: profiles[platform] }
    : await withAccount(shell, options, (account) => findTarget(shell, account, options));

  // An empty variable counts as none.
  const baseUrl = isEmulated ? undefined : options.baseUrl || shell.env.PGCOMPUTE_BASE_URL || undefined;
  const program = { ...target, ...sources, name: projectNameOf(folder), language, baseUrl };
  const written = writeProgram(folder, program);
  shell.err.write(`wrote ${written.join(", ")} for branch ${target.branch} of project ${target.projectId}\nNext:\n`);
  for (const line of nextLines(folder, program)) shell.out.write(`${line}\n`);
}

/** The commands from `init` to the first deployment, for the current folder. */
function nextLines(folder: string, { language, branch, plugin, emulator, baseUrl }: NewProgram): string[] {
  // A key from the environment is not sent to an address that only the stack's file names.
  const variables = `PGCOMPUTE_API_KEY${baseUrl === undefined ? "" : ` and PGCOMPUTE_BASE_URL=${shellWord(baseUrl)}`}`;
  const isAdded = language === "python" || language === "go";

  const lines = [
    folder !== "." && `cd ${shellWord(folder)}`,
    (language === "typescript" || emulator) && "npm install",
    language !== "typescript" &&
      plugin === undefined &&
      `pulumi plugin install resource pgcompute v${version} --server ${pluginUrl}`,
    isAdded && `pulumi package add ${shellWord(plugin ? localFolder(posix.dirname(plugin)) : `pgcompute@${version}`)}`,
    // A stack for trying out needs no Pulumi account.
    emulator && "pulumi login --local --non-interactive",
    "pulumi stack init dev",
    ...(emulator
      ? [
          "# This keeps running: run the line after it in another terminal, in this folder.",
          `npx --no-install pgcompute-emulator --branch ${shellWord(branch)} --data ${EMULATOR_DATA} --write-config`,
        ]
      : [`# Or set ${variables} for every run.`, "pulumi config set --secret pgcompute:apiKey"]),
    "pulumi up",
  ];
  return lines.filter((line) => typeof line === "string");
}

/** A folder as Pulumi takes it: without `./` or `../` a relative one would be a name in its registry. */
function localFolder(path: string): string {
  return /^(\.\.?\/|\/|[A-Za-z]:)/.test(path) ? path : `./${path}`;
}

/** The folder's name as a project name. Never the provider's own, whose configuration would be the program's. */
function projectNameOf(folder: string): string {
  const name = basename(resolve(folder)).replace(/[^A-Za-z0-9_.-]+/g, "-");
  return /^[A-Za-z]/.test(name) && name !== "pgcompute" ? name.slice(0, 100) : "database";
}

/**
 * Finds the project and branch: from the options, the only one, or a question. Throws a usage error without a terminal.
 */
async function findTarget(shell: Shell, { api, settings }: Account, options: InitOptions) {
  const { signal, env } = shell;
  const given = options.project ?? (env.PGCOMPUTE_PROJECT_ID || undefined);
  const projects = given === undefined ? await api.listProjects(undefined, { signal }) : [];

  const projectId =
    given ??
    (await choose(
      shell,
      "project",
      projects.map(({ id, name = "" }) => ({ word: id, label: `${id}  ${name}` })),
    ));

  const [branches, endpoints] = await Promise.all([
    api.listBranches(projectId, { signal }),
    api.listEndpoints(projectId, { signal }),
  ]);

  const writers = new Map(endpoints.filter(({ type }) => type === "read_write").map((one) => [one.branchId, one]));
  const choices = branches.map(({ id, name = id }) => {
    const writer = writers.get(id);
    return { word: name, label: `${name}  (${writer ? `existing endpoint ${writer.id} will be adopted` : "free"})` };
  });

  const primary = canAsk(shell) ? undefined : branches.find((one) => one.primary);
  const branch = findBranch(branches, options.branch ?? primary?.id ?? (await choose(shell, "branch", choices)));
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = writers.get(branch.id) ?? {};
  const existing = minCu === undefined || maxCu === undefined ? undefined : { minCu, maxCu };
  return { projectId, branch: branch.name ?? branch.id, existing, profile: settings.profile };
}

/** The only choice, or the user's, by word or number. */
async function choose(
  shell: Shell,
  what: "project" | "branch",
  choices: readonly { word: string; label: string }[],
): Promise<string> {
  const words = choices.map(({ word }) => word);
  const [first] = words;
  if (first === undefined) throw new CommandError(`the key sees no ${what}`);
  if (words.length === 1) return first;
  if (!canAsk(shell)) throw new CommandError(`which ${what}? Give --${what}: ${listedFew(words)}`, exitCodes.usage);
  const lines = choices.slice(0, MOST_SHOWN).map(({ label }, index) => `  ${index + 1}  ${plain(label)}\n`);
  let question = `${lines.join("")}Which ${what}, by number or name? `;

  for (;;) {
    const answer = (await shell.ask(question))?.trim();
    if (!answer) throw new CommandError(`no ${what} was chosen, and nothing was written`);
    const chosen = words.find((word) => word === answer) ?? words[Number(answer) - 1];
    if (chosen !== undefined) return chosen;
    question = `There is no ${what} "${plain(answer)}". Which one, by a number from 1 to ${words.length} or by its name? `;
  }
}

/** True if a person is at the terminal. */
function canAsk({ stdin, err }: Shell): boolean {
  return stdin.isTerminal && err.isTerminal;
}
