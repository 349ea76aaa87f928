import type { Command } from "commander";
import type { BranchRecord, EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import type { Shell } from "../shell";
import { formatTime, toJson } from "../terminal/output";
import { type Cell, type Column, printTable } from "../terminal/table";

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
  if (options.json) {
    const withEndpoints = branches.map((branch) => ({
      ...branch,
      endpoints: endpointsOn(branch, endpoints).map(({ id, type }) => ({ id, type })),
    }));
    shell.out.write(toJson({ branches: withEndpoints }));
  } else if (branches.length === 0) shell.err.write("no branches\n");
  else {
    printTable(
      shell,
      columns,
      branches.map((branch) => rowOf(branch, endpoints)),
    );
  }
}

function rowOf(branch: BranchRecord, all: readonly EndpointRecord[]): Cell[] {
  const endpoints = endpointsOn(branch, all);
  const writer = endpoints.find(({ type }) => type === "read_write");
  const replicas = endpoints.filter(({ type }) => type === "read_only").length;
  return [
    { text: branch.id },
    { text: `${branch.name ?? ""}${branch.primary ? " (primary)" : ""}`.trim() },
    { text: writer?.id ?? "none" },
    { text: String(replicas) },
    { text: branch.createdAt === undefined ? "" : formatTime(branch.createdAt) },
  ];
}

function endpointsOn({ id }: BranchRecord, all: readonly EndpointRecord[]): EndpointRecord[] {
  return all.filter(({ branchId }) => branchId === id);
}
