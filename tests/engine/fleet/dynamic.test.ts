import { join } from "node:path";
import { EndpointFleet } from "pulumi-pgcompute";
import { expect, it } from "vitest";
import { dynamicHost } from "../support/hosts";
import { useBench } from "../support/platform";

const bench = useBench();

it("a dynamic fleet's preview removes no output of the members that stay, and its plan can be saved and held to", async () => {
  const { project } = bench.program(dynamicHost);
  const { projectId } = bench;
  const places = Object.fromEntries(["a", "b", "c"].map((key) => [key, { branchId: bench.branch(), sizeCu: 0.5 }]));
  const stack = (keys: string[]) =>
    project.stack(async () => {
      const endpoints = Object.fromEntries(keys.map((key) => [key, places[key] as { branchId: string }]));
      const fleet = new EndpointFleet("previews", { projectId, endpoints });
      const hostsOf = (all: object) => Object.entries(all).map(([key, { host }]) => [key, host]);
      return { hosts: fleet.endpoints.apply((all) => Object.fromEntries(hostsOf(all))) };
    });
  await stack(["a", "b", "c"]).up();
  const plan = join(project.folders.home, "plan.json");
  const preview = await stack(["a", "c"]).preview({ args: ["--save-plan", plan] });
  expect(preview.text).not.toMatch(/- hosts|- [abc] *: /);
  const planned = await stack(["a", "c"]).up({ args: ["--plan", plan] });
  expect(planned.text).toMatch(/- b *: "ep-/);
  await stack([]).destroy();
});

// Read of this host is shown the state alone; by the plugin: tests/provider/fleet/refreshed.test.ts.
it("a dynamic fleet is refreshed after a growth that failed half-way, by itself or before an up", async () => {
  const { admin } = bench.emulator;
  const branches = bench.branches(7);
  const made = () => branches.flatMap((branchId) => bench.on(branchId)).length;
  const program = bench.program(dynamicHost);
  const grown = (many: number) => {
    const endpoints = Object.fromEntries(branches.slice(0, many).map((branchId, at) => [`pr-${at}`, { branchId }]));
    return program.is({ previews: { isFleet: true, args: { projectId: bench.projectId, endpoints } } });
  };
  const growHalfWay = async (many: number) => {
    const fault = admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "status", status: 400 } });
    expect((await grown(many).up({ expectFailure: true })).text).toMatch(/1 of \d members failed/);
    admin.removeFault(fault);
  };
  await grown(1).up();
  await growHalfWay(4);
  const refreshed = await grown(4).refresh();
  expect(refreshed.diagnostics).toEqual([]);
  expect(made()).toBe(3);
  await growHalfWay(7);
  expect(made()).toBe(6);
  await grown(7).up({ args: ["--refresh"] });
  expect(made()).toBe(7);
  expect((await grown(7).up({ args: ["--refresh"] })).changes).toMatchObject({ update: 0, same: 1 });
});
