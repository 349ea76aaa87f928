import { describe, expect, it } from "vitest";
import type { Fault } from "../../../emulator";
import { useBench } from "../../support/bench";
import { declare, stackOfMany } from "../support/stack";

/** The create is made, and its answer lost; or it is lost before it is made. */
const lostAfter: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "after" } };
const lostBefore: Fault = { route: "endpoints.create", effect: { kind: "reset", when: "before" } };

/** A platform that keeps names or not, and a branch of it. */
async function useReplicas(endpointNames = false) {
  const bench = await useBench({ endpointNames });
  const { projectId, admin } = bench.emulator;
  const branchId = bench.branch();
  return {
    bench,
    admin,
    replicas: (...names: string[]) =>
      declare(Object.fromEntries(names.map((name) => [name, { projectId, branchId, type: "read_only" }]))),
    ids: () => bench.on(branchId).map(({ id }) => `${projectId}/${id}`),
    /** What somebody else creates on the branch, right now. */
    stranger: () => `${projectId}/${admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only" }).id}`,
  };
}

it("where nobody knows yet whether names are kept, an answer that shows the name ends the guessing: only the name counts from then on", async () => {
  const { bench, admin, replicas, ids, stranger } = await useReplicas(true);
  const stack = stackOfMany(bench);
  await bench.run(stack.up(replicas("one")));
  admin.addFault({ ...lostBefore, count: 1 });
  let theirs = "";
  const account = bench.account({
    onRequest: ({ method, path }) => {
      if (method === "POST" && path.endsWith("/endpoints")) theirs ||= stranger();
    },
  });
  expect((await bench.run(stack.up(replicas("one", "other"), { part: { account } }))).messages).toEqual([]);
  expect(stack.known()).not.toContain(theirs);
  expect(ids()).toHaveLength(3);
});

describe("replicas that are created side by side, where no names are kept", () => {
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
    const { bench, admin, replicas, ids } = await useReplicas();
    const program = replicas("a", "b", "c", "d", "e");
    for (const fault of faults) admin.addFault(fault);
    const stack = stackOfMany(bench, 5);
    const run = await bench.run(stack.up(program));
    admin.clearFaults();
    expect(stack.known()).toHaveLength(owned);
    const left = ids().filter((id) => !stack.known().includes(id));
    expect(left).toHaveLength(named);
    expect(run.messages).toHaveLength(5 - owned);
    for (const error of run.messages) for (const id of left) expect(error).toContain(id);
    if (named > 0) return;
    const { messages, isChanged } = await bench.run(stack.preview(program));
    expect([messages, isChanged]).toEqual([[], false]);
  });
});

describe("two runs at once, where no names are kept", () => {
  async function twoRuns(fault: Fault) {
    const { bench, admin, replicas, ids } = await useReplicas();
    admin.addFault(fault);
    const [one, two] = [stackOfMany(bench), stackOfMany(bench)];
    const runs = await bench.run(Promise.all([one, two].map((stack) => stack.up(replicas("main")))));
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
