import { posix } from "node:path";
import { type Command, Option } from "commander";
import { shellWord } from "../../provider/lib/wording";
import { profiles } from "../../provider/platform/profiles/profiles";
import { version } from "../../provider/version";
import { type AccountOptions, addAccountOptions, withAccount } from "../account";
import { choice } from "../arguments";
import { exitCodes } from "../exit-code";
import type { Shell } from "../shell";
import { ownPackageFolder, type PackagePlace, placeOf, projectNameOf, writeFiles } from "./place";
import { EMULATOR_DATA, type Language, languages, programFiles, STACK } from "./program";
import { findTarget, type Target } from "./target";

declare const __PGCOMPUTE_PLUGIN_URL__: string | undefined;
declare const __PGCOMPUTE_GO_MODULE__: string | undefined;

/** Where the engine finds the plugin, which the build writes in. */
const pluginUrl = typeof __PGCOMPUTE_PLUGIN_URL__ === "string" ? __PGCOMPUTE_PLUGIN_URL__ : "URL";

/** The Go SDK's module, which the build writes in. */
const goModule = typeof __PGCOMPUTE_GO_MODULE__ === "string" ? __PGCOMPUTE_GO_MODULE__ : "MODULE";

interface InitOptions extends AccountOptions {
  language?: Language;
  branch?: string;
  emulator?: boolean;
}

/** What the emulator has from the start, and a free branch besides, which its flag `--branch` adds. */
const EMULATED: Target = { projectId: "quiet-harbor-12345678", branch: "dev" };

/** Adds `init`. */
export function addInit(program: Command, shell: Shell, done: (code: number) => void): void {
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
  addAccountOptions(command).action(async (folder: string, options: InitOptions) =>
    done(await init(shell, folder, options)),
  );
}

async function init(shell: Shell, folder: string, options: InitOptions): Promise<number> {
  const { language = "typescript" } = options;
  // An empty variable is as good as none.
  const project = options.project ?? (shell.env.PGCOMPUTE_PROJECT_ID || undefined);
  const baseUrl = options.baseUrl ?? (shell.env.PGCOMPUTE_BASE_URL || undefined);
  const { target, profile } = options.emulator
    ? {
        target: { ...EMULATED, ...(options.branch !== undefined && { branch: options.branch }) },
        profile: profiles[options.platform ?? "specification"],
      }
    : await withAccount(shell, options, async (account) => ({
        target: await findTarget(shell, account, { ...options, project }),
        profile: account.settings.profile,
      }));
  const place = placeOf(folder, ownPackageFolder());
  const name = projectNameOf(folder);
  const files = programFiles({
    name,
    language,
    target,
    profile,
    packageSource: place.packageSource,
    pluginPath: place.pluginPath,
    goModule,
    emulatorSource: options.emulator ? place.emulatorSource : undefined,
    ...(!options.emulator && baseUrl !== undefined && { baseUrl }),
  });
  const written = writeFiles(folder, files);
  shell.err.write(`wrote ${written.join(", ")} for branch ${target.branch} of project ${target.projectId}\n`);
  shell.err.write("Next:\n");
  const lines = nextLines({ folder, language, target, place, baseUrl, emulator: options.emulator === true });
  shell.out.write(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.ok;
}

/** The lines to run from where `init` was run, up to the first deployment. */
function nextLines(made: {
  folder: string;
  language: Language;
  target: Target;
  place: PackagePlace;
  baseUrl: string | undefined;
  emulator: boolean;
}): string[] {
  const { folder, language, target, place, baseUrl, emulator } = made;
  // A key from the environment goes to no address that only the stack's file names.
  const variables = `PGCOMPUTE_API_KEY${baseUrl === undefined ? "" : ` and PGCOMPUTE_BASE_URL=${shellWord(baseUrl)}`}`;
  return [
    ...(folder === "." ? [] : [`cd ${shellWord(folder)}`]),
    ...(language === "typescript" || emulator ? ["npm install"] : []),
    ...(language !== "typescript" && place.pluginPath === undefined
      ? [`pulumi plugin install resource pgcompute v${version} --server ${pluginUrl}`]
      : []),
    ...(language === "python" || language === "go"
      ? [`pulumi package add ${shellWord(place.pluginPath ? posix.dirname(place.pluginPath) : `pgcompute@${version}`)}`]
      : []),
    // The stack of a try-out belongs to no account of Pulumi's.
    ...(emulator ? ["pulumi login --local"] : []),
    `pulumi stack init ${STACK}`,
    emulator
      ? `npx --no-install pgcompute-emulator --branch ${shellWord(target.branch)} --data ${EMULATOR_DATA} --write-config   # keeps running: run the next line in another terminal, in this folder`
      : `pulumi config set --secret pgcompute:apiKey   # or set ${variables} for every run`,
    "pulumi up",
  ];
}
