/** `pgcompute-emulator`: runs an emulator. Every option of `createEmulator` is a flag and an environment variable. */

import { readFileSync } from "node:fs";
import { Command, Help, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { defaultContents } from "./admin/seed";
import { serveParent, servesParent } from "./child";
import { isRoot } from "./lib/machine";
import { type Choice, fixedChoices, settingChoices } from "./settings/choices";
import { resolveOptions } from "./settings/options";
import { type Emulator, type EmulatorOptions, startEmulator } from "./start";
import { configLines, ForeignConfigError, writeConfig } from "./write-config";

declare const __PGCOMPUTE_VERSION__: string | undefined;

const DEFAULT_PORT = 4010;
/** Maximum width of help text, and of its first column. */
const HELP_COLUMNS = 80;
const TERM_COLUMNS = 26;

/** Flags with another name than their option: for users, a seed is a file of contents. */
const otherFlags: Readonly<Record<string, string>> = { seed: "random-seed" };

const { settings, apiKey: _random, startAt: _now, ...fixed } = resolveOptions({ port: DEFAULT_PORT });
const defaults: Readonly<Record<string, unknown>> = { ...settings, ...fixed };

/** Parsers of flag values, by the option's kind. */
const readers: Readonly<Record<Choice<unknown>["kind"], (text: string) => unknown>> = {
  text: (text) => text,
  number: readNumber,
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
  list: (text) => (text === "" ? [] : text.split(",")),
  pairs: (text) => {
    const pairs = text.split(",").map((pair) => pair.split("=", 2));
    return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, readNumber(value)]));
  },
};

const program = new Command("pgcompute-emulator")
  .version(typeof __PGCOMPUTE_VERSION__ === "string" ? __PGCOMPUTE_VERSION__ : "0.0.0-dev")
  .description("Runs the control plane of a branchable Postgres platform in memory.")
  .allowExcessArguments(false)
  .configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, "pgcompute-emulator: ")),
    getOutHelpWidth: () => Math.min(process.stdout.columns || HELP_COLUMNS, HELP_COLUMNS),
  })
  .configureHelp({
    optionDescription: ({ description }) => description,
    // A long flag has its description on the next line.
    padWidth: () => TERM_COLUMNS,
    formatItem: (term, width, description, help) => {
      const wrapped = new Help().formatItem.bind(help);
      return term.length <= width
        ? wrapped(term, width, description, help)
        : `  ${term}\n${wrapped("", width, description, help)}`;
    },
  })
  .addHelpText(
    "after",
    "\nEach flag but --force is an environment variable, too:\nPGCOMPUTE_EMULATOR_API_KEY is --api-key.",
  )
  .action(run);

const seedFlag = new Option("--seed <FILE>", 'what is there from the start, as JSON: { "projects": [...] }')
  .env(variableOf("seed"))
  .argParser(readContents);
const branchFlag = new Option("--branch <NAME>", "a branch of the first project, without an endpoint; again for more")
  .env(variableOf("branch"))
  .argParser((text, all: string[] = []) => [...all, ...text.split(",")]);
const configFlag = new Option(
  "--write-config [true|false]",
  "write address, platform and key into the Pulumi stack that is selected in this folder",
)
  .env(variableOf("write-config"))
  .argParser((text) => readValue({ kind: "boolean", values: "true|false", schema: z.boolean() }, text));
const forceFlag = new Option("--force", "let --write-config replace another platform's address and key");
program.optionsGroup("Start:").addOption(seedFlag).addOption(branchFlag).addOption(configFlag).addOption(forceFlag);
const fixedFlags = addFlags(fixedChoices);
program.optionsGroup("Settings, which can be changed while it runs, too:");
const settingFlags = addFlags(settingChoices);

