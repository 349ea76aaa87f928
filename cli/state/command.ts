/** `pgcompute state`: who owns which endpoint, and moves between single resources and a fleet, on what `pulumi stack export` wrote. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { Command } from "commander";
import { idOf, idOfState } from "../../provider/endpoint/identity";
import { ownerNameIn } from "../../provider/endpoint/ownership-name";
import { BOOKKEEPING, bookkeepingOf, type EndpointState } from "../../provider/endpoint/state";
import { decodeMembers, type StoredMember } from "../../provider/fleet/state";
import { isId } from "../../provider/lib/ids";
import { memberUrn, nameOfUrn } from "../../provider/lib/owner";
import { plain } from "../../provider/lib/wording";
import { isKind } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { exitCodes } from "../exit-code";
import { hostOf } from "../hosts";
import { decodeText, readInput, writeText } from "../input";
import type { Shell } from "../shell";
import { formatCount } from "../terminal/output";
import { type Cell, type Column, printList, printTable } from "../terminal/table";
import { gather, type Move, memberInputsOf, scatter, type Values } from "./move";
import { reveal } from "./secrets";
import { parseStackExport, resourcesOf, type StackExport, type StoredResource } from "./stack-export";

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

/** An endpoint, and who owns it. */
interface Owned {
  /** `PROJECT/ENDPOINT`. */
  id: string;
  /** The resource, or the member as a child of its fleet; absent where no resource of the state has the endpoint. */
  owner?: string;
  /** How it came to its owner, if the state tells: an imported endpoint that was changed since looks created. */
  came?: "adopted" | "imported" | "taken over";
  /** What becomes of it when its owner is destroyed. */
  onDestroy?: "deleted" | "released" | "kept" | "refused" | "left alone";
  /** Why its owner will not stay: a replacement left it, or it is to be replaced. */
  leaves?: true;
  /** Absent without `--live`: whether the platform has it, for whom it was made by its name, and where it is. */
  live?: { isThere: boolean; madeFor?: string; branchId?: string; type?: string };
}

/** The owners of a state, and the fleets whose members it hides. */
interface Owners {
  owned: Owned[];
  hidden: string[];
}

/** The endpoints of a state with their owners, in its order. */
function ownersIn(state: StackExport): Owners {
  const owners: Owners = { owned: [], hidden: [] };
  for (const resource of resourcesOf(state)) {
    const host = hostOf(resource.type);
    if (!host) continue;
    const owned = host.endpointType === resource.type ? ownedBySingle(resource) : ownedByFleet(resource);
    if (owned) owners.owned.push(...owned);
    else owners.hidden.push(nameOfUrn(resource.urn));
  }
  return owners;
}

/** The same beside what the platform has in the projects: what no resource of the state owns comes last. */
function withLive(owned: readonly Owned[], records: readonly EndpointRecord[]): Owned[] {
  // By the endpoint alone: a project's id may be a secret, and no two endpoints of the platform have one id.
  const endpointOf = ({ id }: Owned) => id.slice(id.indexOf("/") + 1);
  const there = new Map(records.map((record) => [record.id, record]));
  const known = new Set(owned.map(endpointOf));
  return [
    ...owned.map((one) => ({ ...one, live: liveOf(there.get(endpointOf(one))) })),
    ...records.filter((record) => !known.has(record.id)).map((record) => ({ id: idOf(record), live: liveOf(record) })),
  ];
}

/** The columns of the table; those of `--live` last. */
function ownerColumns(isLive: boolean): Column[] {
  return [
    { title: "Endpoint" },
    { title: "Owner" },
    { title: "Came by", leaveOut: 3 },
    { title: "On destroy" },
    ...(isLive ? [{ title: "Branch", leaveOut: 1 }, { title: "Made for" }, { title: "There", leaveOut: 2 }] : []),
  ];
}

/** The rows of a table: the endpoints, and the fleets whose members are secret, which may own the unowned ones. */
function ownerRows(owned: readonly Owned[], hidden: readonly string[], isLive: boolean): Cell[][] {
  const nobody = hidden.length > 0 ? "not known" : "none";
  const rest = Array.from({ length: isLive ? 5 : 2 }, () => "");
  return [
    ...hidden.map((fleet) => ["(members cannot be read)", fleet, ...rest]),
    ...owned.map((one) => ownerRow(one, nobody)),
  ];
}

function ownerRow({ id, owner, came, onDestroy, leaves, live }: Owned, nobody: string): Cell[] {
  const name = owner === undefined ? nobody : nameOfUrn(owner);
  return [
    id,
    leaves ? `${name} (leaves)` : name,
    came ?? "",
    onDestroy ?? "",
    ...(live ? [live.branchId ?? "", live.madeFor ?? "", live.isThere ? "yes" : "gone"] : []),
  ];
}

function liveOf(record: EndpointRecord | undefined): Owned["live"] & object {
  if (!record) return { isThere: false };
  const madeFor = ownerNameIn(record);
  const { branchId, type } = record;
  return { isThere: true, ...(madeFor !== undefined && { madeFor }), branchId, type };
}

function ownedBySingle(resource: StoredResource): Owned[] {
  const { id } = resource;
  if (id === undefined || id === "") return [];
  const state = reveal(resource.outputs ?? {}).value as EndpointState;
  return [{ id, owner: resource.urn, ...standing(resource, { state }) }];
}

/** Undefined where the members are a secret that the export does not show. */
function ownedByFleet(resource: StoredResource): Owned[] | undefined {
  const { [BOOKKEEPING]: book, ...shown } = reveal(resource.outputs ?? {}).value as Values;
  const inputs = reveal(resource.inputs ?? {}).value as Values;
  if (isHidden(shown.endpoints)) return undefined;
  const said = isHidden(inputs.endpoints) ? new Map<string, Values>() : memberInputsOf(inputs);
  const members = decodeMembers(isHidden(book) ? shown : { ...shown, [BOOKKEEPING]: book });
  return [...members].flatMap(([key, member]) => {
    const { projectId = said.get(key)?.projectId ?? inputs.projectId, endpointId } = member.state;
    if (endpointId === undefined) return [];
    // After a partial failure the engine has the inputs from before it, so that the options are read from the state.
    const id = idOfState({ projectId: isHidden(projectId) ? "(secret)" : projectId, endpointId });
    return [{ id, owner: memberUrn(resource.urn, key), ...standing(resource, member) }];
  });
}

function standing(resource: StoredResource, member: StoredMember): Omit<Owned, "id" | "owner"> {
  const book = bookkeepingOf(member.state);
  const isTaken = book.takenOverAt !== undefined || member.importId !== undefined;
  const came = book.adopted ? "adopted" : book.imported ? "imported" : isTaken ? "taken over" : undefined;
  const leaves = resource.delete || resource.pendingReplacement;
  return { ...(came && { came }), onDestroy: fateOf(resource, member), ...(leaves && { leaves }) };
}

function fateOf(
  resource: StoredResource,
  { state, protect, retainOnDelete }: StoredMember,
): Owned["onDestroy"] & string {
  if (resource.external) return "left alone";
  if (resource.protect || protect) return "refused";
  if (resource.retainOnDelete || retainOnDelete) return "kept";
  return bookkeepingOf(state).adopted ? "released" : "deleted";
}

function isHidden(value: unknown): boolean {
  return reveal(value).isHidden && reveal(value).secrets.some((path) => path.length === 0);
}
