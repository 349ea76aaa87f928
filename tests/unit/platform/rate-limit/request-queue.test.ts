import { describe, expect, it } from "vitest";
import type { Rank, RequestQueue } from "../../../../provider/platform/rate-limit/request-queue";
import { idle, runCallers, setUp } from "./limiter";

describe("after a refusal", () => {
  it("one call goes ahead, and the others follow only when it has passed", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(5_000);
    const entered: number[] = [];
    const startMs = clock.now();
    const passes = Array.from({ length: 5 }, () =>
      queue.acquire("read", idle).then((pass) => {
        entered.push(clock.now() - startMs);
        return pass;
      }),
    );
    const probe = await clock.run(Promise.race(passes));
    expect(entered).toHaveLength(1);
    expect(entered[0]).toBeGreaterThanOrEqual(5_000);
    expect(entered[0]).toBeLessThan(5_300);
    probe?.passed();
    const rest = (await clock.run(Promise.all(passes))).slice(1);
    for (const pass of rest) pass?.passed();
    expect(entered).toHaveLength(5);
  });

  it("the refused call goes first, then changes, then reads, and looks when nobody else waits", async () => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: 1 });
    (await queue.acquire("change", idle))?.passed();
    const order: string[] = [];
    const enter = async (rank: Rank, name: string) => {
      const pass = await queue.acquire(rank, idle);
      order.push(name);
      pass?.passed();
    };
    const all = [
      ...["l1", "l2"].map((name) => enter("look", name)),
      ...["r1", "r2"].map((name) => enter("read", name)),
      ...["c1", "c2", "c3", "c4", "c5"].map((name) => enter("change", name)),
      enter("refused", "again"),
    ];
    await clock.run(Promise.all(all));
    expect(order.join(" ")).toBe("again c1 c2 c3 c4 c5 r1 r2 l1 l2");
  });

  it("the time in which nobody asked is not taken for a slow limit", async () => {
    const { clock, queue } = setUp();
    const send = async () => (await queue.acquire("change", idle))?.passed();
    (await queue.acquire("change", idle))?.refused();
    // Looks at operations that take a while.
    for (let look = 0; look < 60; look += 1) await clock.run(clock.sleep(2_000).then(send));
    (await clock.run(queue.acquire("change", idle)))?.refused();
    const beganMs = clock.now();
    await clock.run(Promise.all(Array.from({ length: 100 }, send)));
    expect(clock.now() - beganMs).toBeLessThan(10_000);
  });

  it.each<[Rank, Rank[]]>([
    ["look", ["change"]],
    ["read", ["change"]],
    ["look", ["change", "read"]],
  ])("a %s is overtaken by ten at most, though others never end: %j", async (low, others) => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: 1 });
    const order: Rank[] = [];
    const ask = (rank: Rank) =>
      queue.acquire(rank, idle).then((pass) => {
        order.push(rank);
        pass?.passed();
      });
    const all = [...others.flatMap((rank) => Array.from({ length: 200 }, () => ask(rank))), ask(low), ask(low)];
    await clock.run(Promise.all(all));
    // The very first had its turn at once.
    expect(order.flatMap((rank, at) => (rank === low ? [at] : [])).slice(0, 2)).toEqual([11, 22]);
  });

  it("who waits for 2 s is told why, once, and leaves at the deadline", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(60_000);
    const startMs = clock.now();
    const said: string[] = [];
    const onWait = (message: string) => said.push(`${clock.now() - startMs} ms: ${message}`);
    expect(await clock.run(queue.acquire("change", idle, { deadlineMs: startMs + 5_000, onWait }))).toBeUndefined();
    expect(said).toEqual(["2000 ms: waiting for the account's rate limit"]);
    expect(clock.now() - startMs).toBe(5_000);
  });

  it("all give up when nothing will pass in time", async () => {
    const { clock, queue } = setUp();
    const first = await queue.acquire("read", idle);
    const waiting = [queue.acquire("change", idle), queue.acquire("read", idle)];
    (await waiting[0])?.unanswered();
    (await waiting[1])?.unanswered();
    first?.refused(3_600_000);
    expect(await queue.acquire("read", idle)).toBeUndefined();
    expect(queue.noTurn(0).why).toMatch(/^the account's rate limit lets nothing through for another 3\d{3} s$/);
    expect(clock.sleeping()).toBe(0);
  });

  it("who had no turn because of the configured pace is told so", async () => {
    const { clock, queue } = setUp({ maxRequestsPerSecond: 1 });
    const asked = Array.from({ length: 9 }, () => queue.acquire("change", idle, { deadlineMs: clock.now() + 3_000 }));
    const turns = asked.map(async (turn) => (await turn)?.passed() === undefined && (await turn));
    expect((await clock.run(Promise.all(turns))).filter((permit) => permit === undefined)).toHaveLength(6);
    expect(queue.noTurn(3_000).why).toBe("maxRequestsPerSecond left no turn for it within 3 s");
  });

  it("who had no turn because others have no answer is told so, and hears of no limit", async () => {
    const { clock, queue } = setUp();
    const deadlineMs = clock.now() + 60_000;
    const turns = Array.from({ length: 41 }, () => queue.acquire("change", idle, { deadlineMs }));
    expect((await clock.run(Promise.all(turns))).filter((permit) => permit === undefined)).toHaveLength(1);
    expect(queue.noTurn(60_000)).toEqual({
      kind: "timeout",
      why: "40 requests under way left no turn for it within 60 s",
    });
    expect(queue.noTurn(0).why).toBe("40 requests under way left no turn for it in the time that was left");
  });

  it("one that was sent before is refused while a probe is out, and the pause that it brings is kept to", async () => {
    const { clock, queue } = setUp();
    const late = await queue.acquire("change", idle);
    (await queue.acquire("change", idle))?.refused(1_000);
    const probe = await clock.run(queue.acquire("change", idle));
    const beganMs = clock.now();
    late?.refused(60_000);
    const next = queue.acquire("change", idle);
    await clock.pass(30_000);
    probe?.unanswered();
    await clock.run(next);
    expect(clock.now() - beganMs).toBeGreaterThanOrEqual(60_000);
  });

  it("a probe without an answer does not stop the others for long", async () => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(1_000);
    const startMs = clock.now();
    await clock.run(queue.acquire("read", idle));
    const next = await clock.run(queue.acquire("read", idle));
    expect(clock.now() - startMs).toBeLessThan(3_500);
    next?.passed();
  });
});

