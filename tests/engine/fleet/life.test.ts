import { join } from "node:path";
import { EndpointFleet } from "pulumi-pgcompute";
import { describe, expect, it } from "vitest";
import { dynamicHost, fleetType, hosts } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe.each(hosts)("the life of a fleet by the $name host", (host) => {
  it("is previewed, created, unchanged, refreshed, changed and destroyed as one resource", async () => {
    const branches = [bench.branch(), bench.branch(), bench.branch()] as const;
    const [a, b, c] = branches;
    const { projectId } = bench;
    const program = await bench.program(host);
    const stack = (endpoints: Record<string, unknown>, sizeCu = 0.5) =>
      program.is({ previews: { isFleet: true, args: { projectId, defaults: { sizeCu }, endpoints } } });
    const first = stack({ "pr-1": { branchId: a }, "pr-2": { branchId: b, sizeCu: 1, pgSettings: { work_mem: 64 } } });
    // The plugin's previews have a row for each member besides.
    const opsOf = ({ steps }: Awaited<ReturnType<typeof first.preview>>) =>
      steps.filter(({ type }) => type === fleetType(host)).map(({ op }) => op);
    expect(opsOf(await first.preview())).toEqual(["create"]);
    expect(endpointsOn(bench, a)).toEqual([]);

    expect((await first.up()).changes).toMatchObject({ create: 1 });
    const [endpoint] = endpointsOn(bench, a);
    expect(endpoint).toMatchObject({ autoscaling_limit_min_cu: 0.5 });
    expect(endpointsOn(bench, b)).toMatchObject([{ autoscaling_limit_min_cu: 1 }]);
    const stored = () => program.project.exportState().resources.find(({ type }) => type === fleetType(host));
    expect(stored()?.id).toMatch(/^fleet-[0-9a-f]{8}$/);
    expect(stored()?.outputs?.endpoints).toMatchObject({
      "pr-1": { endpointId: endpoint?.id, host: endpoint?.host, sizeCu: 0.5, branchId: a },
      "pr-2": { sizeCu: 1, pgSettings: { work_mem: "64" } },
    });

    expect((await first.refresh()).changes).toMatchObject({ same: 1, update: 0 });
    expect(opsOf(await first.preview())).toEqual(["same"]);

    const id = stored()?.id;
    const second = stack({ "pr-2": { branchId: a, sizeCu: 1 }, "pr-3": { branchId: c } });
    const preview = await second.preview();
    expect(opsOf(preview)).toEqual(["update"]);
    expect(preview.diagnostics.map(({ message }) => message).join("\n")).toMatch(
      /will create 1 of 3 members \(pr-3\), change 1 \(pr-2\) and delete 1 \(pr-1\)/,
    );
    expect((await second.up()).changes).toMatchObject({ update: 1, replace: 0 });
    expect(stored()?.id).toBe(id);
    expect(branches.map((branch) => endpointsOn(bench, branch).length)).toEqual([1, 0, 1]);

    await second.destroy();
    expect(branches.flatMap((branch) => endpointsOn(bench, branch))).toEqual([]);
  });

  it("keeps its defaults where their changes are ignored, after a refresh too", async () => {
    const branchId = bench.branch();
    const program = await bench.program(host);
    const stack = (suspendTimeoutSeconds: number, ignoreChanges: string[] = []) => {
      const args = {
        projectId: bench.projectId,
        defaults: { suspendTimeoutSeconds },
        endpoints: { main: { branchId } },
      };
      return program.is({ previews: { isFleet: true, args, options: { ignoreChanges } } });
    };
    await stack(600).up();
    const later = stack(900, ["defaults"]);
    await later.refresh();
    expect((await later.up()).changes).toMatchObject({ same: 1, update: 0 });
    expect(endpointsOn(bench, branchId)).toMatchObject([{ suspend_timeout_seconds: 600 }]);
  });
});

it("a dynamic fleet's preview removes no output of the members that stay, and its plan can be saved and held to", async () => {
  const { project } = await bench.program(dynamicHost);
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
