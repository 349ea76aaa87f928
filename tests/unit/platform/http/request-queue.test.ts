import { describe, expect, it } from "vitest";
import type { Rank } from "../../../../provider/platform/http/request-queue";
import { idle, setUp } from "./limiter";

describe("after a refusal", () => {
  /** The starts of requests that all pass, in milliseconds from now. */
  const startsOf = async ({ clock, queue }: ReturnType<typeof setUp>, requests: number) => {
    const beganMs = clock.now();
    const starts = Array.from({ length: requests }, async () => {
      const permit = await queue.acquire("change", idle);
      permit?.passed();
      return clock.now() - beganMs;
    });
    return clock.run(Promise.all(starts));
  };

  it("all pause for as long as it says, then go at half the pace, and back step by step", async () => {
    const bench = setUp();
    await startsOf(bench, 30);
    (await bench.queue.acquire("read", idle))?.refused(5_000);
    const starts = await startsOf(bench, 200);
    expect(starts[0]).toBeGreaterThanOrEqual(5_000);
    expect(starts[0]).toBeLessThan(5_300);
    const inSecond = (second: number) =>
      starts.filter((at) => Math.floor((at - Number(starts[0])) / 1_000) === second).length;
    // Half of the published 40.
    expect(inSecond(0)).toBeGreaterThanOrEqual(20);
    expect(inSecond(0)).toBeLessThanOrEqual(24);
    expect(inSecond(1)).toBeGreaterThan(inSecond(0));
    expect(inSecond(2)).toBeGreaterThan(inSecond(1));
    expect(inSecond(2)).toBeLessThanOrEqual(2 * inSecond(0));
  });

  it("the pause doubles with each refusal in a row up to a minute, and the pace is halved once", async () => {
    const { clock, queue } = setUp({ random: () => 0 });
    const pauses: number[] = [];
    (await queue.acquire("change", idle))?.refused();
    for (let refusal = 0; refusal < 9; refusal += 1) {
      const beganMs = clock.now();
      (await clock.run(queue.acquire("change", idle)))?.refused(refusal === 8 ? 5 : undefined);
      pauses.push(clock.now() - beganMs);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    // A header that asks for little is not believed after so many.
    expect(await startsOf({ clock, queue }, 2)).toEqual([60_000, 60_050]);
  });

  it("those that were under way when it came bring no further pause, and no lower pace", async () => {
    const { clock, queue } = setUp({ random: () => 0 });
    const open = await Promise.all(Array.from({ length: 8 }, () => queue.acquire("change", idle)));
    for (const permit of open) permit?.refused(1_000);
    expect(await startsOf({ clock, queue }, 1)).toEqual([1_000]);
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

  it.each([
    ["a turn", 60_000],
    ["a deadline", 500],
  ])("who had %s before 2 s is told nothing later", async (_, deadlineMs) => {
    const { clock, queue } = setUp();
    (await queue.acquire("read", idle))?.refused(1_000);
    const said: string[] = [];
    const turn = { deadlineMs: clock.now() + deadlineMs, onWait: (message: string) => said.push(message) };
    await clock.run(queue.acquire("change", idle, turn));
    await clock.run(clock.sleep(5_000));
    expect(said).toEqual([]);
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

  it("one that was sent before and is refused with a longer pause is heeded, with a shorter one not", async () => {
    const { clock, queue } = setUp();
    const late = await queue.acquire("change", idle);
    const later = await queue.acquire("change", idle);
    (await queue.acquire("change", idle))?.refused(1_000);
    late?.refused(60_000);
    later?.refused(1_000);
    expect((await startsOf({ clock, queue }, 1))[0]).toBeGreaterThanOrEqual(60_000);
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

  it("who waits for the answers of others hears of no limit", async () => {
    const { clock, queue } = setUp();
    const asked = Array.from({ length: 9 }, () => queue.acquire("change", idle));
    expect(queue.waitingFor()).toBeUndefined();
    expect(queue.noTurn(50)).toEqual({
      kind: "timeout",
      why: "8 requests under way left no turn for it in the time that was left",
    });
    for (const permit of await clock.run(Promise.all(asked))) permit?.passed();
  });

  it("forty wait for their answers at once, and no more", async () => {
    const { clock, queue } = setUp();
    let started = 0;
    const stop = new AbortController();
    const calls = Array.from({ length: 50 }, () => queue.acquire("change", stop.signal).then(() => (started += 1)));
    await clock.pass(1_000);
    expect(started).toBe(40);
    stop.abort();
    await Promise.all(calls);
  });
});
