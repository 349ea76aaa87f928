import { describe, expect, it } from "vitest";
import { upped } from "../../engine-model/person";
import { useStack, type Values } from "../../engine-model/stack";

/** A fleet of one, and what the platform has of it. */
async function useMember(first: Values, ignoreChanges: string[]) {
  const used = await useStack();
  const { bench, stack, admin } = used;
  const branchId = bench.branch();
  const program = (member: Values, more: Values = {}) => {
    const { fleet } = used.program({ a: { branchId, ...member } }, more);
    return { fleet: { ...fleet, ignoreChanges } };
  };
  const run = async (member: Values, more: Values = {}) => {
    const up = await upped(used, program(member, more));
    expect(up.error).toBeUndefined();
    return up.changes.a;
  };
  await run(first);
  const id = String(stack.endpoints().a?.endpointId);
  return { bench, stack, admin, branchId, program, run, id, live: () => admin.endpoint(id) };
}

const sizes = (cu: number) => ({ autoscaling_limit_min_cu: cu, autoscaling_limit_max_cu: cu });

describe("what a program ignores of a member", () => {
  it("stays as somebody else has set it, though an update of the rest has shown it", async () => {
    const { admin, stack, program, run, id, live } = await useMember({ sizeCu: 1 }, ['endpoints["a"].sizeCu']);
    admin.changeEndpoint(id, sizes(4));
    const member = { sizeCu: 1, suspendTimeoutSeconds: 600 };
    const { outputs } = await stack.preview(program(member));
    expect(outputs?.endpoints).toMatchObject({ a: { sizeCu: 1, suspendTimeoutSeconds: 600 } });
    expect(await run(member)).toBe("update");
    expect(live()).toMatchObject({ ...sizes(4), suspend_timeout_seconds: 600 });
    expect(await run(member)).toBe("same");
    expect(live()).toMatchObject(sizes(4));
  });

  it("is not sent with the rest after an operation that failed", async () => {
    const { admin, stack, program, run, id, live } = await useMember({ sizeCu: 1 }, ["endpoints[*].sizeCu"]);
    const member = { sizeCu: 1, poolerMode: "session" };
    const fault = admin.addFault({ on: "operation", endpointId: id, effect: { kind: "fail" } });
    expect((await stack.up(program(member))).error).toBeDefined();
    admin.removeFault(fault);
    admin.changeEndpoint(id, sizes(4));
    await run(member);
    expect(live()).toMatchObject({ ...sizes(4), pooler_mode: "session" });
  });

  it("does not come by a new default", async () => {
    const { run, live } = await useMember({}, ['endpoints["a"].suspendTimeoutSeconds']);
    const { suspend_timeout_seconds: before } = live();
    expect(await run({}, { defaults: { suspendTimeoutSeconds: 900 } })).toBe("same");
    expect(live()).toMatchObject({ suspend_timeout_seconds: before });
    expect(await run({}, { defaults: { suspendTimeoutSeconds: 900, poolerMode: "session" } })).toBe("update");
    expect(live()).toMatchObject({ suspend_timeout_seconds: before, pooler_mode: "session" });
  });

  it("stays where somebody else has moved it", async () => {
    const { admin, run, id, live, bench, branchId } = await useMember({}, ['endpoints["a"].branchId']);
    const elsewhere = bench.branch();
    admin.changeEndpoint(id, { branch_id: elsewhere });
    admin.seedEndpoint(bench.emulator.projectId, { branch_id: branchId });
    await run({ suspendTimeoutSeconds: 600 });
    expect(await run({ suspendTimeoutSeconds: 600 })).toBe("same");
    expect(live()).toMatchObject({ branch_id: elsewhere, suspend_timeout_seconds: 600 });
  });
});
