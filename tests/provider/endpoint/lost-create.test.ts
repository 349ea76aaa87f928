import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { openAccount } from "../../../provider/platform/account";
import { defaultAccountSettings, useBench } from "../../support/bench";
import { EnginePart, type Program } from "../../support/engine-part";
import { createMortalApi } from "../../support/mortal-api";
import { aheadOf } from "../../support/virtual-clock";

type Bench = Awaited<ReturnType<typeof useBench>>;

const lostAfter: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "after" } };
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
    stranger: (fields: object = {}) =>
      emulator.admin.seedEndpoint(emulator.projectId, { branch_id: branchId, type: "read_only", ...fields }).id,
  };
}

/** An account that does something when a create has gone through, or has been lost. */
function accountThat(bench: Bench, onCreate: () => void) {
  return bench.account({ onRequest: ({ method, path }) => method === "POST" && /endpoints$/.test(path) && onCreate() });
}

/** What is owned by the state, each once, and the next run has nothing to do. */
async function expectSettled(bench: Bench, stack: EnginePart, program: Program, ids: readonly string[]) {
  expect(stack.ids().sort()).toEqual([...ids].sort());
  const { changes, errors } = await bench.run(stack.preview(bench.account(), program));
  expect(errors).toEqual([]);
  expect(changes).toEqual({ same: Object.keys(program).length });
}

describe.each(["read_write", "read_only"])("a create (%s) whose answer is lost, where no names are kept", (type) => {
  it.each<[string, Fault[]]>([
    ["once", [{ ...lostAfter, count: 1 }]],
    [
      "as a 503 for work that was done",
      [{ route: "endpoints.create", count: 1, effect: { kind: "status", status: 503, when: "after" } }],
    ],
    [
      "while the lists lag for some seconds",
      [
        { ...lostAfter, count: 1 },
        { route: "branches.endpoints", effect: { kind: "stale-list", ageMs: 4_000 } },
        { route: "endpoints.list", effect: { kind: "stale-list", ageMs: 4_000 } },
        { route: "operations.list", effect: { kind: "stale-list", ageMs: 4_000 } },
      ],
    ],
    ["before anything was made", [{ ...lostBefore, count: 1 }]],
    [
      "and the project's list shows nothing of it",
      [
        { ...lostAfter, count: 1 },
        { route: "endpoints.list", skip: 1, effect: { kind: "stale-list", ageMs: 60_000 } },
      ],
    ],
  ])("%s: it is made once, and is the resource's own", async (_, faults) => {
    const { bench, emulator, primary, ids } = await useNameless();
    const program = { main: primary({ type, sizeCu: 1, pgSettings: { work_mem: "8MB" } }) };
    for (const fault of faults) emulator.admin.addFault(fault);
    const stack = new EnginePart();
    const run = await bench.run(stack.up(bench.account(), program));
    expect(run.errors).toEqual([]);
    emulator.admin.clearFaults();
    expect(ids()).toHaveLength(1);
    await expectSettled(bench, stack, program, ids());
    const wasMade = faults[0]?.effect !== lostBefore.effect;
    expect(run.said.filter((line) => line.includes("is taken to be what was created"))).toHaveLength(wasMade ? 1 : 0);
  });

  it.each([5, -5])("is found on a machine whose clock is %i hours ahead", async (hours) => {
    const { bench, emulator, primary, ids } = await useNameless();
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const stack = new EnginePart();
    const program = { main: primary({ type }) };
    expect(
      (await bench.run(stack.up(bench.account({ clock: aheadOf(bench.clock, hours * 3_600_000) }), program))).errors,
    ).toEqual([]);
    await expectSettled(bench, stack, program, ids());
    expect(ids()).toHaveLength(1);
  });

  it("is named and not taken where the platform does not tell its time", async () => {
    const { bench, emulator, primary, ids } = await useNameless({ dateHeader: false });
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const stack = new EnginePart();
    const { errors } = await bench.run(stack.up(bench.account(), { main: primary({ type }) }));
    expect(ids()).toHaveLength(1);
    expect(stack.ids()).toEqual([]);
    expect(errors.join()).toContain(`run: npx pulumi-pgcompute endpoints delete ${ids()[0]}`);
    expect(errors.join()).toContain(`run: pulumi import pgcompute:index:Endpoint main ${ids()[0]}`);
  });

  it("takes nothing that was there before, although no list had shown it", async () => {
    const { bench, emulator, primary, ids } = await useNameless();
    const stack = new EnginePart();
    const program = { main: primary({ type }) };
    const beforeStep = async (verb: string) => {
      if (verb !== "create") return;
      // Made by somebody else after the plan's list.
      emulator.admin.seedEndpoint(emulator.projectId, {
        branch_id: String(program.main.branchId),
        type: type as "read_only",
      });
      await bench.clock.sleep(30_000);
      await bench.account().api.getProject(emulator.projectId);
      emulator.admin.addFault({ ...lostBefore, count: 1 });
    };
    const run = await bench.run(stack.up(bench.account(), program, {}, { beforeStep }));
    const [stranger] = ids();
    if (type === "read_write") expect(run.errors.join()).toContain("already has a read-write endpoint");
    else expect(ids()).toHaveLength(2);
    expect(stack.ids()).not.toContain(stranger);
    expect(run.said.join()).not.toContain("is taken to be");
  });

  it("takes nothing that appeared long after one request and before the next, both of which were lost", async () => {
    const { bench, emulator, primary, ids } = await useNameless();
    const retryAfter = { form: "seconds", seconds: 60 } as const;
    emulator.admin.addFault({
      route: "endpoints.create",
      count: 1,
      effect: { kind: "status", status: 500, when: "before", retryAfter },
    });
    emulator.admin.addFault({ ...lostBefore, skip: 1, count: 1 });
    const someoneElse = async () => {
      await bench.clock.sleep(30_000);
      emulator.admin.seedEndpoint(emulator.projectId, {
        branch_id: String(primary().branchId),
        type: type as "read_only",
      });
    };
    const stack = new EnginePart();
    const [run] = await bench.run(Promise.all([stack.up(bench.account(), { main: primary({ type }) }), someoneElse()]));
    expect(ids()).toHaveLength(1);
    expect(stack.ids()).toEqual([]);
    expect(run.errors.join()).toContain(`run: npx pulumi-pgcompute endpoints delete ${ids()[0]}`);
  });
});

