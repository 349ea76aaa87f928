import { expect, it } from "vitest";
import { fleetType, pluginHost as host, urnOf } from "../support/hosts";
import { changesCalled, said } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

// How else an endpoint comes to bear a member's name or to have another owner (importId, gather, scatter, another name, another stack, a
// stranger) is drawn in tests/programs.
it("what is replaced by force is taken up only where somebody says so, a fleet and a single resource, and nothing is replaced", async () => {
  const { projectId } = bench;
  const [p, r, s] = [bench.branch(), bench.branch(), bench.branch()];
  const { project, is } = await bench.program(host);
  const endpoints = { p: { branchId: p }, r: { branchId: r, type: "read_only" } };
  const stack = is({
    f: { isFleet: true, args: { projectId, endpoints } },
    s: { args: { projectId, branchId: s } },
  });
  await stack.up();
  const idsOnPlatform = () => [p, r, s].flatMap((one) => endpointsOn(bench, one)).map(({ id }) => id);
  /** One entry for each owner. */
  const idsInState = () =>
    project.exportState().resources.flatMap(({ id, outputs }) => {
      if (id?.includes("/")) return [id.split("/")[1]];
      const members = Object.values((outputs?.endpoints ?? {}) as Record<string, { endpointId: string }>);
      return members.map(({ endpointId }) => endpointId);
    });
  const ids = idsInState().sort();
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
    expect(idsInState().sort(), way).toEqual(ids);
  }
  expect(idsOnPlatform().sort()).toEqual(ids);
  expect((await stack.up()).changes).toMatchObject({ same: 2 });
});
