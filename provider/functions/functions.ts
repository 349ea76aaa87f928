import { resetValues } from "../endpoint/differences";
import { idOf } from "../endpoint/identity";
import { toState } from "../endpoint/mapping";
import { parseBy, unknownNames } from "../endpoint/parse-inputs";
import { endpointProperties } from "../endpoint/properties";
import { computeSizesOf, getComputeSize } from "../endpoint/rules/compute-size";
import type { Failure } from "../lib/failure";
import type { Values } from "../lib/unknown";
import { nearestName, quoted } from "../lib/wording";
import { type Account, withAddressChecked } from "../platform/account";
import { PgComputeError } from "../platform/errors";
import { ages } from "../platform/policy";
import { GB_PER_CU } from "../platform/profiles/profile";
import { profiles } from "../platform/profiles/profiles";
import type { EndpointCache, Freshness } from "../platform/project/endpoint-cache";
import type { BranchRecord, EndpointRecord, OperationRecord } from "../platform/records";
import { type FunctionArgs, type FunctionName, type FunctionResult, functionModels } from "./model";

type Implementations = {
  [N in FunctionName]: (account: Account, args: FunctionArgs<N>, freshness: Freshness) => Promise<FunctionResult<N>>;
};

const DEFAULT_OPERATIONS = 100;
const MAX_PAGE = 1_000;
/** Defaults of the properties that the platform leaves out. */
const {
  suspendTimeoutSeconds: _,
  preloadLibraries: __,
  ...defaults
} = {
  ...resetValues(endpointProperties),
  passwordlessAccess: false,
};

const implementations: Implementations = {
  async getBranch(account, { projectId, name }, { signal }) {
    const names: string[] = [];
    for await (const branches of account.api.branchPages(projectId, { signal })) {
      const found = branches.find((one) => (name === undefined ? one.primary : one.name === name));
      if (found) return toBranchInfo(found);
      names.push(...branches.flatMap((one) => one.name ?? []));
    }
    const near = nearestName(name ?? "", names);

    throw new PgComputeError(
      "not_found",
      name === undefined
        ? `project ${projectId} has no primary branch; give the name of one, which getBranches lists`
        : `project ${projectId} has no branch named ${quoted(name)}${near ? `; did you mean ${quoted(near)}?` : "; getBranches lists those that it has"}`,
    );
  },

  async getBranches(account, { projectId }, { signal }) {
    return { branches: (await account.api.listBranches(projectId, { signal })).map(toBranchInfo) };
  },

  async getEndpoint(account, { projectId, endpointId, branchId }, freshness) {
    const { cache } = account.project(projectId);
    const readWrite = async (how: Freshness) => (await endpointsOf(cache, { branchId, type: "read_write" }, how)).at(0);
    const record =
      endpointId === undefined
        ? // A list may be older than the endpoint.
          ((await readWrite(freshness)) ?? (await readWrite({ ...freshness, sinceMs: account.clock.now() })))
        : await cache.endpoint(endpointId, freshness);
    if (record) return toInfo(await arrived(cache, record, freshness));

    throw new PgComputeError(
      "not_found",
      endpointId === undefined
        ? `branch ${branchId} of project ${projectId} has no read-write endpoint; getEndpoints lists those of the project`
        : `project ${projectId} has no endpoint ${endpointId}; getEndpoints lists those that it has`,
    );
  },

  async getEndpoints(account, { projectId, branchId, type }, freshness) {
    const { cache } = account.project(projectId);
    const wanted = (how: Freshness) => endpointsOf(cache, { branchId, type }, how);
    const records = await wanted(freshness);
    if (!records.some(isOnTheWay)) return { endpoints: records.map(toInfo) };
    return { endpoints: (await wanted({ ...freshness, sinceMs: account.clock.now() })).map(toInfo) };
  },

  async getOperation(account, { projectId, operationId }, { signal }) {
    return account.api.getOperation(projectId, operationId, { signal });
  },

  async getOperations(account, { projectId, endpointId, branchId, status, limit = DEFAULT_OPERATIONS }, { signal }) {
    const operations: OperationRecord[] = [];
    const filtered = endpointId !== undefined || branchId !== undefined || status !== undefined;
    const page = { limit: filtered ? MAX_PAGE : Math.min(limit, MAX_PAGE) };

    for await (const operation of account.api.allOperations(projectId, page, { signal })) {
      if (endpointId !== undefined && operation.endpointId !== endpointId) continue;
      if (branchId !== undefined && operation.branchId !== branchId) continue;
      if (status !== undefined && operation.status !== status) continue;
      operations.push(operation);
      if (operations.length === limit) break;
    }
    return { operations };
  },

  async getComputeSize({ settings }, { cu, platform }) {
    const profile = platform === undefined ? settings.profile : profiles[platform];
    const size = getComputeSize(cu, profile);
    if (size) return { ...size };
    const known = computeSizesOf(profile)
      .map((one) => one.cu)
      .join(", ");

    throw new PgComputeError(
      "invalid_argument",
      `${cu} CU is not in the table of sizes of the platform ${profile.name}: ${known}`,
    );
  },
};

