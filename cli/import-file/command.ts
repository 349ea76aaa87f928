/** `pgcompute import-file`: the endpoints of a project, or of a Terraform state, as `pulumi import --file` takes them. */
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { formatId } from "../../provider/endpoint/identity";
import { ownerNameIn } from "../../provider/endpoint/ownership-name";
import { byKey, KEY_PATTERN } from "../../provider/fleet/model";
import { listedFew, quoted } from "../../provider/lib/wording";
import type { BranchRecord, EndpointRecord } from "../../provider/platform/records";
import { type AccountOptions, addAccountOptions, projectOf, withAccount } from "../account";
import { choice } from "../arguments";
import { findBranch } from "../branches";
import { CommandError, exitCodes } from "../exit-code";
import { decodeText, readInput, writeText } from "../input";
import type { Shell } from "../shell";
import { formatCount, toJson } from "../terminal/output";
import { readTerraform } from "./terraform";

/** An endpoint to import: what a program may say of it, and what its name is made of. */
export interface Found extends Pick<EndpointRecord, "projectId" | "branchId" | "type"> {
  endpointId: string;
  /** What people call it: its branch, or its address in Terraform. */
  label: string;
  autoscalingLimitMinCu?: number | undefined;
  autoscalingLimitMaxCu?: number | undefined;
  suspendTimeoutSeconds?: number | undefined;
  /** For whom it was created, by the mark in its name. */
  madeFor?: string | undefined;
}

interface ImportFileOptions extends AccountOptions {
  branch?: string;
  type?: EndpointRecord["type"];
  from?: string;
  fleet?: string;
  program?: string;
  out: string;
}

const ENDPOINT = "pgcompute:index:Endpoint";
const types = ["read_write", "read_only"] as const;

/** The variable by which a person says that nobody has what bears another resource's mark. */
const ADOPT_INTERRUPTED = "PGCOMPUTE_ADOPT_INTERRUPTED";

const LONGEST = 63;

