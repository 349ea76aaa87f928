import { expect, it } from "vitest";
import { dynamicHost, pluginHost } from "../support/hosts";
import { useBench } from "../support/platform";

const ENDPOINTS = 10;

const bench = useBench();

it("four stacks at once, two of each host, create all of theirs while some calls meet a closed door", async () => {
  const { projectId } = bench;
  const stacks = Array.from({ length: 4 }, (_, index) => {
    const branches = bench.branches(ENDPOINTS);
    const program = bench.program(index % 2 === 0 ? pluginHost : dynamicHost);
    const declared = branches.map((branchId, at) => [`e${at}`, { args: { projectId, branchId, sizeCu: 1 } }] as const);
    return { program, branches, stack: program.is(Object.fromEntries(declared)) };
  });
  bench.emulator.admin.addFault({ route: "*", probability: 0.05, effect: { kind: "status", status: 503 } });
  const runs = await Promise.all(stacks.map(({ stack }) => stack.up({ args: ["--parallel", `${ENDPOINTS}`] })));
  for (const { changes } of runs) expect(changes).toMatchObject({ create: ENDPOINTS, update: 0 });
  for (const { program, branches } of stacks) {
    for (const [at, branchId] of branches.entries()) {
      const present = bench.on(branchId);
      expect(present).toMatchObject([{ current_state: "active", autoscaling_limit_min_cu: 1 }]);
      expect(program.idOf(`e${at}`)).toBe(present[0]?.id);
    }
  }
}, 300_000);
