import { describe, expect, it } from "vitest";
import { type Owner, resourceOwner } from "../../../provider/lib/owner";
import { PartialError, PgComputeError } from "../../../provider/platform/errors";
import { RunRecords } from "../../../provider/pulumi/run";

const [one, two] = ["one", "two"].map(resourceOwner) as [Owner, Owner];

describe("the records of a run", () => {
  it("know who has an endpoint, as soon as that one was checked, and follow it to its next", () => {
    const run = new RunRecords();
    run.identify(one, "ep-1");
    expect(run.record(one).endpointId).toBe("ep-1");
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    // A refresh reads whatever lies in the state, and makes nobody an owner.
    run.record(one).phase = "refreshed";
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    run.record(one).phase = "kept";
    expect(run.otherOwnerOf("ep-1", two)).toBe(one);
    expect(run.otherOwnerOf("ep-1", one)).toBeUndefined();
    run.identify(one, "ep-2");
    expect(run.otherOwnerOf("ep-1", two)).toBeUndefined();
    expect(run.otherOwnerOf("ep-2", two)).toBe(one);
  });

  it("spare in a delete what a checked owner has or is to take, unless it gives that up", () => {
    const run = new RunRecords();
    run.identify(one, "ep-1");
    const keepers = (["new", "kept", "refreshed", "replacing", "leaving"] as const).map((phase) => {
      run.record(one).phase = phase;
      return run.keeperOf("ep-1");
    });
    expect(keepers).toEqual([undefined, one, undefined, undefined, undefined]);
    run.record(two).phase = "replacing";
    run.take(two, "ep-1");
    expect(run.keeperOf("ep-1")).toBe(two);
    run.take(two, undefined);
    expect(run.keeperOf("ep-1")).toBeUndefined();
    expect(run.ownersOf("ep-1")).toEqual([one]);
  });

  it("know where the program puts an endpoint of which a branch has at most one", () => {
    const run = new RunRecords();
    const place = { projectId: "p", branchId: "b1", type: "read_write" };
    run.declare(one, place);
    expect([run.otherAt(place, one), run.otherAt(place, two)]).toEqual([undefined, one]);
    run.declare(one, { ...place, type: "read_only" });
    expect(run.otherAt(place, two)).toBeUndefined();
    run.declare(one, { ...place, branchId: "b2" });
    expect(run.otherAt(place, two)).toBeUndefined();
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
});
