import { describe, expect, it } from "vitest";
import type { CallEffect, LockMode } from "../../../emulator";
import { neon } from "../../../provider/platform/profiles/profiles";
import { type Program, Stack, useMain, type Values, type Verb } from "../../engine-model/stack";
import { type Bench, useBench } from "../../support/bench";
import { fc, runsOr, seed } from "../../support/random";
import { aheadOf } from "../../support/virtual-clock";

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

const waits: CallEffect = { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 3 } };
const fails: CallEffect = { kind: "status", status: 500, when: "before", retryAfter: { form: "seconds", seconds: 60 } };
const before: CallEffect = { kind: "reset", when: "before" };
const isLost: CallEffect = { kind: "reset", when: "after" };

const replica = fc.record(
  { sizeCu: fc.constantFrom<number>(0.25, 1, 2), poolerEnabled: fc.constant(true) },
  { requiredKeys: [] },
);

/** Replicas that are created side by side, what becomes of each request in turn, and what disturbs. */
const stories = fc.record({
  replicas: fc.array(replica, { minLength: 1, maxLength: 6 }),
  answers: fc.array(
    fc.constantFrom<CallEffect | undefined>(
      undefined,
      isLost,
      before,
      { kind: "status", status: 503, when: "after" },
      { kind: "status", status: 500, when: "before" },
      fails,
      waits,
    ),
    { maxLength: 12 },
  ),
  lagMs: maybe(500, 3_000),
  /** What an open operation refuses, and for how long each is open. */
  lock: fc.constantFrom<LockMode>("endpoint", "project", "none"),
  operationMs: fc.constantFrom(1_000, 20_000),
  /** Looks at the branch that are refused, since something is under way there. */
  refusedLooks: fc.constantFrom(0, 0, 0, 8),
  /** Somebody else's replica: older than the run's, or not alike. */
  stranger: maybe("older" as const, "other" as const),
  /** When somebody else creates one of the default size, in milliseconds after the first create of the run. */
  besideMs: fc.oneof(
    fc.constant([]),
    fc.array(fc.constantFrom<number>(0, 300, 2_000, 8_000, 30_000), { maxLength: 3 }),
  ),
  /** When somebody deletes the branch's first endpoint. */
  deletedMs: maybe(500, 6_000),
  /** How wrong the machine's clock is. */
  aheadMs: fc.constantFrom(0, 18_000_000, -18_000_000),
  keepsNames: fc.boolean(),
  parallel: fc.constantFrom<number>(1, 2, 6),
});

type Story = typeof stories extends fc.Arbitrary<infer Value> ? Value : never;

const plain: Omit<Story, "replicas" | "answers" | "stranger" | "parallel"> = {
  lagMs: undefined,
  lock: "endpoint",
  operationMs: 1_000,
  refusedLooks: 0,
  besideMs: [],
  deletedMs: undefined,
  aheadMs: 0,
  keepsNames: false,
};

const alone = { ...plain, replicas: [{}], stranger: undefined, parallel: 1, lagMs: 500 };
/** Five replicas created in parallel: the faults of their creates, and the numbers owned and named afterwards. */
const five: Record<string, [answers: Story["answers"], owned: number, named: number]> = {
  "one answer is lost": [[undefined, isLost], 4, 1],
  "one is lost before it was made": [[undefined, before], 4, 0],
  "none was made": [Array(5).fill(before), 0, 0],
  "two of the answers are lost": [[undefined, isLost, isLost], 3, 2],
  "all answers are lost": [Array(50).fill(isLost), 0, 5],
  "one was made and one was not": [[isLost, before], 3, 1],
};

it.each(Object.entries(five))("replicas are neither guessed nor sent again, and all are named: %s", async (_, its) => {
  const [answers, owned, named] = its;
  const replicas = Array(5).fill({ sizeCu: 0.25 });
  const bench = await useBench();
  const { first } = await play(bench, { ...alone, replicas, answers, parallel: 5, lagMs: undefined });
  const { messages, ids, left, sent } = first;
  expect([ids.length, left.length, messages.length, sent]).toEqual([owned, named, 5 - owned, 5]);
  for (const error of messages) for (const id of left) expect(error).toContain(id);
});

