import { beforeAll, describe, expect, it } from "vitest";
import { type Declarations, type HostDriver, pluginHost as host, hosts, urnOf } from "../support/hosts";
import { endpointIdOf, failuresOf, opsOf, said, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

// Specification, section 2.3.

const bench = useBench();

const places = [
  ...(["project", "type", "disabled", "home", "first", "second", "away"] as const),
  ...(["sized", "sizedReplica", "named", "beside", "leader", "other"] as const),
];
type Place = (typeof places)[number];

/** Endpoints that are replaced in one way or another, each on branches of its own: before, and as the program has them then. */
function replaced() {
  const { admin } = bench.emulator;
  const { projectId } = bench;
  const elsewhere = admin.seedProject({ endpoint: false });
  const on = Object.fromEntries(places.map((place) => [place, bench.branch()])) as Record<Place, string>;
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

it("a replacement that would create before it deletes says which option it takes or is in the way, loses nothing, and goes on without it", async () => {
  const { projectId } = bench;
  const places = { forced: bench.branch(), sized: bench.branch(), triggered: bench.branch(), replica: bench.branch() };
  const names = Object.keys(places) as (keyof typeof places)[];
  const { project, is } = await bench.program(host);
  const on = (name: keyof typeof places, more = {}) => ({ projectId, branchId: places[name], ...more });
  const turn = (replacementTrigger: string, sized = {}, triggered = {}) =>
    is({
      forced: { args: on("forced") },
      sized: {
        args: on("sized", { sizeCu: replacementTrigger === "one" ? 1 : 2 }),
        options: { replaceOnChanges: ["sizeCu"], ...sized },
      },
      triggered: { args: on("triggered"), options: { replacementTrigger, ...triggered } },
      replica: { args: on("replica", { type: "read_only" }), options: { replacementTrigger } },
    });
  await turn("one").up();
  const idOf = (name: string) => endpointIdOf(stored(project, host, name));
  const before = names.map(idOf);

  // Refused in the preview where somebody forces it, also where a refresh comes first.
  const urn = urnOf(project, host, "forced");
  const refused = await turn("one").preview({ args: ["--refresh", "--replace", urn], expectFailure: true });
  expect(failuresOf(refused, "forced")).toMatchObject([{ property: "branchId" }]);
  expect(refused.failure).toContain(`pulumi destroy --target '${urn}', then: pulumi up`);

  // No preview is told of the options.
  const stuck = turn("two", { deleteBeforeReplace: false });
  const preview = await stuck.preview();
  expect(preview.changes).toMatchObject({ replace: 3, same: 1 });
  expect(said(preview, "triggered")).toMatch(/host name changes\. .* takes the option `deleteBeforeReplace: true`/);
  expect(said(preview, "replica")).toMatch(/replaced: .*replacementTrigger.*host name changes$/m);
  const failed = await stuck.up({ args: ["--continue-on-error"], expectFailure: true });
  expect(said(failed, "triggered")).toContain("Set `deleteBeforeReplace: true` in the options of the resource");
  expect(said(failed, "sized")).toContain(`the one that it replaces, ${before[1]}, is on branch ${places.sized}`);
  expect(said(failed, "sized")).toContain("Take `deleteBeforeReplace: false` out of the options of the resource");
  for (const at of [1, 2]) expect(idOf(names[at] ?? "")).toBe(before[at]);

  const up = await turn("two", {}, { deleteBeforeReplace: true }).up();
  for (const name of ["sized", "triggered"])
    expect(opsOf(up, name)).toEqual(["delete-replaced", "replace", "create-replacement"]);
  for (const [at, name] of names.entries()) {
    expect(endpointsOn(bench, places[name]).map(({ id }) => id)).toEqual([idOf(name)]);
    expect(idOf(name) === before[at]).toBe(name === "forced");
  }
  expect((await turn("two").preview()).changes).toMatchObject({ same: 4 });
});

// The dynamic host has the URN in an input.
describe.each(hosts)("a renamed resource by the $name host", (host) => {
  it("gives up its endpoint when it is replaced, which the engine asks for under its old name", async () => {
    const { projectId } = bench;
    const [typed, forced] = [bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const sized = (sizeCu: number) => ({ projectId, branchId: forced, sizeCu });
    await program.is({ typed: { args: { projectId, branchId: typed } }, forced: { args: sized(1) } }).up();

    // One is replaced as it is renamed; the other later, when nothing has been written to it under its new name.
    const options = { aliases: ["forced"], replaceOnChanges: ["sizeCu"] };
    const renamed = (sizeCu: number) =>
      program.is({
        typed2: { args: { projectId, branchId: typed, type: "read_only" }, options: { aliases: ["typed"] } },
        forced2: { args: sized(sizeCu), options },
      });
    const first = await renamed(1).up();
    expect(opsOf(first, "typed")).toEqual(["delete-replaced"]);
    expect(opsOf(first, "typed2")).toEqual(["replace", "create-replacement"]);
    expect(opsOf(first, "forced2")).toEqual(["same"]);
    const second = await renamed(2).up();
    expect(opsOf(second, "forced2")).toEqual(["delete-replaced", "replace", "create-replacement"]);

    expect(endpointsOn(bench, typed)).toMatchObject([{ type: "read_only" }]);
    expect(endpointsOn(bench, forced)).toMatchObject([{ autoscaling_limit_min_cu: 2 }]);
    expect(storedNames(program.project, host).sort()).toEqual(["forced2", "typed2"]);
    expect((await renamed(2).up()).changes).toMatchObject({ same: 2 });
  });
});
