/** What dies and how: the provider or the engine, by a kill or by interrupts. */
import { vi } from "vitest";
import { dynamicHost, type HostDriver, pluginHost } from "../../support/hosts";
import { type EngineProcess, processesOf, processOf } from "../../support/processes";
import type { Project } from "../../support/project";

/** A run under way that is to be struck. */
export interface Target {
  project: Project;
  /** Everything that the engine has printed so far. */
  text(): string;
  /** Whether something in flight is answered and waits for operations. */
  waits: boolean;
}

/** Who is struck, and how. */
export interface Victim {
  title: string;
  host: HostDriver;
  /**
   * Whether what is in flight goes on until it is answered (and can be written down), or its connections are cut. Only
   * one interrupt leaves the provider alive.
   */
  answered: boolean;
  /** Strikes; resolves when nothing that was in flight waits any longer for anything but its answers. */
  strike(target: Target): Promise<void>;
}

const bySignals = (role: EngineProcess["role"], signal: NodeJS.Signals) => async (target: Target) => {
  const victims = processesOf(target.project).filter((one) => one.role === role);
  if (victims.length === 0) throw new Error(`no process of role ${role}`);
  for (const { pid } of victims) process.kill(pid, signal);
};

async function interrupt({ project, text }: Target): Promise<void> {
  process.kill(processOf(project, "engine").pid, "SIGINT");
  await untilSaid(text, "^C received; cancelling");
}

/** The deaths of a provider's process; an interrupt that reaches the plugin alone is played in `plugin/process.test.ts`. */
export const killedProviders: readonly Victim[] = [
  { title: "the plugin is killed", host: pluginHost, answered: false, strike: bySignals("plugin", "SIGKILL") },
  { title: "the launcher is killed", host: dynamicHost, answered: false, strike: bySignals("launcher", "SIGKILL") },
];

/** The deaths of the engine. */
export const killedEngines: readonly Victim[] = [pluginHost, dynamicHost].map((host) => ({
  title: `the engine is killed over the ${host.name} host`,
  host,
  answered: false,
  strike: bySignals("engine", "SIGKILL"),
}));

/** One interrupt, as by one Ctrl-C: the engine waits for what is in flight. */
export const interruptedOnce: readonly Victim[] = [
  {
    title: "the engine is interrupted over the plugin host",
    host: pluginHost,
    answered: true,
    strike: async (target) => {
      await interrupt(target);
      // The plugin is told, and ends its waits.
      if (target.waits) await untilSaid(target.text, "interrupted before it was done");
    },
  },
  {
    title: "the engine is interrupted over the dynamic host",
    host: dynamicHost,
    answered: true,
    strike: interrupt,
  },
];

/** Two interrupts: the engine leaves everything behind. To the launcher of dynamic providers that is a kill of the engine. */
export const interruptedTwice: Victim = {
  title: "the engine is interrupted twice over the plugin host",
  host: pluginHost,
  answered: false,
  strike: async (target) => {
    await interrupt(target);
    process.kill(processOf(target.project, "engine").pid, "SIGINT");
  },
};

async function untilSaid(text: () => string, words: string): Promise<void> {
  await vi.waitFor(
    () => {
      if (!text().includes(words)) throw new Error(`the engine has not said "${words}"`);
    },
    { timeout: 30_000, interval: 10 },
  );
}
