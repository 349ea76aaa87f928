import { resolveConfig } from "../../../provider/config/resolve";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { ownerOf } from "../../../provider/pulumi/run/run";
import { code } from "./markdown";
import { branches, place, refusalsOf, type Sample, sampleEndpoint, sampleUrn } from "./refusals";

/** A sample with the sections of the specification that it is about, in place of its inputs where those say little. */
type Shown = Sample & { section: string; what?: string };

/** What an earlier run made for the sample's resource, whether it was killed or the state has it. */
const left = (type: string, branchId = place.branchId) => [
  sampleEndpoint(
    "ep-lost-wind-55556666",
    branchId,
    type,
    newOwnershipName(ownerOf(sampleUrn), () => "1a2b3c4d"),
  ),
];

const refused: Shown[] = [
  { inputs: { sizeCu: 9 }, section: "2.4, 8" },
  { inputs: { sizeCu: 0.1 }, section: "2.4, 8" },
  { inputs: { sizeCu: 0.3 }, section: "2.4" },
  { inputs: { sizeCu: Number.NaN }, section: "2.4" },
  { inputs: { sizeCu: 1 }, settings: { minSizeCu: 2.2, maxSizeCu: 2.4 }, section: "2.4" },
  {
    inputs: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 7 },
    settings: { maxAutoscalingSpreadCu: 4 },
    section: "2.4",
  },
  { inputs: { autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 2 }, section: "2.4" },
  { inputs: { autoscalingLimitMinCu: 1 }, section: "2.4" },
  { inputs: { sizeCu: 1, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 }, section: "2.4" },
  { inputs: { suspendTimeoutSeconds: 604_801 }, section: "3.4, 8" },
  { inputs: { suspendTimeoutSeconds: 1.5 }, section: "3.4" },
  { inputs: { suspendTimeoutSeconds: -2 }, section: "3.4" },
  { inputs: { suspendTimeoutSeconds: Number.POSITIVE_INFINITY }, section: "3.4" },
  { inputs: { suspendTimeoutSeconds: 604_801 }, plan: "free", section: "3.4, 8" },
  { inputs: { branchId: "main" }, section: "2.1" },
  { inputs: { branchId: "br-Main" }, section: "2.1" },
  { inputs: { branchId: "br-" }, section: "2.1" },
  { inputs: { branchId: "ep-cool-rain-87654321" }, section: "2.1" },
  { inputs: { branchId: "br-cold-night-12345678 " }, section: "2.1" },
  { inputs: { branchId: "" }, section: "2.1" },
  { inputs: { branchId: `br-${"x".repeat(70)}` }, section: "2.1" },
  { inputs: { projectId: "My project" }, section: "2.3" },
  { inputs: { branchId: undefined }, what: "no `branchId`", section: "2.3" },
  { inputs: { type: "replica" }, section: "2.3" },
  { inputs: { poolerEnabled: "yes" }, section: "2.3" },
  { inputs: { minCu: 1 }, section: "2.3" },
  { inputs: { type: "read_only" }, plan: "free", section: "1, 8" },
  { inputs: { sizeCu: 1 }, plan: "free", section: "2.4, 8" },
  { inputs: { type: "read_only", adoptExisting: true }, section: "1" },
  { inputs: { projectId: "no-such-project-1" }, what: "a project that is not there", section: "7" },
  { inputs: { branchId: "br-no-such-branch-1" }, what: "a branch that is not there", section: "7" },
  {
    inputs: { branchId: branches.taken },
    what: "a branch that has a read-write endpoint",
    section: "1, 4.3",
  },
  {
    inputs: {},
    more: [
      sampleEndpoint("ep-lost-wind-55556666", place.branchId, "read_write", "pulumi-invoices-0123456789ab-1a2b3c4d"),
    ],
    what: "a branch whose read-write endpoint Pulumi created for another resource",
    section: "1, 4.3",
  },
  {
    inputs: {},
    more: left("read_write"),
    what: "a branch whose read-write endpoint an earlier run created for this resource",
    section: "1, 4.3",
  },
  {
    inputs: { type: "read_only" },
    more: left("read_only"),
    what: "a branch with a replica that an earlier run created for this resource",
    section: "1, 4.3",
  },
  {
    olds: { type: "read_write" },
    inputs: { branchId: branches.taken },
    what: "a move onto a branch that has a read-write endpoint, from one that has none any more",
    section: "1, 4.5",
  },
  {
    first: { projectId: "calm-hill-87654321" },
    firstOlds: { type: "read_write", branchId: branches.taken },
    inputs: { branchId: branches.taken },
    what: "a branch that another resource gives up too late",
    section: "1",
  },
  {
    first: { type: "read_write" },
    inputs: {},
    what: "two read-write endpoints of one program on one branch",
    section: "1",
  },
  {
    olds: { type: "read_write" },
    inputs: { branchId: branches.replicated },
    what: "a read-write endpoint that moves to a branch with replicas only",
    section: "1, 3.2, 4.5",
  },
];

