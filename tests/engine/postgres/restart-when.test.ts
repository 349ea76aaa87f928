/** `restartWhen: "idle"` with real connections: 20 clients that pause now and then, on a clock that is steered. */
import pg from "pg";
import { expect, it } from "vitest";
import type { RequestEvent } from "../../../provider/platform/http/send";
import { endpointKind } from "../../../provider/pulumi/resource";
import { useBench } from "../../support/bench";
import { contextOf } from "../../support/call-context";

const CLIENTS = 20;
const RUNS = 9;
const STEP_MS = 10_000;

it(`a change that waits until nobody uses the endpoint drops none of the connections that were open at its last look, in ${RUNS} runs of a workload with pauses`, async () => {
  const bench = await useBench({ postgres: true, operationMs: 0 });
  const { admin, projectId } = bench.emulator;
  const looks: pg.Client[][] = [];
  let late = 0;
  let onLook = () => {};
  let endpointId = "none";
  const clients = new Map<pg.Client, { wasDropped: boolean }>();
  const onRequest = ({ method, path }: RequestEvent) => {
    // The look right before the change is the last that is by id and shows it idle.
    if (method !== "GET" || !path.endsWith(endpointId) || admin.endpoint(endpointId).current_state !== "idle") return;
    looks.push([...clients.keys()]);
    onLook();
  };
  const account = bench.account({ onRequest }, { operationTimeoutSeconds: 100_000 });
  const context = contextOf(bench, { account });
  const place = { projectId, branchId: bench.branch(), type: "read_write" } as const;
  const inputs = { ...place, suspendTimeoutSeconds: 60, restartWhen: "idle" } as const;
  let stored = await bench.run(endpointKind.create(context, { ...inputs, sizeCu: 1 }));
  endpointId = stored.id.split("/")[1] ?? "";

  const connect = async () => {
    const client = new pg.Client({ connectionString: admin.connectionStrings(endpointId).url });
    const state = { wasDropped: false };
    client.on("error", () => {
      state.wasDropped = true;
    });
    await client.connect();
    clients.set(client, state);
  };
  const leave = async () => {
    await Promise.all([...clients.keys()].map((client) => client.end()));
    clients.clear();
  };
  /** Lets time pass, and what that starts in real time come to its end. */
  const pass = async () => {
    await bench.clock.pass(STEP_MS);
    while (admin.project(projectId).operations.some(({ status }) => status !== "finished")) {
      admin.advance(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  try {
    for (let run = 0; run < RUNS; run += 1) {
      await Promise.all(Array.from({ length: CLIENTS }, connect));
      admin.clearLog();
      looks.length = 0;
      const sizeCu = run % 2 === 0 ? 2 : 1;
      let isDone = false;
      const changed = endpointKind.update(context, { ...stored, inputs: { ...inputs, sizeCu } }).finally(() => {
        isDone = true;
      });
      for (let turn = 0; turn < 3; turn += 1) {
        await Promise.all([...clients.keys()].map((client) => client.query("SELECT 1")));
        await pass();
      }
      expect(admin.log().filter(({ method }) => method === "PATCH")).toEqual([]);
      await leave();
      // Every third time somebody comes right after a look.
      let coming: Promise<unknown> | undefined;
      onLook = () => {
        if (run % 3 === 0) coming ??= connect().catch(() => {});
      };
      for (let turn = 0; turn < 40 && !isDone; turn += 1) {
        await pass();
        if (turn > 12) await leave();
      }
      stored = await bench.run(changed);
      onLook = () => {};
      await coming;
      expect(looks.at(-1)?.filter((client) => clients.get(client)?.wasDropped)).toEqual([]);
      late += [...clients.values()].filter(({ wasDropped }) => wasDropped).length;
      expect(stored.state).toMatchObject({ sizeCu });
      expect(admin.endpoint(endpointId).autoscaling_limit_max_cu).toBe(sizeCu);
      await leave();
    }
    console.log(`connections dropped that were opened after the last look, in ${RUNS} runs: ${late}`);
  } finally {
    await leave();
  }
});
