import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";
import { expect, it } from "vitest";
import { dynamicHost } from "../support/hosts";
import { changesCalled, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

it("keeps the endpoint of a create that the hook onError has made again, and that ended before it got there", async () => {
  const { projectId, emulator } = bench;
  const { admin } = emulator;
  const branchId = bench.branch();
  const { project } = await bench.program(dynamicHost);
  let tries = 0;
  const stack = project.stack(async () => {
    const again = new pulumi.ErrorHook("again", () => {
      tries += 1;
      admin.addFault({ route: "endpoints.get", effect: { kind: "status", status: 401 } });
      return tries === 1;
    });
    new Endpoint("main", { projectId, branchId, type: "read_only" }, { hooks: { onError: [again] } });
  });
  admin.addFault({ on: "operation", action: "start_compute", branchId, effect: { kind: "fail" } });
  admin.clearLog();
  const failed = await stack.up({ expectFailure: true });
  expect(tries).toBe(2);
  expect(failed.failure).toContain("401");
  const [made] = endpointsOn(bench, branchId);
  expect(stored(project, dynamicHost, "main").id).toBe(`${projectId}/${made?.id}`);

  admin.clearFaults();
  expect((await stack.up()).changes).toMatchObject({ update: 1, create: 0 });
  expect(endpointsOn(bench, branchId)).toMatchObject([{ id: made?.id, current_state: "active" }]);
  expect(changesCalled(bench).filter((call) => call.startsWith("POST endpoints.create"))).toHaveLength(1);
});
