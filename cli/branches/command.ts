import type { Command } from "commander";
import type { BranchRecord, EndpointRecord, ProjectRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, addAddressOption, projectOf, withAccount } from "../account";
import type { Shell } from "../shell";
import { formatTime } from "../terminal/output";
import { type Column, printList } from "../terminal/table";

interface BranchesOptions extends AccountOptions {
  json?: boolean;
}

interface ProjectsOptions extends AccountOptions {
  org?: string;
  json?: boolean;
}

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

/** Adds `branches`, which lists a project's branches and which endpoints they have. */
export function addBranches(program: Command, shell: Shell): void {
  const command = program
    .command("branches")
    .description("Lists a project's branches: id, name, endpoints.")
    .option("--json", "for machines");
  addAccountOptions(command).action((options: BranchesOptions) => listBranches(shell, options));
}

async function listBranches(shell: Shell, options: BranchesOptions): Promise<void> {
  const projectId = projectOf(shell, options);
  const { signal } = shell;
  const [branches, endpoints] = await withAccount(shell, options, ({ api }) =>
    Promise.all([api.listBranches(projectId, { signal }), api.listEndpoints(projectId, { signal })]),
  );
  const all = branches.map((branch) => ({
    ...branch,
    endpoints: endpoints.filter(({ branchId }) => branchId === branch.id).map(({ id, type }) => ({ id, type })),
  }));
  printList(shell, { noun: "branches", columns: branchColumns, all, json: options.json && { branches: all } });
}

/** Adds `projects`, which lists those that the key may see. */
export function addProjects(program: Command, shell: Shell): void {
  const command = program
    .command("projects")
    .description("Lists the projects that the key may see: id, name, region.")
    .option("--org <id>", "only those of this organisation (default: the key's)")
    .option("--json", "for machines");
  addAddressOption(command).action(async (options: ProjectsOptions) => {
    const { signal } = shell;
    const all = await withAccount(shell, options, ({ api }) => api.listProjects(options.org, { signal }));
    printList(shell, { noun: "projects", columns: projectColumns, all, json: options.json && { projects: all } });
  });
}