/** True for a function's name. */
export function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(functionModels, name);
}

/**
 * Runs a function, or returns its arguments' failures. `sinceMs` is the oldest acceptable list, by default 10 s ago;
 * the dynamic host, whose resources change in another process, takes none. Throws `not_found` and the API's errors.
 */
export async function callFunction<N extends FunctionName>(
  account: Account,
  name: N,
  args: Values,
  { sinceMs = account.clock.now() - ages.freshMs, signal }: Freshness = {},
): Promise<{ result: FunctionResult<N>; failures?: undefined } | { result?: undefined; failures: Failure[] }> {
  const { args: model } = functionModels[name];
  const failures = unknownNames(args, Object.keys(model.shape));
  const parsed = parseBy(model, args, { failures });
  const isGiven = (argument: string) => (args[argument] ?? undefined) !== undefined;
  if (name === "getEndpoint" && isGiven("endpointId") === isGiven("branchId")) {
    failures.push({ property: "endpointId", reason: "give either endpointId or branchId" });
  }
  if (failures.length > 0) return { failures };

  const call = () => implementations[name](account, parsed as FunctionArgs<N>, { sinceMs, signal });
  return { result: await withAddressChecked(account.api, call, signal) };
}

/** The endpoints of the project or of one branch. Incomplete records are read by id. */
async function endpointsOf(
  cache: EndpointCache,
  { branchId, type }: { branchId: string | undefined; type: string | undefined },
  how: Freshness,
): Promise<readonly EndpointRecord[]> {
  const snapshot = await cache.snapshot(how);
  const isWanted = (record: EndpointRecord) => type === undefined || record.type === type;
  const all = branchId === undefined ? snapshot.all() : snapshot.onBranch(branchId);
  const listed = all.filter((record) => record.type === "" || isWanted(record));
  const { signal } = how;
  const whole = await Promise.all(listed.map(({ id }) => snapshot.get(id) ?? cache.readById(id, { signal })));
  return whole.filter((record) => record !== undefined).filter(isWanted);
}

/** True if the endpoint was changing its state when last seen. */
function isOnTheWay({ currentState, pendingState }: EndpointRecord): boolean {
  return pendingState !== undefined && pendingState !== currentState;
}

/** The record, read again if the endpoint was changing its state. */
async function arrived(cache: EndpointCache, record: EndpointRecord, { signal }: Freshness): Promise<EndpointRecord> {
  return isOnTheWay(record) ? ((await cache.readById(record.id, { signal })) ?? record) : record;
}

/** Memory, in GB, and virtual CPUs at one bound of the size. */
function figuresOf(end: "Min" | "Max", record: EndpointRecord): Record<string, number> {
  const cu = record[`autoscalingLimit${end}Cu`];
  return cu === undefined ? {} : { [`memoryGb${end}`]: cu * GB_PER_CU, [`vcpu${end}`]: cu };
}

function toBranchInfo(record: BranchRecord): FunctionResult<"getBranch"> {
  const { restoredAs: _, restrictedActions: __, ...told } = record;
  return { ...told, primary: record.primary === true };
}

function toInfo(record: EndpointRecord): FunctionResult<"getEndpoint"> {
  const figures = { ...figuresOf("Min", record), ...figuresOf("Max", record) };
  const all: Record<string, unknown> = { ...defaults, ...record, ...toState(record), ...figures, id: idOf(record) };
  const told = Object.keys(functionModels.getEndpoint.result.shape).filter((name) => all[name] !== undefined);
  return Object.fromEntries(told.map((name) => [name, all[name]])) as FunctionResult<"getEndpoint">;
}
