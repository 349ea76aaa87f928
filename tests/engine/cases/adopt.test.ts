import { join } from "node:path";
import { expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, memberOwner } from "../../../provider/lib/owner";
import { hosts } from "../support/hosts";
import { useBench } from "../support/platform";

// Specification, section 1.

const bench = useBench();

it.each(hosts)(
  "endpoints that come to branches which are not known yet, by the $name host, take up what an interrupted run left there, as a saved plan allows",
  async (host) => {
    const { projectId } = bench;
    const { admin } = bench.emulator;
    const [first, ...later] = bench.branches(5);
    const { project, is, urn } = bench.program(host);
    const left = [urn("left"), memberOwner(urn("fleet", host.fleetType), "left")].map((owner, at) => {
      const name = newOwnershipName(madeFor(owner));
      return admin.seedEndpoint(projectId, { branch_id: later[at] ?? "", name }).id;
    });
    const at = (branchId: string | undefined) => ({
      ...{ projectId, sizeCu: 2, branchId: { value: branchId, once: "first" } },
    });
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
    expect(later.map((id) => bench.on(id).length)).toEqual([1, 1, 1, 1]);
    expect(left.map((id) => admin.endpoint(id))).toMatchObject(left.map(() => ({ autoscaling_limit_min_cu: 2 })));
    expect((await stack.up({ env })).changes).toMatchObject({ same: 4 });
    await stack.destroy();
    expect(later.flatMap((id) => bench.on(id))).toEqual([]);
  },
);
