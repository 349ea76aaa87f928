import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { openAccount } from "../../../provider/platform/account";
import { defaultAccountSettings, useBench } from "../../support/bench";
import { createMortalApi } from "../../support/mortal-api";
import { declare, type Program, type Stack, stackOfMany } from "../support/stack";

type Bench = Awaited<ReturnType<typeof useBench>>;

/** The create is made, and its answer lost. */
const lostAfter: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "after" } };
/** The create is lost before it is made. */
const lostBefore: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "before" } };

/** A platform that keeps no names, a branch of it, and a state file. */
async function useNameless(options: Parameters<typeof useBench>[0] = {}) {
  const bench = await useBench({ endpointNames: false, ...options });
  const { emulator } = bench;
  const branchId = bench.branch();
  const base = { projectId: emulator.projectId, branchId };
  const replica = (inputs: object = {}) => ({ ...base, type: "read_only", ...inputs });
  return {
    bench,
    emulator,
    branchId,
    replica,
    primary: (inputs: object = {}) => ({ ...base, ...inputs }),
    ids: () => bench.on(branchId).map(({ id }) => `${emulator.projectId}/${id}`),
    /** What somebody else creates on the branch, right now. */
    stranger: () => emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, type: "read_only" }).id,
  };
}

/** What is owned by the state, each once, and the next run has nothing to do. */
async function expectSettled(bench: Bench, stack: Stack, program: Program, ids: readonly string[]) {
  expect(stack.known().sort()).toEqual([...ids].sort());
  const { messages, isChanged } = await bench.run(stack.preview(program));
  expect([messages, isChanged]).toEqual([[], false]);
}

describe.each(["read_write", "read_only"])("a create (%s) whose answer is lost, where no names are kept", (type) => {
  it.each<[string, Fault[]]>([
    [
      "while the lists lag for some seconds",
      [
        { ...lostAfter, count: 1 },
        { route: "branches.endpoints", effect: { kind: "stale-list", ageMs: 4_000 } },
        { route: "endpoints.list", effect: { kind: "stale-list", ageMs: 4_000 } },
        { route: "operations.list", effect: { kind: "stale-list", ageMs: 4_000 } },
      ],
    ],
    [
      "and the project's list shows nothing of it",
      [
        { ...lostAfter, count: 1 },
        { route: "endpoints.list", skip: 1, effect: { kind: "stale-list", ageMs: 60_000 } },
      ],
    ],
  ])("%s: it is made once, and is the resource's own", async (_, faults) => {
    const { bench, emulator, primary, ids } = await useNameless();
    const program = declare({ main: primary({ type, sizeCu: 1, pgSettings: { work_mem: "8MB" } }) });
    for (const fault of faults) emulator.admin.addFault(fault);
    const stack = stackOfMany(bench);
    const run = await bench.run(stack.up(program));
    expect(run.messages).toEqual([]);
    emulator.admin.clearFaults();
    expect(ids()).toHaveLength(1);
    await expectSettled(bench, stack, program, ids());
    expect(run.said.filter((line) => line.includes("is taken to be what was created"))).toHaveLength(1);
  });

  it("is named and not taken where the platform does not tell its time", async () => {
    const { bench, emulator, primary, ids } = await useNameless({ dateHeader: false });
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const stack = stackOfMany(bench);
    const { messages } = await bench.run(stack.up(declare({ main: primary({ type }) })));
    expect(ids()).toHaveLength(1);
    expect(stack.known()).toEqual([]);
    expect(messages.join()).toContain(`run: npx --no-install pgcompute endpoints delete ${ids()[0]}`);
    expect(messages.join()).toContain(`run: pulumi import pgcompute:index:Endpoint main ${ids()[0]}`);
  });
});

describe("where nobody knows yet whether names are kept", () => {
  it("an answer that shows the name ends the guessing: only the name counts from then on", async () => {
    const { bench, emulator, replica, ids, stranger } = await useNameless({ endpointNames: true });
    const account = bench.account();
    const stack = stackOfMany(bench);
    await bench.run(stack.up(declare({ one: replica() }), { part: { account } }));
    emulator.admin.addFault({ ...lostBefore, count: 1 });
    let theirs = "";
    const spying = bench.account({
      onRequest: ({ method, path }) => {
        if (method === "POST" && path.endsWith("/endpoints")) theirs ||= stranger();
      },
    });
    const program = declare({ one: replica(), other: replica() });
    expect((await bench.run(stack.up(program, { part: { account: spying } }))).messages).toEqual([]);
    expect(stack.known()).not.toContain(`${emulator.projectId}/${theirs}`);
    expect(ids()).toHaveLength(3);
  });
});

