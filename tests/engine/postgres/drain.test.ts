import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PausablePool } from "../../../examples/drain/pool";
import { compileProgram } from "../../../tools/demo/program";
import { root } from "../../../tools/root.mjs";
import { useBench } from "../support/platform";

const RESTARTS = 8;
const CLIENTS = 8;
const bench = useBench({ postgres: true });

describe("examples/drain", () => {
  it(`fails no query over ${RESTARTS} restarts, each of which drops the connections that are open`, async () => {
    const branchId = bench.branch();
    const config = { "engine-test:projectId": bench.projectId, "engine-test:branchId": branchId };
    const project = bench.project(config);
    const { program } = compileProgram(join(root, "examples/drain"), project.folders.program);
    const stack = project.stack(program);
    const set = (key: string, value: string) => project.setConfig({ [`engine-test:${key}`]: value });
    set("poolAddress", "http://127.0.0.1:1");
    await stack.up();
    const { admin } = bench.emulator;
    const id = bench.on(branchId)[0]?.id ?? "";
    const pool = new PausablePool({ connectionString: admin.connectionStrings(id).url, max: CLIENTS });
    const server = pool.listen(0);
    await new Promise((resolve) => server.once("listening", resolve));
    set("poolAddress", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

    const seen = { done: 0, failed: [] as unknown[], isOver: false };
    const work = async () => {
      while (!seen.isOver) {
        await pool.query("SELECT pg_sleep(0.01)").then(
          () => seen.done++,
          (error: unknown) => seen.failed.push(error),
        );
      }
    };
    const clients = Array.from({ length: CLIENTS }, work);
    for (let restart = 1; restart <= RESTARTS; restart += 1) {
      const before = seen.done;
      set("restartTrigger", String(restart));
      expect((await stack.up()).changes).toMatchObject({ update: 1 });
      while (seen.done < before + CLIENTS && seen.failed.length === 0) await new Promise(setImmediate);
    }
    seen.isOver = true;
    await Promise.all(clients);
    const { operations } = admin.project(bench.projectId);
    const restarts = operations.filter((one) => one.endpoint_id === id && one.action === "suspend_compute");
    expect(restarts).toHaveLength(RESTARTS);
    expect(seen.failed).toEqual([]);
    await pool.end();
    server.close();

    // A pool that is not there fails the update, and nothing is sent.
    admin.clearLog();
    set("restartTrigger", "in vain");
    expect((await stack.up({ expectFailure: true })).failure).toMatch(/pause|fetch failed/);
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    await stack.destroy();
  });
});
