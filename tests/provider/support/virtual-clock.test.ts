import { describe, expect, it } from "vitest";
import { useBench } from "../../support/bench";

describe("the virtual clock", () => {
  it("lets no time pass while a call is under way", async () => {
    const { clock, emulator, run, account } = await useBench();
    const { api } = account();
    const seen: number[] = [];
    const work = Promise.all([
      clock.sleep(10).then(() => seen.push(clock.elapsedMs())),
      ...Array.from({ length: 20 }, () =>
        api.listEndpoints(emulator.projectId).then(() => seen.push(clock.elapsedMs())),
      ),
    ]);
    await run(work);
    expect(seen).toEqual([...Array.from({ length: 20 }, () => 0), 10]);
  });

  it("says so when the work waits for nothing", async () => {
    const { run } = await useBench();
    await expect(run(new Promise(() => {}))).rejects.toThrow("no clock and no call");
  });
});
