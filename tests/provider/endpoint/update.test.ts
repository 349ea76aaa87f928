import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { bookkeepingOf } from "../../../provider/endpoint/state";
import { neon } from "../../../provider/platform/profiles/profiles";
import { endpointKind } from "../../../provider/pulumi/resource";
import { PartialFailure } from "../../engine-model/deployment/resource";
import { justBefore, type Run, useMade, useMain } from "../../engine-model/stack";
import { contextOf } from "../../support/call-context";

const startFails: Fault = { on: "operation", action: "start_compute", effect: { kind: "fail" } };

describe("update (sections 3.3, 4.5 and 4.7)", () => {
  it.each(["sizeCu", "*"])("leaves what is to be ignored as a failed update has left it (%s)", async (ignored) => {
    const { stack, admin, main, live, stored, sent } = await useMade({ sizeCu: 1 });
    admin.addFault(startFails);
    expect((await stack.up(main({ sizeCu: 2 }))).error).toBeInstanceOf(PartialFailure);
    admin.clearFaults();
    admin.clearLog();
    // The engine keeps the old inputs of a failed update, and puts them back for what it ignores.
    const ignoring = { main: { ...main({ sizeCu: 2 }).main, ignoreChanges: [ignored] } };
    expect((await stack.up(ignoring)).messages).toEqual([]);
    expect(sent().map(({ route }) => route)).toEqual(["endpoints.start"]);
    expect(live()).toMatchObject({ autoscaling_limit_max_cu: 2 });
    expect(stored()?.state).toMatchObject({ sizeCu: 2 });
    expect(bookkeepingOf(stored()?.state ?? {}).operations).toBeUndefined();
  });

  it("does not take a branch that has gone since the plan for an endpoint that is gone", async () => {
    const { bench, stack, admin, projectId, branch, main, id } = await useMade();
    const [account, branchId] = [bench.account(), branch()];
    const beforeStep = justBefore("update", () => admin.dropBranch(projectId, branchId));
    const { error } = await stack.up(main({ branchId }), { account, beforeStep });
    expect(error).toMatchObject({ message: expect.stringContaining("answered 404") });
    expect(error?.message).not.toMatch(/no longer exists/);
    expect(await bench.run(account.project(projectId).cache.endpoint(id))).toBeDefined();
  });

  it("says who is in the way of a move", async () => {
    const { bench, stack, admin, projectId, branchId, branch, main, live } = await useMade();
    const to = branch();
    let other = "";
    const beforeStep = justBefore("update", () => {
      other = admin.seedEndpoint(projectId, { branch_id: to }).id;
      return bench.clock.sleep(1);
    });
    const { error } = await stack.up(main({ branchId: to }), { beforeStep });
    expect(error).toMatchObject({ message: expect.stringContaining("answered 409") });
    expect(error?.message).toContain(`branch ${to} has the read-write endpoint ${other} `);
    expect(error?.message).not.toContain("adoptExisting");
    expect(error).not.toBeInstanceOf(PartialFailure);
    expect(live().branch_id).toBe(branchId);
  });
});

it("a comparison needs no platform", async () => {
  const { bench, admin, main, stored } = await useMade();
  admin.addFault({ effect: { kind: "status", status: 401 } });
  const request = { id: "", state: {}, ...stored(), inputs: main({ sizeCu: 2 }).main.args };
  expect((await bench.run(endpointKind.diff(contextOf(bench), request))).changes).toBe(true);
});

it("a comparison shows no change where the stack is for another platform by now, whose figures the next refresh has", async () => {
  const { stack, main, stored } = await useMade({ sizeCu: 4 });
  stack.settings = { profile: neon };
  expect(stored()?.state.maxConnections).toBe(1802);
  expect(await stack.preview(main())).toMatchObject({ isChanged: false, said: [] });
  await stack.refresh();
  expect(stored()?.state.maxConnections).toBe(1678);
});

const inTheWay: [string, Fault, string][] = [
  ["the endpoint cannot be read", { route: "endpoints.get", effect: { kind: "status", status: 500 } }, "answered 500"],
  ["the key is refused", { route: "operations.*", effect: { kind: "status", status: 401 } }, "answered 401"],
];

