import { expect, it } from "vitest";
import { pluginHost as host, urnOf } from "../support/hosts";
import { endpointIdOf, failuresOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

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
