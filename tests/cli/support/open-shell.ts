import { createRequire } from "node:module";
import { join } from "node:path";
import type { Shell } from "../../../cli/shell";
import type { Settings } from "../../../provider/config/resolve";
import { systemClock } from "../../../provider/lib/clock";
import { root } from "../../../tools/root.mjs";
import type { Bench } from "../../support/bench";
import { expectReport } from "../../support/report-schema";

// What users run: the bundle, in this process.
const built: typeof import("../../../cli/run") = createRequire(import.meta.url)(join(root, "dist/cli.cjs"));
const { openConfigured, run } = built;

/** How a command is run. */
export interface ShellOptions {
  env?: Record<string, string>;
  /** True for a person at a terminal; false by default. */
  terminal?: boolean;
  /** Characters of the terminal's line. */
  columns?: number;
  /** What the person answers, to one question after the other. */
  answers?: string[];
  /** How long the person thinks before each answer, in milliseconds. */
  thinksMs?: number;
  input?: string;
  signal?: AbortSignal;
}

/** How a command ended, and what it wrote. */
export interface Ran {
  code: number;
  out: string;
  err: string;
  /** The settings that it opened an account with. */
  settings: Settings[];
}

/** Runs the command line in this process, against the bench's emulator and on its clock. */
export async function runCommand(bench: Bench, args: readonly string[], options: ShellOptions = {}): Promise<Ran> {
  const { emulator, clock } = bench;
  const ran: Ran = { code: -1, out: "", err: "", settings: [] };
  const shell = openShell(ran, args, {
    ...options,
    env: {
      PGCOMPUTE_API_KEY: emulator.apiKey,
      PGCOMPUTE_BASE_URL: emulator.url,
      PGCOMPUTE_PROJECT_ID: emulator.projectId,
      ...options.env,
    },
  });
  const open = (settings: Settings, onWarning: (message: string) => void) => {
    ran.settings.push(settings);
    return openConfigured(settings, onWarning, { clock, random: () => 0.5 });
  };
  const ask = async (question: string) => {
    await clock.sleep(options.thinksMs ?? 0);
    return shell.ask(question);
  };
  ran.code = await bench.run(run({ ...shell, clock, open, ask }));
  return withValidReport(args, ran);
}

/** Runs a command that needs no platform: it fails where it opens an account. */
export async function runAlone(args: readonly string[], options: ShellOptions = {}): Promise<Ran> {
  const ran: Ran = { code: -1, out: "", err: "", settings: [] };
  ran.code = await run(openShell(ran, args, options));
  return withValidReport(args, ran);
}

/** Whatever a test asks a review for: its JSON is as the schema has it. */
function withValidReport([command]: readonly string[], ran: Ran): Ran {
  if (command === "review" && ran.out.startsWith("{")) expectReport(ran.out);
  return ran;
}

function openShell(ran: Ran, args: readonly string[], options: ShellOptions): Shell {
  const isTerminal = options.terminal ?? false;
  const sink = (stream: "out" | "err") => ({
    isTerminal,
    columns: () => options.columns,
    write: (text: string) => {
      ran[stream] += text;
    },
  });
  return {
    args,
    env: options.env ?? {},
    out: sink("out"),
    err: sink("err"),
    stdin: { isTerminal, read: async () => new TextEncoder().encode(options.input ?? "") },
    ask: async (question) => {
      ran.err += question;
      return options.answers?.shift();
    },
    clock: systemClock,
    signal: options.signal ?? new AbortController().signal,
    open: () => {
      throw new Error("this command was to need no platform");
    },
  };
}
