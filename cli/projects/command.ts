import type { Command } from "commander";
import { type AccountOptions, addAddressOption, withAccount } from "../account";
import type { Shell } from "../shell";
import { toJson } from "../terminal/output";
import { printTable } from "../terminal/table";

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
  if (options.json) shell.out.write(toJson({ projects }));
  else if (projects.length === 0) shell.err.write("no projects\n");
  else {
    printTable(
      shell,
      [{ title: "Project" }, { title: "Name", leaveOut: 2 }, { title: "Region", leaveOut: 1 }],
      projects.map(({ id, name = "", regionId = "" }) => [{ text: id }, { text: name }, { text: regionId }]),
    );
  }
}