/** Adds `import-file`. */
export function addImportFile(program: Command, shell: Shell): void {
  const command = program
    .command("import-file")
    .description(
      "Writes what `pulumi import --file` takes in: the endpoints of a project, or those of a Terraform state. Nothing is changed.",
    )
    .option("--branch <name>", "only those of this branch; with --from by its id")
    .addOption(choice("--type <type>", `only those of type ${types.join(" or ")}`, types))
    .option(
      "--from <file>",
      "a Terraform state of the provider kislerdm/neon or kenchan0130/neon; the platform is not asked",
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

async function importFile(shell: Shell, options: ImportFileOptions): Promise<void> {
  const { fleet, program, out } = options;
  if (program !== undefined && fleet === undefined) {
    throw new CommandError(
      "--program needs --fleet: `pulumi import` writes the program of single endpoints",
      exitCodes.usage,
    );
  }
  const all = await (options.from === undefined
    ? fromProject(shell, options)
    : fromTerraform(shell, options.from, options));
  const found = all.filter(({ type }) => options.type === undefined || type === options.type);
  if (found.length === 0) {
    const type = options.type === undefined ? "" : ` of type ${options.type}`;
    throw new CommandError(`there is no endpoint${type}, and nothing was written`);
  }
  const named = nameAll(found);
  const resources =
    fleet === undefined
      ? named.map((one) => ({ type: ENDPOINT, name: one.name, id: formatId(one) }))
      : [{ type: `${ENDPOINT}Fleet`, name: fleet, id: fleetImportId(named) }];
  if (program !== undefined) await writeText(program, toJson(fleetProgram(named)));
  const text = toJson({ resources });
  if (out === "-") shell.out.write(text);
  else await writeText(out, text);
  const file = out === "-" ? "FILE" : out;
  const next = program === undefined ? " --out PROGRAM" : " --generate-code=false";
  const owners = [...new Set(found.flatMap(({ madeFor }) => (madeFor === undefined ? [] : quoted(madeFor))))];
  const word = owners.length > 0 ? `${ADOPT_INTERRUPTED}=1 ` : "";
  const said = [
    `${formatCount(found.length, "endpoint")}, as ${listedFew(named.map(({ name }) => name))}.`,
    owners.length > 0 &&
      `Some were created by Pulumi for ${listedFew(owners)}: ${ADOPT_INTERRUPTED}=1 says that no state has them any more, which \`pulumi stack export | pgcompute state list --live\` shows for a stack.`,
    `Next: \`${word}pulumi import --file ${file}${next}\`, and check that \`pulumi preview\` is empty.`,
  ];
  shell.err.write(`${said.filter(Boolean).join(" ")}\n`);
}

async function fromProject(shell: Shell, options: ImportFileOptions): Promise<Found[]> {
  const projectId = projectOf(shell, options);
  const { signal } = shell;
  const [branches, records] = await withAccount(shell, options, ({ api }) =>
    Promise.all([api.listBranches(projectId, { signal }), api.listEndpoints(projectId, { signal })]),
  );
  const branchId = options.branch === undefined ? undefined : findBranch(branches, options.branch).id;
  const names = new Map(branches.map(({ id, name }: BranchRecord) => [id, name ?? id]));
  return records
    .filter((record) => branchId === undefined || record.branchId === branchId)
    .map((record) => ({
      ...record,
      endpointId: record.id,
      madeFor: ownerNameIn(record),
      label: `${names.get(record.branchId) ?? record.branchId}${record.type === "read_only" ? "-replica" : ""}`,
    }));
}

async function fromTerraform(shell: Shell, file: string, { project, branch }: ImportFileOptions): Promise<Found[]> {
  const advice = "give --from FILE, or pipe `terraform state pull` into this";
  const all = readTerraform(decodeText(await readInput(shell, file, { what: "state", advice })));
  return all.filter(
    (one) => (project === undefined || one.projectId === project) && (branch === undefined || one.branchId === branch),
  );
}

/** The import id of a fleet. Throws a `CommandError` for endpoints of several projects. */
function fleetImportId(members: readonly Named[]): string {
  const projects = [...new Set(members.map(({ projectId }) => projectId))];
  if (projects.length > 1) {
    throw new CommandError(
      `a fleet is imported from one project, and these endpoints are of ${projects.length}: give --project with one of ${projects.join(", ")}`,
    );
  }
  return `${projects[0]}/${members.map(({ name, endpointId }) => `${name}=${endpointId}`).join(",")}`;
}

/** A fleet's arguments: what most members have as defaults, and what differs with each. */
function fleetProgram(members: readonly Named[]) {
  const settings = members.map(settingsOf);
  const defaults = settings[0]?.map((_, kind) => commonOf(settings.map((all) => all[kind] ?? {}))) ?? [];
  const endpoints = members.map(({ name, branchId }, at) => {
    const own = settings[at]?.filter((setting, kind) => !isDeepStrictEqual(setting, defaults[kind])) ?? [];
    return [name, Object.assign({ branchId }, ...own)];
  });
  return {
    projectId: members[0]?.projectId,
    defaults: Object.assign({}, ...defaults),
    endpoints: Object.fromEntries(endpoints),
  };
}

/** What most members have. Nothing if one member's value is unknown, since the default would apply to it. */
function commonOf(settings: readonly object[]): object {
  const texts = settings.map((setting) => JSON.stringify(setting));
  const count = (text: string) => texts.filter((one) => one === text).length;
  const [most = "{}"] = [...new Set(texts)].sort((a, b) => count(b) - count(a));
  return texts.includes("{}") ? {} : JSON.parse(most);
}

/**
 * What a program says of a member apart from its place, by kind. The two sizes are one kind, since neither may stand alone. Postgres
 * settings are left out, since they may hold secrets; unsaid, they stay as they are.
 */
function settingsOf({ type, autoscalingLimitMinCu, autoscalingLimitMaxCu, suspendTimeoutSeconds }: Named): object[] {
  const hasSizes = autoscalingLimitMinCu !== undefined && autoscalingLimitMaxCu !== undefined;
  return [
    { type },
    hasSizes ? { autoscalingLimitMinCu, autoscalingLimitMaxCu } : {},
    suspendTimeoutSeconds === undefined ? {} : { suspendTimeoutSeconds },
  ];
}

/** An endpoint with a name that no other one of the file has. */
type Named = Found & { name: string };

/**
 * Names for endpoints, as keys of a fleet and as resources: their labels, numbered where several are the same, ignoring case and marks,
 * which variables of a program lack. The same endpoints get the same names again.
 */
function nameAll(found: readonly Found[]): Named[] {
  const taken = new Set<string>();
  const inOrder = [...found].sort((a, b) => byKey(a.label, b.label) || byKey(a.endpointId, b.endpointId));
  return inOrder.map((one) => {
    const stem = asKey(one.label) ?? one.endpointId;
    let name = stem;
    for (let number = 2; taken.has(bare(name)); number += 1) {
      const mark = `-${number}`;
      name = stem.slice(0, LONGEST - mark.length) + mark;
    }
    taken.add(bare(name));
    return { ...one, name };
  });
}

function asKey(label: string): string | undefined {
  const key = label
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, LONGEST);
  return KEY_PATTERN.test(key) ? key : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
