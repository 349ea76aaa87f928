/** `pgcompute state`: who owns which endpoint, and moves between single resources and a fleet, on what `pulumi stack export` wrote. */
import type { Command } from "commander";
import { idOf, idOfState } from "../../provider/endpoint/identity";
import { ownerNameIn } from "../../provider/endpoint/ownership-name";
import { BOOKKEEPING, bookkeepingOf } from "../../provider/endpoint/state";
import { memberInputs } from "../../provider/fleet/parse-fleet";
import { decodeMembers, type StoredMember } from "../../provider/fleet/state";
import { isId } from "../../provider/lib/ids";
import { memberUrn, nameOfUrn } from "../../provider/lib/owner";
import { plain } from "../../provider/lib/wording";
import { isKind } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addTellingOptions, projectOf, withAccount } from "../account";
import { hostOf, isEndpoint } from "../hosts";
import { decodeText, readInput, writeText } from "../input";
import type { Shell } from "../shell";
import { formatCount } from "../terminal/output";
import { type Column, printList } from "../terminal/table";
import { gather, type Move, scatter, type Values } from "./move";
import { isSecret, reveal } from "./secrets";
import { parseStackExport, resourcesOf, type StackExport, type StoredResource } from "./stack-export";

interface MoveOptions {
  state: string;
  out: string;
  dryRun?: boolean;
}

interface ListOptions extends AccountOptions {
  state: string;
  live?: boolean;
}

const STATE_HELP = "what `pulumi stack export` wrote; - is standard input";

const moveColumns: readonly Column<Move["endpoints"][number]>[] = [
  { title: "Endpoint", of: ({ name }) => name },
  { title: "Key", of: ({ key }) => key },
  { title: "Id", of: ({ endpointId }) => endpointId },
];

/** Adds `state`. */
export function addState(program: Command, shell: Shell): void {
  const state = program
    .command("state")
    .description(
      "Says who owns which endpoint, or moves endpoints between single resources and a fleet, on an exported state.",
    );
  const list = state
    .command("list")
    .description(
      "Says which resource or member has which endpoint, how it came by it, and what a destroy does to it. Nothing is changed.",
    )
    .option("--state <file>", STATE_HELP, "-")
    .option(
      "--live",
      "beside what the platform has: what no resource of the state owns, and for whom it was made by its name",
    )
    .addHelpText("after", "\n  pulumi stack export | pgcompute state list --live");
  addTellingOptions(list).action((options: ListOptions) => listOwners(shell, options));
  addMove(state.command("gather"), "gather previews 'pr-*'")
    .summary("Makes single endpoints members of a fleet.")
    .description("Makes single endpoints members of a fleet, which is added if the state has none of that name.")
    .argument("<fleet>", "the fleet's resource name")
    .argument("<name...>", "the endpoints' resource names; * stands for any text")
    .option("--strip-prefix <text>", "prefix that names have and their keys in the fleet do not", "")
    .action((fleet: string, patterns: string[], options: MoveOptions & { stripPrefix: string }) =>
      move(shell, options, (read) => gather(read, { fleet, patterns, prefix: options.stripPrefix })),
    );
  addMove(state.command("scatter"), "scatter previews pr-101")
    .summary("Makes members of a fleet single endpoints.")
    .description("Makes members of a fleet single endpoints. A fleet that has no member left is gone from the state.")
    .argument("<fleet>", "the fleet's resource name, or its URN")
    .argument("<key...>", "the members' keys; * stands for any text")
    .option("--add-prefix <text>", "prefix that names get before their key", "")
    .action((fleet: string, patterns: string[], options: MoveOptions & { addPrefix: string }) =>
      move(shell, options, (read) => scatter(read, { fleet, patterns, prefix: options.addPrefix })),
    );
}

function addMove(command: Command, example: string): Command {
  return command
    .option("--state <file>", STATE_HELP, "-")
    .option("--out <file>", "where the new state goes; - is standard output", "-")
    .option("--dry-run", "say what would move, and write nothing")
    .addHelpText(
      "after",
      `
This rewrites what \`pulumi stack export\` wrote. It does not talk to the
platform, and changes no endpoint. Move the endpoints in the program as well:
\`pulumi preview\` is empty then.

  pulumi stack export | pgcompute state ${example} --out state.json
  pulumi stack import --file state.json`,
    );
}

async function move(shell: Shell, options: MoveOptions, act: (state: StackExport) => Move): Promise<void> {
  const { state, endpoints } = act(await readState(shell, options.state));
  if (options.dryRun) {
    printList(shell, { noun: "endpoints", columns: moveColumns, all: endpoints });
    return;
  }
  const text = `${JSON.stringify(state, null, 4)}\n`;
  if (options.out === "-") shell.out.write(text);
  else await writeText(options.out, text, { what: "the state", isPrivate: true });
  const file = options.out === "-" ? "FILE" : options.out;
  shell.err.write(
    `${formatCount(endpoints.length, "endpoint")} moved. Next: \`pulumi stack import --file ${file}\`, move them in the program, and check that \`pulumi preview\` is empty.\n`,
  );
}

