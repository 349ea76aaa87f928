import { createEmulator } from "../../../emulator";
import { resolveConfig } from "../../../provider/config/resolve";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, type Owner, resourceOwner } from "../../../provider/lib/owner";
import { openAccount } from "../../../provider/platform/account";
import { createApi } from "../../../provider/platform/client";
import { check } from "../../../provider/pulumi/endpoint/check";
import { adviseFailure } from "../../../provider/pulumi/messages/errors";
import { RunRecords } from "../../../provider/pulumi/run";
import { code } from "./markdown";

type Inputs = Readonly<Record<string, unknown>>;

/** A sample of a refused program, and its platform. */
interface Sample {
  inputs: Inputs;
  /** The last run's inputs; none for a new resource. */
  olds?: Inputs;
  /** The inputs' meaning, if not obvious. */
  what?: string;
  /** A resource that the program declares before, and its last run's inputs. */
  first?: { inputs: Inputs; olds?: Inputs };
  /** Further settings of the configuration. */
  settings?: Inputs;
  /** The name of a read-write endpoint on the sample's branch. */
  existing?: string;
}

/** The samples' project and free branch. */
const place = { projectId: "quiet-lake-12345678", branchId: "br-cold-night-12345678" };

/** The samples' project and free branch, as text. */
export const standing = `\`projectId: "${place.projectId}"\` and \`branchId: "${place.branchId}"\``;

const taken = { branchId: "br-old-oak-22223333" };
const spare = { branchId: "br-calm-sea-44445555" };
const elsewhere = { projectId: "calm-hill-87654321", branchId: "br-far-field-99990000" };
const readWrite = { type: "read_write" };

const samples: readonly Sample[] = [
  { inputs: { sizeCu: 9 } },
  { inputs: { sizeCu: 0.1 } },
  { inputs: { sizeCu: 0.3 } },
  { inputs: { sizeCu: Number.NaN } },
  { inputs: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 10 }, settings: { platform: "neon" } },
  { inputs: { sizeCu: 20 }, settings: { platform: "neon", plan: "launch" } },
  { inputs: { suspendTimeoutSeconds: 60 }, settings: { platform: "neon", plan: "free" } },
  { inputs: { suspendTimeoutSeconds: 600 }, settings: { platform: "neon", plan: "launch" } },
  { inputs: { suspendTimeoutSeconds: 30 }, settings: { platform: "neon" } },
  {
    inputs: { autoscalingLimitMinCu: 12, autoscalingLimitMaxCu: 18 },
    settings: { maxSizeCu: 56 },
  },
  { inputs: { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 2 } },
  { inputs: { autoscalingLimitMinCu: 1 } },
  { inputs: { sizeCu: 1, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 } },
  { inputs: { suspendTimeoutSeconds: 604_801 } },
  { inputs: { suspendTimeoutSeconds: 1.5 } },
  { inputs: { suspendTimeoutSeconds: -2 } },
  { inputs: { branchId: "main" } },
  { inputs: { branchId: "br-Main" } },
  { inputs: { branchId: "ep-cool-rain-87654321" } },
  { inputs: { branchId: "br-cold-night-12345678 " } },
  { inputs: { branchId: "" } },
  { inputs: { branchId: `br-${"x".repeat(70)}` } },
  { inputs: { projectId: "My project" } },
  { inputs: { branchId: undefined }, what: "no `branchId`" },
  { inputs: { type: "replica" } },
  { inputs: { poolerEnabled: "yes" } },
  { inputs: { minCu: 1 } },
  { inputs: { type: "read_only" }, settings: { plan: "free" } },
  { inputs: { sizeCu: 1 }, settings: { plan: "free" } },
  { inputs: { type: "read_only", adoptExisting: true } },
  { inputs: { projectId: "no-such-project-1" }, what: "a project that is not there" },
  { inputs: { branchId: "br-no-such-branch-1" }, what: "a branch that is not there" },
  { inputs: taken, what: "a branch that has a read-write endpoint" },
  {
    inputs: {},
    existing: "pulumi-invoices-0123456789ab-1a2b3c4d",
    what: "a branch whose read-write endpoint Pulumi created for another resource",
  },
  {
    inputs: {},
    existing: newOwnershipName(madeFor(urnOf("orders")), () => "1a2b3c4d"),
    what: "a branch whose read-write endpoint an earlier run created for this resource",
  },
  {
    first: { inputs: readWrite },
    inputs: {},
    what: "two read-write endpoints of one program on one branch",
  },
];

