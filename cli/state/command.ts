/** `pgcompute state`: moves endpoints between single resources and a fleet, on what `pulumi stack export` wrote. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Command } from "commander";
import { CommandError, exitCodes } from "../exit-code";
import { decodeText, readInput } from "../input";
import type { Shell } from "../shell";
import { printTable } from "../terminal/table";
import { gather } from "./gather";
import type { Move } from "./moved";
import { scatter } from "./scatter";
import { parseStackExport, type StackExport } from "./stack-export";

interface MoveOptions {
  state: string;
  out: string;
  dryRun?: boolean;
}

const OWNER_ONLY = 0o600;

const COMMON = `
Neither command talks to the platform or changes an endpoint: they rewrite what \`pulumi stack export\` wrote. Move the
endpoints in the program as well; \`pulumi preview\` is empty then.`;

/** Adds `state`. `done` takes the exit code. */
export function addState(program: Command, shell: Shell, done: (code: number) => void): void {
  const state = program
    .command("state")
    .description("Moves endpoints between single resources and a fleet, on an exported state.");
  withFiles(state.command("gather"))
    .summary("Makes single endpoints members of a fleet.")
    .description("Makes single endpoints members of a fleet, which is added if the state has none of that name.")
    .argument("<fleet>", "the fleet's resource name")
    .argument("<name...>", "the endpoints' resource names; * stands for any text")
    .option("--strip-prefix <text>", "prefix that names have and their keys in the fleet do not", "")
    .addHelpText(
      "after",
      `${COMMON}\n\n  pulumi stack export | pgcompute state gather previews 'pr-*' --out state.json &&\n    pulumi stack import --file state.json`,
    )
    .action(async (fleet: string, patterns: string[], options: MoveOptions & { stripPrefix: string }) => {
      done(await move(shell, options, (read) => gather(read, { fleet, patterns, stripPrefix: options.stripPrefix })));
    });
  withFiles(state.command("scatter"))
    .summary("Makes members of a fleet single endpoints.")
    .description("Makes members of a fleet single endpoints. A fleet that has no member left is gone from the state.")
    .argument("<fleet>", "the fleet's resource name")
    .argument("<key...>", "the members' keys; * stands for any text")
    .option("--add-prefix <text>", "prefix that names get before their key", "")
    .addHelpText(
      "after",
      `${COMMON}\n\n  pulumi stack export | pgcompute state scatter previews pr-101 --out state.json &&\n    pulumi stack import --file state.json`,
    )
    .action(async (fleet: string, patterns: string[], options: MoveOptions & { addPrefix: string }) => {
      done(await move(shell, options, (read) => scatter(read, { fleet, patterns, addPrefix: options.addPrefix })));
    });
}

function withFiles(command: Command): Command {
  return command
    .option("--state <file>", "what `pulumi stack export` wrote; - is standard input", "-")
    .option("--out <file>", "where the new state goes; - is standard output", "-")
    .option("--dry-run", "say what would move, and write nothing");
}

async function move(shell: Shell, options: MoveOptions, act: (state: StackExport) => Move): Promise<number> {
  const advice = "give --state FILE, or pipe `pulumi stack export` into this";
  const bytes = await readInput(shell, options.state, { what: "state", advice });
  const { state, endpoints } = act(parseStackExport(decodeText(bytes)));
  const rows = endpoints.map(({ name, key, endpointId }) => [{ text: name }, { text: key }, { text: endpointId }]);
  const columns = [{ title: "ENDPOINT" }, { title: "KEY" }, { title: "ID" }];
  if (options.dryRun) {
    printTable(shell, columns, rows);
    return exitCodes.ok;
  }
  const text = `${JSON.stringify(state, null, 4)}\n`;
  if (options.out === "-") {
    shell.out.write(text);
  } else {
    await writeState(options.out, text).catch((error: Error) => {
      throw new CommandError(`cannot write the state: ${error.message}`, exitCodes.failed, { cause: error });
    });
  }
  const count = `${endpoints.length} ${endpoints.length === 1 ? "endpoint" : "endpoints"}`;
  const file = options.out === "-" ? "FILE" : options.out;
  shell.err.write(
    `${count} moved. Next: \`pulumi stack import --file ${file}\`, move them in the program, and check that \`pulumi preview\` is empty.\n`,
  );
  return exitCodes.ok;
}

/** It may hold secrets in the clear: nobody else may read it, whoever could read the file before. Where that cannot be, the file stays as it is. */
async function writeState(path: string, text: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, OWNER_ONLY);
  try {
    const found = await file.stat();
    if (found.isFile() && (found.mode & 0o077) !== 0) await file.chmod(OWNER_ONLY);
    if (found.isFile()) await file.truncate(0);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
