import { resolveConfig } from "../../../provider/config/resolve";
import type { Context } from "../../../provider/endpoint/context";
import { create } from "../../../provider/endpoint/create";
import { remove } from "../../../provider/endpoint/delete";
import { diff } from "../../../provider/endpoint/diff";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { read } from "../../../provider/endpoint/read";
import { update } from "../../../provider/endpoint/update";
import { callFunction } from "../../../provider/functions/functions";
import type { Clock } from "../../../provider/lib/clock";
import { openAccount } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import { PgComputeError } from "../../../provider/platform/errors";
import { toAnswerError, toHttpError } from "../../../provider/platform/http/http-errors";
import type { OperationRecord } from "../../../provider/platform/records";
import { createRoutes } from "../../../provider/platform/routes";
import { messageFor } from "../../../provider/pulumi/kind-advice";
import { RunLedger } from "../../../provider/pulumi/run/run-ledger";
import { branches, notFound, place, platformWith, sampleEndpoint, sampleUrn } from "./refusals";

const { projectId, branchId } = place;
const ENDPOINT = "ep-cool-rain-87654321";
const id = `${projectId}/${ENDPOINT}`;
const inputs = { ...place, type: "read_write" as const };
const state = { ...inputs, endpointId: ENDPOINT };
const routes = createRoutes();
const own = sampleEndpoint(ENDPOINT, branchId, "read_write");
const lost = toAnswerError(
  "answer_lost",
  routes.createEndpoint(projectId, { branchId }),
  "the platform did not begin to answer within 30 s",
);

/** Messages of creates, updates and deletes that fail after their calls, and of functions that find nothing. */
export async function lifecycleMessages(): Promise<string[]> {
  const running = operation({ status: "running" });
  const created = { createEndpoint: async () => ({ endpoint: own, operations: [running] }) };
  const messages = [
    await failing({ ...created, getOperation: async () => running }, (context) => create(context, inputs)),
    await failing(
      { ...created, getOperation: async () => operation({ failuresCount: 2, error: "no room" }) },
      (context) => create(context, inputs),
    ),
    await failing({ ...created, getOperation: async () => operation({ status: "cancelled" }) }, (context) =>
      create(context, inputs),
    ),
    await failing(
      { ...created, getOperation: (project, operationId) => notFound(routes.getOperation(project, operationId)) },
      (context) => create(context, inputs),
    ),
    await failing(created, (context) => create({ ...context, signal: AbortSignal.abort() }, inputs)),
    await failing(
      {
        createEndpoint: () => Promise.reject(lost),
        listBranchEndpoints: async () => [],
        listOperations: async () => ({ operations: [] }),
      },
      (context) => create(context, inputs),
    ),
    await failing(
      {
        createEndpoint: (project) =>
          refusedBy(routes.createEndpoint(project, {}), 409, "read_write endpoint already exists"),
        listEndpoints: async () => [own],
      },
      (context) => {
        context.ledger.identify(sampleUrn, ENDPOINT);
        return create(context, inputs);
      },
    ),
    await failing(
      {
        updateEndpoint: (project, endpoint) => notFound(routes.updateEndpoint(project, endpoint, {})),
        getEndpoint: (project, endpoint) => notFound(routes.getEndpoint(project, endpoint)),
      },
      (context) => update(context, { id, state, inputs: { ...inputs, sizeCu: 2 } }),
    ),
    await failing(
      {
        deleteEndpoint: (project, endpoint) =>
          refusedBy(
            routes.deleteEndpoint(project, endpoint),
            422,
            "cannot delete the read-write endpoint of a root branch",
          ),
        listOperations: async () => ({ operations: [] }),
      },
      (context) => remove(context, { id, state }),
    ),
    await failing(
      {
        deleteEndpoint: async () => ({ gone: false, operations: [running] }),
        getOperation: async () => operation({ error: "no room" }),
      },
      (context) => remove(context, { id, state }),
    ),
    await failing(
      { getEndpoint: (project, endpoint) => notFound(routes.getEndpoint(project, endpoint)) },
      ({ account }) => callFunction(account, "getEndpoint", { projectId, endpointId: "ep-not-there" }),
    ),
    await failing({}, ({ account }) => callFunction(account, "getEndpoint", { projectId, branchId })),
    await failing({}, ({ account }) => callFunction(account, "getComputeSize", { cu: 9 })),
    await failing({}, (context) => read(context, { id: `calm-hill-87654321/${ENDPOINT}`, state })),
  ];
  return messages.map((message) => message.replaceAll(/(pulumi-orders-[0-9a-f]{12})-[0-9a-f]{8}/g, "$1-1a2b3c4d"));
}

