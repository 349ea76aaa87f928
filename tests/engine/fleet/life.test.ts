import { join } from "node:path";
import { EndpointFleet } from "pulumi-pgcompute";
import { describe, expect, it } from "vitest";
import { dynamicHost, hosts } from "../support/hosts";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

const bench = useBench();
const MEMBER = "pgcompute:index:EndpointFleet$pgcompute:index:Endpoint";

describe.each(hosts)("the life of a fleet by the $name host", (host) => {
  it("is previewed, created, unchanged, refreshed, changed and destroyed as one resource", async () => {
    const branches = bench.branches(3);
    const [a, b, c] = branches;
    const { projectId } = bench;
    const program = bench.program(host);
    const stack = (endpoints: Record<string, unknown>, sizeCu = 0.5) =>
      program.is({ previews: { isFleet: true, args: { projectId, defaults: { sizeCu }, endpoints } } });
    const first = stack({ "pr-1": { branchId: a }, "pr-2": { branchId: b, sizeCu: 1, pgSettings: { work_mem: 64 } } });
    const opsOf = ({ steps }: Run) => steps.filter(({ type }) => type === host.fleetType).map(({ op }) => op);
    // In a preview the plugin has a row for each member besides.
    const rowsOf = ({ steps }: Run) =>
      steps.filter(({ urn }) => urn.includes(MEMBER)).map(({ op, name }) => `${op} ${name}`);
    const expectRows = (run: Run, ...rows: string[]) =>
      expect(rowsOf(run).sort()).toEqual(host.name === "plugin" ? rows.sort() : []);
    const planned = await first.preview();
    expect(opsOf(planned)).toEqual(["create"]);
    expectRows(planned, "create previews/pr-1", "create previews/pr-2");
    expect(bench.on(a)).toEqual([]);

    const up = await first.up();
    expect(up.changes).toMatchObject({ create: 1 });
    expectRows(up);
    const [endpoint] = bench.on(a);
    expect(endpoint).toMatchObject({ autoscaling_limit_min_cu: 0.5 });
    expect(bench.on(b)).toMatchObject([{ autoscaling_limit_min_cu: 1 }]);
    const stored = () => program.project.exportState().resources.find(({ type }) => type === host.fleetType);
    expect(stored()?.id).toMatch(/^fleet-[0-9a-f]{8}$/);
    expect(stored()?.outputs?.endpoints).toMatchObject({
      "pr-1": { endpointId: endpoint?.id, host: endpoint?.host, sizeCu: 0.5, branchId: a },
      "pr-2": { sizeCu: 1, pgSettings: { work_mem: "64" } },
    });

    expect((await first.refresh()).changes).toMatchObject({ same: 1, update: 0 });
    expect(opsOf(await first.preview())).toEqual(["same"]);

    const id = stored()?.id;
    const second = stack({ "pr-2": { branchId: a, sizeCu: 1 }, "pr-3": { branchId: c } });
    const preview = await second.preview({ args: ["--diff"] });
    expect(opsOf(preview)).toEqual(["update"]);
    expectRows(preview, "create previews/pr-3", "delete previews/pr-1", "update previews/pr-2");
    expect(preview.diagnostics.map(({ message }) => message).join("\n")).toMatch(
      /will create 1 of 3 members \(pr-3\), change 1 \(pr-2\) and delete 1 \(pr-1\)/,
    );
    expect((await second.up()).changes).toMatchObject({ update: 1, replace: 0 });
    expect(program.project.stateText()).not.toContain(MEMBER);
    expect(stored()?.id).toBe(id);
    expect(branches.map((branch) => bench.on(branch).length)).toEqual([1, 0, 1]);

    await second.destroy();
    expect(branches.flatMap((branch) => bench.on(branch))).toEqual([]);
  });

  it.each(["member", "defaults", "fleet"] as const)(
    "replaces members alone for another project of the %s",
    async (of) => {
      const { admin } = bench.emulator;
      const projects = [admin.seedProject().project.id, admin.seedProject().project.id];
      const [here = "", there = ""] = projects;
      const branches = projects.map((projectId) => [0, 1].map(() => admin.seedBranch(projectId).id));
      const program = bench.program(host);
      const stored = () => program.project.exportState().resources.find(({ type }) => type === host.fleetType);
      const ids = () => projects.map((projectId) => admin.project(projectId).endpoints.map(({ id }) => id));
      const stack = (projectId: string, at: number) => {
        const moving = { branchId: branches[at]?.[0], ...(of === "member" && { projectId }) };
        const staying = { branchId: branches[of === "member" ? 0 : at]?.[1] };
        const args = {
          ...(of === "defaults" ? { defaults: { projectId } } : { projectId: of === "fleet" ? projectId : here }),
          ...{ endpoints: { moving, staying }, maxDeletions: 2 },
        };
        return program.is({ previews: { isFleet: true, args } });
      };
      const before = ids();
      await stack(here, 0).up();
      const id = stored()?.id;
      const kept = stored()?.outputs?.endpoints as Record<string, { endpointId: string }>;
      // In a preview of the plugin members have rows of their own.
      const { steps, text } = await stack(there, 1).preview();
      expect(steps.flatMap(({ type, op }) => (type === host.fleetType ? op : []))).toEqual(["update"]);
      if (of === "defaults") expect(text).toContain("[diff: ~defaults,endpoints]");

      const up = await stack(there, 1).up();
      expect(up.changes).toMatchObject({ update: 1, replace: 0 });
      expect(stored()?.id).toBe(id);
      const now = ids();
      expect(now.map((all, at) => all.length - (before[at]?.length ?? 0))).toEqual(of === "member" ? [1, 1] : [0, 2]);
      expect(now.flat().includes(kept.staying?.endpointId ?? "")).toBe(of === "member");
      expect((await stack(there, 1).up()).changes).toMatchObject({ update: 0, replace: 0 });
    },
  );
});

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
