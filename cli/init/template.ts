/** Fills in a language's template (templates/) for a new program. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Profile } from "../../provider/platform/profiles/profile";
import { limitsOf } from "../../provider/platform/profiles/profiles";
import { CommandError, exitCodes } from "../exit-code";
import { packageFolder } from "../shell";
import type { Sources } from "./sources";

/** The languages with a template. */
export const languages = ["typescript", "yaml", "python", "go"] as const;

/** A language with a template. */
export type Language = (typeof languages)[number];

/** The values that fill in a template. */
export interface NewProgram extends Sources {
  /** The Pulumi project's name. */
  name: string;
  language: Language;
  projectId: string;
  /** The branch's name, which the program looks up. */
  branch: string;
  /** The sizes, in CU, of the branch's existing read-write endpoint. */
  existing?: { minCu: number; maxCu: number } | undefined;
  profile: Profile;
  /** Base address of a platform other than the public one. */
  baseUrl: string | undefined;
}

/** Data folder of the emulator in a generated program. */
export const EMULATOR_DATA = ".emulator";

/** npm leaves files of this name out of packages, so the template's is not available. */
const GITIGNORE = `node_modules/\nvenv/\nsdks/\n${EMULATOR_DATA}/\n`;

/** Has npm install a folder as a copy: as a link it would bring a second @pulumi/pulumi. */
const NPMRC = "install-links=true\n";

/** Files that may exist; their content stays. */
const shared = ["package.json", ".npmrc", ".gitignore", "tsconfig.json"];

/** How shared files are completed; the others stay as they are. */
const completed: Readonly<Record<string, (own: string, added: string) => string>> = {
  "package.json": withDependencies,
  ".npmrc": (own, added) => (/^install-links\b/m.test(own) ? own : `${own.replace(/\n*$/, "\n").trimStart()}${added}`),
};

/** The two lines of a template with the primary's sizes, in CU. */
const SIZES = /^([ \t]*)(autoscaling\w*min.*?)0\.25(.*\n.*max.*?)1(.*\n)/im;

const ADOPTS = "The branch has its endpoint already: it comes under management as it is.";

/** The lines with which a program adopts the branch's endpoint. */
const adopting: Readonly<Record<Language, string>> = {
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

  const texts = Object.entries(files).filter(([name]) => name in completed || !there.includes(name));
  const merged = texts.map(([name, text]) => (there.includes(name) ? completedFile(folder, name, text) : text));
  mkdirSync(folder, { recursive: true });
  for (const [at, [name]] of texts.entries()) writeFileSync(join(folder, name), merged[at] ?? "");
  return texts.map(([name]) => name);
}

/** All files' texts by name; stack `dev` is configured for this platform. */
function filesOf(program: NewProgram): Record<string, string> {
  const { name, language, profile, existing, baseUrl, npm } = program;
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

  const packageFile = packageOf(program, template);
  const isLinked = language === "typescript" && npm.startsWith("file:");
  return {
    ...files,
    ...(packageFile && { "package.json": packageFile }),
    ...(isLinked && { ".npmrc": NPMRC }),
    ".gitignore": GITIGNORE,
    // Quoted, all of them: the engine reads a date or 1_000 as another value, where stringify would leave it plain.
    "Pulumi.dev.yaml": stringify({ config }, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" }),
  };
}

/** Fills in a template: name, sizes, and in Pulumi.yaml the plugin instead of the questions of `pulumi new`. */
function filledIn(text: string, { name, language, existing, plugin }: NewProgram): string {
  const [asked = "", description = ""] = /^template:\n {2}description: (.*)\n(?: .*\n)*/m.exec(text) ?? [];
  const providers = [{ name: "pgcompute", path: plugin }];
  const plugins = language === "yaml" && plugin !== undefined ? stringify({ plugins: { providers } }) : "";

  const filled = (asked === "" ? text : text.replace(asked, () => plugins))
    // Quoted where needed: YAML reads a name like "true" as another type, and its version 1.1 one like "yes".
    .replace(/^name: \$\{PROJECT\}$/m, () => stringify({ name }, { version: "1.1" }).trimEnd())
    .replace(/\$\{PROJECT\}/, name)
    .replace(/\$\{DESCRIPTION\}/, description);

  return filled.replace(SIZES, (sizes, indent, min, max, end) => {
    if (!existing) return sizes;
    const adopts = adopting[language].replace(/^(?=.)/gm, indent);
    return `${indent}${min}${existing.minCu}${max}${existing.maxCu}${end}${adopts}`;
  });
}

/** The package.json of a program in TypeScript, or with the emulator; undefined for others. */
function packageOf({ name, npm, emulator }: NewProgram, template: string | undefined): string | undefined {
  if (template === undefined && emulator === undefined) return undefined;
  const own = template === undefined ? { name, private: true } : JSON.parse(template);
  const pulumi = { "@pulumi/pulumi": pulumiRangeFor(process.versions.node), "pulumi-pgcompute": npm };
  const file = {
    ...own,
    ...(template && { dependencies: { ...own.dependencies, ...pulumi } }),
    devDependencies: sorted({ ...own.devDependencies, ...(emulator && { "pgcompute-emulator": emulator }) }),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** The versions of @pulumi/pulumi that run on a version of Node: 3.249 and later ask for Node 22. */
export function pulumiRangeFor(node: string): string {
  return Number.parseInt(node, 10) < 22 ? ">=3.216.0 <3.249.0" : "^3.216.0";
}

function sorted(packages: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An existing file, completed. Throws if it cannot be. */
function completedFile(folder: string, name: string, added: string): string {
  const file = join(folder, name);
  try {
    return completed[name]?.(readFileSync(file, "utf8"), added) ?? added;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new CommandError(`${file} ${reason}, and nothing was written`, exitCodes.failed, { cause });
  }
}

/** A package.json with the dependencies that it lacks. */
function withDependencies(text: string, template: string): string {
  const added = JSON.parse(template);
  const own = JSON.parse(text);
  const both = (kind: string) => added[kind] && { [kind]: { ...added[kind], ...(own[kind] ?? {}) } };
  return `${JSON.stringify({ ...own, ...both("dependencies"), ...both("devDependencies") }, null, 2)}\n`;
}