describe("replicas that are created side by side, where no names are kept", () => {
  const five = ["a", "b", "c", "d", "e"];

  it.each<[string, Fault[], owned: number, named: number]>([
    ["one answer is lost", [{ ...lostAfter, skip: 1, count: 1 }], 5, 0],
    ["one is lost before it was made", [{ ...lostBefore, skip: 1, count: 1 }], 5, 0],
    ["none was made", [{ ...lostBefore, count: 5 }], 5, 0],
    ["two of the answers are lost", [{ ...lostAfter, skip: 1, count: 2 }], 3, 2],
    ["all answers are lost", [lostAfter], 0, 5],
    [
      "one was made and one was not",
      [
        { ...lostAfter, count: 1 },
        { ...lostBefore, skip: 1, count: 1 },
      ],
      3,
      1,
    ],
  ])("are taken where that is certain, and else all named: %s", async (_, faults, owned, named) => {
    const { bench, emulator, replica, ids } = await useNameless();
    const program = declare(Object.fromEntries(five.map((name) => [name, replica()])));
    for (const fault of faults) emulator.admin.addFault(fault);
    const stack = stackOfMany(bench, 5);
    const run = await bench.run(stack.up(program));
    emulator.admin.clearFaults();
    expect(stack.known()).toHaveLength(owned);
    const left = ids().filter((id) => !stack.known().includes(id));
    expect(left).toHaveLength(named);
    expect(run.messages).toHaveLength(5 - owned);
    for (const error of run.messages) for (const id of left) expect(error).toContain(id);
    if (named > 0) return;
    await expectSettled(bench, stack, program, ids());
  });
});

describe("two runs at once, where no names are kept", () => {
  async function twoRuns(fault: Fault) {
    const { bench, emulator, replica, ids } = await useNameless();
    emulator.admin.addFault(fault);
    const [one, two] = [stackOfMany(bench), stackOfMany(bench)];
    const up = (stack: Stack) => stack.up(declare({ main: replica() }));
    const runs = await bench.run(Promise.all([up(one), up(two)]));
    return { runs, ids: ids(), owned: [...one.known(), ...two.known()] };
  }

  it("take nothing where both lose the answer to the same create", async () => {
    const { runs, ids, owned } = await twoRuns({ ...lostAfter, count: 2 });
    expect([ids.length, owned]).toEqual([2, []]);
    for (const { messages } of runs) for (const id of ids) expect(messages.join()).toContain(id);
  });

  // The limit of it, which docs/reliability.md tells.
  it("may take for its own what the other one made at that moment just alike", async () => {
    const { runs, ids, owned } = await twoRuns({ ...lostBefore, count: 1 });
    expect([ids.length, owned]).toEqual([1, [ids[0], ids[0]]]);
    expect(runs.flatMap(({ said }) => said).join()).toContain("is taken to be what was created");
  });
});

describe("a run that is killed between the request and its answer, where no names are kept", () => {
  it.each(["read_write", "read_only"])("leaves an endpoint that no later run takes for its own (%s)", async (type) => {
    const { bench, primary, ids } = await useNameless();
    const program = declare({ main: primary({ type }) });
    const account = bench.account();
    // The list of endpoints, that of branches, and then the create.
    const { api, died } = createMortalApi(account.api, { call: 3, moment: "after" });
    const mortal = openAccount(api, defaultAccountSettings, bench.clock);
    const killed = stackOfMany(bench).up(program, { part: { account: mortal } });
    expect(await bench.run(Promise.race([killed, died]))).toBe("died");
    const [left] = ids();
    expect(ids()).toHaveLength(1);
    await bench.clock.pass(60_000);
    const stack = stackOfMany(bench);
    const run = await bench.run(stack.up(program));
    expect(stack.known()).not.toContain(left);
    if (type === "read_write")
      expect(run.messages.join()).toContain(`pulumi import pgcompute:index:Endpoint main ${left}`);
    else expect(ids()).toHaveLength(2);
  });
});