if (servesParent()) serveParent(startEmulator);
else {
  program.parseAsync().catch((error: unknown) => {
    console.error(`pgcompute-emulator: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}

async function run(): Promise<void> {
  const values = program.opts();
  const given = [...fixedFlags, ...settingFlags]
    .map(({ name, flag }) => [name, values[flag.attributeName()]] as const)
    .filter(([, value]) => value !== undefined);
  const names: string[] = values.branch ?? [];
  const projects = withBranches(values.seed?.projects ?? defaultContents, names);
  const options: EmulatorOptions = { port: DEFAULT_PORT, ...Object.fromEntries(given), projects };

  // With servers the command gives root up, and root's stack files become unwritable.
  const gaveUpRoot = options.postgres === true && isRoot();
  const emulator = await startEmulator(options).catch((error: unknown) => {
    throw isPortTaken(error) ? new Error(portTakenMessage(options, error.port)) : error;
  });
  // Before any question or output: readers of the output may end the process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void emulator.close());

  try {
    // Before the address: readers of that line find the stack configured.
    const configured = values.writeConfig
      ? await configure(emulator, { gaveUpRoot, replace: values.force === true })
      : "";
    process.stdout.write(`${linesOf(emulator, names).join("\n")}\n`);
    if (emulator.resumed && (values.seed || values.branch))
      console.error(`pgcompute-emulator: ${resumedMessage(options)}`);
    process.stdout.write(configured);
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

/** The contents, with branches added to the first project. Its id is `br-` and the name, if valid. */
function withBranches(projects: EmulatorOptions["projects"] = [], names: readonly string[]): typeof projects {
  const [first, ...others] = projects;
  if (!first || names.length === 0) return projects;
  const added = names.map((name) => (/^[a-z0-9-]{1,50}$/.test(name) ? { id: `br-${name}`, name } : { name }));
  return [{ ...first, branches: [...(first.branches ?? []), ...added] }, ...others];
}

function linesOf(emulator: Emulator, names: readonly string[]): string[] {
  const { projectId, branchId, endpointId, admin, postgres } = emulator;
  // A data folder may have no project, and a project no endpoint.
  const { branches = [], endpoints = [] } = projectId === "" ? {} : admin.project(projectId);
  const named = branches.filter(({ name }) => names.includes(name));
  const said = (branchId: string) => {
    const there = endpoints.filter(({ branch_id }) => branch_id === branchId).map(({ id }) => id);
    return there.length === 0 ? "without an endpoint" : `with ${there.join(", ")}`;
  };

  return [
    `address   ${emulator.url}`,
    `key       ${emulator.apiKey}`,
    `platform  ${admin.settings().platform}`,
    ...(emulator.resumed ? [`data      ${resumedContents(emulator)}`] : []),
    ...(projectId === "" ? [] : [`project   ${projectId}`, `branch    ${branchId}`, `endpoint  ${endpointId}`]),
    ...named.map(({ id, name }) => `branch    ${id}  (${name}, ${said(id)})`),
    `admin     ${emulator.adminUrl}`,
    ...(emulator.adminToken === undefined ? [] : [`token     ${emulator.adminToken}`]),
    `console   ${emulator.consoleUrl}`,
    ...(postgres && endpointId !== "" ? [`postgres  ${admin.connectionStrings(endpointId).url}`] : []),
  ];
}

/** Describes the restored state, such as `goes on with 1 project, 2 branches, 2 endpoints`. */
function resumedContents({ admin }: Emulator): string {
  const { projects } = admin.state({ operations: 0 });
  const counts = {
    project: projects.length,
    branch: projects.reduce((sum, { branches }) => sum + branches.length, 0),
    endpoint: projects.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
  };

  const plurals = { project: "projects", branch: "branches", endpoint: "endpoints" };
  const parts = Object.entries(counts).map(([noun, count]) =>
    count === 1 ? `1 ${noun}` : `${count} ${plurals[noun as keyof typeof plurals]}`,
  );
  return `goes on with ${parts.join(", ")}`;
}

function resumedMessage({ data }: EmulatorOptions): string {
  return `${data} goes on with what is there: the given contents come with a reset`;
}

/** Writes the stack's configuration and returns a line about it, or the commands to run by hand. */
async function configure(
  emulator: Emulator,
  { gaveUpRoot, replace }: { gaveUpRoot: boolean; replace: boolean },
): Promise<string> {
  if (gaveUpRoot) return byHandMessage(emulator);
  try {
    const stack = await writeConfig(accessOf(emulator), { replace });
    return `address, platform and key are in the configuration of stack ${stack}\n`;
  } catch (error) {
    if (error instanceof ForeignConfigError) throw new Error(`--write-config: ${error.message}`);
    const reason = error instanceof Error ? error.message : String(error);
    const advice = "Run this in the folder of a Pulumi program whose stack is selected, or set them by hand:";
    throw new Error(`--write-config: ${reason}\n${[advice, ...configLines(accessOf(emulator))].join("\n  ")}`);
  }
}

function byHandMessage(emulator: Emulator): string {
  const lines = [
    "root was given up, as Postgres asks: run this in the program's folder",
    ...configLines(accessOf(emulator)),
  ];
  return `${lines.join("\n  ")}\n`;
}

function accessOf({ url, apiKey, admin }: Emulator) {
  return { url, apiKey, platform: admin.settings().platform };
}

function isPortTaken(error: unknown): error is Error & { port: number } {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE" && "port" in error;
}

function portTakenMessage({ host = "127.0.0.1", port, pgPort }: EmulatorOptions, taken: number): string {
  const [flag, at] = taken === pgPort && taken !== port ? ["--pg-port", "127.0.0.1"] : ["--port", host];
  return (
    `address in use: something listens at ${at}:${taken} already, perhaps another emulator. ` +
    `Stop that one, or give ${flag} another number, or 0 for any free port.`
  );
}

function addFlags(choices: Readonly<Record<string, Choice<unknown>>>): { name: string; flag: Option }[] {
  return Object.entries(choices).map(([name, choice]) => {
    const words = otherFlags[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const description = `${choice.about}${formatDefault(defaults[name])}`;

    // A boolean flag needs no value.
    const value = choice.kind === "boolean" ? `[${choice.values}]` : `<${choice.values}>`;
    const flag = new Option(`--${words} ${value}`, description)
      .env(variableOf(words))
      .argParser((text) => readValue(choice, text));
    program.addOption(flag);
    return { name, flag };
  });
}

function variableOf(flag: string): string {
  return `PGCOMPUTE_EMULATOR_${flag.replaceAll("-", "_").toUpperCase()}`;
}

function formatDefault(value: unknown): string {
  const text = Array.isArray(value) ? value.join(",") : typeof value === "object" ? "" : String(value ?? "");
  return text === "" ? "" : ` (default: ${text})`;
}

function readValue({ kind, values, schema }: Omit<Choice<unknown>, "about">, text: string): unknown {
  const result = schema.safeParse(readers[kind](text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InvalidArgumentError(`Use ${values}: ${[...(issue?.path ?? []), issue?.message].join(" ")}.`);
}

function readNumber(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function readContents(file: string): Pick<EmulatorOptions, "projects"> {
  try {
    const { projects, ...others } = JSON.parse(readFileSync(file, "utf8"));
    const [other] = Object.keys(others);
    if (other !== undefined) throw new Error(`${other}: unknown field`);
    // createEmulator checks the projects and reports wrong fields.
    return { projects };
  } catch (error) {
    throw new InvalidArgumentError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
