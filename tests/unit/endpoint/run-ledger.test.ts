import { describe, expect, it } from "vitest";
import { RunLedger } from "../../../provider/pulumi/run/run-ledger";

const at = (branchId: string) => ({ projectId: "p", branchId });

describe("the ledger of a run", () => {
  it("gives a place to the first that claims it, until that one goes elsewhere", () => {
    const ledger = new RunLedger();
    ledger.declare("one", { to: at("a") });
    ledger.declare("two", { to: at("a") });
    expect(ledger.claimedBy(at("a"), "two")).toBe("one");
    expect(ledger.claimedBy(at("a"), "one")).toBeUndefined();
    expect(ledger.claimedBy({ projectId: "q", branchId: "a" }, "two")).toBeUndefined();
    ledger.declare("one", { to: at("b") });
    expect(ledger.claimedBy(at("a"), "two")).toBeUndefined();
    expect(ledger.claimedBy(at("b"), "two")).toBe("one");
  });

  it("keeps what was there through the second check of a replacement", () => {
    const ledger = new RunLedger();
    ledger.declare("one", { from: at("a"), to: at("a"), leavesFirst: true });
    ledger.identify("one", "ep-1");
    ledger.declare("one", { to: at("a") });
    expect(ledger.initialBranch("one")).toEqual(at("a"));
    expect(ledger.endpointOf("one")).toBe("ep-1");
  });

  it("knows who leaves a place, and whether before or after", () => {
    const ledger = new RunLedger();
    ledger.declare("stays", { from: at("s"), to: at("s"), leavesFirst: true });
    ledger.declare("moves", { from: at("m"), to: at("x"), leavesFirst: true });
    ledger.declare("goes", { from: at("g"), leavesFirst: false });
    expect(ledger.vacatedBy(at("s"), "new")).toBeUndefined();
    expect(ledger.vacatedBy(at("m"), "new")).toEqual({ urn: "moves", first: true });
    expect(ledger.vacatedBy(at("g"), "new")).toEqual({ urn: "goes", first: false });
    expect(ledger.vacatedBy(at("m"), "moves")).toBeUndefined();
  });

  it("forgets everything at the end of a run, and knows nothing of resources without a URN", () => {
    const ledger = new RunLedger();
    ledger.declare("one", { from: at("a"), to: at("a") });
    ledger.recordTakenOver("ep-1");
    ledger.identify(undefined, "ep-2");
    expect(ledger.endpointOf(undefined)).toBeUndefined();
    expect(ledger.initialBranch(undefined)).toBeUndefined();
    expect(ledger.wasTakenOver("ep-1")).toBe(true);
    ledger.clear();
    expect(ledger.wasTakenOver("ep-1")).toBe(false);
    expect(ledger.claimedBy(at("a"), "two")).toBeUndefined();
  });
});
