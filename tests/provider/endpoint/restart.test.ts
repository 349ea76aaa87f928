import { describe, expect, it } from "vitest";
import { mend, partial, useEndpoint } from "./support";

describe("restart", () => {
  it("suspends and starts for a new trigger, and only then", async () => {
    const { run, change, changes, live, emulator } = await useEndpoint();
    const first = await run(change({ restartTrigger: "one" }));
    expect(changes().map(({ path }) => path.split("/").at(-1))).toEqual(["suspend", "start"]);
    expect(live().current_state).toBe("active");
    emulator.admin.clearLog();
    await run(change({ restartTrigger: "one" }, { from: first }));
    expect(changes()).toEqual([]);
  });

  it.each([
    ["a trigger", { restartTrigger: "one" }, "restarted: away for 6.0 s"],
    ["a new size", { sizeCu: 2 }, "restarted: away for 6.0 s"],
    ["a delay", { suspendTimeoutSeconds: 60 }, undefined],
    ["a switch-off", { disabled: true }, undefined],
  ])("tells how long it was away for %s", async (_, news, line) => {
    const { run, context, change } = await useEndpoint({ sizeCu: 1 }, { operationMs: 3_000 });
    context.said.info.length = 0;
    await run(change(news));
    expect(context.said.info).toEqual(line === undefined ? [] : [line]);
  });

  it("counts the trigger only when the restart is done", async () => {
    const { run, bench, change, changes, live, emulator } = await useEndpoint();
    emulator.admin.addFault({ route: "endpoints.start", effect: { kind: "status", status: 500 } });
    const error = await partial(bench.fails(change({ restartTrigger: "one" })));
    expect(error.state).not.toHaveProperty("restartTrigger");
    mend(emulator);
    const { state } = await run(change({ restartTrigger: "one" }, { from: error }));
    expect(changes().length).toBeGreaterThan(0);
    expect(live().current_state).toBe("active");
    expect(state.restartTrigger).toBe("one");
  });

  it("says what it waits for once a second, though it looks more often", async () => {
    const { run, context, change } = await useEndpoint({}, { operationMs: 3_000 });
    context.said.status.length = 0;
    await run(change({ restartTrigger: "one" }));
    const lines = context.said.status;
    expect(lines).toContain("start_compute, 2 s");
    expect(lines.at(-1)).toBe("start_compute done");
    expect(new Set(lines).size).toBe(lines.length);
  });
});