describe("replicas that are created side by side, where no names are kept", () => {
  const five = ["a", "b", "c", "d", "e"];

  it.each<[string, Fault[]]>([
    ["all answers are lost", [lostAfter]],
    ["two of the answers are lost", [{ ...lostAfter, skip: 1, count: 2 }]],
    [
      "one was made and one was not",
      [
        { ...lostAfter, count: 1 },
        { ...lostBefore, skip: 1, count: 1 },
      ],
    ],
    ["none was made", [{ ...lostBefore, count: 5 }]],
    [
      "one that was not made is sent again, and is lost again",
      [
        { ...lostBefore, count: 5 },
        { ...lostAfter, skip: 5, count: 2 },
      ],
    ],
  ])("get one endpoint each where %s", async (_, faults) => {
    const { bench, emulator, replica, ids } = await useNameless();
    const program = Object.fromEntries(five.map((name) => [name, replica()]));
    for (const fault of faults) emulator.admin.addFault(fault);
    const stack = new EnginePart(5);
    const run = await bench.run(stack.up(bench.account(), program));
    expect(run.errors).toEqual([]);
    emulator.admin.clearFaults();
    expect(ids()).toHaveLength(5);
    await expectSettled(bench, stack, program, ids());
  });

  it("are told apart by what was sent", async () => {
    const { bench, emulator, replica, ids } = await useNameless();
    const program = {
      any: replica(),
      one: replica({ sizeCu: 1 }),
      two: replica({ sizeCu: 2 }),
      pooled: replica({ sizeCu: 2, poolerEnabled: true }),
      small: replica({ pgSettings: { work_mem: "8MB" } }),
      large: replica({ pgSettings: { work_mem: "64MB" } }),
    };
    emulator.admin.addFault(lostAfter);
    const stack = new EnginePart(6);
    expect((await bench.run(stack.up(bench.account(), program))).errors).toEqual([]);
    expect(ids()).toHaveLength(6);
    await expectSettled(bench, stack, program, ids());
  });

  it("are all named where somebody else made one just like them at that moment", async () => {
    const { bench, emulator, replica, ids, stranger } = await useNameless();
    const program = { a: replica(), b: replica() };
    emulator.admin.addFault({ ...lostAfter, count: 2 });
    let calls = 0;
    const account = accountThat(bench, () => {
      calls += 1;
      if (calls === 1) stranger();
    });
    const stack = new EnginePart(2);
    const run = await bench.run(stack.up(account, program));
    expect(run.errors).toHaveLength(2);
    // Nothing was taken, and nothing was sent again.
    expect(stack.ids()).toEqual([]);
    expect(ids()).toHaveLength(3);
    for (const error of run.errors) {
      for (const id of ids()) expect(error).toContain(`run: npx pulumi-pgcompute endpoints delete ${id}`);
    }
  });

  it("leave alone what another one has, and what is not as it was sent", async () => {
    const { bench, emulator, replica, ids, stranger } = await useNameless();
    const program = { a: replica({ sizeCu: 1 }) };
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const account = accountThat(bench, () => stranger({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 }));
    const stack = new EnginePart();
    expect((await bench.run(stack.up(account, program))).errors).toEqual([]);
    expect(ids()).toHaveLength(2);
    expect(bench.emulator.admin.endpoint(stack.ids()[0]?.split("/")[1] ?? "").autoscaling_limit_min_cu).toBe(1);
  });
});

