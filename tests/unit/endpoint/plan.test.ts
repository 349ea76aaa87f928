import { describe, expect, it } from "vitest";
import { Plan } from "../../../provider/endpoint/plan";

const at = (branchId: string) => ({ projectId: "p", branchId });

describe("the plan", () => {
  it("gives a place to the first that claims it, until that one goes elsewhere", () => {
    const plan = new Plan();
    plan.declare("one", { to: at("a") });
    plan.declare("two", { to: at("a") });
    expect(plan.holderOf(at("a"), "two")).toBe("one");
    expect(plan.holderOf(at("a"), "one")).toBeUndefined();
    expect(plan.holderOf({ projectId: "q", branchId: "a" }, "two")).toBeUndefined();
    plan.declare("one", { to: at("b") });
    expect(plan.holderOf(at("a"), "two")).toBeUndefined();
    expect(plan.holderOf(at("b"), "two")).toBe("one");
  });

  it("keeps what was there through the second check of a replacement", () => {
    const plan = new Plan();
    plan.declare("one", { from: at("a"), to: at("a"), leavesFirst: true });
    plan.identify("one", "ep-1");
    plan.declare("one", { to: at("a") });
    expect(plan.originOf("one")).toEqual(at("a"));
    expect(plan.endpointOf("one")).toBe("ep-1");
  });

  it("knows who leaves a place, and whether before or after", () => {
    const plan = new Plan();
    plan.declare("stays", { from: at("s"), to: at("s"), leavesFirst: true });
    plan.declare("moves", { from: at("m"), to: at("x"), leavesFirst: true });
    plan.declare("goes", { from: at("g"), leavesFirst: false });
    expect(plan.leaverOf(at("s"), "new")).toBeUndefined();
    expect(plan.leaverOf(at("m"), "new")).toEqual({ urn: "moves", first: true });
    expect(plan.leaverOf(at("g"), "new")).toEqual({ urn: "goes", first: false });
    expect(plan.leaverOf(at("m"), "moves")).toBeUndefined();
  });

  it("forgets everything at the end of a run, and knows nothing of resources without a URN", () => {
    const plan = new Plan();
    plan.declare("one", { from: at("a"), to: at("a") });
    plan.recordTakenOver("ep-1");
    plan.identify(undefined, "ep-2");
    expect(plan.endpointOf(undefined)).toBeUndefined();
    expect(plan.originOf(undefined)).toBeUndefined();
    expect(plan.wasTakenOver("ep-1")).toBe(true);
    plan.clear();
    expect(plan.wasTakenOver("ep-1")).toBe(false);
    expect(plan.holderOf(at("a"), "two")).toBeUndefined();
  });
});
