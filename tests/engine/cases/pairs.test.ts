/**
 * A primary and its replica that go to an empty branch in one update, without `dependsOn`. The engine begins the
 * replica's step before it has checked the primary, which here waits for another resource.
 */
import { expect, it } from "vitest";
import { runsOr } from "../../support/random";
import {
  type Declarations,
  type DeclaredOptions,
  dynamicHost,
  type HostDriver,
  hosts,
  pluginHost,
} from "../support/hosts";
import { useBench } from "../support/platform";
import type { RunOptions } from "../support/stack";

const bench = useBench();

/** What a program has of a pair: two resources, two fleets of one member each, or a replica and a fleet. */
type Shape = "single" | "fleet" | "mixed";

interface Pair {
  branchId: string;
  shape: Shape;
  /** What the primary waits for. */
  after?: string[];
  replicaAfter?: string[];
}

/** The types on a branch where the pair is. */
const both = ["read_only", "read_write"];

const typesOn = (branchId: string) =>
  bench
    .on(branchId)
    .map(({ type }) => type)
    .sort();

const primaryOn = (branchId: string) => bench.on(branchId).find(({ type }) => type === "read_write")?.id;

/** The changes that were sent since the log was cleared. */
const sent = () => {
  const calls = bench.emulator.admin.log().filter(({ method }) => method !== "GET");
  return calls.map(({ route }) => route.replace("endpoints.", "")).sort();
};

function declared(isFleet: boolean, args: Record<string, unknown>, options: DeclaredOptions) {
  const { projectId } = bench;
  if (!isFleet) return { args: { projectId, ...args }, options };
  return { isFleet: true as const, args: { projectId, maxDeletions: 1, endpoints: { a: args } }, options };
}

function pair({ branchId, shape, after = [], replicaAfter = [] }: Pair): Declarations {
  return {
    replica: declared(shape === "fleet", { branchId, type: "read_only" }, { dependsOn: replicaAfter }),
    primary: declared(shape !== "single", { branchId }, { dependsOn: after }),
  };
}

/** A stack of a pair, and of another resource that changes in each run, which the primary waits for. */
function usePair(host: HostDriver, shape: Shape = "single") {
  const aside = bench.branch();
  const program = bench.program(host);
  let runs = 0;
  const first = () => {
    runs += 1;
    return { args: { projectId: bench.projectId, branchId: aside, sizeCu: 1 + (runs % 2) } };
  };
  const up = (declarations: Declarations, options?: RunOptions) => {
    bench.emulator.admin.clearLog();
    return program.is({ first: first(), ...declarations }).up(options);
  };
  return {
    program,
    /** The pair comes to a branch in its order, or by itself. */
    settle: (branchId: string) => up(pair({ branchId, shape, replicaAfter: ["primary"] })),
    /** It goes there in no order: the primary is checked late, or in every second run by chance. */
    go: (branchId: string, run: number, options?: RunOptions) =>
      up(pair({ branchId, shape, after: run % 2 === 0 ? ["first"] : [] }), options),
  };
}

const moving = [
  { shape: "single", host: pluginHost },
  { shape: "fleet", host: pluginHost },
  { shape: "single", host: dynamicHost },
  { shape: "fleet", host: dynamicHost },
  { shape: "mixed", host: dynamicHost },
] as const;

it.each(moving)("a pair moves to an empty branch: $shape, by the $host.name host", async ({ shape, host }) => {
  const { settle, go } = usePair(host, shape);
  let from = bench.branch();
  await settle(from);
  for (let run = 0; run < runsOr(1); run += 1) {
    const to = bench.branch();
    const id = primaryOn(from);
    const { text } = await go(to, run);
    expect([typesOn(to), primaryOn(to), bench.on(from)]).toEqual([both, id, []]);
    // The size of the one that it waits for, the move, the new replica, and the old one.
    expect(sent()).toEqual(["create", "delete", "update", "update"]);
    expect(text).not.toContain("dependsOn");
    from = to;
  }
});

it("a pair is created on an empty branch", async () => {
  for (let run = 0; run < runsOr(1); run += 1) {
    const { go } = usePair(pluginHost);
    const to = bench.branch();
    await go(to, run);
    expect([typesOn(to), sent()]).toEqual([both, ["create", "create", "create"]]);
  }
});

