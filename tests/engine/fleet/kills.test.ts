import { afterEach, describe, expect, it } from "vitest";
import { type Hold, release } from "../kills/support/held";
import { strike } from "../kills/support/interrupted-runs";
import { killed } from "../kills/support/victims";
import { pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";

const bench = useBench();
/** As many requests of a plugin are unanswered at a time; the other members wait for their turn. */
const CONNECTIONS = 40;
const MEMBERS = 3 * CONNECTIONS;
const HALF = MEMBERS / 2;

// What a case leaves would be in every list of the next.
afterEach(() => bench.emulator.admin.reset());

/** Half of the calls are answered, and as many as there are connections arrive and are not. */
const half = (call: Pick<Hold, "method" | "path">): Hold[] => [
  { ...call, moment: "waiting", count: HALF },
  { ...call, moment: "before", skip: HALF, count: CONNECTIONS },
];
const creates = { method: "POST", path: "/endpoints" } as const;
const moments: Record<string, Hold[]> = {
  "after half": half(creates),
  "after all": [{ ...creates, moment: "waiting", count: MEMBERS }],
  "in Delete": half({ method: "DELETE", path: "/endpoints/*" }),
};

describe.each([
  // Deaths of the plugin at other calls, and lost answers, run without an engine:
  // tests/provider/fleet/interrupted.test.ts.
  { ...killed.plugin, names: ["after half", "in Delete"] },
  // The provider's process ends with its engine, so the platform sees the same: requests cut at any moment. Only the
  // engine's state differs: it lacks the fleet during its create, and between requests, whose end would tell the
  // plugin; it has the whole fleet in Delete.
  { ...killed.engine, names: Object.keys(moments) },
])("a fleet with many members in flight where $title", ({ names, ...victim }) => {
  it.each(names)(
    "%s: the next up, by the one command that a refusal names, ends with what is declared",
    async (name) => {
      const { admin, projectId } = bench.emulator;
      const branches = bench.branches(MEMBERS);
      const endpoints = Object.fromEntries(branches.map((branchId, at) => [`pr-${at}`, { branchId }]));
      const there = () => admin.project(projectId).endpoints.filter(({ branch_id }) => branches.includes(branch_id));
      const program = bench.program(pluginHost);
      const { is } = program;
      const declared = { previews: { isFleet: true as const, args: { projectId, endpoints } } };
      const deletes = name === "in Delete";
      if (deletes) await is(declared).up();
      await strike({ bench, program, victim }, deletes ? {} : declared, moments[name] ?? []);
      release(bench);
      if (deletes) await is(declared).up();
      else {
        const before = there();
        const { failure } = await is(declared).up({ expectFailure: true });
        expect(failure.split(/:\n +PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up/)).toHaveLength(2);
        expect(there()).toEqual(before);
        await is(declared).up({ env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
      }
      // What the platform has and what the state has are the same endpoints, one on each branch.
      const all = there();
      expect(all.map(({ branch_id }) => branch_id).sort()).toEqual(branches.sort());
      const fleet = program.project.exportState().resources.find(({ type }) => type === pluginHost.fleetType);
      const stored = Object.values(fleet?.outputs?.endpoints as Record<string, { endpointId: string }>);
      expect(stored.map(({ endpointId }) => endpointId).sort()).toEqual(all.map(({ id }) => id).sort());
    },
  );
});
