import { expect, it } from "vitest";
import { pluginHost as host } from "../support/hosts";
import { endpointIdOf, said, stored, storedNames } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";
import { untilNoneRuns } from "../support/processes";
import { releaseWhenAsked } from "./support/held";
import { strike } from "./support/interrupted-runs";
import { killedEngines, type Victim } from "./support/victims";

const bench = useBench();

it("what an engine that was killed has left unrecorded is known again without a word, or a message names the one command", async () => {
  const { projectId } = bench;
  const { admin } = bench.emulator;
  const [from, to, other, target, branchId] = Array.from({ length: 5 }, () => bench.branch());
  const stranger = admin.seedEndpoint(projectId, { branch_id: other ?? "" });
  const { project, is } = await bench.program(host);
  const moved = (place?: string) => ({ args: { projectId, branchId: place } });
  const replica = { args: { projectId, branchId, type: "read_only" } };
  await is({
    own: moved(from),
    stranger: { args: { projectId, branchId: other, adoptExisting: true } },
  }).up();
  const [own, strangers] = ["own", "stranger"].map((name) => stored(project, host, name));

  const full = { own: moved(to), stranger: moved(target), replica };
  const victim = killedEngines.find((one) => one.host === host) as Victim;
  await strike({ bench, project, victim }, full, [
    { method: "PATCH", path: `/${own?.id?.split("/")[1]}`, moment: "after" },
    { method: "PATCH", path: `/${stranger.id}`, moment: "after" },
    { method: "POST", path: "/endpoints", moment: "after" },
  ]);
  const [left] = endpointsOn(bench, branchId ?? "");

  // Its mark tells that it is the resource's own, moved already.
  await releaseWhenAsked(bench, is({ own: moved(to), stranger: moved(other) }).up());
  expect(stored(project, host, "own")).toMatchObject({ id: own?.id, outputs: { branchId: to } });
  expect(endpointsOn(bench, to ?? "")).toHaveLength(1);

  // One that Pulumi did not create bears no mark.
  const { replica: _, ...moving } = full;
  const refused = await is(moving).preview({ expectFailure: true });
  expect(said(refused, "stranger")).toContain(`no longer on branch ${other}`);
  expect(said(refused, "stranger")).toContain("run: pulumi refresh");
  await is(moving).refresh();
  expect(stored(project, host, "stranger").outputs).toMatchObject({ branchId: target });

  // A replica that is left is named, with the command that removes it; one word takes it up instead.
  const before = storedNames(project, host).sort();
  const named = await is(full).preview();
  expect(said(named, "replica")).toMatch(
    new RegExp(`run: .*pgcompute(?:.cjs)? endpoints delete ${projectId}/${left?.id}`),
  );
  expect(storedNames(project, host).sort()).toEqual(before);
  await is(full).up({ env: { PGCOMPUTE_ADOPT_INTERRUPTED: "1" } });
  expect(endpointsOn(bench, branchId ?? "").map(({ id }) => id)).toEqual([
    endpointIdOf(stored(project, host, "replica")),
  ]);
  expect(endpointIdOf(stored(project, host, "replica"))).toBe(left?.id);
  expect(stored(project, host, "stranger").id).toBe(strangers?.id);

  const again = await is(full).preview();
  expect(again.changes).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0, same: 3 });
  expect(said(again)).toBe("");
  await untilNoneRuns(project);
}, 300_000);