const warned: Shown[] = [
  { inputs: { sizeCu: 1, pgSettings: { shared_buffers: "1GB" } }, section: "2.4, 8" },
  { inputs: { sizeCu: 1, pgSettings: { max_connections: "1000" } }, section: "2.4, 8" },
  { inputs: { sizeCu: 1, pgSettings: { max_connections: "100" } }, section: "2.4, 8" },
  { inputs: { sizeCu: 1, pgSettings: { max_connections: "9000" } }, section: "2.4, 8" },
  { inputs: { sizeCu: 1, pgSettings: { max_connections: "many" } }, section: "2.4, 8" },
  {
    inputs: { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2, pgSettings: { max_connections: "1000" } },
    section: "2.4, 8",
  },
  {
    inputs: { type: "read_only" },
    more: left("read_only"),
    settings: { adoptInterrupted: false },
    what: "a replica that an earlier run created for this resource, with `adoptInterrupted: false`",
    section: "1",
  },
  {
    inputs: { type: "read_only" },
    more: left("read_only", branches.replicated),
    what: "a replica that an earlier run created for this resource on another branch",
    section: "1",
  },
  { olds: { sizeCu: 2 }, inputs: {}, what: "`sizeCu: 2` before, no size now", section: "2.4" },
  {
    olds: { passwordlessAccess: true },
    inputs: {},
    what: "`passwordlessAccess: true` before, not set now",
    section: "2.3",
  },
];

const configurations: Record<string, unknown>[] = [
  { apiKey: undefined },
  { apiKey: "" },
  { baseUrl: "the platform" },
  { baseUrl: "ftp://api.example.com/v2" },
  { baseUrl: "https://user@api.example.com/v2" },
  { baseUrl: "https://api.example.com/v2?a=b" },
  { baseUrl: "https://api.example.com" },
  { baseUrl: "http://api.example.com/v2" },
  { baseURL: "https://api.example.com/v2" },
  { maxSizeCu: "many" },
  { maxRequestsPerSecond: 0 },
  { plan: "team" },
];

/** Rows of inputs, property, message and section. Throws where a sample is not refused after all. */
export async function refusedRows(): Promise<string[][]> {
  const rows = await Promise.all(
    refused.map(async (sample) => {
      const { failures } = await refusalsOf(sample);
      if (failures.length === 0) throw new Error(`nothing refuses ${shown(sample)}`);
      return failures.map(({ property, reason }) => [shown(sample), code(property), reason, sample.section]);
    }),
  );
  return rows.flat();
}

/** Rows of inputs, message and section. Throws where nothing warns. */
export async function warnedRows(): Promise<string[][]> {
  const rows = await Promise.all(
    warned.map(async (sample) => {
      const { warnings } = await refusalsOf(sample);
      if (warnings.length === 0) throw new Error(`nothing warns of ${shown(sample)}`);
      return warnings.map((message) => [shown(sample), message, sample.section]);
    }),
  );
  return rows.flat();
}

/** Rows of configuration, key and message. */
export function configurationRows(): string[][] {
  return configurations.flatMap((one) =>
    (resolveConfig({ apiKey: "KEY", ...one }, {}).failures ?? []).map(({ property, reason }) => [
      "apiKey" in one && one.apiKey === undefined ? "no key" : listed(one),
      code(`pgcompute:${property}`),
      reason,
    ]),
  );
}

/** The project and the free branch that the samples stand on. */
export const standing = `\`projectId: "${place.projectId}"\` and \`branchId: "${place.branchId}"\``;

function shown({ inputs, plan, settings, what }: Shown): string {
  const configured = settings && what === undefined ? [`with ${listed(settings)} in the configuration`] : [];
  return [what ?? listed(inputs), ...(plan ? [`on the ${plan} plan`] : []), ...configured].join(" ");
}

function listed(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => code(`${name}: ${typeof value === "number" ? value : JSON.stringify(value)}`))
    .join(", ");
}