/** What is said of a change that goes well all the same, but not as people may think. */
export async function lifecycleWarnings(): Promise<string[]> {
  const said: string[] = [];
  const left = sampleEndpoint(
    "ep-lost-wind-55556666",
    branches.taken,
    "read_only",
    newOwnershipName(sampleUrn, () => "1a2b3c4d"),
  );
  const compared = openContext({ listEndpoints: async () => [own, left] }, said);
  await diff(compared, { id, state: { ...state, branchId: branches.taken }, inputs }).then(({ messages }) =>
    said.push(...messages.filter((message) => message.includes(left.id))),
  );
  const replaced = openContext({}, said);
  replaced.ledger.recordTakenOver(ENDPOINT);
  await remove(replaced, { id, state });
  const twins = ["ep-first-snow-11112222", "ep-late-frost-33334444"].map((one) =>
    sampleEndpoint(one, branchId, "read_only"),
  );
  let name = "";
  let sent = 0;
  const twice = openContext(
    {
      createEndpoint: async (_, body) => {
        name = String(body.name);
        sent += 1;
        if (sent === 1) throw lost;
        return { endpoint: { ...sampleEndpoint(twins[1]?.id ?? "", branchId, "read_only"), name }, operations: [] };
      },
      // Behind at first.
      listEndpoints: async () => (sent === 2 ? twins.map((twin) => ({ ...twin, name })) : []),
      listBranchEndpoints: async () => [],
      listOperations: async () => ({ operations: [] }),
      deleteEndpoint: async () => ({ gone: false, operations: [] }),
    },
    said,
  );
  await create(twice, { ...inputs, type: "read_only" });
  return said;
}

/** Arguments that a function is refused for, with the property and the reason. */
export async function argumentRows(): Promise<string[][]> {
  const samples: Readonly<Record<string, unknown>>[] = [
    { endpointId: ENDPOINT },
    { projectId, endpointId: ENDPOINT, branchId },
    { projectId, endpointID: ENDPOINT },
  ];
  const { account } = openContext({}, []);
  const rows = await Promise.all(
    samples.map(async (args) => {
      const { failures = [] } = await callFunction(account, "getEndpoint", args);
      return failures.map(({ property, reason }) => [`\`${JSON.stringify(args)}\``, `\`${property}\``, reason]);
    }),
  );
  return rows.flat();
}

async function failing(api: Partial<Api>, run: (context: Context) => Promise<unknown>): Promise<string> {
  try {
    await run(openContext(api, []));
  } catch (error) {
    if (error instanceof PgComputeError) return messageFor(error);
    if (error instanceof Error) return error.message;
  }
  throw new Error("it was to fail");
}

function openContext(api: Partial<Api>, said: string[]): Context {
  const { settings } = resolveConfig({ apiKey: "KEY" }, {});
  if (!settings) throw new Error("a key is all that a configuration needs");
  const say = (message: string) => said.push(message);
  return {
    account: openAccount({ ...platformWith(), ...api }, settings, hastyClock()),
    ledger: new RunLedger(),
    host: "plugin",
    reporter: { info() {}, warn: say, status() {} },
    signal: new AbortController().signal,
    urn: sampleUrn,
  };
}

/** A clock on which nobody waits. */
function hastyClock(): Clock {
  let nowMs = Date.UTC(2026, 0, 1);
  return {
    now: () => nowMs,
    async sleep(ms) {
      nowMs += ms;
    },
  };
}

function operation(changes: Partial<OperationRecord>): OperationRecord {
  const createdAt = "2026-01-01T00:00:00Z";
  const ids = { id: "0f3b6d1e-5c2a-4b7d-9e8f-1a2b3c4d5e6f", projectId, branchId, endpointId: ENDPOINT };
  return {
    ...ids,
    action: "start_compute",
    status: "failed",
    failuresCount: 1,
    createdAt,
    updatedAt: createdAt,
    ...changes,
  };
}

function refusedBy(call: Parameters<typeof toHttpError>[0], status: number, message: string): Promise<never> {
  const text = JSON.stringify({ code: "", message });
  return Promise.reject(toHttpError(call, { status, headers: {}, text }, { secret: "a-key", nowMs: 0 }));
}
