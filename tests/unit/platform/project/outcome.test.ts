import { describe, expect, it } from "vitest";
import { OperationWaiter } from "../../../../provider/platform/project/operation-waiter";
import { isOpen, outcomeOf } from "../../../../provider/platform/project/outcome";
import { createVirtualClock } from "../../../support/virtual-clock";

const NOW = Date.parse("2024-05-01T10:00:00Z");

describe("outcomeOf", () => {
  it.each<[string, string | undefined, "succeeded" | "open" | "failed"]>([
    ["finished", undefined, "succeeded"],
    ["skipped", undefined, "succeeded"],
    ["scheduling", undefined, "open"],
    ["running", undefined, "open"],
    ["cancelling", undefined, "open"],
    ["rebalancing", undefined, "open"],
    ["", undefined, "open"],
    ["failed", undefined, "failed"],
    ["failed", "2024-05-01T10:00:00Z", "open"],
    ["failed", "2024-05-01T10:00:59Z", "open"],
    ["failed", "2024-05-01T09:59:01Z", "open"],
    ["failed", "2024-05-01T09:59:00Z", "failed"],
    ["failed", "2024-04-01T10:00:00Z", "failed"],
    ["failed", "0001-01-01T00:00:00Z", "failed"],
    ["failed", "", "failed"],
    ["failed", "soon", "failed"],
    ["error", undefined, "failed"],
    ["error", "2024-05-01T10:00:00Z", "failed"],
    ["cancelled", undefined, "failed"],
  ])("%j with retry at %s is %s", (status, retryAt, outcome) => {
    const operation = retryAt === undefined ? { status } : { status, retryAt };
    expect(outcomeOf(operation, NOW)).toBe(outcome);
    expect(isOpen(operation, NOW)).toBe(outcome === "open");
  });
});

describe("the error of a wait that is over", () => {
  it("says when it has last seen an operation, where a look hangs to the end", async () => {
    const clock = createVirtualClock();
    const beganMs = clock.now();
    const operation = {
      id: "o",
      projectId: "p",
      action: "start_compute",
      status: "running",
      failuresCount: 0,
      createdAt: "",
      updatedAt: "",
    };
    const waiter = new OperationWaiter(
      {
        limitUsed: () => 0,
        platformTime: () => undefined,
        async getOperation(_project, _id, options) {
          if (clock.now() - beganMs > 100_000) await clock.sleep(3_600_000, options?.signal);
          return operation;
        },
        listOperations: async () => ({ items: [operation] }),
      },
      clock,
      "p",
    );
    const { error } = await clock.run(waiter.wait([operation], { timeoutMs: 600_000 }));
    expect(error?.summary).toMatch(
      /^operation o \(start_compute\) was last seen "running" after (9\d|100) s of 600 s$/,
    );
  });
});
