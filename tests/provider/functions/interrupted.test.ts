import { expect, it } from "vitest";
import { callFunction } from "../../../provider/functions/functions";
import type { FunctionName } from "../../../provider/functions/model";
import { useBench } from "../../support/bench";

it.each<[FunctionName, Record<string, unknown>, string]>([
  ["getBranch", {}, "branches.list"],
  ["getBranches", {}, "branches.list"],
  ["getEndpoint", { endpointId: "ep-quiet-harbor-main" }, "endpoints.list"],
  ["getEndpoint", { branchId: "br-nowhere" }, "endpoints.list"],
  ["getEndpoints", {}, "endpoints.list"],
  ["getOperation", { operationId: "00000000-0000-4000-8000-000000000000" }, "operations.get"],
  ["getOperations", {}, "operations.list"],
])("an interrupted run ends %s at once: %j", async (name, args, route) => {
  const bench = await useBench();
  const { admin, projectId } = bench.emulator;
  admin.addFault({ route, effect: { kind: "stall-headers" } });
  const stop = new AbortController();
  const call = callFunction(bench.account(), name, { projectId, ...args }, { signal: stop.signal });
  const ended = expect(call).rejects.toMatchObject({ kind: "cancelled" });
  while (admin.counts().byRoute[route] !== 1) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await ended;
});
