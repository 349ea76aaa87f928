import { describe, expect, it } from "vitest";
import { fleetType, pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, said } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();

// How else an endpoint comes to bear a member's name (scatter, a renamed fleet, another stack, a stranger) is drawn in tests/programs.

/** A program on branches of its own, by the names of those: fleets and single endpoints. */
async function open() {
  const branches = new Map<string, string>();
  const on = (name: string) => branches.get(name) ?? branches.set(name, bench.branch()).get(name) ?? "";
  const { projectId } = bench;
  const place = (name: string, more: object = {}) => ({ branchId: on(name), ...more });
  const fleet = (endpoints: object) => ({ isFleet: true as const, args: { projectId, endpoints } });
  const single = (name: string) => ({ args: { projectId, ...place(name) } });
  const idsOn = (name: string) => endpointsOn(bench, on(name)).map(({ id }) => id);
  const program = await bench.program(host);
  const { project } = program;
  const ofType = (type: string) => project.exportState().resources.filter((one) => one.type === type);
  return { program, project, place, fleet, single, idsOn, ofType };
}

/** The endpoints that the state has, one entry for each owner. */
function idsInState(project: Project): unknown[] {
  return project.exportState().resources.flatMap(({ id, outputs }) => {
    if (id?.includes("/")) return [id.split("/")[1]];
    return Object.values((outputs?.endpoints ?? {}) as Record<string, { endpointId: string }>).map(
      ({ endpointId }) => endpointId,
    );
  });
}

describe("an endpoint that bears a member's name", () => {
  it("is taken up by what is replaced by force only where somebody says so, a fleet and a single resource, and nothing is replaced", async () => {
    const { program, project, fleet, single, place, idsOn } = await open();
    const declared = { f: fleet({ p: place("p"), r: place("r", { type: "read_only" }) }), s: single("s") };
    const stack = program.is(declared);
    await stack.up();
    const ids = idsInState(project).sort();
    const forced = [urnOf(project, host, "f").replace(host.type, fleetType(host)), urnOf(project, host, "s")];
    for (const way of ["--replace", "a taint"]) {
      if (way === "a taint") {
        const ended = await project.cli(["state", "taint", "--stack", "dev", "--yes", ...forced]);
        expect(ended.code, ended.text).toBe(0);
      }
      const args = way === "a taint" ? [] : forced.flatMap((one) => ["--replace", one]);
      // The engine shows it like a first create.
      const asks = /PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up/;
      expect((await stack.preview({ args, expectFailure: true })).text, way).toMatch(asks);
      bench.emulator.admin.clearLog();
      const up = await stack.up({ args, env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
      expect(said(up, "f"), way).toMatch(/2 of the members are there.*nothing is replaced/);
      expect(said(up, "s"), way).toMatch(/takes over endpoint/);
      expect(changesCalled(bench), way).toEqual([]);
      expect(idsInState(project).sort(), way).toEqual(ids);
    }
    expect(["p", "r", "s"].flatMap(idsOn).sort()).toEqual(ids);
    expect((await stack.up()).changes).toMatchObject({ same: 2 });
  });
});

describe("single endpoints move into a fleet", () => {
  it("by importId while their resources go; one is kept when its member goes, one goes with the fleet", async () => {
    const { program, single, fleet, place, idsOn, ofType } = await open();
    await program.is({ kept: single("kept"), main: single("main") }).up();
    const [kept, main] = [idsOn("kept"), idsOn("main")];
    expect([kept.length, main.length]).toEqual([1, 1]);
    const other = place("other");
    const member = (name: string, [id]: string[], more = {}) =>
      place(name, { importId: `${bench.projectId}/${id}`, ...more });

    await program.is({ previews: fleet({ other, kept: member("kept", kept), main: member("main", main) }) }).up();
    expect([idsOn("kept"), idsOn("main")]).toEqual([kept, main]);
    expect(ofType(host.type)).toEqual([]);
    // Whether the program goes on saying so or not.
    const retained = place("kept", { retainOnDelete: true });
    await program.is({ previews: fleet({ other, kept: retained, main: member("main", main) }) }).up();
    const without = program.is({ previews: fleet({ other, main: member("main", main) }) });
    await without.up();
    expect([idsOn("kept"), idsOn("main")]).toEqual([kept, main]);

    // A replacement of the fleet by force leaves alone what was moved into it.
    await without.up({
      args: ["--replace", ofType(fleetType(host))[0]?.urn ?? ""],
      env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" },
    });
    expect(idsOn("main")).toEqual(main);
    await without.destroy();
    expect([idsOn("kept"), idsOn("main")]).toEqual([kept, []]);
  });
});
