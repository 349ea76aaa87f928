import type { Command } from "commander";
import type { BranchRecord, EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, addAddressOption, projectOf, withAccount } from "../account";
import type { Shell } from "../shell";
import { formatTime } from "../terminal/output";
import { type Cell, type Column, printList } from "../terminal/table";

interface BranchesOptions extends AccountOptions {
  json?: boolean;
}

const columns: readonly Column[] = [
  { title: "Branch" },
  { title: "Name" },
  { title: "Read-write endpoint", leaveOut: 3 },
  { title: "Replicas", leaveOut: 2 },
  { title: "Created (UTC)", leaveOut: 1 },
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
  const withEndpoints = branches.map((branch) => ({
    ...branch,
    endpoints: endpointsOn(branch, endpoints).map(({ id, type }) => ({ id, type })),
  }));
  const rows = branches.map((branch) => rowOf(branch, endpoints));
  printList(shell, { noun: "branches", columns, rows, json: options.json && { branches: withEndpoints } });
}

function rowOf(branch: BranchRecord, all: readonly EndpointRecord[]): Cell[] {
  const endpoints = endpointsOn(branch, all);
  const writer = endpoints.find(({ type }) => type === "read_write");
  const replicas = endpoints.filter(({ type }) => type === "read_only").length;
  return [
    branch.id,
    `${branch.name ?? ""}${branch.primary ? " (primary)" : ""}`.trim(),
    writer?.id ?? "none",
    String(replicas),
    branch.createdAt === undefined ? "" : formatTime(branch.createdAt),
  ];
}

function endpointsOn({ id }: BranchRecord, all: readonly EndpointRecord[]): EndpointRecord[] {
  return all.filter(({ branchId }) => branchId === id);
}

interface ProjectsOptions extends AccountOptions {
  org?: string;
  json?: boolean;
}

/** Adds `projects`, which lists those that the key may see. */
export function addProjects(program: Command, shell: Shell): void {
  const command = program
    .command("projects")
    .description("Lists the projects that the key may see: id, name, region.")
    .option("--org <id>", "only those of this organisation (default: the key's)")
    .option("--json", "for machines");
  addAddressOption(command).action((options: ProjectsOptions) => listProjects(shell, options));
}

async function listProjects(shell: Shell, options: ProjectsOptions): Promise<void> {
  const projects = await withAccount(shell, options, ({ api }) =>
    api.listProjects(options.org, { signal: shell.signal }),
  );
  printList(shell, {
    noun: "projects",
    columns: [{ title: "Project" }, { title: "Name", leaveOut: 2 }, { title: "Region", leaveOut: 1 }],
    rows: projects.map(({ id, name = "", regionId = "" }) => [id, name, regionId]),
    json: options.json && { projects },
  });
}
