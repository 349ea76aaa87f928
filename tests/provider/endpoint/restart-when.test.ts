/** Tests changes that wait for an idle moment (`restartWhen: "idle"`): when they are sent, and what the wait costs. */
import { describe, expect, it } from "vitest";
import { adopt } from "../../../provider/endpoint/create";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import type { PgComputeError } from "../../../provider/platform/errors";
import type { RequestEvent } from "../../../provider/platform/http/send";
import { neon } from "../../../provider/platform/profiles/profiles";
import { create, diff, update } from "../../../provider/pulumi/endpoint/lifecycle";
import { messageFor } from "../../../provider/pulumi/messages/errors";
import { urnOf } from "../../support/bench";
import { useEndpoint } from "./support";

const MINUTE = 60_000;

/** An endpoint with clients, until `untilMs` if given, that suspends a minute after they have left. */
async function useBusy({ untilMs, ...changes }: Partial<EndpointInputs> & { untilMs?: number } = {}) {
  const used = await useEndpoint({ sizeCu: 1, suspendTimeoutSeconds: 60, restartWhen: "idle", ...changes });
  const { endpointId, emulator, clock, context } = used;
  const { admin } = emulator;
  admin.connect({ endpointId, connections: 5 });
  context.said.status.length = 0;
  admin.clearLog();
  const [beganMs, leave] = [clock.now(), () => admin.disconnect({ endpointId })];
  if (untilMs !== undefined) void clock.sleep(untilMs).then(leave);
  return {
    ...used,
    ...{ admin, beganMs, leave },
    elapsedMs: () => clock.now() - beganMs,
    lists: () => admin.log({ route: "endpoints.list" }).length,
    dropped: () => admin.endpoint(endpointId).dropped_connections,
    /** An update that has so many milliseconds from now on. */
    bounded: (timeoutMs: number, news: EndpointInputs) =>
      update({ ...context, timeoutMs, deadlineMs: clock.now() + timeoutMs }, { ...used.stored, inputs: news }),
  };
}

const cutting: [string, Partial<EndpointInputs> | "move"][] = [
  ["a new size", { sizeCu: 2 }],
  ["a new trigger", { restartTrigger: "one" }],
  ["disabled", { disabled: true }],
  ["settings, of which nobody says whether they restart", { pgSettings: { work_mem: "8MB" } }],
  ["another branch", "move"],
];