describe("the share of the limit that is used", () => {
  const send = async (queue: RequestQueue, calls: number) => {
    for (let call = 0; call < calls; call++) (await queue.acquire("change", idle))?.passed();
  };

  it.each([
    [350, 0.5],
    [700, 1],
    // By then the published limit is not this account's.
    [701, 0],
    [5_000, 0],
  ])("after %i requests in a minute without a refusal is %s", async (calls, share) => {
    const { queue } = setUp();
    await send(queue, calls);
    expect(queue.used()).toBeCloseTo(share);
  });

  it("is that of the published one after a refusal", async () => {
    const { queue } = setUp();
    await send(queue, 1_050);
    (await queue.acquire("change", idle))?.refused();
    expect(queue.used()).toBeCloseTo(1.5);
  });

  it("counts what is unanswered as used, and not as let through", async () => {
    const { queue } = setUp();
    await send(queue, 695);
    const open = await Promise.all(Array.from({ length: 10 }, () => queue.acquire("change", idle)));
    expect(queue.used()).toBeCloseTo(705 / 700);
    for (const permit of open) permit?.passed();
    expect(queue.used()).toBe(0);
  });
});

describe("without a limit", () => {
  it("nobody waits for the clock when answers come quickly", async () => {
    const { clock, queue } = setUp();
    const caller = async () => {
      for (let i = 0; i < 10; i++) {
        const pass = await queue.acquire("change", idle);
        await new Promise((resolve) => setImmediate(resolve));
        pass?.passed();
      }
    };
    await Promise.all(Array.from({ length: 100 }, caller));
    expect(clock.sleeping()).toBe(0);
  });

  it("calls that take long do not hold up the others for long", async () => {
    const { clock, queue } = setUp();
    const result = await clock.run(
      runCallers(queue, clock, undefined, { n: 40, callers: 40, latencyMs: () => 20_000 }),
    );
    expect(Math.max(...result.starts) - Math.min(...result.starts)).toBeLessThanOrEqual(1_000);
  });
});
