/** What a new program is for: a project and a branch of the platform, and what is on that branch already. */

import { plain } from "../../provider/lib/wording";
import type { Account } from "../../provider/platform/account";
import type { BranchRecord, EndpointRecord, ProjectRecord } from "../../provider/platform/records";
import { findBranch } from "../branches/find";
import { CommandError, exitCodes } from "../exit-code";
import type { Shell } from "../shell";

/** Where the endpoints of the program are to be. */
export interface Target {
  projectId: string;
  /** The name of the branch, by which the program finds it. */
  branch: string;
  /** The sizes of the read-write endpoint that the branch has already, in CU. */
  existing?: { minCu: number; maxCu: number };
}

/** What people choose from. */
interface Choice<T> {
  value: T;
  /** What they type, besides its number. */
  word: string;
  label: string;
}

const MOST_SHOWN = 20;

/** Finds the target: by the options, else the only one, else by asking. Throws a usage error without a terminal to ask at. */
export async function findTarget(
  shell: Shell,
  { api }: Account,
  wanted: { project?: string | undefined; branch?: string | undefined },
): Promise<Target> {
  const { signal } = shell;
  const projectId = wanted.project ?? (await chooseProject(shell, await api.listProjects(undefined, { signal }))).id;
  const [branches, endpoints] = await Promise.all([
    api.listBranches(projectId, { signal }),
    api.listEndpoints(projectId, { signal }),
  ]);
  const branch = await chooseBranch(shell, branches, endpoints, wanted.branch);
  const writer = writerOn(branch, endpoints);
  const target = { projectId, branch: branch.name ?? branch.id };
  if (!writer) return target;
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = writer;
  return minCu === undefined || maxCu === undefined ? target : { ...target, existing: { minCu, maxCu } };
}

function chooseProject(shell: Shell, projects: readonly ProjectRecord[]): Promise<ProjectRecord> {
  const choices = projects.map((one) => ({ value: one, word: one.id, label: `${one.id}  ${one.name ?? ""}` }));
  return choose(shell, { what: "project", option: "--project", choices });
}

async function chooseBranch(
  shell: Shell,
  branches: readonly BranchRecord[],
  endpoints: readonly EndpointRecord[],
  name: string | undefined,
): Promise<BranchRecord> {
  if (name !== undefined) return findBranch(branches, name);
  const primary = branches.find((one) => one.primary);
  if (!canAsk(shell) && primary) return primary;
  const choices = branches.map((one) => {
    const writer = writerOn(one, endpoints);
    const state = writer ? `existing endpoint ${writer.id} will be adopted` : "free";
    return { value: one, word: one.name ?? one.id, label: `${one.name ?? one.id}  (${state})` };
  });
  return choose(shell, { what: "branch", option: "--branch", choices });
}

/** One of several: the only one, or the one that a person names. */
async function choose<T>(
  shell: Shell,
  { what, option, choices }: { what: string; option: string; choices: readonly Choice<T>[] },
): Promise<T> {
  const [first] = choices;
  if (!first) throw new CommandError(`the key sees no ${what}`);
  if (choices.length === 1) return first.value;
  if (!canAsk(shell)) {
    const words = choices.slice(0, MOST_SHOWN).map(({ word }) => plain(word));
    throw new CommandError(
      `which ${what}? Give ${option}: ${words.join(", ")}${choices.length > MOST_SHOWN ? ", ..." : ""}`,
      exitCodes.usage,
    );
  }
  const lines = choices.slice(0, MOST_SHOWN).map(({ label }, index) => `  ${index + 1}  ${plain(label)}\n`);
  const answer = (await shell.ask(`${lines.join("")}Which ${what}, by number or name? `))?.trim();
  const chosen = choices[Number(answer) - 1] ?? choices.find(({ word }) => word === answer);
  if (!chosen) throw new CommandError(`no ${what} was chosen, and nothing was written`);
  return chosen.value;
}

/** True where a person can be asked. */
export function canAsk({ stdin, err }: Shell): boolean {
  return stdin.isTerminal && err.isTerminal;
}

function writerOn({ id }: BranchRecord, endpoints: readonly EndpointRecord[]): EndpointRecord | undefined {
  return endpoints.find(({ branchId, type }) => branchId === id && type === "read_write");
}