describe('restartWhen: "idle"', () => {
  it.each(cutting)("holds back %s until nobody uses the endpoint", async (_, change) => {
    const used = await useBusy({ untilMs: 95_000 });
    const { run, changes, context, beganMs } = used;
    await run(used.change(change === "move" ? { branchId: used.bench.branch() } : change));
    // A minute after the last client has left, at the next look.
    expect(changes()[0]?.at).toBeGreaterThanOrEqual(beganMs + 155_000);
    expect(changes()[0]?.at).toBeLessThanOrEqual(beganMs + 166_000);
    expect(used.dropped()).toBe(0);
    expect(context.said.status[0]).toBe("waits until idle: last active 10:00 UTC");
  });

  it.each<[string, Partial<EndpointInputs>]>([
    ["a new delay", { suspendTimeoutSeconds: 120 }],
    ["autosuspend that is turned off", { suspendTimeoutSeconds: -1 }],
    ["nothing of the endpoint", { restartWhen: "idle" }],
    ['anything with "now"', { sizeCu: 2, restartWhen: "now" }],
  ])("does not hold back %s", async (_, news) => {
    const { run, change, elapsedMs, lists } = await useBusy();
    await run(change(news));
    expect(elapsedMs()).toBeLessThan(MINUTE);
    expect(lists()).toBe(0);
  });

  it.each([
    ["10 minutes", undefined, 10 * MINUTE],
    ["what customTimeouts.update says", 3 * MINUTE, 3 * MINUTE],
  ])("gives up after %s, when nothing was sent", async (_, timeoutMs, ms) => {
    const { bench, inputs, change, bounded, elapsedMs, changes, lists } = await useBusy();
    const resized = { ...inputs, sizeCu: 2 };
    const error = await bench.fails(timeoutMs === undefined ? change(resized) : bounded(timeoutMs, resized));
    expect(error).toMatchObject({ name: "PgComputeError", kind: "in_use" });
    expect(error.message).toMatch(
      /was in use for the \d+ s that .* \(running since .* 10:00 UTC, last active .* 10:00 UTC\)/,
    );
    expect(error.message).toContain("nothing was sent");
    expect(elapsedMs()).toBe(ms);
    expect(changes()).toEqual([]);
    expect(lists()).toBeLessThanOrEqual(ms / 10_000 + 1);
  });

  it.each<[string, number, Partial<EndpointInputs>]>([
    ["a longer customTimeouts.update", 20 * MINUTE, {}],
    ['`restartWhen: "now"`', 10 * MINUTE, { restartWhen: "now" }],
  ])("goes through with %s, as its error says", async (_, timeoutMs, said) => {
    const { run, bench, inputs, bounded } = await useBusy({ untilMs: 15 * MINUTE });
    const news = { ...inputs, sizeCu: 2 };
    const error = await bench.fails(bounded(10 * MINUTE, news));
    expect(messageFor(error as PgComputeError)).toContain(
      'raise customTimeouts.update to wait longer, or set `restartWhen: "now"`',
    );
    expect((await run(bounded(timeoutMs, { ...news, ...said }))).state).toMatchObject({ sizeCu: 2 });
  });

  it("looks by one list every 10 s, however many wait", async () => {
    const { change, admin, bench, lists, clock } = await useBusy();
    const many = Array.from({ length: 20 }, (_, at) => change({ restartTrigger: String(at) }).catch(() => {}));
    await clock.pass(5 * MINUTE);
    expect(lists()).toBeLessThanOrEqual(31);
    expect(admin.log().length).toBe(lists());
    await bench.run(Promise.all(many));
  });

  it.each([
    ["before it is looked at by its id", undefined],
    ["while the rate limit holds back what was to be sent", 30],
  ])("goes on waiting where somebody connects %s", async (_, seconds) => {
    const used = await useBusy({ untilMs: MINUTE });
    const { admin, clock, endpointId, stored, inputs, run, leave, bench, dropped } = used;
    if (seconds !== undefined) {
      const effect = { kind: "status", status: 429, retryAfter: { form: "seconds", seconds } } as const;
      admin.addFault({ route: "endpoints.update", count: 1, effect });
    }
    let comes = true;
    const onRequest = ({ method, path }: RequestEvent) => {
      const isMoment = seconds === undefined ? path.endsWith("/endpoints") : method === "PATCH";
      const { current_state, pending_state } = admin.endpoint(endpointId);
      if (!comes || !isMoment || current_state !== "idle" || pending_state !== undefined) return;
      comes = false;
      admin.connect({ endpointId, connections: 3 });
      void clock.sleep(2 * MINUTE).then(() => {
        expect(admin.endpoint(endpointId)).toMatchObject({ connections: 3, dropped_connections: 0 });
        leave();
      });
    };
    const context = { ...used.context, account: bench.account({ onRequest }) };
    const { state } = await run(update(context, { ...stored, inputs: { ...inputs, sizeCu: 2 } }));
    expect([comes, state.sizeCu, dropped()]).toEqual([false, 2, 0]);
  });

  it("gives its place among others back as soon as the look by its id finds it in use", async () => {
    const used = await useBusy({ untilMs: MINUTE });
    const { admin, clock, endpointId, stored, inputs, run, leave, bench } = used;
    let enteredMs: number | undefined;
    const heldMs: number[] = [];
    const hold = {
      enter: async () => {
        enteredMs = clock.now();
        if (heldMs.length > 0) return;
        admin.connect({ endpointId, connections: 3 });
        void clock.sleep(2 * MINUTE).then(leave);
      },
      waits: () => {
        if (enteredMs !== undefined) heldMs.push(clock.now() - enteredMs);
        enteredMs = undefined;
      },
    };
    const context = { ...used.context, account: bench.account(), hold };
    await run(update(context, { ...stored, inputs: { ...inputs, sizeCu: 2 } }));
    expect(heldMs).toEqual([expect.any(Number)]);
    expect(heldMs[0]).toBeLessThan(1_000);
  });

  it.each(["endpoints.list", "endpoints.get"] as const)(
    "waits on through a platform whose %s fails for a while",
    async (route) => {
      const { run, change, admin, live } = await useBusy({ untilMs: MINUTE });
      admin.addFault({ route, count: 40, effect: { kind: "status", status: 500 } });
      await run(change({ sizeCu: 2 }));
      expect(live()).toMatchObject({ autoscaling_limit_max_cu: 2, dropped_connections: 0 });
    },
  );

  it("counts no lost look as a lost change: in the end it says that the platform could not be asked", async () => {
    const { bench, change, admin, changes } = await useBusy({ untilMs: MINUTE });
    admin.addFault({ route: "endpoints.get", effect: { kind: "status", status: 500 } });
    expect(await bench.fails(change({ sizeCu: 2 }))).toMatchObject({ name: "HttpError", kind: "server" });
    expect(changes()).toEqual([]);
  });

  it("holds for what a takeover changes, too", async () => {
    const { run, context, inputs, endpointId, elapsedMs, dropped } = await useBusy({ untilMs: MINUTE });
    const record = await run(context.account.project(inputs.projectId).cache.endpoint(endpointId));
    if (!record) throw new Error("the endpoint has gone");
    await run(adopt(context, { record, inputs: { ...inputs, sizeCu: 2 }, adopted: true }));
    expect(elapsedMs()).toBeGreaterThan(2 * MINUTE);
    expect(dropped()).toBe(0);
  });

  it("keeps nobody waiting at its branch", async () => {
    const { run, change, context, inputs, elapsedMs } = await useBusy({ untilMs: 3 * MINUTE });
    const waiting = change({ sizeCu: 2 });
    const { restartWhen: _, ...others } = inputs;
    await run(create({ ...context, urn: urnOf("replica") }, { ...others, type: "read_only" }));
    expect(elapsedMs()).toBeLessThan(MINUTE);
    await run(waiting);
  });
});