describe("within the run, where the engine's hook `onError` says so,", () => {
  /** A run in which the first start fails, and each try after it meets the next of the faults. */
  async function useRepeated(first: "create" | "update", faults: (Fault | undefined)[]) {
    const used = await (first === "create" ? useMain() : useMade({ sizeCu: 1 }));
    const { stack, admin, main } = used;
    const failures: unknown[] = [];
    const onError = (error: unknown) => {
      failures.push(error);
      admin.clearFaults();
      const next = faults[failures.length - 1];
      if (next) admin.addFault(next);
      return failures.length <= faults.length;
    };
    admin.addFault(startFails);
    const run = await stack.up(main(first === "create" ? { type: "read_only" } : { sizeCu: 2 }), { onError });
    return { ...used, run, failures: failures.map((one) => one as PartialFailure) };
  }

  it.each(inTheWay)("a create that is repeated keeps its endpoint where %s", async (_, fault, told) => {
    const { run, failures, stack, bench, branchId } = await useRepeated("create", [fault, undefined]);
    const [first, second] = failures;
    expect(second).toMatchObject({ message: expect.stringContaining(told), id: first?.id });
    expect(bookkeepingOf(second?.outputs ?? {}).operations).toEqual(bookkeepingOf(first?.outputs ?? {}).operations);
    expect([run.messages, stack.known()]).toEqual([[], [first?.id]]);
    expect(bench.on(branchId)).toHaveLength(1);
  });

  it("an update that is repeated keeps the operation that failed", async () => {
    const { failures } = await useRepeated(
      "update",
      inTheWay.map(([, fault]) => fault),
    );
    const [first, ...others] = failures;
    const { operations } = bookkeepingOf(first?.outputs ?? {});
    expect(operations).toHaveLength(1);
    const kept = { id: first?.id, outputs: { sizeCu: 2 } };
    const told = inTheWay.map(([, , text]) => ({ ...kept, message: expect.stringContaining(text) }));
    expect(others).toMatchObject(told);
    for (const { outputs } of others) expect(bookkeepingOf(outputs).operations).toEqual(operations);
  });
});

describe("restart", () => {
  const away = ({ said }: Run) => said.filter((line) => line.includes("restarted: "));

  it.each([
    // The start is sent when the suspend has been seen to end.
    ["a trigger", { restartTrigger: "one" }, ["info main: restarted: away for 7.0 s"]],
    ["a new size", { sizeCu: 2 }, ["info main: restarted: away for 6.0 s"]],
    ["a delay", { suspendTimeoutSeconds: 60 }, []],
    ["a switch-off", { disabled: true }, []],
  ])("tells how long it was away for %s", async (_, news, lines) => {
    const { stack, main } = await useMade({ sizeCu: 1 }, { operationMs: 3_000 });
    const run = await stack.up(main(news));
    expect(run.messages).toEqual([]);
    expect(away(run)).toEqual(lines);
  });

  it("does not tell how long a restart was that an earlier run began, of which it has not seen all", async () => {
    const { bench, stack, main } = await useMade({ sizeCu: 1 }, { operationMs: 3_000 });
    const resized = main({ sizeCu: 2 });
    expect((await stack.up(resized, { timeoutMs: 1_000 })).error).toBeInstanceOf(PartialFailure);
    await bench.clock.pass(4_000);
    const run = await stack.up(resized);
    expect(run.messages).toEqual([]);
    expect(away(run)).toEqual([]);
  });

  it("says what it waits for once a second, though it looks more often", async () => {
    const { stack, main } = await useMade({}, { operationMs: 3_000 });
    const { rows } = await stack.up(main({ restartTrigger: "one" }));
    const lines = rows.flatMap(({ level, message }) => (level === "status" ? [message] : []));
    const linesOf = (action: string) =>
      [" scheduling, 0 s", ", 1 s", ", 2 s", ", 3 s", " done"].map((one) => action + one);
    expect(lines).toEqual([...linesOf("suspend_compute"), ...linesOf("start_compute")]);
  });
});
