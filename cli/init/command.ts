/** `pgcompute init`: a new program, made of the template that `pulumi new` takes for its language, filled in for a project and a branch. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import { listedFew, plain, shellWord } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import type { Profile } from "../../provider/platform/profiles/profile";
import { limitsOf, profiles } from "../../provider/platform/profiles/profiles";
import { version } from "../../provider/version";
import { type AccountOptions, addAccountOptions, withAccount } from "../account";
import { choice } from "../arguments";
import { findBranch } from "../branches";
import { CommandError, exitCodes } from "../exit-code";
import type { Shell } from "../shell";

declare const __PGCOMPUTE_PLUGIN_URL__: string | undefined;

/** Where the engine finds the plugin, which the build writes in. */
const pluginUrl = typeof __PGCOMPUTE_PLUGIN_URL__ === "string" ? __PGCOMPUTE_PLUGIN_URL__ : "URL";

interface InitOptions extends AccountOptions {
  language?: Language;
  branch?: string;
  emulator?: boolean;
}

/** What the emulator has from the start; its flag `--branch` adds a free branch. */
const EMULATED_PROJECT = "quiet-harbor-12345678";

const MOST_SHOWN = 20;

/** Files that may be there already: what they have stays. */
const shared = ["package.json", ".gitignore", "tsconfig.json"];

/** The languages that there are programs in. */
export const languages = ["typescript", "yaml", "python", "go"] as const;
type Language = (typeof languages)[number];

/** Where the endpoints of the program are to be. */
interface Target {
  projectId: string;
  /** The name of the branch, by which the program finds it. */
  branch: string;
  /** The sizes of the read-write endpoint that the branch has already, in CU. */
  existing?: { minCu: number; maxCu: number };
}

/** What a program is written for. */
interface NewProgram {
  /** The Pulumi project's name. */
  name: string;
  language: Language;
  target: Target;
  profile: Profile;
  /** Where that is not the public platform's. */
  baseUrl: string | undefined;
  /** True for a program that needs no account. */
  isEmulated: boolean;
  place: ReturnType<typeof placeOf>;
}

/** Texts by file name. */
type Files = Readonly<Record<string, string>>;

/** The stack that the program begins with. */
const STACK = "dev";

/** The folder in which a program's emulator keeps what it has. */
const EMULATOR_DATA = ".emulator";

/** npm puts no file of this name into a package, so that the template's cannot be read. */
const GITIGNORE = `node_modules/\nvenv/\nsdks/\n${EMULATOR_DATA}/\n`;

const ADOPTS = "The branch has its endpoint already: it comes under management as it is.";

/** How a program takes over what the branch has, after a comment. */
const adopting: Readonly<Record<Language, readonly [comment: string, input: string]>> = {
  typescript: ["//", "adoptExisting: true,"],
  yaml: ["#", "adoptExisting: true"],
  python: ["#", "adopt_existing=True,"],
  go: ["//", "AdoptExisting: pulumi.Bool(true),"],
};

/** The two lines of a template with the primary's sizes, in CU. */
const SIZES = /^([ \t]*)(autoscaling\w*min.*?)0\.25(.*\n.*max.*?)1(.*\n)/im;

/** Adds `init`. */
export function addInit(program: Command, shell: Shell): void {
  const command = program
    .command("init")
    .description("Writes a Pulumi program of a primary and a replica that fits what the project has.")
    .argument("[folder]", "the target folder, created if missing", ".")
    .addOption(choice("--language <language>", `one of ${languages.join(", ")}`, languages).default("typescript"))
    .option("--branch <name>", "the branch (default: asked for; without a terminal the project's primary one)")
    .addOption(
      new Option("--emulator", "for the emulator's own project, without an account").conflicts(["project", "baseUrl"]),
    )
    .addHelpText("after", "\nOther languages: docs/other-languages.md in the repository.");
  addAccountOptions(command).action((folder: string, options: InitOptions) => init(shell, folder, options));
}

async function init(shell: Shell, folder: string, options: InitOptions): Promise<void> {
  const { language = "typescript" } = options;
  // An empty variable is as good as none.
  const project = options.project ?? (shell.env.PGCOMPUTE_PROJECT_ID || undefined);
  const baseUrl = options.baseUrl ?? (shell.env.PGCOMPUTE_BASE_URL || undefined);
  const { target, profile } = options.emulator
    ? {
        target: { projectId: EMULATED_PROJECT, branch: options.branch ?? "dev" },
        profile: profiles[options.platform ?? "specification"],
      }
    : await withAccount(shell, options, async (account) => ({
        target: await findTarget(shell, account, { ...options, project }),
        profile: account.settings.profile,
      }));
  const place = placeOf(folder, ownPackageFolder());
  const isEmulated = options.emulator === true;
  const name = projectNameOf(folder);
  const program = { name, language, target, profile, place, isEmulated, baseUrl: isEmulated ? undefined : baseUrl };
  const written = writeFiles(folder, programFiles(program));
  shell.err.write(`wrote ${written.join(", ")} for branch ${target.branch} of project ${target.projectId}\nNext:\n`);
  for (const line of nextLines(folder, program)) shell.out.write(`${line}\n`);
}

