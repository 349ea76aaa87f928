import { describe, expect, it } from "vitest";
import { fleetType, pluginHost as host } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

/** Members of a fleet by key, each with what it has besides its place. */
type Members = Record<string, Record<string, unknown>>;

/** A fleet with a member that stays, and a branch for each endpoint that goes into it and out again. */
async function open<const Keys extends string[]>(...keys: Keys) {
  const { projectId } = bench;
  const branches = Object.fromEntries(["other", ...keys].map((key) => [key, bench.branch()]));
  const placeOf = (key: string) => ({ branchId: branches[key], sizeCu: 1 });
  const program = await bench.program(host);
  const single = (key: string) => ({ args: { projectId, ...placeOf(key) } });
  const fleet = (members: Members) => {
    const endpoints = Object.entries({ other: {}, ...members }).map(([key, more]) => [
      key,
      { ...placeOf(key), ...more },
    ]);
    return { previews: { isFleet: true as const, args: { projectId, endpoints: Object.fromEntries(endpoints) } } };
  };
  const idsOn = (key: Keys[number]) => endpointsOn(bench, branches[key] ?? "").map(({ id }) => id);
  return { program, single, fleet, idsOn };
}

describe("single endpoints move into a fleet", () => {
  it("by importId while their resources go; one is kept when its member goes, one goes with the fleet", async () => {
    const { program, single, fleet, idsOn } = await open("kept", "main");
    const ofType = (type: string) => program.project.exportState().resources.filter((one) => one.type === type);
    await program.is({ kept: single("kept"), main: single("main") }).up();
    const [kept, main] = [idsOn("kept"), idsOn("main")];
    expect([kept.length, main.length]).toEqual([1, 1]);
    const imported = ([id]: string[]) => ({ importId: `${bench.projectId}/${id}` });

    await program.is(fleet({ kept: imported(kept), main: imported(main) })).up();
    expect([idsOn("kept"), idsOn("main")]).toEqual([kept, main]);
    expect(ofType(host.type)).toEqual([]);
    // Whether the program goes on saying so or not.
    const inFleet = program.is(fleet({ kept: {}, main: imported(main) }));
    expect((await inFleet.up()).changes).toMatchObject({ same: 1, update: 0 });

    await program.is(fleet({ kept: { retainOnDelete: true }, main: imported(main) })).up();
    const without = program.is(fleet({ main: imported(main) }));
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
