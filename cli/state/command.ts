/** `pgcompute state`: lists the endpoints of an exported stack with their owners. */
import type { Command } from "commander";
import { idOf } from "../../provider/endpoint/identity";
import { ownerNameIn } from "../../provider/endpoint/ownership-name";
import { isId } from "../../provider/lib/ids";
import { nameOfUrn } from "../../provider/lib/owner";
import { plain } from "../../provider/lib/wording";
import { isKind } from "../../provider/platform/errors";
import type { EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addTellingOptions, projectOf, withAccount } from "../account";
import { decodeText, readInput } from "../input";
import type { Shell } from "../shell";
import { type Column, printList } from "../terminal/table";
import { entriesIn, nameOfOwner, type Owned } from "./owners";
import { parseStackExport, type StackExport } from "./stack-export";

interface ListOptions extends AccountOptions {
  state: string;
  live?: boolean;
}

/** A row of the list: an endpoint of the state, or one without an owner. */
interface Row extends Partial<Owned> {
  /** The platform's data: existence, the owner in its name, and place. Absent without `--live`. */
  live?: { isThere: boolean; madeFor?: string; branchId?: string; type?: string };
}

/** Adds `state`. */
export function addState(program: Command, shell: Shell): void {
  const state = program.command("state").description("Says who owns which endpoint of an exported state.");
  const list = state
    .command("list")
    .description(
      "Says which resource or member has which endpoint, how it came by it, and what a destroy does to it. Nothing is changed.",
    )
    .option("--state <file>", "what `pulumi stack export` wrote; - is standard input", "-")
    .option(
      "--live",
      "beside what the platform has: what no resource of the state owns, and for whom it was made by its name",
    )
    .addHelpText("after", "\n  pulumi stack export | pgcompute state list --live");

  addTellingOptions(list).action((options: ListOptions) => listOwners(shell, options));
}

async function listOwners(shell: Shell, options: ListOptions): Promise<void> {
  const owned = entriesIn(await readState(shell, options.state)).map((entry) => entry.owned);
  const hidden = owned.filter(({ id }) => id === undefined);
  for (const { owner } of hidden) {
    shell.err.write(
      `without the members of ${plain(nameOfUrn(owner))}, which are a secret: use \`pulumi stack export --show-secrets\`\n`,
    );
  }

  const all = options.live ? await withLive(shell, options, owned) : owned;
  // A fleet with hidden members may own the others.
  const unowned = hidden.length > 0 ? "not known" : "none";

  const columns: Column<Row>[] = [
    { title: "Endpoint", of: ({ id = "(members cannot be read)" }) => id },
    { title: "Owner", of: (row) => ownerOf(row) ?? unowned },
    { title: "Came by", of: ({ came = "" }) => came, leaveOut: 3 },
    { title: "On destroy", of: ({ onDestroy = "" }) => onDestroy },
  ];

  const live: Column<Row>[] = [
    { title: "Branch", of: ({ live }) => live?.branchId ?? "", leaveOut: 1 },
    { title: "Made for", of: ({ live }) => live?.madeFor ?? "" },
    { title: "There", of: ({ live }) => (live ? (live.isThere ? "yes" : "gone") : ""), leaveOut: 2 },
  ];
  if (options.live) columns.push(...live);
  printList(shell, { noun: "endpoints", columns, all, json: options.json && { endpoints: all } });
}

/** The state's endpoints with the platform's data on their projects; endpoints without an owner come last. */
async function withLive(shell: Shell, options: ListOptions, owned: readonly Owned[]): Promise<Row[]> {
  const projects = new Set(owned.map(({ id = "" }) => id.split("/")[0] ?? "").filter(isId));
  // An empty stack names no project.
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
    // By endpoint id alone, which is unique: the project's id may be a secret.
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

function ownerOf({ owner, ...row }: Row): string | undefined {
  return owner && nameOfOwner({ ...row, owner });
}

function liveOf(record: EndpointRecord): NonNullable<Row["live"]> {
  const madeFor = ownerNameIn(record);
  const { branchId, type } = record;
  return { isThere: true, ...(madeFor !== undefined && { madeFor }), branchId, type };
}
