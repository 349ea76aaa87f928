import { describe, expect, it } from "vitest";
import { create } from "../../../provider/pulumi/lifecycle";
import { useBench } from "../../support/bench";

describe("a create that the platform answers with 503 and Retry-After", () => {
  it.each([3_600, 999_999_999])("%i does not sleep past the timeout, and is not repeated at once", async (seconds) => {
    const bench = await useBench();
    const { emulator, clock } = bench;
    emulator.admin.addFault({
      route: "endpoints.create",
      effect: { kind: "status", status: 503, retryAfter: { form: "seconds", seconds } },
    });
    const inputs = { projectId: emulator.projectId, branchId: bench.branch(), type: "read_write" as const };
    const error = await bench.fails(create(bench.context({ timeoutMs: 4_000 }), inputs));
    expect(error).toMatchObject({ kind: "server" });
    expect(clock.elapsedMs()).toBeLessThanOrEqual(4_000);
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(1);
  });

  it("says on its row that it waits, and for what", async () => {
    const bench = await useBench();
    const { emulator, clock } = bench;
    emulator.admin.addFault({
      route: "endpoints.create",
      count: 1,
      effect: { kind: "status", status: 503, retryAfter: { form: "seconds", seconds: 20 } },
    });
    const inputs = { projectId: emulator.projectId, branchId: bench.branch(), type: "read_write" as const };
    const context = bench.context();
    await bench.run(create(context, inputs));
    expect(clock.elapsedMs()).toBeGreaterThanOrEqual(20_000);
    expect(context.said.status.join("\n")).toMatch(/waiting 20 s: could not create an endpoint .* answered 503/);
  });
});

describe("a create that the rate limit holds back", () => {
  const limited = { route: "endpoints.create", count: 1 } as const;
  const effect = (seconds: number) =>
    ({ kind: "status", status: 429, retryAfter: { form: "seconds", seconds } }) as const;

  it("says on its row that it waits, and for what", async () => {
    const bench = await useBench();
    bench.emulator.admin.addFault({ ...limited, effect: effect(20) });
    const inputs = { projectId: bench.emulator.projectId, branchId: bench.branch(), type: "read_write" as const };
    const context = bench.context();
    await bench.run(create(context, inputs));
    expect(context.said.status.join("\n")).toContain("waiting for the account's rate limit");
  });
});
