import { expect, it } from "vitest";
import { pluginHost as host } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import { untilNoneRuns } from "../support/processes";
import { releaseWhenAsked } from "./support/held";
import { strike } from "./support/interrupted-runs";
import { killed } from "./support/victims";

const bench = useBench();

it("what an engine that was killed has left unrecorded is known again without a word, or a message names the one command", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const [from, to, other, target, branchId] = bench.branches(5);
  const stranger = admin.seedEndpoint(projectId, { branch_id: other ?? "" });
  const program = bench.program(host);
  const { is, stored, idOf, names } = program;
  const moved = (place?: string) => ({ args: { projectId, branchId: place } });
  const replica = { args: { projectId, branchId, type: "read_only" } };
  await is({
    own: moved(from),
    stranger: { args: { projectId, branchId: other, adoptExisting: true } },
  }).up();
  const [own, strangers] = ["own", "stranger"].map(stored);

  const full = { own: moved(to), stranger: moved(target), replica };
  await strike({ bench, program, victim: killed.engine }, full, [
    { method: "PATCH", path: `/${own?.id?.split("/")[1]}`, moment: "after" },
    { method: "PATCH", path: `/${stranger.id}`, moment: "after" },
    { method: "POST", path: "/endpoints", moment: "after" },
  ]);
  const [left] = bench.on(branchId);

  // Its mark tells that it is the resource's own, moved already.
  await releaseWhenAsked(bench, is({ own: moved(to), stranger: moved(other) }).up());
  expect(stored("own")).toMatchObject({ id: own?.id, outputs: { branchId: to } });
  expect(bench.on(to)).toHaveLength(1);

  // An endpoint that Pulumi did not create has no generated name. Its id shows that it is the resource's own, whatever
  // branch the state has.
  const { replica: _, ...moving } = full;
  expect(said(await is(moving).preview(), "stranger")).toContain(`moves from ${other} to ${target}`);
  await is(moving).up();
  expect(stored("stranger").outputs).toMatchObject({ branchId: target });

  // A replica that is left is named, with the command that removes it; one word takes it up instead.
  const before = names().sort();
  const named = await is(full).preview();
  expect(said(named, "replica")).toMatch(
    new RegExp(`run:\\n.*pgcompute(?:.cjs)? endpoints delete ${projectId}/${left?.id}`),
  );
  expect(names().sort()).toEqual(before);
  await is(full).up({ env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
  expect(bench.on(branchId).map(({ id }) => id)).toEqual([idOf("replica")]);
  expect(idOf("replica")).toBe(left?.id);
  expect(stored("stranger").id).toBe(strangers?.id);

  const again = await is(full).preview();
  expect(again.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same: 3 });
  expect(said(again)).toBe("");
  await untilNoneRuns(program.project);
}, 300_000);

it("what a forced replacement has taken over is not deleted by the entry that it left, after a refresh and without one", async () => {
  const { projectId } = bench;
  const [first, second] = bench.branches(2);
  const program = bench.program(host);
  const { project, stored, idOf } = program;
  const declared = {
    primary: { args: { projectId, branchId: first } },
    replica: { args: { projectId, branchId: second, type: "read_only" } },
  };
  const names = Object.keys(declared);
  await program.is(declared).up();
  const own = names.map(idOf);

  // Nobody shows the provider what a forced replacement is of: so by this word it takes up its own endpoint.
  const env = { PGCOMPUTE_ADOPT_INTERRUPTED: "1" };
  const args = names.flatMap((name) => ["--replace", stored(name).urn]);
  await program.is(declared).up({ args, env });
  expect(names.map(idOf)).toEqual(own);

  // As an engine that is killed before the delete leaves it.
  const { resources, ...deployment } = project.exportState();
  const pending = names.map((name) => ({ ...stored(name), delete: true }));
  for (const refreshes of [true, false]) {
    project.importState({ ...deployment, resources: [...resources, ...pending] });
    if (refreshes) await program.is(declared).refresh();
    await releaseWhenAsked(bench, program.is(declared).up());
    expect(project.exportState().resources.filter((one) => one.delete)).toEqual([]);
    expect([first, second].flatMap((branch) => bench.on(branch)).map(({ id }) => id)).toEqual(own);
  }

  await releaseWhenAsked(bench, program.is({}).destroy());
  expect([first, second].flatMap((branch) => bench.on(branch))).toEqual([]);
  await untilNoneRuns(project);
}, 300_000);
