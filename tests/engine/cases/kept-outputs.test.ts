/** What a program of the dynamic host knows in previews, where the engine hands over no outputs. */
import type { Output } from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";
import { expect, it } from "vitest";
import { useBench } from "../support/platform";

const bench = useBench();

it("the host of an endpoint is known in the preview of a change in place, and of no replacement", async () => {
  const [branchId = ""] = bench.branches(1);
  const project = bench.project();
  const known: string[] = [];
  const stack = (more: object) =>
    project.stack(async () => {
      const main = new Endpoint("main", { projectId: bench.projectId, branchId, ...more });
      const outputs = [main.endpointId, main.host, main.maxConnections] as Output<unknown>[];
      for (const one of outputs) one.apply((value) => void known.push(String(value)));
    });
  await stack({ sizeCu: 1 }).up();
  const [there] = bench.on(branchId);

  known.length = 0;
  expect((await stack({ sizeCu: 2 }).preview()).changes).toMatchObject({ update: 1 });
  expect(known.sort()).toEqual([there?.id, there?.host].sort());

  known.length = 0;
  expect((await stack({ sizeCu: 2, type: "read_only" }).preview()).changes).toMatchObject({ replace: 1 });
  expect(known).toEqual([]);
});
