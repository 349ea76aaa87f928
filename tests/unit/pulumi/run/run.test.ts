import { describe, expect, it } from "vitest";
import { type Owner, resourceOwner } from "../../../../provider/lib/owner";
import { PartialError, PgComputeError } from "../../../../provider/platform/errors";
import { RunRecords } from "../../../../provider/pulumi/run";

const [one, two] = ["one", "two"].map(resourceOwner) as [Owner, Owner];

describe("the records of a run", () => {
  it("know who has an endpoint, as soon as the program declares that one", () => {
    const run = new RunRecords();
    run.identify(one, "ep-1");
    expect(run.endpointOf(one)).toBe("ep-1");
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    run.record(one).phase = { kind: "new", inputs: {} };
    expect(run.otherOwnerOf("ep-1", two)).toBe(one);
    expect(run.otherOwnerOf("ep-1", one)).toBeUndefined();
  });

  it("follow a resource to its next endpoint", () => {
    const run = new RunRecords();
    run.record(one).phase = { kind: "new", inputs: {} };
    run.identify(one, "ep-1");
    run.identify(one, "ep-2");
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    expect(run.otherOwnerOf("ep-2", two)).toBe(one);
  });

  it("remember how far a change got, until it ends well", async () => {
    const run = new RunRecords();
    const failed = new PartialError("p/ep-1", { sizeCu: 1 }, new PgComputeError("server", "no"));
    await expect(run.remember(one, () => Promise.reject(failed))).rejects.toBe(failed);
    expect(run.record(one).unfinished).toMatchObject({ id: "p/ep-1", state: { sizeCu: 1 } });
    const early = new PgComputeError("unauthorized", "refused");
    const repeated = run.remember(one, () => Promise.reject(early));
    await expect(repeated).rejects.toMatchObject({ kind: "unauthorized", id: "p/ep-1", state: { sizeCu: 1 } });
    await run.remember(one, async () => ({ id: "p/ep-1" }));
    expect(run.record(one).unfinished).toBeUndefined();
    await expect(run.remember(one, () => Promise.reject(early))).rejects.toBe(early);
  });

  it("forget everything at the end of a run", () => {
    const run = new RunRecords();
    run.record(one).phase = { kind: "new", inputs: {} };
    run.identify(one, "ep-1");
    run.clear();
    expect(run.endpointOf(one)).toBeUndefined();
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
  });
});

describe("a step in its turn", () => {
  const at = (type: string, branchId = "br-1") => ({ projectId: "p", branchId, type });

  it("waits, as a replica's, for the read-write endpoint that is under way on its branch, however that ends", async () => {
    const run = new RunRecords();
    const order: string[] = [];
    let fail: (error: Error) => void = () => {};
    const primary = run.inTurn(at("read_write"), () => new Promise<void>((_, reject) => (fail = reject)));
    const replica = run.inTurn(at("read_only"), async () => order.push("replica"));
    await run.inTurn(at("read_only", "br-2"), async () => order.push("elsewhere"));
    expect(order).toEqual(["elsewhere"]);
    fail(new Error("no"));
    await expect(primary).rejects.toThrow("no");
    await replica;
    expect(order).toEqual(["elsewhere", "replica"]);
    await run.inTurn(at("read_only"), async () => order.push("later"));
    expect(order.at(-1)).toBe("later");
  });
});
