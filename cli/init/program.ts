/** The files of a new program: the template that `pulumi new` takes for its language, filled in for a project and a branch. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Profile } from "../../provider/platform/profiles/profile";
import { limitsOf } from "../../provider/platform/profiles/profiles";

/** The languages that there are programs in. */
export const languages = ["typescript", "yaml", "python", "go"] as const;

/** One of them. */
export type Language = (typeof languages)[number];

/** Where the endpoints of the program are to be. */
export interface Target {
  projectId: string;
  /** The name of the branch, by which the program finds it. */
  branch: string;
  /** The sizes of the read-write endpoint that the branch has already, in CU. */
  existing?: { minCu: number; maxCu: number };
}

/** What a program is written for. */
export interface NewProgram {
  /** The Pulumi project's name. */
  name: string;
  language: Language;
  target: Target;
  profile: Profile;
  /** Where that is not the public platform's. */
  baseUrl: string | undefined;
  /** True for a program that needs no account. */
  isEmulated: boolean;
  place: PackagePlace;
}

/** How a program in a folder names this package, its plugin and the emulator. */
export interface PackagePlace {
  /** The folder of the templates. */
  templates: string;
  /** For package.json: the version, or the clone that this runs from. */
  packageSource: string;
  /** The same of the emulator's package. */
  emulatorSource: string;
  /** The folder of the plugin's executable, from the program's; absent if this package is in a temporary place. */
  pluginPath?: string;
}

/** Texts by file name. */
export type Files = Readonly<Record<string, string>>;

/** The stack that the program begins with. */
export const STACK = "dev";

/** The folder in which a program's emulator keeps what it has. */
export const EMULATOR_DATA = ".emulator";

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

/** Every file of the program, whose stack is for this platform. */
export function programFiles(program: NewProgram): Files {
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
