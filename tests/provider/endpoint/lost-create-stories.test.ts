import fc from "fast-check";
import { expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import { type Bench, useBench } from "../../support/bench";
import { EnginePart, type Program } from "../../support/engine-part";

/** As many runs as asked for, of a seed that can be played again: see `tests/faults/model.test.ts`. */
const numRuns = Number(process.env.PGCOMPUTE_RUNS ?? 40);
const seed = Number(process.env.PGCOMPUTE_SEED ?? (process.env.CI ? 20_240_501 : Date.now() % 2 ** 31));

/** Replicas that are created side by side, what becomes of each request in turn, and what disturbs. */
interface Story {
  replicas: { sizeCu?: number | undefined; poolerEnabled?: boolean | undefined }[];
  answers: (CallEffect | undefined)[];
  lagMs: number | undefined;
  /** Somebody else's replica: older than the run's, or not alike. */
  stranger: "older" | "other" | undefined;
  keepsNames: boolean;
  parallel: number;
}

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

const stories: fc.Arbitrary<Story> = fc.record({
  replicas: fc.array(fc.record({ sizeCu: maybe(0.25, 1, 2), poolerEnabled: maybe(true) }), {
    minLength: 1,
    maxLength: 6,
  }),
  answers: fc.array(
    fc.constantFrom<CallEffect | undefined>(
      undefined,
      { kind: "reset", when: "after" },
      { kind: "reset", when: "before" },
      { kind: "status", status: 503, when: "after" },
      { kind: "status", status: 500, when: "before" },
      { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 3 } },
    ),
    { maxLength: 12 },
  ),
  lagMs: maybe(500, 3_000),
  stranger: fc.option(fc.constantFrom("older" as const, "other" as const), { nil: undefined }),
  keepsNames: fc.boolean(),
  parallel: fc.constantFrom(1, 2, 6),
});

it(`lost creates have one owner each, or are named (PGCOMPUTE_SEED=${seed})`, {
  timeout: 60_000 + numRuns * 2_000,
}, async () => {
  const bench = await useBench();
  const seen = { taken: 0, named: 0 };
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { said, errors } = await play(bench, story);
      if (said.join().includes("is taken to be")) seen.taken += 1;
      if (errors.join().includes("pgcompute endpoints delete")) seen.named += 1;
    }),
    { seed, numRuns, endOnFailure: true },
  );
  if (numRuns >= 40) expect(seen.taken).toBeGreaterThan(0);
});

async function play(bench: Bench, story: Story) {
  const { emulator, clock } = bench;
  const { admin, projectId } = emulator;
  emulator.reset();
  admin.configure({ endpointNames: story.keepsNames });
  const branchId = bench.branch();
  const program: Program = Object.fromEntries(
    story.replicas.map((one, index) => [
      `r${index}`,
      JSON.parse(JSON.stringify({ projectId, branchId, type: "read_only", ...one })),
    ]),
  );
  const strangers: string[] = [];
  const beforeStep = async (verb: string) => {
    if (verb !== "create" || story.stranger === undefined || strangers.length > 0) return;
    const large = { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4, pooler_enabled: false };
    const isOlder = story.stranger === "older";
    // What any of the replicas shows, if it sends nothing, would be alike: then it has to be older.
    strangers.push(
      admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only", ...(isOlder ? {} : large) }).id,
    );
    if (isOlder || story.replicas.some(({ sizeCu }) => sizeCu === undefined)) await clock.sleep(10_000);
  };
  story.answers.forEach((effect, skip) => {
    if (effect) admin.addFault({ route: "endpoints.create", skip, count: 1, effect });
  });
  if (story.lagMs !== undefined) {
    for (const route of ["endpoints.list", "branches.endpoints", "operations.list"]) {
      admin.addFault({ route, effect: { kind: "stale-list", ageMs: story.lagMs } });
    }
  }
  const stack = new EnginePart(story.parallel);
  const account = bench.account();
  const run = await bench.run(stack.up(account, program, {}, { beforeStep }));
  await account.api.close();
  admin.clearFaults();

  const told = [...run.errors, ...run.said].join("\n");
  const ids = stack.ids().map((id) => id.split("/")[1] ?? "");
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
  for (const { name, id } of stack.resources.values()) {
    const wanted = story.replicas[Number(name.slice(1))];
    const real = admin.endpoint(id.split("/")[1] ?? "");
    expect(real.autoscaling_limit_min_cu, name).toBe(wanted?.sizeCu ?? real.autoscaling_limit_min_cu);
    expect(real.pooler_enabled, name).toBe(wanted?.poolerEnabled ?? real.pooler_enabled);
  }
  if (run.ok) expect(ids).toHaveLength(story.replicas.length);
  return run;
}