async function listOwners(shell: Shell, options: ListOptions): Promise<void> {
  const owned = ownersIn(await readState(shell, options.state));
  const hidden = owned.filter(({ id }) => id === undefined);
  for (const { owner = "" } of hidden) {
    shell.err.write(
      `without the members of ${plain(nameOfUrn(owner))}, which are a secret: use \`pulumi stack export --show-secrets\`\n`,
    );
  }
  const all = options.live ? await withLive(shell, options, owned) : owned;
  const columns: Column<Owned>[] = [
    { title: "Endpoint", of: ({ id = "(members cannot be read)" }) => id },
    // A fleet whose members are hidden may own what nobody else does.
    { title: "Owner", of: (one) => ownerOf(one) ?? (hidden.length > 0 ? "not known" : "none") },
    { title: "Came by", of: ({ came = "" }) => came, leaveOut: 3 },
    { title: "On destroy", of: ({ onDestroy = "" }) => onDestroy },
  ];
  const live: Column<Owned>[] = [
    { title: "Branch", of: ({ live }) => live?.branchId ?? "", leaveOut: 1 },
    { title: "Made for", of: ({ live }) => live?.madeFor ?? "" },
    { title: "There", of: ({ live }) => (live ? (live.isThere ? "yes" : "gone") : ""), leaveOut: 2 },
  ];
  if (options.live) columns.push(...live);
  printList(shell, { noun: "endpoints", columns, all, json: options.json && { endpoints: all } });
}

/** The endpoints beside what the platform has in their projects: what no resource of the state owns comes last. */
async function withLive(shell: Shell, options: ListOptions, owned: readonly Owned[]): Promise<Owned[]> {
  const projects = new Set(owned.map(({ id = "" }) => id.split("/")[0] ?? "").filter(isId));
  // A stack that has nothing yet says no project.
  if (options.project !== undefined || projects.size === 0) projects.add(projectOf(shell, options));
  const lists = await withAccount(shell, options, ({ api }) =>
    Promise.all(
      [...projects].map((one) =>
        api.listEndpoints(one, { signal: shell.signal }).catch((error: unknown) => {
          if (!isKind(error, "not_found")) throw error;
          shell.err.write(`the platform has no project ${one}, or the key may not see it\n`);
          return [];
        }),
      ),
    ),
  );
  const unowned = new Map(lists.flat().map((record) => [record.id, record]));
  const beside = owned.map((one) => {
    if (one.id === undefined) return one;
    // By the endpoint alone: a project's id may be a secret, and no two endpoints of the platform have one id.
    const endpointId = one.id.slice(one.id.indexOf("/") + 1);
    const record = unowned.get(endpointId);
    return { ...one, live: record ? liveOf(record) : { isThere: false } };
  });
  for (const { id = "" } of owned) unowned.delete(id.slice(id.indexOf("/") + 1));
  return [...beside, ...[...unowned.values()].map((record) => ({ id: idOf(record), live: liveOf(record) }))];
}

async function readState(shell: Shell, file: string): Promise<StackExport> {
  const advice = "give --state FILE, or pipe `pulumi stack export` into this";
  return parseStackExport(decodeText(await readInput(shell, file, { what: "state", advice })));
}

/** An endpoint, and who owns it; or a fleet whose members the export does not show. */
interface Owned {
  /** `PROJECT/ENDPOINT`; absent for such a fleet. */
  id?: string;
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

/** The endpoints of a state with their owners, in its order. */
function ownersIn(state: StackExport): Owned[] {
  return resourcesOf(state).flatMap((resource): Owned[] => {
    const { urn, type, id } = resource;
    if (!hostOf(type)) return [];
    const outputs = reveal(resource.outputs ?? {}).value as Values;
    if (isEndpoint(type)) return id ? [{ id, owner: urn, ...standing(resource, { state: outputs }) }] : [];
    if (isSecret(outputs.endpoints)) return [{ owner: urn }];
    // Where the rest of the members is secret, their outputs are not.
    const members = decodeMembers(isSecret(outputs[BOOKKEEPING]) ? { endpoints: outputs.endpoints } : outputs);
    const inputs = reveal(resource.inputs ?? {}).value as Values;
    return [...members].flatMap(([key, member]) => {
      const { projectId = memberInputs(inputs, key)?.projectId ?? inputs.projectId, endpointId } = member.state;
      if (endpointId === undefined) return [];
      const id = idOfState({ projectId: isSecret(projectId) ? "(secret)" : projectId, endpointId });
      return [{ id, owner: memberUrn(urn, key), ...standing(resource, member) }];
    });
  });
}

/** How a resource has an endpoint. The options of a member are in its state: after a partial failure its inputs are from before it. */
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

function ownerOf({ owner, leaves }: Owned): string | undefined {
  return owner && `${nameOfUrn(owner)}${leaves ? " (leaves)" : ""}`;
}

function liveOf(record: EndpointRecord): NonNullable<Owned["live"]> {
  const madeFor = ownerNameIn(record);
  const { branchId, type } = record;
  return { isThere: true, ...(madeFor !== undefined && { madeFor }), branchId, type };
}