/** Rows of inputs, property and message. Throws for a sample that is not refused. */
export async function refusedRows(): Promise<string[][]> {
  const rows: string[][] = [];
  const plain = (reason: string) =>
    reason.replace(/request [0-9a-f-]{36}/, "request ID").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "TIME");
  for (const sample of samples) {
    const failures = await refusalsOf(sample);
    if (failures.length === 0) throw new Error(`nothing refuses ${shown(sample)}`);
    rows.push(...failures.map(({ property, reason }) => [shown(sample), code(property), plain(reason)]));
  }
  return rows;
}

/** Checks a sample as a preview does, with the emulator as platform. */
async function refusalsOf({ inputs, olds, first, settings: configured, existing }: Sample) {
  const { settings } = resolveConfig({ apiKey: "KEY", platform: "specification", ...configured }, {});
  if (!settings) throw new Error("the configuration of a sample is good");
  const platform = await openPlatform(existing);
  const api = createApi({ baseUrl: platform.url, apiKey: platform.apiKey });
  const reporter = { info() {}, warn() {}, status() {} };
  const shared = {
    account: openAccount(api, settings),
    run: new RunRecords(),
    host: "plugin" as const,
    ...{ reporter, reporterFor: () => reporter, reportError() {} },
    signal: new AbortController().signal,
  };
  const checked = (name: string, news: Inputs, before: Inputs | undefined) =>
    check({ ...shared, urn: urnOf(name) }, { olds: before && { ...place, ...before }, news: { ...place, ...news } });
  try {
    if (first) await checked("primary", first.inputs, first.olds);
    return (await checked("orders", inputs, olds)).failures.map(adviseFailure);
  } finally {
    await api.close();
    await platform.close();
  }
}

/** A project with two free branches and an occupied one, and another project with a free branch. */
async function openPlatform(existing: string | undefined) {
  const platform = await createEmulator();
  const { admin } = platform;
  const { projectId } = place;
  admin.seedProject({ id: projectId });
  for (const id of [place.branchId, taken.branchId, spare.branchId]) admin.seedBranch(projectId, { id });
  admin.seedProject({ id: elsewhere.projectId });
  admin.seedBranch(elsewhere.projectId, { id: elsewhere.branchId });
  admin.seedEndpoint(projectId, { id: "ep-cool-rain-87654321", branch_id: taken.branchId });
  // Without a name on any endpoint, a preview refuses later: an unnamed one may be a resource of the program.
  admin.seedEndpoint(projectId, { branch_id: admin.seedBranch(projectId).id, name: "by-hand" });
  if (existing !== undefined) {
    admin.seedEndpoint(projectId, { id: "ep-lost-wind-55556666", branch_id: place.branchId, name: existing });
  }
  return platform;
}

function shown({ inputs, settings, what }: Sample): string {
  const configured = settings ? [`with ${listed(settings)} in the configuration`] : [];
  return [what ?? listed(inputs), ...configured].join(" ");
}

function listed(values: Inputs): string {
  return Object.entries(values)
    .map(([name, value]) => code(`${name}: ${typeof value === "number" ? value : JSON.stringify(value)}`))
    .join(", ");
}

function urnOf(name: string): Owner {
  return resourceOwner(`urn:pulumi:dev::shop::pgcompute:index:Endpoint::${name}`);
}
