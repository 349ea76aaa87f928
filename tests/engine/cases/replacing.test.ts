import { beforeAll, describe, expect, it } from "vitest";
import { type Declarations, type HostDriver, pluginHost as host, hosts, urnOf } from "../support/hosts";
import { endpointIdOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 2.3.

const bench = useBench();

/** Endpoints that are replaced in one way or another, each on branches of its own: before, and as the program has them then. */
function replaced() {
  const { admin } = bench.emulator;
  const { projectId } = bench;
  const elsewhere = admin.seedProject({ endpoint: false });
  const fresh = () => bench.branch();
  const on = {
    ...{
      project: fresh(),
      type: fresh(),
      disabled: fresh(),
      home: fresh(),
      first: fresh(),
      second: fresh(),
      away: fresh(),
    },
    ...{ sized: fresh(), sizedReplica: fresh(), named: fresh(), beside: fresh(), leader: fresh(), other: fresh() },
  };
  admin.seedEndpoint(projectId, { branch_id: on.second });
  admin.seedEndpoint(projectId, { branch_id: on.away, type: "read_only" });

  const byItself = (isNew: boolean): Declarations => ({
    project: {
      args: isNew
        ? { projectId: elsewhere.project.id, branchId: elsewhere.branches[0]?.id }
        : { projectId, branchId: on.project },
    },
    type: { args: { projectId, branchId: on.type, ...(isNew && { type: "read_only" }) } },
    disabled: { args: { projectId, branchId: on.disabled, ...(isNew ? { disabled: true } : { type: "read_only" }) } },
    replica: { args: { projectId, branchId: isNew ? on.second : on.first, type: "read_only" } },
    primary: { args: { projectId, branchId: isNew ? on.away : on.home } },
  });
  const setting = (branchId: string, pgSettings: Record<string, string>) => ({
    args: { projectId, branchId, pgSettings },
    options: { replaceOnChanges: ["pgSettings.work_mem"] },
  });
  const byProgram = (sizeCu: number): Declarations => ({
    sized: { args: { projectId, branchId: on.sized, sizeCu }, options: { replaceOnChanges: ["sizeCu"] } },
    sizedReplica: {
      args: { projectId, branchId: on.sizedReplica, type: "read_only", sizeCu },
      options: { replaceOnChanges: ["sizeCu"], deleteBeforeReplace: true },
    },
    named: setting(on.named, { work_mem: `${sizeCu}MB`, lock_timeout: "1000" }),
    beside: setting(on.beside, { work_mem: "8MB", lock_timeout: `${sizeCu}000` }),
  });
  const follower = (args: Record<string, unknown>) => ({
    args: { projectId, pgSettings: { "app.leader": `\${leader.host}` }, ...args },
    options: { replaceOnChanges: ["pgSettings"] },
  });
  const together = (sizeCu: number): Declarations => ({
    leader: { args: { projectId, branchId: on.leader, sizeCu }, options: { replaceOnChanges: ["sizeCu"] } },
    follower: follower({ branchId: on.leader, type: "read_only" }),
    other: follower({ branchId: on.other }),
  });
  return {
    on,
    elsewhere: elsewhere.project.id,
    before: { ...byItself(false), ...byProgram(1), ...together(1) },
    after: { ...byItself(true), ...byProgram(2), ...together(2) },
  };
}

/** Creates them all, and replaces them in one run: what the preview said of it, and what `up` did. */
async function play(host: HostDriver) {
  const { on, elsewhere, before, after } = replaced();
  const program = await bench.program(host);
  await program.is(before).up();
  const states = () =>
    Object.fromEntries(Object.keys(after).map((name) => [name, stored(program.project, host, name)]));
  const old = states();
  const stack = program.is(after);
  const preview = await stack.preview();
  const up = await stack.up();
  return { on, elsewhere, stack, old, made: states(), preview, up };
}

// The engine compares inputs for the dynamic host, which sends along what replaces.
describe.each(hosts)("replacements in one program by the $name host", (host) => {
  let played: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    played = await play(host);
  });

  it("are what the preview said, and leave nothing to do", async () => {
    const { preview, up, stack, old, made } = played;
    for (const run of [preview, up])
      expect(run.changes).toEqual({ replace: 11, update: 1, create: 0, delete: 0, same: 0 });
    const ids = new Set(
      bench.emulator.admin.state().projects.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)),
    );
    for (const [name, now] of Object.entries(made)) {
      expect(ids.has(endpointIdOf(now)), name).toBe(true);
      if (name === "beside") continue;
      expect(now.outputs?.host, name).not.toBe(old[name]?.outputs?.host);
      expect(ids.has(endpointIdOf(old[name] as typeof now)), name).toBe(false);
    }
    expect((await stack.up()).changes).toMatchObject({ same: 12 });
  });

  it("come from another project, another type, and a move beside what is there", () => {
    const { preview, up, on, elsewhere } = played;
    expect(said(preview, "project")).toMatch(/cannot change its project; replaces the endpoint.*; host name changes/);
    expect(said(preview, "type")).toMatch(/cannot change its type; .*downtime: nobody can connect between/);
    expect(said(preview, "disabled")).toContain(
      "the new endpoint is disabled, so nobody can connect until it is enabled",
    );
    expect(said(preview, "disabled")).not.toContain("between the old endpoint and the new one");
    expect(said(preview, "replica")).toContain(`branch ${on.second} has another endpoint by then`);
    expect(said(preview, "replica")).not.toContain("downtime");
    expect(said(preview, "primary")).toMatch(/moves in place only to a branch without any; .*host name changes/);
    const keys = preview.steps.find(({ name, op }) => name === "type" && op === "replace")?.replaceKeys;
    expect(keys).toEqual(["type"]);

    // The old one frees the branch first where old and new would stand in each other's way.
    expect(opsOf(up, "type")[0]).toBe("delete-replaced");
    expect(opsOf(up, "replica")[0]).toBe("create-replacement");
    for (const left of [on.project, on.first, on.home]) expect(endpointsOn(bench, left)).toEqual([]);
    expect(bench.emulator.admin.project(elsewhere).endpoints).toHaveLength(1);
    expect(endpointsOn(bench, on.type)).toMatchObject([{ type: "read_only" }]);
    for (const shared of [on.second, on.away]) expect(endpointsOn(bench, shared)).toHaveLength(2);
  });

  it("delete first where a program asks to replace a read-write endpoint for a change in place", () => {
    const { preview, up, on } = played;
    for (const name of ["sized", "sizedReplica", "named"]) {
      expect(said(preview, name)).toMatch(/replaced.*\(replaceOnChanges\).*host name changes/);
    }
    expect(said(preview, "beside")).not.toContain("replaceOnChanges");
    expect(opsOf(up, "beside")).toEqual(["update"]);
    for (const name of ["sized", "sizedReplica"] as const) {
      expect(opsOf(up, name)).toEqual(["delete-replaced", "replace", "create-replacement"]);
      expect(endpointsOn(bench, on[name])).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    }
  });

  it("take along what depends on them", () => {
    const { on, made } = played;
    const present = [on.leader, on.other].flatMap((branchId) => endpointsOn(bench, branchId)).map(({ id }) => id);
    expect(present.sort()).toEqual(
      ["leader", "follower", "other"].map((name) => endpointIdOf(made[name] as never)).sort(),
    );
  });
});

it("replaces a replica by force, beside the old one, which looks like an orphan and is named", async () => {
  const { projectId } = bench;
  const branchId = bench.branch();
  const program = await bench.program(host);
  const stack = program.is({ replica: { args: { projectId, branchId, type: "read_only" } } });
  await stack.up();
  const old = endpointIdOf(stored(program.project, host, "replica"));
  // The engine shows nothing of what it is about to replace by force.
  const forced = await stack.up({ args: ["--replace", urnOf(program.project, host, "replica")] });
  expect(said(forced, "replica")).toMatch(new RegExp(`run: .*pgcompute(?:.cjs)? endpoints delete ${projectId}/${old}`));
  expect(said(forced, "replica")).toContain("unless a state has it, as in a forced replacement");
  expect(opsOf(forced, "replica")[0]).toBe("create-replacement");
  const [left, ...others] = endpointsOn(bench, branchId).map(({ id }) => id);
  expect(others).toEqual([]);
  expect(left).not.toBe(old);
  expect(left).toBe(endpointIdOf(stored(program.project, host, "replica")));
});
