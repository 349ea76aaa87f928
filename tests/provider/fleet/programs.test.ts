import { expect, it } from "vitest";
import { openBench } from "../../support/bench";
import { fc, runsOr } from "../../support/random";
import { FleetEngine } from "./support";

// Random programs of one fleet: what the preview says is what `up` does, or both refuse.

const KEYS = [..."abcdef"];
const BRANCHES = 6;

interface Wish {
  branch: number;
  type: "read_write" | "read_only";
  sizeCu?: number | undefined;
  protect?: boolean | undefined;
  retainOnDelete?: boolean | undefined;
  adoptExisting?: boolean | undefined;
}

type Wishes = Record<string, Wish>;

const seldom = fc.constantFrom(undefined, undefined, undefined, undefined, true);

const wish: fc.Arbitrary<Wish> = fc.record({
  branch: fc.nat(BRANCHES - 1),
  type: fc.constantFrom("read_write", "read_write", "read_only"),
  sizeCu: fc.option(fc.constantFrom(0.5, 1), { nil: undefined }),
  protect: seldom,
  retainOnDelete: seldom,
  adoptExisting: seldom,
});

const program = fc.dictionary(fc.constantFrom(...KEYS), wish, { noNullPrototype: true });

/** What somebody else does between two runs: puts an endpoint on a branch, or deletes a member's. */
const outside = fc.oneof(
  { arbitrary: fc.constant({ does: "nothing" } as const), weight: 4 },
  { arbitrary: fc.nat(BRANCHES - 1).map((branch) => ({ does: "creates", branch }) as const), weight: 1 },
  { arbitrary: fc.constantFrom(...KEYS).map((key) => ({ does: "deletes", key }) as const), weight: 1 },
);

const story = fc.array(fc.tuple(program, outside), { minLength: 2, maxLength: 4 });

it("what the preview of a fleet says is what up does, or both refuse", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const bench = await openBench();
      try {
        await playStory(bench, steps);
      } finally {
        await bench.close();
      }
    }),
    { numRuns: runsOr(60) },
  );
});

type Bench = Awaited<ReturnType<typeof openBench>>;
type Steps = typeof story extends fc.Arbitrary<infer T> ? T : never;

async function playStory(bench: Bench, steps: Steps): Promise<void> {
  const { admin, projectId } = bench.emulator;
  const branches = Array.from({ length: BRANCHES }, () => bench.branch());
  const fleet = new FleetEngine(bench, bench.account());
  const ids = () =>
    admin
      .project(projectId)
      .endpoints.map(({ id, branch_id, type }) => `${id} ${branch_id} ${type}`)
      .sort();
  for (const [wishes, other] of steps) {
    if (other.does === "creates") {
      const branch_id = branches[other.branch] ?? "";
      const isTaken = bench.on(branch_id).some(({ type }) => type === "read_write");
      if (!isTaken) admin.seedEndpoint(projectId, { branch_id });
    } else if (other.does === "deletes") {
      const { endpointId } = fleet.endpoints[other.key] ?? {};
      if (endpointId !== undefined) admin.dropEndpoint(String(endpointId));
      fleet.restart();
      expect((await fleet.refresh()).error).toBeUndefined();
    }
    const news = programOf(projectId, branches, wishes);
    fleet.restart();
    const isThere = fleet.stored !== undefined;
    const preview = await fleet.preview(news);
    const before = ids();
    fleet.restart();
    const up = await fleet.up(news);
    expect(up.error?.message).toBe(preview.error?.message);
    if (preview.error) {
      expect(ids()).toEqual(before);
      continue;
    }
    if (isThere) expect(up.changes).toEqual(preview.changes);
    const placed = Object.entries(wishes).map(([key, { branch, type }]) => [key, `${branches[branch]} ${type}`]);
    const there = Object.entries(fleet.endpoints).map(([key, { endpointId }]) => {
      const live = admin.endpoint(String(endpointId));
      return [key, `${live.branch_id} ${live.type}`];
    });
    expect(Object.fromEntries(there)).toEqual(Object.fromEntries(placed));
    fleet.restart();
    expect((await fleet.preview(news)).isChanged).toBe(false);
  }
}

function programOf(projectId: string, branches: readonly string[], wishes: Wishes) {
  const endpoints = Object.entries(wishes).map(([key, { branch, ...rest }]) => [
    key,
    { branchId: branches[branch], ...rest },
  ]);
  return { projectId, maxDeletions: KEYS.length, endpoints: Object.fromEntries(endpoints) };
}
