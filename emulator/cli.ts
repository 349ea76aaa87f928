/** `pgcompute-emulator`: an emulator of its own process. Every choice of `createEmulator` is a flag and an environment variable. */

import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { createEmulator, type EmulatorOptions } from "./index";
import { type Choice, fixedChoices, settingChoices } from "./settings/choices";
import { resolveOptions } from "./settings/options";

const DEFAULT_PORT = 4010;

/** Flags that are not called as their option is: what people call a seed is a file of contents. */
const otherFlags: Readonly<Record<string, string>> = { seed: "random-seed" };

const { settings, apiKey: _random, startAt: _now, ...fixed } = resolveOptions({ port: DEFAULT_PORT });
const defaults: Readonly<Record<string, unknown>> = { ...settings, ...fixed };

/** How the text of a flag stands for a value. */
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
  .description("Runs the control plane of a branchable Postgres platform in memory.")
  .allowExcessArguments(false)
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "pgcompute-emulator: ")) })
  .configureHelp({ optionDescription: ({ description }) => description })
  .addHelpText("after", "\nEach flag is an environment variable, too: PGCOMPUTE_EMULATOR_API_KEY is --api-key.")
  .action(run);

const seedFlag = new Option("--seed <FILE>", 'what is there from the start, as JSON: { "projects": [...] }')
  .env(variableOf("seed"))
  .argParser(readContents);
program.optionsGroup("Start:").addOption(seedFlag);
const fixedFlags = addFlags(fixedChoices);
program.optionsGroup("Settings, which can be changed while it runs, too:");
const settingFlags = addFlags(settingChoices);

program.parseAsync().catch((error: unknown) => {
  console.error(`pgcompute-emulator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  const values = program.opts();
  const given = [...fixedFlags, ...settingFlags]
    .map(({ name, flag }) => [name, values[flag.attributeName()]] as const)
    .filter(([, value]) => value !== undefined);
  const options: EmulatorOptions = { port: DEFAULT_PORT, ...Object.fromEntries(given), ...values.seed };
  const emulator = await createEmulator(options);
  process.stdout.write(
    `${[
      `address   ${emulator.url}`,
      `key       ${emulator.apiKey}`,
      `project   ${emulator.projectId}`,
      `branch    ${emulator.branchId}`,
      `endpoint  ${emulator.endpointId}`,
      `admin     ${emulator.adminUrl}`,
      `console   ${emulator.consoleUrl}`,
      ...(emulator.postgres ? [`postgres  ${emulator.admin.connectionStrings(emulator.endpointId).url}`] : []),
    ].join("\n")}\n`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void emulator.close());
}

function addFlags(choices: Readonly<Record<string, Choice<unknown>>>): { name: string; flag: Option }[] {
  return Object.entries(choices).map(([name, choice]) => {
    const words = otherFlags[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const description = `${choice.about}${formatDefault(defaults[name])}`;
    // A choice between yes and no is said by its name alone, too.
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

function readValue({ kind, values, schema }: Choice<unknown>, text: string): unknown {
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
    // createEmulator checks the projects, and says which of their fields are wrong.
    return { projects };
  } catch (error) {
    throw new InvalidArgumentError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
