import { resolveConfig } from "../../../provider/config/resolve";
import type { Context, Reporter } from "../../../provider/endpoint/context";
import type { Plan as AccountPlan } from "../../../provider/endpoint/rules/plan";
import type { Failure } from "../../../provider/lib/failure";
import { openAccount } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import { toHttpError } from "../../../provider/platform/http/http-errors";
import type { EndpointRecord } from "../../../provider/platform/records";
import { createRoutes } from "../../../provider/platform/routes";
import { check } from "../../../provider/pulumi/check";
import { RunLedger } from "../../../provider/pulumi/run/run-ledger";

/** What a program says, and on which account. */
export interface Sample {
  inputs: Readonly<Record<string, unknown>>;
  /** The inputs of the run before; none for a new resource. */
  olds?: Readonly<Record<string, unknown>>;
  /** A resource that the same program has declared before this one, and its inputs of the run before. */
  first?: Readonly<Record<string, unknown>>;
  firstOlds?: Readonly<Record<string, unknown>>;
  /** What the platform has besides. */
  more?: readonly EndpointRecord[];
  settings?: Readonly<Record<string, unknown>>;
  plan?: AccountPlan;
}

/** The project of the samples, and a branch of it without endpoints. Other branches are in `onPlatform`. */
export const place = { projectId: "quiet-lake-12345678", branchId: "br-cold-night-12345678" };

/** The URN of the sample's resource. */
export const sampleUrn = urnOf("orders");

/** A branch with a read-write endpoint, and one with a replica only. */
export const branches = { taken: "br-old-oak-22223333", replicated: "br-calm-sea-44445555" };

/** Checks a sample as a preview does, against a platform of three branches: what fails, and what is warned of. */
export async function refusalsOf(sample: Sample): Promise<{ failures: Failure[]; warnings: string[] }> {
  const { settings, failures } = resolveConfig({ apiKey: "KEY", plan: sample.plan, ...sample.settings }, {});
  if (!settings) throw new Error(failures.map(({ reason }) => reason).join("; "));
  const warnings: string[] = [];
  const reporter: Reporter = { info() {}, status() {}, warn: (message) => warnings.push(message) };
  const shared = {
    account: openAccount(platformWith(sample.more), settings),
    ledger: new RunLedger(),
    host: "plugin" as const,
    reporter,
  };
  const context = (name: string): Context => ({
    ...shared,
    signal: new AbortController().signal,
    urn: urnOf(name),
  });
  if (sample.first) {
    const olds = sample.firstOlds && { ...place, ...sample.firstOlds };
    await check(context("primary"), { olds, news: { ...place, ...sample.first } });
  }
  const olds = sample.olds && { ...place, ...sample.olds };
  const result = await check(context("orders"), { olds, news: { ...place, ...sample.inputs } });
  return { failures: result.failures, warnings };
}

const records = [
  sampleEndpoint("ep-cool-rain-87654321", branches.taken, "read_write"),
  sampleEndpoint("ep-slow-moon-66667777", branches.replicated, "read_only"),
];

const notAsked = () => Promise.reject(new Error("a check asks for endpoints and branches only"));

/** The platform of the samples, with more endpoints. It only answers what a check asks. */
export const platformWith = (more: readonly EndpointRecord[] = []): Api => ({
  getProject: notAsked,
  async listBranches() {
    return [place.branchId, ...Object.values(branches)].map((id) => ({ id, projectId: place.projectId }));
  },
  getBranch: (projectId, branchId) => notFound(createRoutes().getBranch(projectId, branchId)),
  listEndpoints: async (projectId) =>
    projectId === place.projectId ? [...records, ...more] : notFound(createRoutes().listEndpoints(projectId)),
  listBranchEndpoints: notAsked,
  getEndpoint: async (projectId, endpointId) =>
    [...records, ...more].find(({ id }) => id === endpointId) ??
    notFound(createRoutes().getEndpoint(projectId, endpointId)),
  createEndpoint: notAsked,
  updateEndpoint: notAsked,
  deleteEndpoint: notAsked,
  suspendEndpoint: notAsked,
  startEndpoint: notAsked,
  getOperation: notAsked,
  listOperations: notAsked,
  allOperations: () => {
    throw new Error("a check walks no operations");
  },
  close: async () => {},
});

/** How the platform says that it does not know what a call is about. */
export function notFound(call: Parameters<typeof toHttpError>[0]): Promise<never> {
  return Promise.reject(toHttpError(call, { status: 404, headers: {}, text: "" }, { secret: "a-key", nowMs: 0 }));
}

/** An endpoint of the samples' platform. */
export function sampleEndpoint(id: string, branchId: string, type: string, name?: string): EndpointRecord {
  return {
    ...(name === undefined ? {} : { name }),
    id,
    projectId: place.projectId,
    branchId,
    type,
    host: `${id}.eu-central-1.aws.example.com`,
    currentState: "idle",
    autoscalingLimitMinCu: 0.25,
    autoscalingLimitMaxCu: 2,
    pgSettings: {},
    poolerEnabled: false,
    disabled: false,
    passwordlessAccess: false,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  };
}

function urnOf(name: string): string {
  return `urn:pulumi:dev::shop::pgcompute:index:Endpoint::${name}`;
}
