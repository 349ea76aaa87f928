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

  // One that Pulumi did not create bears no mark. Its id tells that it is the resource's own, whatever the state says of its branch.
  const { replica: _, ...moving } = full;
  expect(said(await is(moving).preview(), "stranger")).toContain(`moves from ${other} to ${target}`);
  await is(moving).up();
  expect(stored("stranger").outputs).toMatchObject({ branchId: target });

  // A replica that is left is named, with the command that removes it; one word takes it up instead.
  const before = names().sort();
  const named = await is(full).preview();
  expect(said(named, "replica")).toMatch(
    new RegExp(`run: .*pgcompute(?:.cjs)? endpoints delete ${projectId}/${left?.id}`),
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