describe("two runs at once, where no names are kept", () => {
  it("take nothing where both lose the answer to the same create", async () => {
    const { bench, emulator, replica, ids } = await useNameless();
    emulator.admin.addFault({ ...lostAfter, count: 2 });
    const [one, two] = [new EnginePart(), new EnginePart()];
    const up = (stack: EnginePart) => stack.up(bench.account(), { main: replica() });
    const runs = await bench.run(Promise.all([up(one), up(two)]));
    expect(ids()).toHaveLength(2);
    expect([...one.ids(), ...two.ids()]).toEqual([]);
    for (const { errors } of runs) for (const id of ids()) expect(errors.join()).toContain(id);
  });

  // The limit of it, which docs/reliability.md tells.
  it("may take for its own what the other one made at that moment just alike", async () => {
    const { bench, emulator, replica, ids } = await useNameless();
    emulator.admin.addFault({ ...lostBefore, count: 1 });
    const [one, two] = [new EnginePart(), new EnginePart()];
    const up = (stack: EnginePart) => stack.up(bench.account(), { main: replica() });
    const runs = await bench.run(Promise.all([up(one), up(two)]));
    expect(ids()).toHaveLength(1);
    expect([...one.ids(), ...two.ids()]).toEqual([ids()[0], ids()[0]]);
    expect(runs.flatMap(({ said }) => said).join()).toContain("is taken to be what was created");
  });

  it("do not mix up what they created a moment apart", async () => {
    const { bench, emulator, replica, ids } = await useNameless();
    const [one, two] = [new EnginePart(), new EnginePart()];
    const program = { main: replica() };
    await bench.run(one.up(bench.account(), program));
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    expect((await bench.run(two.up(bench.account(), program))).errors).toEqual([]);
    expect(ids()).toHaveLength(2);
    expect([...one.ids(), ...two.ids()].sort()).toEqual(ids().sort());
  });
});

describe("a run that is killed between the request and its answer, where no names are kept", () => {
  it.each(["read_write", "read_only"])("leaves an endpoint that no later run takes for its own (%s)", async (type) => {
    const { bench, primary, ids } = await useNameless();
    const program = { main: primary({ type }) };
    const account = bench.account();
    // The list of endpoints, that of branches, and then the create.
    const { api, died } = createMortalApi(account.api, { call: 3, moment: "after" });
    const mortal = openAccount(api, defaultAccountSettings, bench.clock);
    expect(await bench.run(Promise.race([new EnginePart().up(mortal, program), died]))).toBe("died");
    const [left] = ids();
    expect(ids()).toHaveLength(1);
    await bench.clock.pass(60_000);
    const stack = new EnginePart();
    const run = await bench.run(stack.up(bench.account(), program));
    expect(stack.ids()).not.toContain(left);
    if (type === "read_write")
      expect(run.errors.join()).toContain(`pulumi import pgcompute:index:Endpoint main ${left}`);
    else expect(ids()).toHaveLength(2);
  });
});

describe("where nobody knows yet whether names are kept", () => {
  it("a name is looked for first, and one that is there is no warning", async () => {
    const { bench, emulator, replica, ids } = await useNameless({ endpointNames: true });
    emulator.admin.addFault({ ...lostAfter, count: 1 });
    const stack = new EnginePart();
    const run = await bench.run(stack.up(bench.account(), { main: replica() }));
    expect(run.errors).toEqual([]);
    expect(run.said.join()).not.toContain("is taken to be");
    expect(stack.ids()).toEqual(ids());
  });

  it("an answer that shows the name ends the guessing: only the name counts from then on", async () => {
    const { bench, emulator, replica, ids, stranger } = await useNameless({ endpointNames: true });
    const account = bench.account();
    const stack = new EnginePart();
    await bench.run(stack.up(account, { first: replica() }));
    emulator.admin.addFault({ ...lostBefore, count: 1 });
    let theirs = "";
    const spying = accountThat(bench, () => {
      theirs ||= stranger();
    });
    const program = { first: replica(), second: replica() };
    expect((await bench.run(stack.up(spying, program))).errors).toEqual([]);
    expect(stack.ids()).not.toContain(`${emulator.projectId}/${theirs}`);
    expect(ids()).toHaveLength(3);
  });

  it("an endpoint with another name is not taken", async () => {
    const { bench, emulator, replica, stranger } = await useNameless({ endpointNames: true });
    emulator.admin.addFault({ ...lostBefore, count: 1 });
    let theirs = "";
    const account = accountThat(bench, () => {
      theirs ||= stranger({ name: "analytics" });
    });
    const stack = new EnginePart();
    const { errors } = await bench.run(stack.up(account, { main: replica() }));
    expect(stack.ids()).toEqual([]);
    expect(errors.join()).toContain(theirs);
  });
});
