import { describe, expect, it } from "vitest";
import { noticed, until } from "../../../provider/platform/until";
import { createVirtualClock } from "../../support/virtual-clock";

/**
 * Attempts that fail before this number, with a pause after each, and the wait's messages with their time in
 * milliseconds.
 */
function setUp(succeedsAt: number, pauseMs: number) {
  const clock = createVirtualClock();
  const startMs = clock.now();
  const said: string[] = [];
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    if (tries < succeedsAt) throw new Error(`try ${tries}`);
    return tries;
  };
  const bounds = { clock, onWait: (line: string) => said.push(`${clock.now() - startMs} ms, ${line}`) };
  const again = ({ error }: { error?: unknown }) =>
    error === undefined ? undefined : { ms: pauseMs, reason: String(error) };
  return { clock, startMs, said, tries: () => tries, attempt, bounds, again };
}

describe("until", () => {
  it("says nothing of what is over before a person would ask", async () => {
    const { clock, said, attempt, bounds, again } = setUp(4, 600);
    expect(await clock.run(until(bounds, attempt, again))).toBe(4);
    expect(said).toEqual([]);
  });

  it("says of each pause what it is for once all of them together take 2 s", async () => {
    const { clock, said, attempt, bounds, again } = setUp(5, 700);
    expect(await clock.run(until(bounds, attempt, again))).toBe(5);
    expect(said).toEqual(["1400 ms, waiting 1 s: Error: try 3", "2100 ms, waiting 1 s: Error: try 4"]);
  });

  it("lets the last outcome stand where the next try would come after the deadline", async () => {
    const { clock, startMs, attempt, bounds, again, tries } = setUp(9, 1_000);
    const work = until({ ...bounds, deadlineMs: startMs + 2_500 }, attempt, again);
    await expect(clock.run(work)).rejects.toThrow("try 3");
    expect([tries(), clock.now() - startMs]).toEqual([3, 2_000]);
  });

  it("tries once more where a pause is interrupted, and begins none after that", async () => {
    const { clock, attempt, bounds, again, tries } = setUp(9, 60_000);
    const controller = new AbortController();
    const work = until({ ...bounds, signal: controller.signal }, attempt, again);
    while (clock.sleeping() === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expect(work).rejects.toThrow("try 2");
    expect([tries(), clock.sleeping()]).toEqual([2, 0]);
  });
});

it("work that goes on is told after 2 s and every 10 s, as what it then waits for", async () => {
  const { clock, said, bounds } = setUp(1, 0);
  let what = "a connection";
  const work = clock.sleep(1_000).then(() => {
    what = "an answer";
    return clock.sleep(12_000);
  });
  await clock.run(noticed(clock, work, () => what, bounds.onWait));
  expect(said).toEqual(["2000 ms, waiting for an answer, 2 s", "12000 ms, waiting for an answer, 12 s"]);
  expect(clock.sleeping()).toBe(0);
});
