import { describe, expect, it } from "vitest";
import type { LifecycleContext as Context } from "../../../provider/pulumi/call";
import { create, remove, update } from "../../../provider/pulumi/lifecycle";
import { useEndpoint } from "./support";

/** An endpoint, and changes whose answer is lost on a platform that lets nothing through for the next five minutes. */
async function useLost(verb: "create" | "update" | "delete") {
  const one = await useEndpoint({ sizeCu: 1 });
  const { bench, inputs, stored, clock } = one;
  const { admin } = one.emulator;
  const retryAfter = { form: "seconds", seconds: 300 } as const;
  admin.addFault({ route: `endpoints.${verb}`, count: 1, effect: { kind: "reset", when: "before" } });
  admin.addFault({ method: "GET", count: 1, effect: { kind: "status", status: 429, retryAfter } });
  const beganMs = clock.now();
  const verbs = {
    create: (context: Context) => create(context, { ...inputs, branchId: bench.branch(), type: "read_only" }),
    update: (context: Context) => update(context, { ...stored, inputs: { ...inputs, sizeCu: 2 } }),
    delete: (context: Context) => remove(context, stored),
  };
  return { ...one, change: verbs[verb], elapsedMs: () => clock.now() - beganMs };
}

describe.each(["create", "update", "delete"] as const)("the look after a %s whose answer was lost", (verb) => {
  it("ends five seconds after the run was interrupted, and says what it waits for", async () => {
    const { bench, context, change, clock, elapsedMs } = await useLost(verb);
    const interrupt = new AbortController();
    const said: string[] = [];
    const reporter = { ...context.reporter, status: (message: string) => said.push(message) };
    const failed = bench.fails(change({ ...context, reporter, signal: interrupt.signal }));
    void clock.sleep(10_000).then(() => interrupt.abort());
    expect(await failed).toMatchObject({ kind: "cancelled" });
    expect(elapsedMs()).toBe(15_000);
    expect(said).toContain("waiting for the account's rate limit");
    expect(clock.sleeping()).toBe(0);
  });

  it("ends with the time that the user gave the change", async () => {
    const { bench, context, change, clock, elapsedMs } = await useLost(verb);
    const error = await bench.fails(change({ ...context, timeoutMs: 30_000, deadlineMs: clock.now() + 30_000 }));
    expect(error.message).toMatch(/answered 429|rate limit left no turn/);
    expect(elapsedMs()).toBeLessThanOrEqual(35_000);
  });
});
