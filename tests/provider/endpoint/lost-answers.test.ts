/** One table: whatever changes an endpoint, and every way in which the answer to it can be lost. */
import { describe, expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import { remove } from "../../../provider/pulumi/lifecycle";
import { useCreate, useEndpoint } from "./support";

type Used = Awaited<ReturnType<typeof useEndpoint>>;

/** With how many requests it takes. */
const answers: [string, CallEffect, number][] = [
  ["reset after the work", { kind: "reset", when: "after" }, 1],
  ["500 after the work", { kind: "status", status: 500, when: "after" }, 1],
  ["page for browsers", { kind: "html", when: "after" }, 1],
  ["truncated answer", { kind: "truncate-body" }, 1],
  ["reset before the work", { kind: "reset", when: "before" }, 2],
];

/** By the route that is struck: what is done, and how the endpoint is then. */
const changes: [string, (used: Used) => Promise<unknown>, object?][] = [
  ["endpoints.update", ({ change }) => change({ sizeCu: 2, poolerEnabled: true }), { autoscaling_limit_min_cu: 2 }],
  ["endpoints.suspend", ({ change }) => change({ restartTrigger: "one" }), { restart_due: false }],
  ["endpoints.start", ({ change }) => change({ restartTrigger: "one" }), { restart_due: false }],
  ["endpoints.delete", ({ context, stored }) => remove(context, stored)],
];

describe.each(answers)("an answer that is lost (%s)", (_, effect, requests) => {
  it.each(["read_write", "read_only"] as const)("is no second endpoint after a create (%s)", async (type) => {
    const { run, make, bench, inputs, emulator } = await useCreate();
    emulator.admin.addFault({ route: "endpoints.create", count: 1, effect });
    const { id } = await run(make({ type }));
    expect(bench.on(inputs.branchId).map((one) => `${one.project_id}/${one.id}`)).toEqual([id]);
    expect(bench.on(inputs.branchId)[0]?.current_state).toBe("active");
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(requests);
  });

  it.each(changes)("is no second change (%s)", async (route, work, then) => {
    const used = await useEndpoint({ sizeCu: 1 });
    const { run, bench, inputs, live, emulator } = used;
    emulator.admin.addFault({ route, count: 1, effect });
    await run(work(used));
    if (then) expect(live()).toMatchObject({ ...then, current_state: "active" });
    else expect(bench.on(inputs.branchId)).toEqual([]);
    expect(then && live().pending_state).toBeUndefined();
    expect(emulator.admin.log({ route })).toHaveLength(requests);
  });
});

// Some proxies answer so for work that was done: a create, which would be made twice, is looked for.
it.each(["read_write", "read_only"] as const)(
  "a 503 after a create was made is no second endpoint (%s)",
  async (type) => {
    const { run, make, bench, inputs, emulator } = await useCreate();
    emulator.admin.addFault({
      route: "endpoints.create",
      count: 1,
      effect: { kind: "status", status: 503, when: "after" },
    });
    await run(make({ type }));
    expect(bench.on(inputs.branchId)).toHaveLength(1);
    expect(emulator.admin.log({ route: "endpoints.create" })).toHaveLength(1);
  },
);
