/** Tests changes that wait for an idle moment (`restartWhen: "idle"`): when they are sent, and what the wait costs. */
import { describe, expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import type { RequestEvent } from "../../../provider/platform/http/send";
import { neon } from "../../../provider/platform/profiles/profiles";
import { endpointKind } from "../../../provider/pulumi/resource";
import { PartialFailure } from "../../engine-model/deployment/resource";
import { justBefore, type Options, useMade, useStack, type Values } from "../../engine-model/stack";
import { contextOf } from "../../support/call-context";

const MINUTE = 60_000;

const base = { sizeCu: 1, suspendTimeoutSeconds: 60, restartWhen: "idle" };

/** An endpoint with clients, until `untilMs` if given, that suspends a minute after they have left. */
async function useBusy({ untilMs, ...first }: Values & { untilMs?: number } = {}) {
  const used = await useMade({ ...base, ...first });
  const { stack, admin, bench, main, id: endpointId } = used;
  const { clock } = bench;
  admin.connect({ endpointId, connections: 5 });
  const [beganMs, leave] = [clock.now(), () => admin.disconnect({ endpointId })];
  if (untilMs !== undefined) void clock.sleep(untilMs).then(leave);
  return {
    ...used,
    ...{ clock, beganMs, leave, endpointId },
    elapsedMs: () => clock.now() - beganMs,
    /** Since the update. */
    lists: () => admin.log({ route: "endpoints.list" }).length,
    dropped: () => admin.endpoint(endpointId).dropped_connections,
    change: (news: Values, options: Options = {}) =>
      stack.up(main(news), { beforeStep: justBefore("update", () => admin.clearLog()), ...options }),
  };
}

const cutting: [string, Values | "move"][] = [
  ["a new size", { sizeCu: 2 }],
  ["a new trigger", { restartTrigger: "one" }],
  ["disabled", { disabled: true }],
  ["settings, of which nobody says whether they restart", { pgSettings: { work_mem: "8MB" } }],
  ["another branch", "move"],
];

describe('restartWhen: "idle"', () => {
  it.each(cutting)("holds back %s until nobody uses the endpoint", async (_, news) => {
    const { branch, change, sent, beganMs, dropped } = await useBusy({ untilMs: 95_000 });
    const { messages, rows } = await change(news === "move" ? { branchId: branch() } : news);
    expect(messages).toEqual([]);
    // A minute after the last client has left, at the next look.
    expect(sent()[0]?.at).toBeGreaterThanOrEqual(beganMs + 155_000);
    expect(sent()[0]?.at).toBeLessThanOrEqual(beganMs + 166_000);
    expect(dropped()).toBe(0);
    const status = rows.find(({ level }) => level === "status");
    expect(status?.message).toBe("waits until idle: last active 10:00 UTC");
  });

  it.each<[string, Values]>([
    ["a new delay", { suspendTimeoutSeconds: 120 }],
    ["autosuspend that is turned off", { suspendTimeoutSeconds: -1 }],
    ["nothing of the endpoint", {}],
    ['anything with "now"', { sizeCu: 2, restartWhen: "now" }],
  ])("does not hold back %s", async (_, news) => {
    const { change, stored, elapsedMs, lists } = await useBusy();
    // The engine calls Update, even of nothing, where the last one has failed.
    Object.assign(stored() ?? {}, { unfinished: true });
    expect(await change(news)).toMatchObject({ messages: [], changes: { main: "update" } });
    expect(elapsedMs()).toBeLessThan(MINUTE);
    expect(lists()).toBe(0);
  });

  it.each([
    ["10 minutes", undefined, 10 * MINUTE],
    ["what customTimeouts.update says", 3 * MINUTE, 3 * MINUTE],
  ])("gives up after %s, when nothing was sent", async (_, timeoutMs, ms) => {
    const { change, elapsedMs, sent, lists } = await useBusy();
    const { error } = await change({ sizeCu: 2 }, { timeoutMs });
    expect(error).not.toBeInstanceOf(PartialFailure);
    expect(error?.message).toMatch(
      /was in use for the \d+ s that .* \(running since .* 10:00 UTC, last active .* 10:00 UTC\)/,
    );
    expect(error?.message).toContain("nothing was sent");
    expect(elapsedMs()).toBe(ms);
    expect(sent()).toEqual([]);
    // The first look has the list of the Check.
    expect(lists()).toBeLessThanOrEqual(ms / 10_000);
  });

  it.each<[string, number, Values]>([
    ["a longer customTimeouts.update", 20 * MINUTE, {}],
    ['`restartWhen: "now"`', 10 * MINUTE, { restartWhen: "now" }],
  ])("goes through with %s, as its error says", async (_, timeoutMs, said) => {
    const { change, stored } = await useBusy({ untilMs: 15 * MINUTE });
    const { error } = await change({ sizeCu: 2 }, { timeoutMs: 10 * MINUTE });
    expect(String(error?.message)).toContain('raise customTimeouts.update to wait longer, or set `restartWhen: "now"`');
    expect((await change({ sizeCu: 2, ...said }, { timeoutMs })).messages).toEqual([]);
    expect(stored()?.state).toMatchObject({ sizeCu: 2 });
  });

  it("looks by one list every 10 s, however many wait", async () => {
    const { bench, stack, admin, branches, single } = await useStack();
    const on = branches(20);
    const program = (sizeCu: number) =>
      Object.fromEntries(on.map((branchId, at) => [`r${at}`, single(branchId, { ...base, sizeCu })]));
    await stack.up(program(1));
    for (const endpointId of Object.values(stack.ids())) admin.connect({ endpointId, connections: 1 });
    const beforeStep = justBefore("update", () => admin.clearLog());
    const waiting = stack.up(program(2), { beforeStep, pace: "late" });
    await bench.clock.pass(5 * MINUTE);
    const lists = admin.log({ route: "endpoints.list" }).length;
    expect(lists).toBeLessThanOrEqual(31);
    expect(admin.log().length).toBe(lists);
    expect((await waiting).messages).toHaveLength(20);
  });

  it.each([
    ["before it is looked at by its id", undefined],
    ["while the rate limit holds back what was to be sent", 30],
  ])("goes on waiting where somebody connects %s", async (_, seconds) => {
    const { stack, admin, clock, endpointId, leave, change, stored, dropped } = await useBusy({ untilMs: MINUTE });
    if (seconds !== undefined) {
      const effect = { kind: "status", status: 429, retryAfter: { form: "seconds", seconds } } as const;
      admin.addFault({ route: "endpoints.update", count: 1, effect });
    }
    let comes = true;
    stack.onRequest = ({ method, path }: RequestEvent) => {
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
    expect((await change({ sizeCu: 2 })).messages).toEqual([]);
    expect([comes, stored()?.state.sizeCu, dropped()]).toEqual([false, 2, 0]);
  });

  it("gives its place among others back as soon as the look by its id finds it in use", async () => {
    const { admin, bench, clock, endpointId, leave, main, stored } = await useBusy({ untilMs: MINUTE });
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
    const { id = "", state = {}, inputs = {} } = stored() ?? {};
    const wanted = { ...main({ sizeCu: 2 }).main.args, type: "read_write" } as unknown as EndpointInputs;
    await bench.run(endpointKind.update(contextOf(bench, { hold }), { id, state, oldInputs: inputs, inputs: wanted }));
    expect(heldMs).toEqual([expect.any(Number)]);
    expect(heldMs[0]).toBeLessThan(1_000);
  });

  it.each(["endpoints.list", "endpoints.get"] as const)(
    "waits on through a platform whose %s fails for a while",
    async (route) => {
      const { change, admin, live } = await useBusy({ untilMs: MINUTE });
      const effect = { kind: "status", status: 500 } as const;
      const beforeStep = justBefore("update", () => admin.addFault({ route, count: 40, effect }));
      expect((await change({ sizeCu: 2 }, { beforeStep })).messages).toEqual([]);
      expect(live()).toMatchObject({ autoscaling_limit_max_cu: 2, dropped_connections: 0 });
    },
  );

  it("counts no lost look as a lost change: in the end it says that the platform could not be asked", async () => {
    const { change, admin, sent } = await useBusy({ untilMs: MINUTE });
    admin.addFault({ route: "endpoints.get", effect: { kind: "status", status: 500 } });
    expect((await change({ sizeCu: 2 })).error).toMatchObject({ message: expect.stringMatching(/answered 5\d\d/) });
    expect(sent()).toEqual([]);
  });

  it("holds for what a takeover changes, too", async () => {
    const { stack, admin, endpointId, change, elapsedMs, dropped } = await useBusy({ untilMs: MINUTE });
    admin.changeEndpoint(endpointId, { name: "" });
    stack.engine.state.clear();
    expect((await change({ sizeCu: 2, adoptExisting: true })).messages).toEqual([]);
    expect(stack.ids().main).toBe(endpointId);
    expect(elapsedMs()).toBeGreaterThan(2 * MINUTE);
    expect(dropped()).toBe(0);
  });

  it("keeps nobody waiting at its branch", async () => {
    const { stack, admin, branchId, main, single, beganMs } = await useBusy({ untilMs: 3 * MINUTE });
    const program = { ...main({ sizeCu: 2 }), replica: single(branchId, { type: "read_only" }) };
    expect((await stack.up(program, { pace: "late" })).messages).toEqual([]);
    const [created] = admin.log({ route: "endpoints.create" });
    expect((created?.at ?? Number.POSITIVE_INFINITY) - beganMs).toBeLessThan(MINUTE);
  });
});

describe("the preview of a change that waits", () => {
  const never =
    /endpoint \S+ never suspends as it is now\. What you can do:\n {2}- Run `pulumi up` with another suspendTimeoutSeconds alone first/;

  it.each<[string, Values, string]>([
    ["a new size", { sizeCu: 2 }, "waits for an idle moment, then restarts the endpoint"],
    ["disabled", { disabled: true }, "waits for an idle moment"],
    ["a new delay", { suspendTimeoutSeconds: 120 }, "no restart; connections stay"],
    ["another type", { type: "read_only" }, 'restartWhen: "idle" does not hold this back'],
  ])("says of %s what it does", async (_, news, message) => {
    const { stack, main } = await useMade(base);
    expect((await stack.preview(main(news))).said.join("; ")).toContain(message);
  });

  it('passes once autosuspend is on, by a run of its own, or with "now", as the refusal says', async () => {
    const { stack, main } = await useMade({ ...base, suspendTimeoutSeconds: -1 });
    const suspends = { sizeCu: 2, suspendTimeoutSeconds: 60 };
    // What is in force counts.
    for (const news of [{ sizeCu: 2 }, suspends])
      expect((await stack.preview(main(news))).messages).toEqual([expect.stringMatching(never)]);
    const now = await stack.preview(main({ sizeCu: 2, restartWhen: "now" }));
    expect(now).toMatchObject({ messages: [], isChanged: true });
    await stack.up(main({ suspendTimeoutSeconds: 60 }));
    expect((await stack.preview(main(suspends))).said.join()).toContain("waits for an idle moment");
  });

  it.each([60, -1])("says the size where that is what never suspends, with a delay of %i s", async (delay) => {
    const large = { sizeCu: 18, suspendTimeoutSeconds: delay, restartWhen: "idle" };
    const { stack, main } = await useMade(large, { platform: "neon" }, { profile: neon });
    expect((await stack.preview(main({ sizeCu: 20 }))).messages).toEqual([
      expect.stringMatching(
        /never suspends as it is now: the platform keeps sizes above 16 CU active, whatever the delay\. What you can do:\n {2}- Set `restartWhen: "now"`\.$/,
      ),
    ]);
  });
});
