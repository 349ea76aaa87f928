/** `restartWhen: "idle"` with real connections: 20 clients that pause now and then, on a clock that is steered. */
import pg from "pg";
import { describe, expect, it } from "vitest";
import type { RequestEvent } from "../../../provider/platform/http/send";
import { create, update } from "../../../provider/pulumi/lifecycle";
import { openBench } from "../../support/bench";

const CLIENTS = 20;
const RUNS = 9;
const STEP_MS = 10_000;

/** An endpoint that is a Postgres server and suspends after a minute, and clients of it that remember how they ended. */
async function open() {
  const bench = await openBench({ postgres: true, operationMs: 0 });
  const { admin, projectId } = bench.emulator;
  const seen = { looks: [] as pg.Client[][], late: 0, onLook: () => {} };
  const clients = new Map<pg.Client, { wasDropped: boolean }>();
  const onRequest = ({ method, path }: RequestEvent) => {
    // The look right before the change is the last that is by id and shows it idle.
    if (method !== "GET" || !path.endsWith(endpointId) || admin.endpoint(endpointId).current_state !== "idle") return;
    seen.looks.push([...clients.keys()]);
    seen.onLook();
  };
  let endpointId = "none";
  const account = bench.account({ onRequest }, { operationTimeoutSeconds: 100_000 });
  const context = bench.context({ account });
  const inputs = { projectId, branchId: bench.branch(), type: "read_write" as const, suspendTimeoutSeconds: 60 };
  /** Waits for what is done in real time. */
  const settled = async () => {
    while (admin.project(projectId).operations.some(({ status }) => status !== "finished")) {
      admin.advance(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const stored = await bench.run(create(context, { ...inputs, sizeCu: 1, restartWhen: "idle" }));
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
  return {
    bench,
    admin,
    context,
    inputs,
    stored,
    seen,
    clients,
    endpointId,
    connect,
    work: () => Promise.all([...clients.keys()].map((client) => client.query("SELECT 1"))),
    leave: async () => {
      await Promise.all([...clients.keys()].map((client) => client.end()));
      clients.clear();
    },
    /** Lets time pass, and what that starts come to its end. */
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= STEP_MS) {
        await bench.clock.pass(Math.min(left, STEP_MS));
        await settled();
      }
    },
    sent: () => admin.log().filter(({ method }) => method === "PATCH").length,
  };
}

describe("a change that waits until nobody uses the endpoint", () => {
  it(`drops none of the connections that were open at its last look, in ${RUNS} runs of a workload with pauses`, async () => {
    const used = await open();
    const { bench, admin, context, seen, clients, endpointId, connect, work, leave, pass, sent } = used;
    let { stored } = used;
    try {
      for (let run = 0; run < RUNS; run += 1) {
        await Promise.all(Array.from({ length: CLIENTS }, connect));
        admin.clearLog();
        seen.looks.length = 0;
        const sizeCu = run % 2 === 0 ? 2 : 1;
        let isDone = false;
        const changed = update(context, { ...stored, inputs: { ...used.inputs, sizeCu, restartWhen: "idle" } }).finally(
          () => {
            isDone = true;
          },
        );
        for (let turn = 0; turn < 3; turn += 1) {
          await work();
          await pass(STEP_MS);
        }
        expect(sent()).toBe(0);
        await leave();
        // Every third time somebody comes right after a look.
        let coming: Promise<unknown> | undefined;
        seen.onLook = () => {
          if (run % 3 === 0) coming ??= connect().catch(() => {});
        };
        for (let turn = 0; turn < 40 && !isDone; turn += 1) {
          await pass(STEP_MS);
          if (turn > 12) await leave();
        }
        stored = await bench.run(changed);
        seen.onLook = () => {};
        await coming;
        const last = seen.looks.at(-1);
        expect(last?.filter((client) => clients.get(client)?.wasDropped)).toEqual([]);
        seen.late += [...clients.values()].filter(({ wasDropped }) => wasDropped).length;
        expect(stored.state).toMatchObject({ sizeCu });
        expect(admin.endpoint(endpointId).autoscaling_limit_max_cu).toBe(sizeCu);
        await leave();
      }
      console.log(`connections dropped that were opened after the last look, in ${RUNS} runs: ${seen.late}`);
    } finally {
      await leave();
      await bench.close();
    }
  });
});
