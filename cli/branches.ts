/** Lists projects and branches, and finds a branch by name or id. */
import type { Command } from "commander";
import { isId } from "../provider/lib/ids";
import { listedFew, plain } from "../provider/lib/wording";
import type { Api } from "../provider/platform/api";
import type { BranchRecord, EndpointRecord, ProjectRecord } from "../provider/platform/records";
import { type AccountOptions, addAddressOption, addTellingOptions, projectOf, withAccount } from "./account";
import { CommandError, exitCodes } from "./exit-code";
import type { Shell } from "./shell";
import { formatTime } from "./terminal/output";
import { type Column, printList } from "./terminal/table";

type Branch = BranchRecord & { endpoints: Pick<EndpointRecord, "id" | "type">[] };

const branchColumns: readonly Column<Branch>[] = [
  { title: "Branch", of: ({ id }) => id },
  { title: "Name", of: ({ name = "", primary }) => `${name}${primary ? " (primary)" : ""}`.trim() },
  {
    title: "Read-write endpoint",
    of: ({ endpoints }) => endpoints.find(({ type }) => type === "read_write")?.id ?? "none",
    leaveOut: 3,
  },
  {
    title: "Replicas",
    of: ({ endpoints }) => String(endpoints.filter(({ type }) => type === "read_only").length),
    leaveOut: 2,
  },
  { title: "Created (UTC)", of: ({ createdAt }) => (createdAt ? formatTime(createdAt) : ""), leaveOut: 1 },
];

const projectColumns: readonly Column<ProjectRecord>[] = [
  { title: "Project", of: ({ id }) => id },
  { title: "Name", of: ({ name = "" }) => name, leaveOut: 2 },
  { title: "Region", of: ({ regionId = "" }) => regionId, leaveOut: 1 },
];

/** Adds `projects` (those that the key can read) and `branches` (a project's, with their endpoints). */
export function addProjectsAndBranches(program: Command, shell: Shell): void {
  const { signal } = shell;
  const projects = program
    .command("projects")
    .description("Lists the projects that the key may see: id, name, region.")
    .option("--org <id>", "only those of this organisation (default: the key's)")
    .option("--json", "for machines");

  addAddressOption(projects).action(async (options: AccountOptions & { org?: string }) => {
    const all = await withAccount(shell, options, ({ api }) => api.listProjects(options.org, { signal }));
    printList(shell, { noun: "projects", columns: projectColumns, all, json: options.json && { projects: all } });
  });

  const branches = program.command("branches").description("Lists a project's branches: id, name, endpoints.");
  addTellingOptions(branches).action(async (options: AccountOptions) => {
    const projectId = projectOf(shell, options);
    const [records, endpoints] = await withAccount(shell, options, ({ api }) =>
      Promise.all([api.listBranches(projectId, { signal }), api.listEndpoints(projectId, { signal })]),
    );

    const all = records.map((branch) => ({
      ...branch,
      endpoints: endpoints.filter(({ branchId }) => branchId === branch.id).map(({ id, type }) => ({ id, type })),
    }));
    printList(shell, { noun: "branches", columns: branchColumns, all, json: options.json && { branches: all } });
  });
}

/** The branch of this name or id. Throws a usage error with the list of branches if there is none. */
export function findBranch(branches: readonly BranchRecord[], wanted: string): BranchRecord {
  const found = branches.find(({ id, name }) => name === wanted || id === wanted);
  if (found) return found;
  const known = listedFew(branches.map(({ id, name }) => plain(name ?? id)));
  throw new CommandError(`the project has no branch "${plain(wanted)}"; it has ${known}`, exitCodes.usage);
}

/** The id of an option's branch. An id need not exist: a deleted branch may still have operations. */
export async function branchIdOf(
  api: Pick<Api, "listBranches">,
  projectId: string,
  wanted: string,
  signal: AbortSignal,
): Promise<string> {
  if (wanted.startsWith("br-") && isId(wanted)) return wanted;
  return findBranch(await api.listBranches(projectId, { signal }), wanted).id;
}
