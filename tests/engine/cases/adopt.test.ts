import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, memberOwner } from "../../../provider/lib/owner";
import { pluginHost as host, hosts, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, said, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 1.

const bench = useBench();

it("a replacement by force that takes its endpoint up leaves no delete behind that a later run carries out, though the run fails before it", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const [branchId, otherId] = [bench.branch(), bench.branch()];
  const program = await bench.program(host);
  const main = { args: { projectId, branchId } };
  await program.is({ main }).up();
  const endpointId = endpointIdOf(stored(program.project, host, "main"));
  const stack = program.is({
    main,
    other: { args: { projectId, branchId: otherId }, options: { dependsOn: ["main"] } },
  });
  admin.addFault({ on: "operation", branchId: otherId, action: "start_compute", count: 1, effect: { kind: "fail" } });
  const args = ["--replace", urnOf(program.project, host, "main")];
  await stack.up({ args, env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" }, expectFailure: true });
  // The new one, and the old one that is still to be deleted.
  expect(storedNames(program.project, host).sort()).toEqual(["main", "main", "other"]);

  admin.clearLog();
  const up = await stack.up();
  expect(said(up, "main")).toContain("was taken over by the resource that replaces this one, so it is not deleted");
  expect(changesCalled(bench).filter((call) => call.startsWith("DELETE"))).toEqual([]);
  expect(endpointsOn(bench, branchId)).toMatchObject([{ id: endpointId }]);
  expect(storedNames(program.project, host).sort()).toEqual(["main", "other"]);
  expect((await stack.up()).changes).toMatchObject({ same: 2 });
  await stack.destroy();
  for (const one of [branchId, otherId]) expect(endpointsOn(bench, one)).toEqual([]);
});

describe.each(hosts)("endpoints that come to branches which are not known yet, by the $name host", (by) => {
  it("take up what an interrupted run left there, as a saved plan allows", async () => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const [first, ...later] = Array.from({ length: 5 }, () => bench.branch()) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const { project, is } = await bench.program(by);
    const member = memberOwner(urnOf(project, { ...by, type: `${by.type}Fleet` }, "fleet"), "left");
    const left = [urnOf(project, by, "left"), member].map((owner, at) => {
      return admin.seedEndpoint(projectId, { branch_id: later[at] as string, name: newOwnershipName(madeFor(owner)) })
        .id;
    });
    const at = (branchId: string) => ({ projectId, sizeCu: 2, branchId: { value: branchId, once: "first" } });
    const stack = is({
      first: { args: { projectId, branchId: first } },
      left: { args: at(later[0]) },
      made: { args: at(later[2]) },
      fleet: { isFleet: true, args: { projectId, endpoints: { left: at(later[1]), made: at(later[3]) } } },
    });
    const plan = join(project.folders.home, "plan.json");
    const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
    await stack.preview({ args: ["--save-plan", plan], env });
    await stack.up({ args: ["--plan", plan], env });
    expect(later.map((id) => endpointsOn(bench, id).length)).toEqual([1, 1, 1, 1]);
    expect(left.map((id) => admin.endpoint(id))).toMatchObject(left.map(() => ({ autoscaling_limit_min_cu: 2 })));
    expect((await stack.up({ env })).changes).toMatchObject({ same: 4 });
    await stack.destroy();
    expect(later.flatMap((id) => endpointsOn(bench, id))).toEqual([]);
  });
});
