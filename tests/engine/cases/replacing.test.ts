import { describe, expect, it } from "vitest";
import { hosts, urnOf } from "../support/hosts";
import { changesCalled, endpointIdOf, failuresOf, opsOf, said, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 2.3.

const bench = useBench();

describe.each(hosts)("replacements by the $name host", (host) => {
  it("replaces for another project, another type, and a replica's move beside a read-write endpoint", async () => {
    const { projectId } = bench;
    const other = bench.emulator.admin.seedProject({ endpoint: false });
    const otherBranch = other.branches[0]?.id ?? "";
    const [from, typed, first, second] = [bench.branch(), bench.branch(), bench.branch(), bench.branch()];
    bench.emulator.admin.seedEndpoint(projectId, { branch_id: second });
    const program = await bench.program(host);
    await program
      .is({
        project: { args: { projectId, branchId: from } },
        type: { args: { projectId, branchId: typed } },
        replica: { args: { projectId, branchId: first, type: "read_only" } },
      })
      .up();
    const hostsBefore = ["project", "type", "replica"].map((name) => stored(program.project, host, name).outputs?.host);

    const after = program.is({
      project: { args: { projectId: other.project.id, branchId: otherBranch } },
      type: { args: { projectId, branchId: typed, type: "read_only" } },
      replica: { args: { projectId, branchId: second, type: "read_only" } },
    });
    const preview = await after.preview();
    expect(preview.changes).toMatchObject({ replace: 3, update: 0, create: 0, delete: 0 });
    expect(said(preview, "project")).toMatch(/cannot change its project; replaces the endpoint.*; host name changes/);
    expect(said(preview, "type")).toMatch(/cannot change its type; .*downtime: nobody can connect between/);
    expect(said(preview, "replica")).toContain(`branch ${second} has another endpoint by then`);
    expect(said(preview, "replica")).not.toContain("downtime");
    const keys = preview.steps.find(({ name, op }) => name === "type" && op === "replace")?.replaceKeys;
    expect(keys).toEqual(["type"]);

    const up = await after.up();
    // The old one frees the branch first where old and new would stand in each other's way.
    expect(opsOf(up, "type")[0]).toBe("delete-replaced");
    expect(opsOf(up, "replica")[0]).toBe("create-replacement");
    expect(endpointsOn(bench, from)).toEqual([]);
    expect(bench.emulator.admin.project(other.project.id).endpoints).toHaveLength(1);
    expect(endpointsOn(bench, typed)).toMatchObject([{ type: "read_only" }]);
    expect(endpointsOn(bench, first)).toEqual([]);
    expect(endpointsOn(bench, second)).toHaveLength(2);
    const hostsAfter = ["project", "type", "replica"].map((name) => stored(program.project, host, name).outputs?.host);
    for (const [index, before] of hostsBefore.entries()) expect(hostsAfter[index]).not.toBe(before);
    expect((await after.up()).changes).toMatchObject({ same: 3 });
  });

  it("replaces a replica by force, and names the way for a read-write endpoint", async () => {
    const { projectId } = bench;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const stack = program.is({
      main: { args: { projectId, branchId, sizeCu: 2 } },
      replica: { args: { projectId, branchId, type: "read_only" }, options: { dependsOn: ["main"] } },
    });
    await stack.up();
    const urn = urnOf(program.project, host, "main");
    const ids = ["main", "replica"].map((name) => endpointIdOf(stored(program.project, host, name)));

    const refused = await stack.preview({ args: ["--replace", urn], expectFailure: true });
    expect(failuresOf(refused, "main")).toHaveLength(1);
    expect(refused.failure).toContain(`${ids[0]} (2 CU, active)`);
    expect(refused.failure).toContain(`pulumi destroy --target '${urn}', then: pulumi up`);

    // The engine shows nothing of what it is about to replace by force, so the old one looks like an orphan, which is named.
    const args = ["--replace", urnOf(program.project, host, "replica")];
    const forced = await stack.up({ args });
    expect(said(forced, "replica")).toContain(`run: npx pulumi-pgcompute endpoints delete ${projectId}/${ids[1]}`);
    expect(said(forced, "replica")).toContain("unless a state has it, as in a forced replacement");
    expect(opsOf(forced, "replica")[0]).toBe("create-replacement");
    expect(endpointIdOf(stored(program.project, host, "replica"))).not.toBe(ids[1]);
    const present = endpointsOn(bench, branchId).map(({ id }) => id);
    expect(present).toHaveLength(2);
    expect(present).not.toContain(ids[1]);

    // The way that the refusal names, word for word.
    const destroyed = await stack.destroy({ args: ["--target", urn, "--target-dependents"] });
    expect(destroyed.changes).toMatchObject({ delete: 2 });
    await stack.up();
    expect(endpointsOn(bench, branchId).map(({ id }) => id)).not.toContain(ids[0]);
  });

  it("knows an endpoint that is replaced along with what it depends on", async () => {
    const { projectId } = bench;
    const [branchId, otherId] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const follower = (args: Record<string, unknown>) => ({
      args: { projectId, pgSettings: { "app.main": `\${main.host}` }, ...args },
      options: { replaceOnChanges: ["pgSettings"] },
    });
    const sized = (sizeCu: number) =>
      program.is({
        main: { args: { projectId, branchId, sizeCu }, options: { replaceOnChanges: ["sizeCu"] } },
        replica: follower({ branchId, type: "read_only" }),
        other: follower({ branchId: otherId }),
      });
    const present = () => [branchId, otherId].flatMap((id) => endpointsOn(bench, id)).map(({ id }) => id);
    await sized(1).up();
    const ids = present();
    expect((await sized(2).preview()).changes).toMatchObject({ replace: 3 });
    expect((await sized(2).up()).changes).toMatchObject({ replace: 3 });
    expect(present()).toHaveLength(3);
    for (const id of ids) expect(present()).not.toContain(id);
  });

  it("keeps the endpoint of a resource renamed by an alias, and refuses a rename without one", async () => {
    const { projectId } = bench;
    const args = { projectId, branchId: bench.branch() };
    const program = await bench.program(host);
    await program.is({ before: { args } }).up();
    const { id } = stored(program.project, host, "before");

    const bare = await program.is({ after: { args } }).preview({ expectFailure: true });
    expect(failuresOf(bare, "after")).toHaveLength(1);
    expect(bare.failure).toContain('aliases: [{ name: "before" }]');

    bench.emulator.admin.clearLog();
    const renamed = program.is({ after: { args, options: { aliases: ["before"] } } });
    expect((await renamed.up()).changes).toMatchObject({ same: 1, create: 0, delete: 0 });
    expect(changesCalled(bench)).toEqual([]);
    expect(stored(program.project, host, "after").id).toBe(id);
    expect(storedNames(program.project, host)).toEqual(["after"]);
    // The name is known from then on, without the alias.
    expect((await program.is({ after: { args } }).up()).changes).toMatchObject({ same: 1 });
  });

  it("deletes first where a program asks to replace a read-write endpoint for a change in place", async () => {
    const { projectId } = bench;
    const branches = [bench.branch(), bench.branch()];
    const others = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const setting = (branchId: string | undefined, pgSettings: Record<string, string>) => ({
      args: { projectId, branchId, pgSettings },
      options: { replaceOnChanges: ["pgSettings.work_mem"] },
    });
    const sized = (sizeCu: number) =>
      program.is({
        main: { args: { projectId, branchId: branches[0], sizeCu }, options: { replaceOnChanges: ["sizeCu"] } },
        replica: {
          args: { projectId, branchId: branches[1], type: "read_only", sizeCu },
          options: { replaceOnChanges: ["sizeCu"], deleteBeforeReplace: true },
        },
        named: setting(others[0], { work_mem: `${sizeCu}MB`, lock_timeout: "1000" }),
        beside: setting(others[1], { work_mem: "8MB", lock_timeout: `${sizeCu}000` }),
      });
    await sized(1).up();
    const ids = ["main", "replica"].map((name) => stored(program.project, host, name).id);

    const preview = await sized(2).preview();
    expect(preview.changes).toMatchObject({ replace: 3, update: 1 });
    for (const name of ["main", "replica", "named"]) {
      expect(said(preview, name)).toMatch(/replaced.*\(replaceOnChanges\).*host name changes/);
    }
    expect(said(preview, "beside")).not.toContain("replaceOnChanges");
    const up = await sized(2).up();
    expect(up.changes).toMatchObject({ replace: 3, update: 1 });
    for (const [index, name] of ["main", "replica"].entries()) {
      expect(opsOf(up, name)).toEqual(["delete-replaced", "replace", "create-replacement"]);
      expect(stored(program.project, host, name).id).not.toBe(ids[index]);
      expect(endpointsOn(bench, branches[index] ?? "")).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    }
    await sized(2).destroy();
    for (const branchId of [...branches, ...others]) expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});