describe("the preview of a change that waits", () => {
  const never =
    /endpoint \S+ never suspends as it is now. Run pulumi up with another suspendTimeoutSeconds alone first/;

  it.each<[string, Partial<EndpointInputs>, string]>([
    ["a new size", { sizeCu: 2 }, "waits for an idle moment, then restarts the endpoint"],
    ["disabled", { disabled: true }, "waits for an idle moment"],
    ["a new delay", { suspendTimeoutSeconds: 120 }, "no restart; connections stay"],
    ["another type", { type: "read_only" }, 'restartWhen: "idle" does not hold this back'],
  ])("says of %s what it does", async (_, news, message) => {
    const { run, context, stored, inputs } = await useBusy();
    const { messages } = await run(diff(context, { ...stored, inputs: { ...inputs, ...news } }));
    expect(messages.join("; ")).toContain(message);
  });

  it('passes once autosuspend is on, by a run of its own, or with "now", as the refusal says', async () => {
    const { run, context, stored, inputs, change } = await useBusy({ suspendTimeoutSeconds: -1 });
    const resized = { ...inputs, sizeCu: 2 };
    context.run.record(context.urn).phase = "kept";
    // What is in force counts.
    for (const news of [resized, { ...resized, suspendTimeoutSeconds: 60 }])
      await expect(run(diff(context, { ...stored, inputs: news }))).rejects.toThrow(never);
    expect((await run(diff(context, { ...stored, inputs: { ...resized, restartWhen: "now" } }))).changes).toBe(true);
    const suspends = await run(change({ suspendTimeoutSeconds: 60 }));
    const then = { ...resized, suspendTimeoutSeconds: 60 };
    expect((await run(diff(context, { ...suspends, inputs: then }))).impact?.waitsForIdle).toBe(true);
  });

  it.each([60, -1])("says the size where that is what never suspends, with a delay of %i s", async (delay) => {
    const large = { sizeCu: 18, suspendTimeoutSeconds: delay, restartWhen: "idle" } as const;
    const { run, context, stored, inputs } = await useEndpoint(large, { platform: "neon" }, { profile: neon });
    context.run.record(context.urn).phase = "kept";
    const planned = diff(context, { ...stored, inputs: { ...inputs, sizeCu: 20 } });
    await expect(run(planned)).rejects.toThrow(
      /never suspends as it is now: the platform keeps sizes above 16 CU active, whatever the delay. Set `restartWhen: "now"`$/,
    );
  });
});
