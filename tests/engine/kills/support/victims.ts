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

async function interrupt({ project, text }: Target): Promise<void> {
  process.kill(processOf(project, "engine").pid, "SIGINT");
  await untilSaid(text, "^C received; cancelling");
}

function kill(title: string, host: HostDriver, role: EngineProcess["role"]): Victim {
  const strike = async ({ project }: Target) => {
    const victims = processesOf(project).filter((one) => one.role === role);
    if (victims.length === 0) throw new Error(`no process of role ${role}`);
    for (const { pid } of victims) process.kill(pid, "SIGKILL");
  };
  return { title, host, answered: false, strike };
}

/**
 * Deaths of a provider's process and of the engine. An interrupt of the plugin alone is in `plugin/process.test.ts`.
 */
export const killed = {
  plugin: kill("the plugin is killed", pluginHost, "plugin"),
  launcher: kill("the launcher is killed", dynamicHost, "launcher"),
  engine: kill("the engine is killed over the plugin host", pluginHost, "engine"),
  engineOfDynamic: kill("the engine is killed over the dynamic host", dynamicHost, "engine"),
};

/** The interrupts of the engine, as by Ctrl-C. At one it waits for what is in flight. */
export const interrupted: readonly Victim[] = [
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
  // At two the engine leaves everything behind. To the launcher of dynamic providers that is a kill of the engine.
  {
    title: "the engine is interrupted twice over the plugin host",
    host: pluginHost,
    answered: false,
    strike: async (target) => {
      await interrupt(target);
      process.kill(processOf(target.project, "engine").pid, "SIGINT");
    },
  },
];

async function untilSaid(text: () => string, words: string): Promise<void> {
  await vi.waitFor(
    () => {
      if (!text().includes(words)) throw new Error(`the engine has not said "${words}"`);
    },
    { timeout: 30_000, interval: 10 },
  );
}
