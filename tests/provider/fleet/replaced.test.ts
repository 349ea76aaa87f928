import { expect, it } from "vitest";
import { useStack, type Values } from "../support/stack";

it.each([
  ["members that are protected", { protect: true }, false],
  ["the option deleteBeforeReplace", {}, true],
])(
  "a replacement by force takes up what is there where somebody says so with %s, and nothing is deleted",
  async (_, options, deleteBeforeReplace) => {
    const { fleet, engine, branch, idsOn } = await useStack();
    const b = { branchId: branch() };
    const f = fleet({ a: { branchId: branch(), ...options }, b }, { deleteBeforeReplace });
    await engine.up({ f });
    const before = { ids: engine.ids(), id: engine.engine.state.get("f")?.id };
    const unsaid = await engine.preview({ f }, { replace: ["f"] });
    expect(unsaid.errors.f).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    const said = { replace: ["f"], adoptInterrupted: true };
    expect((await engine.preview({ f }, said)).said.join("\n")).toMatch(
      /2 of the members are there.* taken up, nothing is replaced, unless this run deletes the fleet first.* no other state has them/,
    );
    expect((await engine.up({ f }, said)).errors).toEqual({});
    expect([engine.engine.toDelete, engine.ids()]).toEqual([[], before.ids]);
    expect(engine.engine.state.get("f")?.id).not.toBe(before.id);
    expect(idsOn(b.branchId)).toEqual([before.ids["f/b"]]);
  },
);

it("a replacement by force that a protected member stops is ended by the run that its message asks for", async () => {
  const { fleet, engine, branch, idsOn } = await useStack();
  const [here, there] = [branch(), branch()];
  const f = (branchId: string, protect = true) => ({ f: fleet({ a: { branchId, protect } }) });
  await engine.up(f(here));
  const stopped = await engine.up(f(there), { replace: ["f"] });
  expect(stopped.errors.f).toMatch(
    /it is protected, .*deleted\. If that is meant, keep the member, set `protect: false` and run pulumi up; then it can go/,
  );
  expect((await engine.up(f(there))).errors.f).toBe(stopped.errors.f);
  expect(idsOn(here)).toHaveLength(1);
  expect((await engine.up(f(there, false))).errors).toEqual({});
  expect([idsOn(here).length, idsOn(there).length, engine.engine.toDelete.length]).toEqual([0, 1, 0]);
});

it("a replacement by force deletes no more of what it has not taken up than maxDeletions allows; a destroy has no bound", async () => {
  const { projectId, engine, branch, idsOn } = await useStack();
  const branchId = branch();
  const f = (keys: string, more: Values = {}) => {
    const endpoints = Object.fromEntries([...keys].map((key) => [key, { branchId, type: "read_only" }]));
    return { f: { args: { projectId, endpoints, ...more } } };
  };
  await engine.up(f("abcd"));
  const stopped = await engine.up(f("efgh"), { replace: ["f"] });
  expect(stopped.errors.f).toMatch(/deletes 4 \(.*no more than 2 may go at a time.*set `maxDeletions: 4`/);
  expect(idsOn(branchId)).toHaveLength(8);
  expect((await engine.up(f("efgh", { maxDeletions: 3 }))).errors.f).toMatch(/no more than 3 may go/);
  expect((await engine.up(f("efgh", { maxDeletions: 4 }))).errors).toEqual({});
  expect([idsOn(branchId).length, engine.engine.toDelete.length]).toEqual([4, 0]);
  expect((await engine.up({})).errors).toEqual({});
  expect(idsOn(branchId)).toEqual([]);
});

it("a replacement by force is refused before the old fleet, or resource, is deleted, where no preview refused anything of its plan", async () => {
  const { projectId, admin, single, fleet, idsOn, engine, branch } = await useStack({ endpointNames: false });
  const [here, there, contested, free] = [branch(), branch(), branch(), branch()];
  await engine.up({ f: fleet({ a: { branchId: here } }), main: single(there), aa: single(contested) });
  const deleteBeforeReplace = true;
  const main = { ...single(contested), deleteBeforeReplace };
  const stopped = await engine.up({ main, aa: single(free) }, { replace: ["main"] });
  expect(stopped.errors.main).toMatch(/already has a read-write endpoint/);
  expect(idsOn(there)).toEqual([engine.ids().main]);

  const other = branch();
  admin.seedEndpoint(projectId, { branch_id: other });
  const f = fleet({ a: { branchId: here }, b: { branchId: other } }, { deleteBeforeReplace });
  expect((await engine.up({ f }, { replace: ["f"] })).errors.f).toMatch(/already has a read-write endpoint/);
  expect(idsOn(here)).toEqual([engine.ids()["f/a"]]);
});
