/** The template of a language (templates/), filled in: the files of a new program. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Profile } from "../../provider/platform/profiles/profile";
import { limitsOf } from "../../provider/platform/profiles/profiles";
import { CommandError, exitCodes } from "../exit-code";
import { packageFolder } from "../shell";

/** The languages that there are templates in. */
export const languages = ["typescript", "yaml", "python", "go"] as const;

/** The values that fill in a template. */
export interface NewProgram {
  /** The Pulumi project's name. */
  name: string;
  language: (typeof languages)[number];
  projectId: string;
  /** The name of the branch, by which the program finds it. */
  branch: string;
  /** The sizes in CU of the read-write endpoint that the branch has already. */
  existing?: { minCu: number; maxCu: number } | undefined;
  profile: Profile;
  /** Base address of a platform other than the public one. */
  baseUrl: string | undefined;
  /** npm's source of this package, and of the emulator in a program without an account. */
  npm: string;
  emulator: string | undefined;
  /** The folder of the plugin's executable, from the program's; undefined where it does not stay. */
  plugin: string | undefined;
}

/** Data folder of the emulator in a generated program. */
export const EMULATOR_DATA = ".emulator";

/** npm puts no file of this name into a package, so that the template's cannot be read. */
const GITIGNORE = `node_modules/\nvenv/\nsdks/\n${EMULATOR_DATA}/\n`;

/** Files that may be there already: what they have stays. */
const shared = ["package.json", ".gitignore", "tsconfig.json"];

/** The two lines of a template with the primary's sizes, in CU. */
const SIZES = /^([ \t]*)(autoscaling\w*min.*?)0\.25(.*\n.*max.*?)1(.*\n)/im;

const ADOPTS = "The branch has its endpoint already: it comes under management as it is.";

/** The lines with which a program adopts the branch's endpoint. */
const adopting: Readonly<Record<NewProgram["language"], string>> = {
  typescript: `// ${ADOPTS}\nadoptExisting: true,\n`,
  yaml: `# ${ADOPTS}\nadoptExisting: true\n`,
  python: `# ${ADOPTS}\nadopt_existing=True,\n`,
  go: `// ${ADOPTS}\nAdoptExisting: pulumi.Bool(true),\n`,
};

/**
 * Writes a program into the folder and gives the names of its files. A package.json that is there gets what it lacks; where there is anything
 * else of the program, nothing is written.
 */
export function writeProgram(folder: string, program: NewProgram): string[] {
  const files = filesOf(program);
  // A dangling link is among them: writing through it would create a file elsewhere.
  const there = existsSync(folder) ? readdirSync(folder) : [];
  const taken = Object.keys(files).filter((name) => !shared.includes(name) && there.includes(name));
  if (taken.length > 0) {
    throw new CommandError(`${folder} has a program already (${taken.join(", ")}); nothing was written`);
  }
  const texts = Object.entries(files).filter(([name]) => name === "package.json" || !there.includes(name));
  const merged = texts.map(([name, text]) => (there.includes(name) ? withOwn(join(folder, name), text) : text));
  mkdirSync(folder, { recursive: true });
  for (const [at, [name]] of texts.entries()) writeFileSync(join(folder, name), merged[at] ?? "");
  return texts.map(([name]) => name);
}

/** The texts of all files by their names; the stack `dev` is for this platform. */
function filesOf(program: NewProgram): Record<string, string> {
  const { name, language, profile, existing, baseUrl, emulator } = program;
  const folder = join(packageFolder, "templates", language);
  const own = readdirSync(folder).filter((file) => file !== ".gitignore");
  const filled = own.map((file) => [file, filledIn(readFileSync(join(folder, file), "utf8"), program)]);
  const { "package.json": template, ...files } = Object.fromEntries(filled);
  const isLarger = (existing?.maxCu ?? 0) > limitsOf(profile, undefined).largestCu;
  const config = {
    ...(baseUrl !== undefined && { "pgcompute:baseUrl": baseUrl }),
    "pgcompute:platform": profile.name,
    // What is there already is larger than the provider takes for granted.
    ...(isLarger && { "pgcompute:maxSizeCu": String(existing?.maxCu) }),
    [`${name}:projectId`]: program.projectId,
    [`${name}:branch`]: program.branch,
  };
  const packageFile = template ?? (emulator && JSON.stringify({ name, private: true }));
  return {
    ...files,
    ...(packageFile && { "package.json": withEmulator(packageFile, emulator) }),
    ".gitignore": GITIGNORE,
    "Pulumi.dev.yaml": stringify({ config }),
  };
}

/** A template's text for this program: its name and sizes, and in Pulumi.yaml the plugin in the place of what `pulumi new` asks. */
function filledIn(text: string, { name, language, existing, npm, plugin }: NewProgram): string {
  const [asked = "", description = ""] = /^template:\n {2}description: (.*)\n(?: .*\n)*/m.exec(text) ?? [];
  const providers = [{ name: "pgcompute", path: plugin }];
  const plugins = language === "yaml" && plugin !== undefined ? stringify({ plugins: { providers } }) : "";
  const filled = (asked === "" ? text : text.replace(asked, () => plugins))
    // Of a name like "true" YAML makes another value.
    .replace(/^name: \$\{PROJECT\}$/m, () => stringify({ name }).trimEnd())
    .replace(/\$\{PROJECT\}/, name)
    .replace(/\$\{DESCRIPTION\}/, description)
    .replace(/(?<="pulumi-pgcompute": ")[^"]*/, () => npm);
  return filled.replace(SIZES, (sizes, indent, min, max, end) => {
    if (!existing) return sizes;
    const adopts = adopting[language].replace(/^(?=.)/gm, indent);
    return `${indent}${min}${existing.minCu}${max}${existing.maxCu}${end}${adopts}`;
  });
}

function withEmulator(text: string, emulator: string | undefined): string {
  const own = JSON.parse(text);
  const all = Object.entries({ ...own.devDependencies, ...(emulator && { "pgcompute-emulator": emulator }) });
  const devDependencies = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ ...own, devDependencies }, null, 2)}\n`;
}

/** A package.json that is there, with the dependencies of another one that it lacks. */
function withOwn(file: string, text: string): string {
  const added = JSON.parse(text);
  let own: Record<string, unknown>;
  try {
    own = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new CommandError(`${file} ${reason}, and nothing was written`, exitCodes.failed, { cause });
  }
  const both = (kind: string) => added[kind] && { [kind]: { ...added[kind], ...(own[kind] ?? {}) } };
  return `${JSON.stringify({ ...own, ...both("dependencies"), ...both("devDependencies") }, null, 2)}\n`;
}
