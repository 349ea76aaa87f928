import { run } from "../../../cli/run";
import type { Shell } from "../../../cli/shell";
import type { Settings } from "../../../provider/config/resolve";
import type { Bench } from "../../support/bench";

/** How a command is run. */
export interface ShellOptions {
  env?: Record<string, string>;
  /** True for a person at a terminal; false by default. */
  terminal?: boolean;
  /** What the person answers. */
  answer?: string;
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
  const ran: Ran = { code: -1, out: "", err: "", settings: [] };
  const { emulator, clock } = bench;
  const isTerminal = options.terminal ?? false;
  const shell: Shell = {
    args,
    env: {
      PGCOMPUTE_API_KEY: emulator.apiKey,
      PGCOMPUTE_BASE_URL: emulator.url,
      PGCOMPUTE_PROJECT_ID: emulator.projectId,
      ...options.env,
    },
    out: {
      isTerminal,
      write: (text) => {
        ran.out += text;
      },
    },
    err: {
      isTerminal,
      write: (text) => {
        ran.err += text;
      },
    },
    stdin: { isTerminal, read: async () => new TextEncoder().encode(options.input ?? "") },
    ask: async (question) => {
      ran.err += question;
      return options.answer;
    },
    clock,
    signal: options.signal ?? new AbortController().signal,
    open: (settings) => {
      ran.settings.push(settings);
      return bench.account({ apiKey: settings.apiKey, baseUrl: settings.baseUrl.href, keySource: settings.keySource });
    },
  };
  ran.code = await bench.run(run(shell));
  return ran;
}