it("a pair is replaced on an empty branch, where no endpoint is to move", async () => {
  const { settle, go, program } = usePair(pluginHost);
  program.project.setConfig({ "pgcompute:moves": "replace" });
  let from = bench.branch();
  await settle(from);
  for (let run = 0; run < runsOr(1); run += 1) {
    const to = bench.branch();
    const id = primaryOn(from);
    await go(to, run);
    expect([typesOn(to), bench.on(from)]).toEqual([both, []]);
    expect(primaryOn(to)).not.toBe(id);
    from = to;
  }
});

it("a primary that is refused has its replica wait for nothing", async () => {
  const { settle, go } = usePair(pluginHost);
  const { admin, projectId } = bench.emulator;
  const from = bench.branch();
  await settle(from);
  for (let run = 0; run < runsOr(1); run += 1) {
    const to = bench.branch();
    admin.seedEndpoint(projectId, { branch_id: to, type: "read_only" });
    const { failure } = await go(to, run, { expectFailure: true });
    expect(failure).toContain("moves only to a branch without endpoints");
    expect(failure).not.toContain("is not there yet");
    expect(primaryOn(from)).toBeDefined();
    await settle(from);
  }
});

it("nothing is sent for a replica whose primary fails to move, and the message names what to wait for", async () => {
  const { settle, go } = usePair(pluginHost);
  const { admin } = bench.emulator;
  const from = bench.branch();
  await settle(from);
  for (let run = 0; run < runsOr(1); run += 1) {
    const to = bench.branch();
    const id = primaryOn(from) ?? "";
    const fault = admin.addFault({ method: "PATCH", path: `*/${id}`, effect: { kind: "status", status: 400 } });
    const { failure } = await go(to, run, { expectFailure: true });
    admin.removeFault(fault);
    expect(failure).toContain("dependsOn: [primary]");
    expect([sent(), bench.on(to)]).toEqual([["update", "update"], []]);
  }
  const to = bench.branch();
  await settle(to);
  expect([typesOn(to), bench.on(from)]).toEqual([both, []]);
});

// The primaries wait for one more resource: by then waiting replicas hold all workers, and no primary is checked any more.
it.each(hosts)(
  "nothing is sent for replicas that hold all of the engine's workers, by the $name host",
  async (host) => {
    const { projectId } = bench;
    const program = bench.program(host);
    const pairs = (branches: readonly string[], size: number, isOrdered: boolean): Declarations => {
      const on = (type: string, waitsFor: (at: number) => string[]) => (branchId: string, at: number) =>
        [
          `${type === "read_only" ? "a" : "b"}${at}`,
          { args: { projectId, branchId, type }, options: { dependsOn: waitsFor(at) } },
        ] as const;
      const primaries = branches.map(on("read_write", () => ["first"]));
      const replicas = branches.map(on("read_only", (at) => (isOrdered ? [`b${at}`] : [])));
      const first = [["first", { args: { projectId, branchId: aside, sizeCu: size } }]] as const;
      return Object.fromEntries(
        isOrdered ? [...first, ...primaries, ...replicas] : [...replicas, ...first, ...primaries],
      );
    };
    const [aside = "", ...from] = bench.branches(11);
    await program.is(pairs(from, 1, true)).up();
    for (let run = 0; run < runsOr(1); run += 1) {
      const to = bench.branches(10);
      const ended = program.is(pairs(to, 2, false)).up({ args: ["--parallel", "8"], expectFailure: true });
      const { failure, steps } = await ended;
      expect(failure).toContain("`dependsOn`");
      expect(steps.filter(({ name, ok }) => name.startsWith("a") && ok)).toEqual([]);
      expect(to.flatMap(typesOn).filter((type) => type === "read_only")).toEqual([]);
      await program.is(pairs(from, 1, true)).up();
    }
    const to = bench.branches(10);
    await program.is(pairs(to, 2, true)).up({ args: ["--parallel", "8"] });
    expect([to.map(typesOn), from.flatMap(bench.on)]).toEqual([Array(10).fill(both), []]);
  },
);