/** What came to a wrong end once, cut down. */
const fixed: Story[] = [
  // The second replica is on its way before the stranger's first second is over.
  ...[
    { stranger: "older" as const, second: { sizeCu: 0.25 } },
    { stranger: "other" as const, second: {} },
  ].map(({ stranger, second }) => ({
    ...plain,
    replicas: [{ sizeCu: 1 }, second],
    answers: [before],
    stranger,
    parallel: 2,
  })),
  // The list shows a stranger's already, and not yet what the second request has made.
  { ...alone, answers: [fails, isLost, waits], besideMs: [8_000], deletedMs: 500 },
  // A stranger's, made a second before, matches; the list lags behind the attempt; and it is still open whether names
  // are stored.
  { ...alone, replicas: [{ sizeCu: 0.25 }], answers: [waits, isLost], besideMs: [2_000], keepsNames: true },
  // A stranger's fits the first attempt, and the list does not show yet what the second has made.
  { ...alone, answers: [fails, { kind: "status", status: 503, when: "after" }], besideMs: [5_500] },
];

const numRuns = runsOr(40);

it(`lost creates have one owner each, or are named (PGCOMPUTE_SEED=${seed})`, {
  timeout: 60_000 + numRuns * 2_000,
}, async () => {
  const bench = await useBench();
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      await play(bench, story);
    }),
    { numRuns, endOnFailure: true, examples: fixed.map((story): [Story] => [story]) },
  );
});

