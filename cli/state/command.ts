/** `pgcompute state`: who owns which endpoint, and moves between single resources and a fleet, on what `pulumi stack export` wrote. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Command } from "commander";
import { isId } from "../../provider/lib/ids";
import { plain } from "../../provider/lib/wording";
import { isKind } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { exitCodes } from "../exit-code";
import { decodeText, readInput, writeText } from "../input";
import type { Shell } from "../shell";
import { formatCount } from "../terminal/output";
import { printList, printTable } from "../terminal/table";
import { ownerColumns, ownerRows, ownersIn, withLive } from "./list";
import { gather, type Move, scatter } from "./move";
import { parseStackExport, type StackExport } from "./stack-export";

interface MoveOptions {
  state: string;
  out: string;
  dryRun?: boolean;
}

interface ListOptions extends AccountOptions {
  state: string;
  live?: boolean;
  json?: boolean;
}

const OWNER_ONLY = 0o600;

const STATE_HELP = "what `pulumi stack export` wrote; - is standard input";

const COMMON = `
This rewrites what \`pulumi stack export\` wrote. It does not talk to the
platform, and changes no endpoint. Move the endpoints in the program as well:
\`pulumi preview\` is empty then.`;

/** Adds `state`. `done` takes the exit code. */
export function addState(program: Command, shell: Shell, done: (code: number) => void): void {
  const state = program
    .command("state")
    .description(
      "Says who owns which endpoint, or moves endpoints between single resources and a fleet, on an exported state.",
    );
  const list = state
    .command("list")
    .summary("Says who owns which endpoint.")
    .description(
      "Says which resource or member has which endpoint, how it came by it, and what a destroy does to it. Nothing is changed.",
    )
    .option("--state <file>", STATE_HELP, "-")
    .option(
      "--live",
      "beside what the platform has: what no resource of the state owns, and for whom it was made by its name",
    )
    .option("--json", "for machines")
    .addHelpText("after", "\n  pulumi stack export | pgcompute state list --live");
  addAccountOptions(list).action(async (options: ListOptions) => done(await listOwners(shell, options)));
  withFiles(state.command("gather"))
    .summary("Makes single endpoints members of a fleet.")
    .description("Makes single endpoints members of a fleet, which is added if the state has none of that name.")
    .argument("<fleet>", "the fleet's resource name")
    .argument("<name...>", "the endpoints' resource names; * stands for any text")
    .option("--strip-prefix <text>", "prefix that names have and their keys in the fleet do not", "")
    .addHelpText(
      "after",
      `${COMMON}\n\n  pulumi stack export | pgcompute state gather previews 'pr-*' --out state.json\n  pulumi stack import --file state.json`,
    )
    .action(async (fleet: string, patterns: string[], options: MoveOptions & { stripPrefix: string }) => {
      done(await move(shell, options, (read) => gather(read, { fleet, patterns, prefix: options.stripPrefix })));
    });
  withFiles(state.command("scatter"))
    .summary("Makes members of a fleet single endpoints.")
    .description("Makes members of a fleet single endpoints. A fleet that has no member left is gone from the state.")
    .argument("<fleet>", "the fleet's resource name, or its URN")
    .argument("<key...>", "the members' keys; * stands for any text")
    .option("--add-prefix <text>", "prefix that names get before their key", "")
    .addHelpText(
      "after",
      `${COMMON}\n\n  pulumi stack export | pgcompute state scatter previews pr-101 --out state.json\n  pulumi stack import --file state.json`,
    )
    .action(async (fleet: string, patterns: string[], options: MoveOptions & { addPrefix: string }) => {
      done(await move(shell, options, (read) => scatter(read, { fleet, patterns, prefix: options.addPrefix })));
    });
}

function withFiles(command: Command): Command {
  return command
    .option("--state <file>", STATE_HELP, "-")
    .option("--out <file>", "where the new state goes; - is standard output", "-")
    .option("--dry-run", "say what would move, and write nothing");
}

async function move(shell: Shell, options: MoveOptions, act: (state: StackExport) => Move): Promise<number> {
  const { state, endpoints } = act(await readState(shell, options.state));
  const rows = endpoints.map(({ name, key, endpointId }) => [name, key, endpointId]);
  const columns = [{ title: "ENDPOINT" }, { title: "KEY" }, { title: "ID" }];
  if (options.dryRun) {
    printTable(shell, columns, rows);
    return exitCodes.ok;
  }
  const text = `${JSON.stringify(state, null, 4)}\n`;
  if (options.out === "-") {
    shell.out.write(text);
  } else {
    await writeText(options.out, text, { what: "the state", write: writeState });
  }
  const file = options.out === "-" ? "FILE" : options.out;
  shell.err.write(
    `${formatCount(endpoints.length, "endpoint")} moved. Next: \`pulumi stack import --file ${file}\`, move them in the program, and check that \`pulumi preview\` is empty.\n`,
  );
  return exitCodes.ok;
}

async function listOwners(shell: Shell, options: ListOptions): Promise<number> {
  const { owned, hidden } = ownersIn(await readState(shell, options.state));
  const known = owned.map(({ id }) => id.split("/")[0] ?? "").filter(isId);
  // A stack that has nothing yet says no project.
  const more = options.live && (options.project !== undefined || known.length === 0) ? [projectOf(shell, options)] : [];
  const all = options.live
    ? withLive(owned, await liveEndpoints(shell, options, [...new Set([...known, ...more])]))
    : owned;
  for (const fleet of hidden) {
    shell.err.write(
      `without the members of ${plain(fleet)}, which are a secret: use \`pulumi stack export --show-secrets\`\n`,
    );
  }
  const rows = ownerRows(all, hidden, options.live === true);
  const json = options.json && { endpoints: all, ...(hidden.length > 0 && { unread: hidden }) };
  printList(shell, { noun: "endpoints", columns: ownerColumns(options.live === true), rows, json });
  return exitCodes.ok;
}

function liveEndpoints(shell: Shell, options: ListOptions, projects: readonly string[]): Promise<EndpointRecord[]> {
  return withAccount(shell, options, async ({ api }) => {
    const lists = projects.map((one) =>
      api.listEndpoints(one, { signal: shell.signal }).catch((error: unknown) => {
        if (!isKind(error, "not_found")) throw error;
        shell.err.write(`the platform has no project ${one}, or the key may not see it\n`);
        return [];
      }),
    );
    return (await Promise.all(lists)).flat();
  });
}

async function readState(shell: Shell, file: string): Promise<StackExport> {
  const advice = "give --state FILE, or pipe `pulumi stack export` into this";
  return parseStackExport(decodeText(await readInput(shell, file, { what: "state", advice })));
}

/** It may hold secrets in the clear, so only the owner may read it, even if others could before. If that fails, the file stays as it is. */
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
