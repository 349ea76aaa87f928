import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";
import { expect, it } from "vitest";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

/** A component with a primary and its replica, which depends on all that the component has. */
class Database extends pulumi.ComponentResource {
  constructor(name: string, branchId: string) {
    super("shop:index:Database", name);
    const { projectId } = bench;
    new Endpoint("primary", { projectId, branchId }, { parent: this });
    new Endpoint("replica", { projectId, branchId, type: "read_only" }, { parent: this, dependsOn: this });
    this.registerOutputs();
  }
}

it("makes the parts of a component in their order, and what depends on the component after them", async () => {
  const [own, other] = [bench.branch(), bench.branch()];
  const project = await bench.project();
  const stack = project.stack(async () => {
    const { projectId } = bench;
    const database = new Database("database", own);
    new Endpoint("beside", { projectId, branchId: other }, { dependsOn: database });
  });
  // The component and three endpoints.
  expect((await stack.up()).changes).toMatchObject({ create: 4 });
  expect(endpointsOn(bench, own).map(({ type }) => type)).toEqual(["read_write", "read_only"]);
  const created = bench.emulator.admin.project(bench.projectId).endpoints.map(({ branch_id }) => branch_id);
  expect(created.filter((id) => [own, other].includes(id))).toEqual([own, own, other]);

  expect((await stack.preview()).changes).toMatchObject({ same: 4 });
  expect((await stack.destroy()).changes).toMatchObject({ delete: 4 });
  expect([own, other].flatMap((one) => endpointsOn(bench, one))).toEqual([]);
});
