import { expect, it } from "vitest";
import { Stack } from "../engine-model/stack";
import { useBench } from "../support/bench";
import { outages } from "./support/world";

const PROJECTS = 5;
const ENDPOINTS = 500;
/** Resources that the engine has in hand at once. */
const PARALLEL = 100;
const FAULTY = 0.05;
/** So often may a person have to run it again. */
const MAX_RUNS = 4;

it("reaches 500 endpoints over 5 projects, and none, while one call in twenty fails", {
  timeout: 600_000,
}, async () => {
  const bench = await useBench({ logLimit: 1 });
  const { admin } = bench.emulator;
  const projectIds = Array.from({ length: PROJECTS }, () => admin.seedProject({ endpoint: false }).project.id);
  const places = projectIds.flatMap((projectId) =>
    Array.from({ length: ENDPOINTS / PROJECTS }, (_, index) => ({
      projectId,
      branchId: admin.seedBranch(projectId).id,
      // One in ten is a replica, which the platform would take any number of.
      type: index % 10 === 0 ? "read_only" : "read_write",
    })),
  );
  const stack = new Stack(bench, { atOnce: PARALLEL, goesOn: true });
  const live = () => projectIds.flatMap((projectId) => admin.project(projectId).endpoints);
  const stored = () => stack.known().map((id) => id.split("/")[1] ?? "");
  for (const effect of outages) admin.addFault({ probability: FAULTY / outages.length, effect });

  for (const inputs of [{ sizeCu: 1 }, { sizeCu: 2, suspendTimeoutSeconds: 600 }, undefined]) {
    const wanted = inputs ? places.map((place) => ({ ...place, suspendTimeoutSeconds: 0, ...inputs })) : [];
    const program = Object.fromEntries(wanted.map((args, index) => [`e${index}`, { args }]));
    for (let run = 1; ; run += 1) {
      const account = bench.account();
      const { ok, messages, said } = await stack.up(program, { account });
      await account.api.close();
      // Nothing exists that neither the state nor a message knows, and no branch has two.
      const told = [...messages, ...said].join("\n");
      const known = new Set(stored());
      const isKnown = (text: string) => known.has(text) || told.includes(text);
      expect(live().filter(({ id, name }) => !isKnown(id) && !isKnown(name ?? id))).toEqual([]);
      expect(new Set(live().map(({ branch_id }) => branch_id)).size).toBe(live().length);
      if (ok) break;
      expect(run, messages.join("\n")).toBeLessThan(MAX_RUNS);
    }
    // State and platform are as the program says, and nothing is under way.
    const ids = live().map(({ id }) => id);
    expect(stored().sort()).toEqual(ids.sort());
    expect([...stack.engine.state.values()].filter(({ unfinished }) => unfinished)).toEqual([]);
    const shown = live().map((one) => ({
      ...{ projectId: one.project_id, branchId: one.branch_id, type: one.type, sizeCu: one.autoscaling_limit_max_cu },
      ...{ suspendTimeoutSeconds: one.suspend_timeout_seconds, pending: one.pending_state },
      // Time enough may have passed for those that were ready first to fall asleep.
      isUp: one.current_state === "active" || one.current_state === "idle",
    }));
    const byBranch = (a: { branchId: string }, b: { branchId: string }) => (a.branchId < b.branchId ? -1 : 1);
    const expected = wanted.map((one) => ({ ...one, pending: undefined, isUp: true }));
    expect(shown.sort(byBranch)).toEqual(expected.sort(byBranch));
  }

  const { total } = admin.counts();
  const struck = admin.faults().reduce((sum, fault) => sum + fault.struck, 0);
  // The platform was as bad as it was to be, and what it cost is a few calls for each change.
  expect(struck / total).toBeGreaterThan(FAULTY / 2);
  expect(total / (3 * ENDPOINTS)).toBeLessThan(4);
});
