import { afterEach, describe, expect, it, vi } from "vitest";
import type { CallFault } from "../../../emulator";
import { release } from "../kills/support/held";
import { fleetType, pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";
import { processesOf } from "../support/processes";
import type { Project } from "../support/project";

const bench = useBench();
/** As many requests of a plugin are unanswered at a time; the other members wait for their turn. */
const CONNECTIONS = 40;
const MEMBERS = 3 * CONNECTIONS;
const HALF = MEMBERS / 2;

// What a case leaves would be in every list of the next.
afterEach(() => bench.emulator.admin.reset());

interface Moment {
  route: "endpoints.create" | "endpoints.delete";
  /** How many calls pass, and of those after them how many are held; all of them by default. */
  skip?: number;
  count?: number;
  /** How many calls have come when the run is struck, and how many of them are held. */
  sent: number;
  held: number;
}

const moments: Record<string, Moment> = {
  "after half": { route: "endpoints.create", skip: HALF, sent: HALF + CONNECTIONS, held: CONNECTIONS },
  "after all": { route: "endpoints.create", count: 0, sent: MEMBERS, held: 0 },
  "in Delete": { route: "endpoints.delete", skip: HALF, sent: HALF + CONNECTIONS, held: CONNECTIONS },
};

/** A fleet with a branch for each member, and what the platform has on those. */
function programOf() {
  const branches = Array.from({ length: MEMBERS }, () => bench.branch());
  const own = new Set<unknown>(branches);
  const endpoints = Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }]));
  const there = () =>
    bench.emulator.admin.project(bench.projectId).endpoints.filter(({ branch_id }) => own.has(branch_id));
  return { args: { projectId: bench.projectId, endpoints }, there };
}

function idsInState(project: Project): unknown[] {
  const fleet = project.exportState().resources.find(({ type }) => type === fleetType(pluginHost));
  return Object.values((fleet?.outputs?.endpoints ?? {}) as Record<string, { endpointId: string }>)
    .map(({ endpointId }) => endpointId)
    .sort();
}

/** Holds what the moment says, and all operations. */
function hold({ route, skip, count }: Moment): void {
  const { admin } = bench.emulator;
  admin.clearLog();
  admin.addFault({ on: "operation", effect: { kind: "slow", operationMs: 60_000 } });
  if (count === 0) return;
  const fault: CallFault = { route, effect: { kind: "stall-headers", when: "before" } };
  admin.addFault({ ...fault, ...(skip !== undefined && { skip }), ...(count !== undefined && { count }) });
}

/** Resolves when exactly so many calls have come, and are held. */
async function untilHeld({ route, sent, held }: Moment): Promise<void> {
  await vi.waitFor(
    () => {
      const calls = bench.emulator.admin.log().filter((call) => call.route === route);
      expect([calls.length, calls.filter(({ status }) => status === 0).length]).toEqual([sent, held]);
    },
    { timeout: 120_000, interval: 20 },
  );
}

/** Kills the processes of a role, and what a killed engine leaves of the language's. */
async function strike(project: Project, role: "engine" | "plugin", run: Promise<unknown>): Promise<void> {
  for (const one of processesOf(project)) if (one.role === role) process.kill(one.pid, "SIGKILL");
  await run;
  for (const { pid, command } of processesOf(project)) {
    if (/pulumi-language-/.test(command)) process.kill(pid, "SIGKILL");
  }
  await vi.waitFor(() => expect(processesOf(project)).toEqual([]), { timeout: 60_000, interval: 20 });
  release(bench);
  if (role === "engine") await project.cli(["cancel", "--yes", "--stack", "dev"]);
}

/** What the platform has and what the state has are the same endpoints, one on each branch. */
function expectDeclared(project: Project, there: ReturnType<typeof programOf>["there"]): void {
  const all = there();
  expect(all).toHaveLength(MEMBERS);
  expect(new Set(all.map(({ branch_id }) => branch_id)).size).toBe(MEMBERS);
  expect(idsInState(project)).toEqual(all.map(({ id }) => id).sort());
}

/** The plugin's own death at any call, and lost answers, are played without an engine: tests/provider/fleet/interrupted.test.ts. */
const momentsOfPlugin = ["after half", "in Delete"];
/**
 * The provider's process goes with its engine, so that the platform sees the same: requests that are cut, at any moment. Only what the
 * engine has written differs: nothing of the fleet in the middle of its create; nothing either where no request is on its way, whose end
 * would tell the plugin that it is alone; and the fleet whole in Delete.
 */
const momentsOfEngine = ["after half", "after all", "in Delete"];

describe.each([
  ["plugin", momentsOfPlugin],
  ["engine", momentsOfEngine],
] as const)("a fleet's run whose %s is killed with many members in flight", (role, names) => {
  it.each(names)(
    "%s: the next up, by the one command that a refusal names, ends with what is declared",
    async (name) => {
      const moment = moments[name] as Moment;
      const { args, there } = programOf();
      const program = await bench.program(pluginHost);
      const stack = program.is({ previews: { isFleet: true, args } });
      const deletes = moment.route === "endpoints.delete";
      if (deletes) await stack.up();
      hold(moment);
      const struck = stack[deletes ? "destroy" : "up"]({ expectFailure: true });
      const early = struck.then(({ text }) => Promise.reject(new Error(text)));
      const missed = await Promise.race([untilHeld(moment), early]).catch((error: Error) => error.message);
      await strike(program.project, role, struck);
      expect(missed).toBeUndefined();
      if (moment.route === "endpoints.create") {
        const before = there();
        const { failure } = await stack.up({ expectFailure: true });
        expect(failure.split("run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up")).toHaveLength(2);
        expect(there()).toEqual(before);
        await stack.up({ env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
      } else await stack.up();
      expectDeclared(program.project, there);
    },
  );
});
