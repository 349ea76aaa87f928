/** Fills in a language's template (templates/) for a new program. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Profile } from "../../provider/platform/profiles/profile";
import { limitsOf } from "../../provider/platform/profiles/profiles";
import { CommandError, exitCodes } from "../exit-code";
import { packageFolder } from "../shell";

/** The languages with a template. */
export const languages = ["typescript", "yaml", "python", "go"] as const;

/** The values that fill in a template. */
export interface NewProgram {
  /** The Pulumi project's name. */
  name: string;
  language: (typeof languages)[number];
  projectId: string;
  /** The branch's name, which the program looks up. */
  branch: string;
  /** The sizes, in CU, of the branch's existing read-write endpoint. */
  existing?: { minCu: number; maxCu: number } | undefined;
  profile: Profile;
  /** Base address of a platform other than the public one. */
  baseUrl: string | undefined;
  /** npm's source of this package, and of the emulator for a program without an account. */
  npm: string;
  emulator: string | undefined;
  /** The plugin's folder relative to the program's; undefined if that is temporary. */
  plugin: string | undefined;
}

/** Data folder of the emulator in a generated program. */
export const EMULATOR_DATA = ".emulator";

/** npm leaves files of this name out of packages, so the template's is not available. */
const GITIGNORE = `node_modules/\nvenv/\nsdks/\n${EMULATOR_DATA}/\n`;

/** Files that may exist; their content stays. */
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
 * Writes a program into the folder and returns its file names. Completes a package.json; writes nothing if other
 * program files exist.
 */
export function writeProgram(folder: string, program: NewProgram): string[] {
  const files = filesOf(program);
  // Includes dangling links: writing through one would create a file elsewhere.
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

/** All files' texts by name; stack `dev` is configured for this platform. */
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
    // The existing size exceeds the provider's default limit.
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

/** Fills in a template: name, sizes, and in Pulumi.yaml the plugin instead of the questions of `pulumi new`. */
function filledIn(text: string, { name, language, existing, npm, plugin }: NewProgram): string {
  const [asked = "", description = ""] = /^template:\n {2}description: (.*)\n(?: .*\n)*/m.exec(text) ?? [];
  const providers = [{ name: "pgcompute", path: plugin }];
  const plugins = language === "yaml" && plugin !== undefined ? stringify({ plugins: { providers } }) : "";

  const filled = (asked === "" ? text : text.replace(asked, () => plugins))
    // Quoted where needed: YAML reads a name like "true" as another type.
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

/** An existing package.json, with the dependencies that it lacks. */
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
