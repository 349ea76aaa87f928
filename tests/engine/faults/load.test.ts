import { expect, it } from "vitest";
import { type Declarations, dynamicHost, pluginHost } from "../support/hosts";
import { endpointIdOf, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const STACKS = 10;
const ENDPOINTS = 10;

const bench = useBench();

it("updates ten stacks at once, five of each host, while some calls meet a closed door", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const stacks = await Promise.all(
    Array.from({ length: STACKS }, async (_, index) => {
      const host = index % 2 === 0 ? pluginHost : dynamicHost;
      const branches = Array.from({ length: ENDPOINTS }, () => bench.branch());
      const { project, is } = await bench.program(host);
      const declarations: Declarations = Object.fromEntries(
        branches.map((branchId, at) => [`e${at}`, { args: { projectId, branchId, sizeCu: 1 } }]),
      );
      return { host, project, branches, stack: is(declarations) };
    }),
  );
  admin.addFault({ route: "*", probability: 0.05, effect: { kind: "status", status: 503 } });

  const runs = await Promise.all(stacks.map(({ stack }) => stack.up({ args: ["--parallel", `${ENDPOINTS}`] })));
  for (const { changes } of runs) expect(changes).toMatchObject({ create: ENDPOINTS, update: 0 });
  for (const { host, project, branches } of stacks) {
    for (const [at, branchId] of branches.entries()) {
      const present = endpointsOn(bench, branchId);
      expect(present).toMatchObject([{ current_state: "active", autoscaling_limit_min_cu: 1 }]);
      expect(endpointIdOf(stored(project, host, `e${at}`))).toBe(present[0]?.id);
    }
  }
}, 300_000);
