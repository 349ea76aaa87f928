import { expect, it } from "vitest";
import type { CallEffect } from "../../emulator";
import type { Account } from "../../provider/platform/account";
import { RunRecords } from "../../provider/pulumi/run";
import { type Bench, useBench } from "../support/bench";
import { EnginePart, type Program, type Run } from "../support/engine-part";

const PROJECTS = 20;
const ENDPOINTS = 2_000;
/** Resources that the engine has in hand at once. */
const PARALLEL = 100;
const FAULTY = 0.05;
/** So often may a person have to run it again. */
const MAX_RUNS = 4;

/** What befalls calls: answers lost before and after the work, refusals, and what is no answer. */
const effects: readonly CallEffect[] = [
  { kind: "reset", when: "before" },
  { kind: "reset", when: "after" },
  { kind: "truncate-body" },
  { kind: "html", when: "after" },
  { kind: "status", status: 423 },
  { kind: "status", status: 429, retryAfter: { form: "seconds", seconds: 1 } },
  { kind: "status", status: 500, when: "before" },
  { kind: "status", status: 500, when: "after" },
  { kind: "status", status: 503, when: "before" },
  { kind: "status", status: 503, when: "after" },
  { kind: "status", status: 504, when: "after" },
];

it("reaches 2,000 endpoints over 20 projects, and none, while one call in twenty fails", {
  timeout: 600_000,
}, async () => {
  const bench = await useBench({ logLimit: 1 });
  const { admin } = bench.emulator;
  const places = Array.from({ length: PROJECTS }, () => admin.seedProject({ endpoint: false }).project.id).flatMap(
    (projectId) =>
      Array.from({ length: ENDPOINTS / PROJECTS }, (_, index) => ({
        projectId,
        branchId: admin.seedBranch(projectId).id,
        // One in ten is a replica, which the platform would take any number of.
        type: index % 10 === 0 ? "read_only" : "read_write",
      })),
  );
  const load = new Load(bench, places);
  for (const effect of effects) admin.addFault({ probability: FAULTY / effects.length, effect });

  await load.reach({ sizeCu: 1 });
  await load.reach({ sizeCu: 2, suspendTimeoutSeconds: 600 });
  await load.reach(undefined);

  const { total } = admin.counts();
  const struck = admin.faults().reduce((sum, fault) => sum + fault.struck, 0);
  // The platform was as bad as it was to be, and what it cost is a few calls for each change.
  expect(struck / total).toBeGreaterThan(FAULTY / 2);
  expect(total / (3 * ENDPOINTS)).toBeLessThan(4);
});

type Place = { projectId: string; branchId: string; type: string };

/** One program of many endpoints, its stack, and the platform that it is compared with. */
class Load {
  // Each part has its share of the resources, as the engine has so many of them in hand at once.
  readonly #parts = Array.from({ length: PARALLEL }, () => new EnginePart());

  constructor(
    readonly bench: Bench,
    readonly places: readonly Place[],
  ) {}

  /** Runs the program with these inputs, or an empty one, until it succeeds; holds every run to what must never be. */
  async reach(inputs: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    for (let run = 1; ; run += 1) {
      const account = this.bench.account();
      const runs = await this.bench.run(this.#up(account, inputs));
      await account.api.close();
      this.#expectKnown(runs);
      if (runs.every(({ ok }) => ok)) break;
      expect(run, runs.flatMap(({ errors }) => errors).join("\n")).toBeLessThan(MAX_RUNS);
    }
    this.#expectExactly(inputs);
  }

  #up(account: Account, inputs: Readonly<Record<string, unknown>> | undefined): Promise<Run[]> {
    const run = new RunRecords();
    return Promise.all(
      this.#parts.map((part, share) => {
        const program: Program = Object.fromEntries(
          this.places.flatMap((place, index) =>
            index % PARALLEL === share && inputs ? [[`e${index}`, { ...place, ...inputs }]] : [],
          ),
        );
        return part.up(account, program, { run });
      }),
    );
  }

  /** Nothing exists that neither the state nor a message knows, and no branch has two. */
  #expectKnown(runs: readonly Run[]): void {
    const told = runs.flatMap(({ errors, said }) => [...errors, ...said]).join("\n");
    const known = new Set(this.#ids());
    expect(
      this.#live().filter(({ id, name }) => !known.has(id) && !told.includes(id) && !told.includes(name ?? id)),
    ).toEqual([]);
    const branches = this.#live().map(({ branch_id }) => branch_id);
    expect(new Set(branches).size).toBe(branches.length);
  }

  /** State and platform are as the program says, and nothing is under way. */
  #expectExactly(inputs: Readonly<Record<string, unknown>> | undefined): void {
    const live = this.#live();
    expect(live.map(({ id }) => id).sort()).toEqual(this.#ids().sort());
    expect(live).toHaveLength(inputs ? ENDPOINTS : 0);
    if (!inputs) return;
    const byBranch = new Map(live.map((endpoint) => [endpoint.branch_id, endpoint]));
    for (const { projectId, branchId, type } of this.places) {
      expect(byBranch.get(branchId)).toMatchObject({
        project_id: projectId,
        type,
        autoscaling_limit_min_cu: inputs.sizeCu,
        autoscaling_limit_max_cu: inputs.sizeCu,
        suspend_timeout_seconds: inputs.suspendTimeoutSeconds ?? 0,
        // Time enough may have passed for those that were ready first to fall asleep.
        current_state: expect.stringMatching(/^(active|idle)$/),
      });
      expect(byBranch.get(branchId)?.pending_state).toBeUndefined();
    }
    for (const part of this.#parts)
      for (const { unfinished } of part.resources.values()) expect(unfinished).toBe(false);
  }

  #ids(): string[] {
    return this.#parts.flatMap((part) => part.ids()).map((id) => id.split("/")[1] ?? "");
  }

  #live() {
    const projectIds = new Set(this.places.map(({ projectId }) => projectId));
    return [...projectIds].flatMap((projectId) => this.bench.emulator.admin.project(projectId).endpoints);
  }
}
