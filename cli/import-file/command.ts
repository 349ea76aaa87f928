/**
 * `pgcompute import-file`: writes the endpoints of a project, a Terraform state or an exported stack for import by
 * another owner.
 */
import type { Command } from "commander";
import { formatId } from "../../provider/endpoint/identity";
import { ownerNameIn } from "../../provider/endpoint/ownership-name";
import { isRecord } from "../../provider/lib/unknown";
import { listedFew, plain, quoted, shellWord } from "../../provider/lib/wording";
import type { BranchRecord, EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { choice, collect } from "../arguments";
import { findBranch } from "../branches";
import { CommandError, exitCodes } from "../exit-code";
import { decodeText, parseJson, readInput, writeText } from "../input";
import type { Shell } from "../shell";
import { formatCount, toJson } from "../terminal/output";
import { fleetImportId, fleetProgram } from "./fleet";
import { type Found, type Named, nameAll, settingsOf } from "./found";
import { membersIn, singlesIn } from "./stack";
import { readTerraform, type TerraformState } from "./terraform";

interface ImportFileOptions extends AccountOptions {
  branch?: string;
  type?: EndpointRecord["type"];
  name?: string[];
  from?: string;
  fleet?: string;
  program?: string;
  out: string;
}

const ENDPOINT = "pgcompute:index:Endpoint";
const types = ["read_write", "read_only"] as const;

/** The variable with which the user states that endpoints with other resources' names have no owner. */
const ADOPT_INTERRUPTED = "PGCOMPUTE_ADOPT_INTERRUPTED";

/** Instructions to print before the import of a fleet's members. */
const LEAVE_FIRST =
  "give these members `retainOnDelete: true` and run `pulumi up`, take them out of the program and run `pulumi up`, then ";

/** Adds `import-file`. */
export function addImportFile(program: Command, shell: Shell): void {
  const command = program
    .command("import-file")
    .description(
      "Writes what `pulumi import --file` takes in: the endpoints of a project, those of a Terraform state, or the members of a stack's fleets. " +
        "Of a stack's single endpoints it writes, with --fleet, the arguments of a fleet that takes them over. Nothing is changed.",
    )
    .option("--branch <name>", "only those of this branch; with --from by its id")
    .addOption(choice("--type <type>", `only those of type ${types.join(" or ")}`, types))
    .option(
      "--name <pattern>",
      "only those that are called so, by branch, address or resource; * stands for any text; may be repeated",
      collect,
    )
    .option(
      "--from <file>",
      "a Terraform state (`terraform state pull`), or what `pulumi stack export` wrote; the platform is not asked",
    )
    .option("--fleet <name>", "as one EndpointFleet of this name, instead of an Endpoint each")
    .option("--program <file>", "with --fleet: where the fleet's arguments go, as JSON")
    .option("--out <file>", "where the import file goes; - is standard output", "-")
    .addHelpText(
      "after",
      "\n  pgcompute import-file --project PROJECT --out import.json\n  pulumi import --file import.json --out imported\n" +
        "\ndocs/migrate.md says what to check, and how the old state lets go of its\nendpoints.",
    );
  addAccountOptions(command).action((options: ImportFileOptions) => importFile(shell, options));
}

/** A parsed input. Endpoints that a stack owns must not be imported, or they would have two owners. */
interface Source {
  all: Found[];
  isOwned: boolean;
  /** Resources of the Terraform state that the import leaves out. */
  leftOut?: TerraformState["leftOut"];
}

async function importFile(shell: Shell, options: ImportFileOptions): Promise<void> {
  const { fleet, program, out } = options;
  if (program !== undefined && fleet === undefined) {
    throw new CommandError(
      "--program needs --fleet: `pulumi import` writes the program of single endpoints",
      exitCodes.usage,
    );
  }

  const {
    all,
    isOwned,
    leftOut = [],
  } = await (options.from === undefined ? fromProject(shell, options) : fromState(shell, options.from, options));

  const found = all.filter((one) => isMeant(one, options));
  for (const { address, projectId } of leftOut) shell.err.write(leftOutMessage(address, projectId));
  if (found.length === 0) throw nothingFound(options, isOwned);
  const named = nameAll(found);
  if (fleet !== undefined && isOwned) return takeOver(shell, named, { fleet, file: program ?? out });

  const resources =
    fleet === undefined
      ? named.map((one) => ({ type: ENDPOINT, name: one.name, id: formatId(one) }))
      : [{ type: `${ENDPOINT}Fleet`, name: fleet, id: fleetImportId(named) }];
  if (program !== undefined) await write(shell, program, toJson(fleetProgram(named)));

  await write(shell, out, toJson({ resources }));
  const how = program === undefined ? "--out imported" : "--generate-code=false";
  const owners = [...new Set(found.flatMap(({ madeFor }) => (madeFor === undefined ? [] : quoted(madeFor))))];
  const word = isOwned || owners.length > 0 ? `${ADOPT_INTERRUPTED}=1 ` : "";

  const said = [
    `${summaryOf(named)}.`,
    owners.length > 0 &&
      `Some were created by Pulumi for ${listedFew(owners)}: ${ADOPT_INTERRUPTED}=1 says that no state has them any more, which \`pulumi stack export | pgcompute state list --live\` shows for a stack.`,
    `Next: ${isOwned ? LEAVE_FIRST : ""}\`${word}pulumi import --file ${fileName(out)} ${how}\`, and check that \`pulumi preview\` is empty.`,
  ];
  shell.err.write(`${said.filter(Boolean).join(" ")}\n${notesOf(named)}`);
}

function leftOutMessage(address: string, projectId: string | undefined): string {
  const way =
    projectId === undefined ? "" : `; all of its project: pgcompute import-file --project ${shellWord(projectId)}`;
  return `left out: ${plain(address)}, of which the state does not tell which endpoints it has${way}\n`;
}

/** Notes on endpoints of a Terraform state. */
function notesOf(named: readonly Named[]): string {
  const inside = [...new Set(named.flatMap((one) => one.inside ?? []))];
  const pooled = named.filter(({ isPooled }) => isPooled).map(({ name }) => name);
  const notes = [
    inside.length > 0 &&
      `Inside ${listedFew(inside)}, which would put sizes back that change here: docs/migrate.md says how it lets go.`,
    pooled.length > 0 && `\`host\` of the state is \`pooledHost\` here: ${listedFew(pooled)}.`,
  ];
  return notes.map((note) => (note ? `${note}\n` : "")).join("");
}

/** Writes the arguments of a fleet that adopts the endpoints of single resources in its stack. */
async function takeOver(shell: Shell, named: readonly Named[], { fleet, file }: { fleet: string; file: string }) {
  await write(shell, file, toJson(fleetProgram(named)));
  const secrets = named.filter(({ secret = [] }) => secret.length > 0);
  const kept = named.filter(({ options }) => options?.retainOnDelete);
  const protectedOnes = named.filter(({ options }) => options?.protect);

  const notes = [
    protectedOnes.length > 0 &&
      `First run \`pulumi up\` with \`protect: false\` for the single resources of ${listedFew(protectedOnes.map(({ name }) => name))}: what is ` +
        "protected cannot leave the program.\n",
    secrets.length > 0 &&
      `Fill in what is secret, which the preview refuses until then: ${listedFew(secrets.map(secretsOf))}.\n`,
    kept.length > 0 &&
      `With \`retainOnDelete\`, since a destroy leaves what was adopted: ${listedFew(kept.map(({ name }) => name))}.\n`,
  ];

  shell.err.write(
    `${summaryOf(named)}. Next: put this into the program as the arguments of the fleet ${fleet}, take the single resources out of it, and check ` +
      `that \`pulumi preview\` takes over each of them and changes nothing else.\n${notes.filter(Boolean).join("")}`,
  );
}

function secretsOf({ name, secret = [] }: Named): string {
  return `${secret.join(" and ")} of ${name}`;
}

async function write(shell: Shell, file: string, text: string): Promise<void> {
  if (file === "-") shell.out.write(text);
  else await writeText(file, text);
}

function fileName(file: string): string {
  return file === "-" ? "FILE" : shellWord(file);
}

function summaryOf(named: readonly Named[]): string {
  return `${formatCount(named.length, "endpoint")}, as ${listedFew(named.map(({ name }) => name))}`;
}

function isMeant({ type, label }: Found, { type: wanted = type, name: patterns }: ImportFileOptions): boolean {
  return type === wanted && (patterns === undefined || patterns.some((pattern) => matches(label, pattern)));
}

/** True if a name matches the pattern, where `*` stands for any text. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

function nothingFound({ type, name, fleet }: ImportFileOptions, isOwned: boolean): CommandError {
  const what = isOwned ? (fleet === undefined ? "member of a fleet" : "single endpoint") : "endpoint";
  const ofType = type === undefined ? "" : ` of type ${type}`;
  const called = name === undefined ? "" : ` called ${name.join(" or ")}`;
  const other = isOwned && fleet === undefined ? "; single endpoints go into a fleet by --fleet NAME" : "";
  return new CommandError(`there is no ${what}${ofType}${called}, and nothing was written${other}`);
}

async function fromProject(shell: Shell, options: ImportFileOptions): Promise<Source> {
  const projectId = projectOf(shell, options);
  const { signal } = shell;
  const [branches, records] = await withAccount(shell, options, ({ api }) =>
    Promise.all([api.listBranches(projectId, { signal }), api.listEndpoints(projectId, { signal })]),
  );
  const branchId = options.branch === undefined ? undefined : findBranch(branches, options.branch).id;
  const names = new Map(branches.map(({ id, name }: BranchRecord) => [id, name ?? id]));

  const all = records
    .filter((record) => branchId === undefined || record.branchId === branchId)
    .map(({ id: endpointId, branchId, type, ...record }) => ({
      ...{ projectId: record.projectId, endpointId, branchId, type },
      label: `${names.get(branchId) ?? branchId}${type === "read_only" ? "-replica" : ""}`,
      said: { type, ...settingsOf(record) },
      madeFor: ownerNameIn(record),
    }));
  return { all, isOwned: false };
}

async function fromState(shell: Shell, file: string, { project, branch, fleet }: ImportFileOptions): Promise<Source> {
  const advice = "give --from FILE, or pipe `terraform state pull` or `pulumi stack export` into this";
  const text = decodeText(await readInput(shell, file, { what: "state", advice }));
  const json = parseJson(text);
  const isOwned = isRecord(json) && "deployment" in json;
  const { found, leftOut = [] } = isOwned
    ? { found: fleet === undefined ? membersIn(text) : singlesIn(text) }
    : readTerraform(text);

  const isOfProject = ({ projectId }: { projectId?: string | undefined }) =>
    project === undefined || projectId === project;
  const all = found.filter((one) => isOfProject(one) && (branch === undefined || one.branchId === branch));
  return { all, isOwned, leftOut: branch === undefined ? leftOut.filter(isOfProject) : [] };
}