async function play(bench: Bench, story: Story) {
  const { emulator, clock } = bench;
  const { admin, projectId } = emulator;
  emulator.reset();
  admin.configure({ endpointNames: story.keepsNames, lock: story.lock, operationMs: story.operationMs });
  const branchId = bench.branch();
  const replicas = story.replicas.map((one, index) => [
    `r${index}`,
    { args: { projectId, branchId, type: "read_only", ...one } },
  ]);
  const program: Program = Object.fromEntries(replicas);
  const older: string[] = [];
  const beside: string[] = [];
  const settle = async () => {
    if (story.stranger === undefined) return;
    const large = { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4, pooler_enabled: false };
    const isOlder = story.stranger === "older";
    older.push(admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only", ...(isOlder ? {} : large) }).id);
    // What any of the replicas shows, if it sends nothing, would be alike: then it has to be older.
    if (isOlder || story.replicas.some(({ sizeCu }) => sizeCu === undefined)) await clock.sleep(10_000);
  };
  const others: Promise<void>[] = [];
  const at = (ms: number, act: () => void) => others.push(clock.sleep(ms).then(act));
  const begin = async () => {
    await settle();
    for (const ms of story.besideMs) {
      at(ms, () => {
        beside.push(admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only" }).id);
      });
    }
    if (story.deletedMs !== undefined) {
      at(story.deletedMs, () => {
        const [first] = bench.on(branchId);
        if (first) admin.dropEndpoint(first.id);
      });
    }
  };
  // No create goes out before the stranger is as old as it has to be, in whatever order they are worked on.
  let begun: Promise<void> | undefined;
  const beforeStep = async (verb: Verb) => {
    if (verb !== "create") return;
    begun ??= begin();
    await begun;
  };
  story.answers.forEach((effect, skip) => {
    if (effect) admin.addFault({ route: "endpoints.create", skip, count: 1, effect });
  });
  if (story.lagMs !== undefined) {
    for (const route of ["endpoints.list", "branches.endpoints", "operations.list"]) {
      admin.addFault({ route, effect: { kind: "stale-list", ageMs: story.lagMs } });
    }
  }
  if (story.refusedLooks > 0) {
    const effect: CallEffect = { kind: "status", status: 423 };
    admin.addFault({ route: "branches.endpoints", count: story.refusedLooks, effect });
  }
  const stack = new Stack(bench, { atOnce: story.parallel, goesOn: true });
  const run = await bench.run(upTwice(bench, story, stack, program, beforeStep, () => bench.on(branchId)));
  await bench.run(Promise.all(others));
  admin.clearFaults();

  const told = [...run.messages, ...run.said].join("\n");
  const ids = stack.known().map((id) => id.split("/")[1] ?? "");
  const strangers = [...older, ...beside];
  expect(new Set(ids).size, "one owner each").toBe(ids.length);
  expect(
    ids.filter((id) => strangers.includes(id)),
    "what is somebody else's",
  ).toEqual([]);
  const unknown = bench.on(branchId).filter(({ id }) => ![...ids, ...strangers].includes(id) && !told.includes(id));
  expect(
    unknown.map(({ id }) => id),
    "what nobody knows",
  ).toEqual([]);
  for (const { name, id } of stack.engine.state.values()) {
    const wanted = story.replicas[Number(name.slice(1))];
    const real = bench.on(branchId).find((one) => id.endsWith(`/${one.id}`));
    if (!real) continue;
    expect(real.autoscaling_limit_min_cu, name).toBe(wanted?.sizeCu ?? real.autoscaling_limit_min_cu);
    expect(real.pooler_enabled, name).toBe(wanted?.poolerEnabled ?? real.pooler_enabled);
  }
  if (run.ok) {
    expect(ids).toHaveLength(story.replicas.length);
    // What somebody has deleted since then is created again.
    const isGone = !ids.every((id) => bench.on(branchId).some((one) => one.id === id));
    expect((await stack.preview(program)).isChanged, "the next preview").toBe(isGone);
  }
  return run;
}

/**
 * Two runs of the program in separate processes, the second only if the first failed; with the endpoints after the
 * first.
 */
async function upTwice(
  bench: Bench,
  { aheadMs }: Story,
  stack: Stack,
  program: Program,
  beforeStep: (verb: Verb) => Promise<void>,
  there: () => { id: string }[],
) {
  const clock = aheadOf(bench.clock, aheadMs);
  const up = () => stack.up(program, { account: bench.account({ clock }), beforeStep });
  const run = await up();
  const sent = bench.emulator.admin.log({ route: "endpoints.create" }).length;
  const ids = stack.known();
  const left = there().flatMap(({ id }) => (ids.join().includes(id) ? [] : [id]));
  const first = { messages: run.messages, ids, left, sent };
  if (run.ok) return { ...run, first };
  // The second run starts once lists show the first's results: endpoints are told apart by seconds only.
  await bench.clock.sleep(10_000);
  const second = await up();
  return { first, ok: second.ok, messages: [...run.messages, ...second.messages], said: [...run.said, ...second.said] };
}

const losing = (effect: CallEffect, count = 1, skip = 0) => ({ route: "endpoints.create", effect, count, skip });

/** An endpoint to create, and what is done at each request that creates one. */
async function useCreated(endpointNames = false) {
  const used = await useMain({ endpointNames });
  const { stack, projectId, branchId } = used;
  return {
    ...used,
    atCreate: (act: () => void) => {
      stack.onRequest = ({ method, path }) => void (method === "POST" && path.endsWith("/endpoints") && act());
    },
    ids: () => used.idsOn(branchId).map((id) => `${projectId}/${id}`),
  };
}

const type = "read_only";

it("where nobody knows yet whether names are kept, an answer that shows the name ends the guessing: only the name counts from then on", async () => {
  const { stack, admin, projectId, branchId, single, atCreate, ids } = await useCreated(true);
  const one = single(branchId, { type });
  await stack.up({ one });
  admin.addFault(losing(before));
  let theirs = "";
  atCreate(() => {
    theirs ||= admin.seedEndpoint(projectId, { branch_id: branchId, type }).id;
  });
  expect((await stack.up({ one, other: one })).messages).toEqual([]);
  expect(stack.known().join()).not.toContain(theirs);
  expect(ids()).toHaveLength(3);
});

it("where names are known to be kept, a replica's create behind old lists is sent again, and its duplicate named by the next preview", async () => {
  const { stack, admin, main, ids } = await useCreated(true);
  admin.addFault(losing(isLost));
  for (const route of ["endpoints.list", "branches.endpoints", "operations.list"])
    admin.addFault({ route, count: 4, effect: { kind: "stale-list", ageMs: 180_000 } });
  const { messages } = await stack.up(main({ type }), { settings: { profile: neon } });
  expect([messages, ids().length]).toEqual([[], 2]);
  const [duplicate] = ids().filter((id) => !stack.known().includes(id));
  const { said } = await stack.preview(main({ type }));
  expect(said.join()).toContain(`pgcompute endpoints delete ${duplicate}`);
});

it("another replica of the run is not named among those that a lost create may have made, where the list before it lagged", async () => {
  const { stack, admin, branchId, single, ids } = await useCreated();
  const one = single(branchId, { type });
  await stack.up({ own: one });
  const [own] = ids();
  admin.addFault(losing(isLost));
  admin.addFault({ route: "endpoints.list", count: 1, effect: { kind: "stale-list", ageMs: 180_000 } });
  const { messages } = await stack.up({ own: one, lost: one });
  const lost = ids().find((id) => id !== own);
  expect(messages.join()).toContain(`pgcompute endpoints delete ${lost}`);
  expect(messages.join()).not.toContain(own);
});

describe("a primary whose create lost its answer, where no names are kept", () => {
  it.each<[string, CallEffect[], number]>([
    ["was made, and is taken", [isLost], 1],
    ["was not made, and is sent again", [before], 2],
    ["was not made twice, and was made at last", [before, before, isLost], 3],
  ])("%s", async (_, effects, requests) => {
    const { stack, admin, main, ids, sent } = await useCreated();
    effects.forEach((effect, skip) => void admin.addFault(losing(effect, 1, skip)));
    const { messages, said } = await stack.up(main());
    expect([messages, stack.known(), sent().length]).toEqual([[], ids(), requests]);
    expect(said.join().includes("is taken to be what was created")).toBe(effects.at(-1) === isLost);
    expect((await stack.preview(main())).isChanged).toBe(false);
  });

  it("is named where the one that is new there is not as it was sent", async () => {
    const { stack, admin, projectId, branchId, main, atCreate, ids, sent } = await useCreated();
    admin.addFault(losing(before));
    const other = { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 };
    atCreate(() => ids().length === 0 && admin.seedEndpoint(projectId, { branch_id: branchId, ...other }));
    const { messages } = await stack.up(main({ sizeCu: 1 }));
    expect([stack.known(), sent().length]).toEqual([[], 1]);
    expect(messages.join()).toContain(`pgcompute endpoints delete ${ids()[0]}`);
  });
});

describe("two runs at once, where no names are kept", () => {
  async function twoRuns(more: Values, effect: CallEffect, count: number) {
    const { bench, admin, stack, main, ids } = await useCreated();
    admin.addFault(losing(effect, count));
    const stacks = [stack, new Stack(bench)];
    const runs = await Promise.all(stacks.map((one) => one.up(main(more))));
    return { runs, ids: ids(), owned: stacks.flatMap((one) => one.known()) };
  }

  it("take no replica where both lose the answer to the same create", async () => {
    const { runs, ids, owned } = await twoRuns({ type }, isLost, 2);
    expect([ids.length, owned]).toEqual([2, []]);
    for (const { messages } of runs) for (const id of ids) expect(messages.join()).toContain(id);
  });

  // The limit of it, which docs/reliability.md tells.
  it("may take for its own the primary that the other one made at that moment just alike", async () => {
    const { runs, ids, owned } = await twoRuns({}, before, 1);
    expect([ids.length, owned]).toEqual([1, [ids[0], ids[0]]]);
    expect(runs.flatMap(({ said }) => said).join()).toContain("is taken to be what was created");
  });
});