/** The lines to run from where `init` was run, up to the first deployment. */
function nextLines(folder: string, { language, target, place, isEmulated, baseUrl }: NewProgram): string[] {
  // A key from the environment goes to no address that only the stack's file names.
  const variables = `PGCOMPUTE_API_KEY${baseUrl === undefined ? "" : ` and PGCOMPUTE_BASE_URL=${shellWord(baseUrl)}`}`;
  return [
    ...(folder === "." ? [] : [`cd ${shellWord(folder)}`]),
    ...(language === "typescript" || isEmulated ? ["npm install"] : []),
    ...(language !== "typescript" && place.pluginPath === undefined
      ? [`pulumi plugin install resource pgcompute v${version} --server ${pluginUrl}`]
      : []),
    ...(language === "python" || language === "go"
      ? [`pulumi package add ${shellWord(place.pluginPath ? posix.dirname(place.pluginPath) : `pgcompute@${version}`)}`]
      : []),
    // The stack of a try-out belongs to no account of Pulumi's.
    ...(isEmulated ? ["pulumi login --local"] : []),
    `pulumi stack init ${STACK}`,
    isEmulated
      ? `npx --no-install pgcompute-emulator --branch ${shellWord(target.branch)} --data ${EMULATOR_DATA} --write-config   # keeps running: run the next line in another terminal, in this folder`
      : `pulumi config set --secret pgcompute:apiKey   # or set ${variables} for every run`,
    "pulumi up",
  ];
}

/** The folder's name as a project's. Never the provider's own: then the program's configuration would be the provider's. */
function projectNameOf(folder: string): string {
  const name = basename(resolve(folder)).replace(/[^A-Za-z0-9_.-]+/g, "-");
  return /^[A-Za-z]/.test(name) && name !== "pgcompute" ? name.slice(0, 100) : "database";
}

/** How a program in `folder` finds this package, whose own folder is `packageFolder`, and the emulator. */
function placeOf(folder: string, packageFolder: string) {
  const path = relative(resolve(folder), packageFolder).split(sep).join("/");
  const isInstalled = packageFolder.split(sep).includes("node_modules");
  // One in npx's cache does not stay.
  const stays = !isInstalled || path.startsWith("node_modules/");
  const address = isInstalled ? addressOf(packageFolder) : undefined;
  return {
    templates: join(packageFolder, "templates"),
    /** For package.json: the version, or the clone that this runs from. */
    packageSource: isInstalled ? (address ?? `^${version}`) : `file:${path}`,
    emulatorSource: isInstalled ? ((address && emulatorAddress(address)) ?? `^${version}`) : `file:${path}/emulator`,
    /** The folder of the plugin's executable, from the program's. */
    pluginPath: stays ? `${path}/bin` : undefined,
  };
}

/** The address that npm has an installed package from, such as `git+https://HOST/OWNER/REPO#v0.1.0`; undefined for one of a registry. */
function addressOf(packageFolder: string): string | undefined {
  try {
    const installing = JSON.parse(readFileSync(join(packageFolder, "..", "..", "package.json"), "utf8"));
    const source = { ...installing.devDependencies, ...installing.dependencies }["pulumi-pgcompute"];
    return /^(git|https?|github|gitlab|bitbucket)\b.*:/.test(source) ? source : undefined;
  } catch {
    return undefined;
  }
}

/** Where the emulator of that release is: its tag, or its file beside the package's. */
function emulatorAddress(address: string): string {
  return address.replace(/#(?=v\d)/, "#emulator-").replace(/pulumi-pgcompute(?=-[^/]+\.tgz$)/, "pgcompute-emulator");
}

/** The folder of the package that this file has been bundled into. */
function ownPackageFolder(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "bin", "pgcompute.cjs"))) return folder;
    if (dirname(folder) === folder) throw new CommandError("this command's package is incomplete: install it again");
  }
}

/**
 * Writes the files and gives the names of those that were written. A package.json that is there gets what it lacks; where there
 * is anything else of the program, nothing is written.
 */
function writeFiles(folder: string, files: Files): string[] {
  // A dangling link is among them: writing through it would create a file elsewhere.
  const there = existsSync(folder) ? readdirSync(folder) : [];
  const taken = Object.keys(files).filter((name) => !shared.includes(name) && there.includes(name));
  if (taken.length > 0) {
    throw new CommandError(`${folder} has a program already (${taken.join(", ")}); nothing was written`);
  }
  const texts = Object.entries(files)
    .filter(([name]) => name === "package.json" || !there.includes(name))
    .map(([name, text]) => [name, there.includes(name) ? merged(join(folder, name), text) : text] as const);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of texts) writeFileSync(join(folder, name), text);
  return texts.map(([name]) => name);
}

