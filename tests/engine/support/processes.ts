/** The engine's, the provider's and the language host's processes of a project. */
import { readdirSync, readFileSync } from "node:fs";
import { vi } from "vitest";
import type { Project } from "./project";

/** A process of a project: the engine, or one that it started. */
export interface EngineProcess {
  pid: number;
  /** What it is to the tests; a shell that only starts another one is `other`. */
  role: "engine" | "plugin" | "launcher" | "other";
  /** Its command line, arguments joined by blanks. */
  command: string;
}

const roles: readonly [EngineProcess["role"], RegExp][] = [
  ["engine", /^\S*\/pulumi /],
  ["plugin", /^\S*node \S*pulumi-resource-pgcompute/],
  ["launcher", /^\S*node \S*dynamic-provider/],
];

/**
 * The processes that run for a project now. They are known by the engine's home folder, which every process of a run
 * inherits in its environment; so this needs Linux's /proc, and finds those of a killed engine, too.
 */
export function processesOf(project: Project): EngineProcess[] {
  const mine = `PULUMI_HOME=${project.folders.home}\0`;
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      if (!`${readFileSync(`/proc/${entry}/environ`, "utf8")}\0`.includes(mine)) return [];
      const command = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0").join(" ").trim();
      if (command === "") return []; // it has ended, and nobody has asked how
      const role = roles.find(([, pattern]) => pattern.test(command))?.[0] ?? "other";
      return [{ pid: Number(entry), role, command }];
    } catch {
      return []; // it ended while it was looked at, or is another user's
    }
  });
}

/** The one process of this role; fails where there is none or more. */
export function processOf(project: Project, role: EngineProcess["role"]): EngineProcess {
  const found = processesOf(project).filter((one) => one.role === role);
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`${found.length} processes of role ${role}`);
  return only;
}

/** Resolves when no process of the project runs any more; fails after a minute, naming those that do. */
export async function untilNoneRuns(project: Project): Promise<void> {
  await vi.waitFor(
    () => {
      const left = processesOf(project);
      if (left.length > 0) throw new Error(`still running: ${left.map(({ command }) => command).join("; ")}`);
    },
    { timeout: 60_000, interval: 20 },
  );
}
