import { expect, it } from "vitest";
import { type Declarations, pluginHost as host, hosts } from "../support/hosts";
import { failuresOf, opsOf, said } from "../support/look";
import { endpointIdOf, useBench } from "../support/platform";

// Specification, section 2.3.

const bench = useBench();
const deletedFirst = ["delete-replaced", "replace", "create-replacement"];

// The engine compares inputs for the dynamic host, which sends along what replaces.
it.each(hosts)(
  "replacements in one program by the $name host are what the preview said, and leave nothing to do",
  async (host) => {
    const { admin } = bench.emulator;
    const { projectId } = bench;
    const elsewhere = admin.seedProject({ endpoint: false });
    const [project, type, first, second, home, away, sized, sizedReplica, named, beside, leader, other] =
      bench.branches(12);
    admin.seedEndpoint(projectId, { branch_id: second ?? "" });
    const on = (branchId: string | undefined, more: object = {}, ...replaceOnChanges: string[]) => ({
      args: { projectId, branchId, ...more },
      options: { replaceOnChanges },
    });
    const follows = { pgSettings: { "app.leader": `\${leader.host}` } };
    const declared = (sizeCu: 1 | 2): Declarations => {
      const isNew = sizeCu === 2;
      const settings = { work_mem: "8MB", lock_timeout: "1000" };
      return {
        project: {
          args: isNew ? { projectId: elsewhere.project.id, branchId: elsewhere.branches[0]?.id } : on(project).args,
        },
        type: on(type, isNew ? { type: "read_only" } : {}),
        replica: on(isNew ? second : first, { type: "read_only" }),
        primary: on(isNew ? away : home),
        sized: on(sized, { sizeCu }, "sizeCu"),
        sizedReplica: {
          args: on(sizedReplica, { type: "read_only", sizeCu }).args,
          options: { replaceOnChanges: ["sizeCu"], deleteBeforeReplace: true },
        },
        named: on(named, { pgSettings: { ...settings, work_mem: `${sizeCu}MB` } }, "pgSettings.work_mem"),
        beside: on(beside, { pgSettings: { ...settings, lock_timeout: `${sizeCu}000` } }, "pgSettings.work_mem"),
        leader: on(leader, { sizeCu }, "sizeCu"),
        follower: on(leader, { ...follows, type: "read_only" }, "pgSettings"),
        other: on(other, follows, "pgSettings"),
      };
    };
    const program = bench.program(host);
    await program.is(declared(1)).up();
    const names = Object.keys(declared(2));
    const states = () => names.map(program.stored);
    const old = states();
    const stack = program.is(declared(2));
    const [preview, up] = [await stack.preview(), await stack.up()];
    for (const run of [preview, up])
      expect(run.changes).toEqual({ replace: 9, update: 2, create: 0, delete: 0, same: 0 });
    const ids = admin.state().projects.flatMap(({ endpoints }) => endpoints.map(({ id }) => id));
    for (const [at, now] of states().entries()) {
      const before = old[at] as typeof now;
      const isReplaced = !["beside", "primary"].includes(names[at] ?? "");
      expect(ids.includes(endpointIdOf(now)), names[at]).toBe(true);
      expect(ids.includes(endpointIdOf(before)), names[at]).toBe(!isReplaced);
      expect(now.outputs?.host !== before.outputs?.host, names[at]).toBe(isReplaced);
    }

    expect(said(preview, "project")).toMatch(/cannot change its project; replaces the endpoint.*; host name changes/);
    expect(said(preview, "type")).toMatch(/cannot change its type; .*host name changes/);
    expect(said(preview, "replica")).toContain("a read replica does not move to another branch");
    expect(said(preview, "replica")).not.toContain("downtime");
    expect(said(preview, "primary")).toMatch(/moves from .* to .*; suspends the endpoint/);
    for (const name of ["sized", "sizedReplica", "named"])
      expect(said(preview, name)).toMatch(/replaced.*\(replaceOnChanges\).*host name changes/);
    expect(said(preview, "beside")).not.toContain("replaceOnChanges");
    const keys = preview.steps.find(({ name, op }) => name === "type" && op === "replace")?.replaceKeys;
    expect(keys).toEqual(["type"]);

    // The old one frees the branch first where old and new would stand in each other's way.
    for (const name of ["sized", "sizedReplica"]) expect(opsOf(up, name)).toEqual(deletedFirst);
    for (const name of ["type", "replica"]) expect(opsOf(up, name)[0]).toBe("create-replacement");
    const left = [project, first, home, second, away, leader].map((one) => bench.on(one).length);
    expect(left).toEqual([0, 0, 0, 2, 1, 2]);
    expect(admin.project(elsewhere.project.id).endpoints).toHaveLength(1);
    expect((await stack.up()).changes).toMatchObject({ same: 11 });
  },
);

it("a replacement that would create before it deletes says which option it takes or is in the way, loses nothing, and goes on without it", async () => {
  const { projectId } = bench;
  const places = { forced: bench.branch(), sized: bench.branch(), triggered: bench.branch(), replica: bench.branch() };
  const names = Object.keys(places) as (keyof typeof places)[];
  const { is, idOf, urn } = bench.program(host);
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
  const before = names.map(idOf);

  // Refused in the preview where somebody forces it, also where a refresh comes first.
  const refused = await turn("one").preview({ args: ["--refresh", "--replace", urn("forced")], expectFailure: true });
  expect(failuresOf(refused, "forced")).toMatchObject([{ property: "branchId" }]);
  expect(refused.failure).toContain(
    "If --replace or a taint replaces the resource, leave it out of the program for one run.",
  );

  // No preview is told of the options.
  const stuck = turn("two", { deleteBeforeReplace: false });
  const preview = await stuck.preview();
  expect(preview.changes).toMatchObject({ replace: 3, same: 1 });
  expect(said(preview, "triggered")).toMatch(/host name changes\. .* takes the option `deleteBeforeReplace: true`/);
  expect(said(preview, "replica")).toMatch(/replaced: .*replacementTrigger.*host name changes$/m);
  const failed = await stuck.up({ args: ["--continue-on-error"], expectFailure: true });
  expect(said(failed, "triggered")).toMatch(/takes the option `deleteBeforeReplace: true` as well$/m);
  expect(said(failed, "triggered")).not.toContain("by an earlier run");
  for (const name of ["triggered", "sized"]) expect(said(failed, name)).toContain("read_write endpoint already exists");
  for (const at of [1, 2]) expect(idOf(names[at] ?? "")).toBe(before[at]);

  const up = await turn("two", {}, { deleteBeforeReplace: true }).up();
  for (const name of ["sized", "triggered"]) expect(opsOf(up, name)).toEqual(deletedFirst);
  for (const [at, name] of names.entries()) {
    expect(bench.on(places[name]).map(({ id }) => id)).toEqual([idOf(name)]);
    expect(idOf(name) === before[at]).toBe(name === "forced");
  }
  expect((await turn("two").preview()).changes).toMatchObject({ same: 4 });
});