/** A package.json with the dependencies that it lacks from another one. */
function merged(file: string, text: string): string {
  const added = JSON.parse(text);
  let own: Record<string, unknown>;
  try {
    own = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new CommandError(`${file} ${reason}, and nothing was written`, exitCodes.failed, { cause: error });
  }
  for (const kind of ["dependencies", "devDependencies"])
    if (added[kind]) own[kind] = { ...added[kind], ...(own[kind] ?? {}) };
  return `${JSON.stringify(own, null, 2)}\n`;
}

/** Finds the target: by the options, else the only one, else by asking. Throws a usage error without a terminal to ask at. */
async function findTarget(
  shell: Shell,
  { api }: Account,
  wanted: { project?: string | undefined; branch?: string | undefined },
): Promise<Target> {
  const { signal } = shell;
  const projectsOf = async () =>
    (await api.listProjects(undefined, { signal })).map(({ id, name = "" }) => ({ word: id, label: `${id}  ${name}` }));
  const projectId = wanted.project ?? (await choose(shell, "project", await projectsOf()));
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
  const branch = findBranch(branches, wanted.branch ?? primary?.id ?? (await choose(shell, "branch", choices)));
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = writers.get(branch.id) ?? {};
  const target = { projectId, branch: branch.name ?? branch.id };
  return minCu === undefined || maxCu === undefined ? target : { ...target, existing: { minCu, maxCu } };
}

/** The only one, or the one that a person names by its word or its number. */
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
  const answer = (await shell.ask(`${lines.join("")}Which ${what}, by number or name? `))?.trim() ?? "";
  const chosen = words[Number(answer) - 1] ?? words.find((word) => word === answer);
  if (chosen === undefined) throw new CommandError(`no ${what} was chosen, and nothing was written`);
  return chosen;
}

/** True where a person can be asked. */
function canAsk({ stdin, err }: Shell): boolean {
  return stdin.isTerminal && err.isTerminal;
}

/** Every file of the program, whose stack is for this platform. */
function programFiles(program: NewProgram): Files {
  const { name, language, target, profile, baseUrl, place } = program;
  const folder = join(place.templates, language);
  const own = readdirSync(folder)
    .filter((file) => file !== ".gitignore")
    .map((file) => [file, filledIn(readFileSync(join(folder, file), "utf8"), program)] as const);
  const { "package.json": packageJson, ...files } = Object.fromEntries(own);
  const settings = {
    ...(baseUrl !== undefined && { "pgcompute:baseUrl": baseUrl }),
    "pgcompute:platform": profile.name,
    // What is there already is larger than the provider takes for granted.
    ...((target.existing?.maxCu ?? 0) > limitsOf(profile, undefined).largestCu && {
      "pgcompute:maxSizeCu": String(target.existing?.maxCu),
    }),
    [`${name}:projectId`]: target.projectId,
    [`${name}:branch`]: target.branch,
  };
  return {
    ...files,
    ...packageFile(packageJson, program),
    ".gitignore": GITIGNORE,
    [`Pulumi.${STACK}.yaml`]: stringify({ config: settings }),
  };
}

/** A template's text for this program: its name and sizes, and in Pulumi.yaml the plugin in the place of what `pulumi new` asks. */
function filledIn(text: string, { name, language, target: { existing }, place }: NewProgram): string {
  const { pluginPath } = place;
  const [asked, description = ""] = /^template:\n {2}description: (.*)\n(?: .*\n)*/m.exec(text) ?? [];
  const isNamed = language === "yaml" && pluginPath !== undefined;
  const plugins = isNamed ? stringify({ plugins: { providers: [{ name: "pgcompute", path: pluginPath }] } }) : "";
  const [comment, input] = adopting[language];
  const filled = (asked === undefined ? text : text.replace(asked, () => plugins))
    // Of a name like "true" YAML makes another value.
    .replace(/^name: \$\{PROJECT\}$/m, () => stringify({ name }).trimEnd())
    .replace(/\$\{PROJECT\}/, name)
    .replace(/\$\{DESCRIPTION\}/, description);
  if (!existing) return filled;
  return filled.replace(
    SIZES,
    (_, indent, min, max, end) =>
      `${indent}${min}${existing.minCu}${max}${existing.maxCu}${end}${indent}${comment} ${ADOPTS}\n${indent}${input}\n`,
  );
}

/** The package.json of a program in TypeScript, or of one with the emulator; none for others. */
function packageFile(template: string | undefined, { name, isEmulated, place }: NewProgram): Files {
  if (template === undefined && !isEmulated) return {};
  const { dependencies, devDependencies, ...rest } = JSON.parse(template ?? JSON.stringify({ name, private: true }));
  const development = { ...devDependencies, ...(isEmulated && { "pgcompute-emulator": place.emulatorSource }) };
  const written = {
    ...rest,
    ...(dependencies && { dependencies: { ...dependencies, "pulumi-pgcompute": place.packageSource } }),
    devDependencies: Object.fromEntries(Object.entries(development).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return { "package.json": `${JSON.stringify(written, null, 2)}\n` };
}
