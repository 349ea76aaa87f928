import { describe, expect, it } from "vitest";
import { type Declarations, hosts, pluginHost } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

/** A branch whose endpoint goes into a fleet and out again, and the programs on the way. */
async function open(host: (typeof hosts)[number]) {
  const { projectId } = bench;
  const [moving, other] = [bench.branch(), bench.branch()];
  const program = await bench.program(host);
  const single = { args: { projectId, branchId: moving, sizeCu: 1 } };
  const fleet = (member?: Record<string, unknown>): Declarations => {
    const moved = member && { moved: { branchId: moving, sizeCu: 1, ...member } };
    return { previews: { isFleet: true, args: { projectId, endpoints: { other: { branchId: other }, ...moved } } } };
  };
  const idsOn = () => endpointsOn(bench, moving).map(({ id }) => id);
  return { program, single, fleet, idsOn };
}

describe.each(hosts)("a single endpoint moves into a fleet by the $name host", (host) => {
  it("by importId while its resource goes, and stays when the member that is to be kept goes", async () => {
    const { program, single, fleet, idsOn } = await open(host);
    await program.is({ single }).up();
    const ids = idsOn();
    expect(ids).toHaveLength(1);

    await program.is(fleet({ importId: `${bench.projectId}/${ids[0]}` })).up();
    expect(idsOn()).toEqual(ids);
    const inFleet = program.is(fleet({}));
    expect((await inFleet.up()).changes).toMatchObject({ update: 0 });

    await program.is(fleet({ retainOnDelete: true })).up();
    await program.is(fleet()).up();
    expect(idsOn()).toEqual(ids);
  });
});

describe("a member moves out of a fleet by the plugin", () => {
  it("by retainOnDelete and an import, and is then the resource's own", async () => {
    const { program, single, fleet, idsOn } = await open(pluginHost);
    await program.is(fleet({ retainOnDelete: true })).up();
    const ids = idsOn();
    await program.is(fleet()).up();
    const id = `${bench.projectId}/${ids[0]}`;
    const options = ["--yes", "--protect=false", "--stack", "dev", "--non-interactive"];
    await program.project.cli(["import", pluginHost.type, "single", id, ...options]);
    const apart = program.is({ ...fleet(), single });
    expect((await apart.up()).changes).toMatchObject({ create: 0, delete: 0 });
    expect(idsOn()).toEqual(ids);
    await apart.destroy();
    expect(idsOn()).toEqual([]);
  });
});
