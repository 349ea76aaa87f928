import { expect, it } from "vitest";
import { Stack, useStack, type Values } from "../../engine-model/stack";

it.each([
  ["members that are protected", { protect: true }, false],
  ["the option deleteBeforeReplace", {}, true],
])(
  "a replacement by force takes up what is there where somebody says so with %s, and nothing is deleted",
  async (_, options, deleteBeforeReplace) => {
    const { fleet, stack, branch, idsOn } = await useStack();
    const b = { branchId: branch() };
    const f = fleet({ a: { branchId: branch(), ...options }, b }, { deleteBeforeReplace });
    await stack.up({ f });
    const before = { ids: stack.ids(), id: stack.engine.state.get("f")?.id };
    const unsaid = await stack.preview({ f }, { replace: ["f"] });
    expect(unsaid.errors.f).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    const said = { replace: ["f"], adoptInterrupted: true };
    expect((await stack.preview({ f }, said)).said.join("\n")).toMatch(
      /2 of the members are there.* taken up, nothing is replaced, unless this run deletes the fleet first.* no other state has them/,
    );
    expect((await stack.up({ f }, said)).errors).toEqual({});
    expect([stack.engine.toDelete, stack.ids()]).toEqual([[], before.ids]);
    expect(stack.engine.state.get("f")?.id).not.toBe(before.id);
    expect(idsOn(b.branchId)).toEqual([before.ids["f/b"]]);
  },
);

it("a replacement by force that a protected member stops is ended by the run that its message asks for", async () => {
  const { fleet, stack, branch, idsOn } = await useStack();
  const [here, there] = [branch(), branch()];
  const f = (branchId: string, protect = true) => ({ f: fleet({ a: { branchId, protect } }) });
  await stack.up(f(here));
  const stopped = await stack.up(f(there), { replace: ["f"] });
  expect(stopped.errors.f).toMatch(
    /it is protected, .*deleted[\s\S]*Keep the member with `protect: false` for one run/,
  );
  expect((await stack.up(f(there))).errors.f).toBe(stopped.errors.f);
  expect(idsOn(here)).toHaveLength(1);
  expect((await stack.up(f(there, false))).errors).toEqual({});
  expect([idsOn(here).length, idsOn(there).length, stack.engine.toDelete.length]).toEqual([0, 1, 0]);
});

it("a replacement by force deletes no more of what it has not taken up than maxDeletions allows; a destroy has no bound", async () => {
  const { projectId, stack, branch, idsOn } = await useStack();
  const branchId = branch();
  const f = (keys: string, more: Values = {}) => {
    const endpoints = Object.fromEntries([...keys].map((key) => [key, { branchId, type: "read_only" }]));
    return { f: { args: { projectId, endpoints, ...more } } };
  };
  await stack.up(f("abcd"));
  const stopped = await stack.up(f("efgh"), { replace: ["f"] });
  expect(stopped.errors.f).toMatch(/deletes 4 \(.*no more than 2 may go at a time[\s\S]*set `maxDeletions: 4`/);
  expect(idsOn(branchId)).toHaveLength(8);
  expect((await stack.up(f("efgh", { maxDeletions: 3 }))).errors.f).toMatch(/no more than 3 may go/);
  expect((await stack.up(f("efgh", { maxDeletions: 4 }))).errors).toEqual({});
  expect([idsOn(branchId).length, stack.engine.toDelete.length]).toEqual([4, 0]);
  expect((await stack.up({})).errors).toEqual({});
  expect(idsOn(branchId)).toEqual([]);
});

it("a replacement by force is refused before the old fleet, or resource, is deleted, where no preview refused anything of its plan", async () => {
  const { projectId, admin, single, fleet, idsOn, stack, branch } = await useStack({ endpointNames: false });
  const [here, there, contested, free] = [branch(), branch(), branch(), branch()];
  await stack.up({ f: fleet({ a: { branchId: here } }), main: single(there), aa: single(contested) });
  const deleteBeforeReplace = true;
  const main = { ...single(contested), deleteBeforeReplace };
  const stopped = await stack.up({ main, aa: single(free) }, { replace: ["main"] });
  expect(stopped.errors.main).toMatch(/has the read-write endpoint/);
  expect(idsOn(there)).toEqual([stack.ids().main]);

  const other = branch();
  admin.seedEndpoint(projectId, { branch_id: other });
  const f = fleet({ a: { branchId: here }, b: { branchId: other } }, { deleteBeforeReplace });
  expect((await stack.up({ f }, { replace: ["f"] })).errors.f).toMatch(/has the read-write endpoint/);
  expect(idsOn(here)).toEqual([stack.ids()["f/a"]]);
});

it("a replica that is to follow a read-write endpoint is not deleted where that one does not come", async () => {
  const { bench, admin, single, fleet, branches, idsOn } = await useStack();
  const stack = new Stack(bench, { goesOn: true });
  const [from = "", to = ""] = branches(2);
  const program = (branchId: string) => ({ main: single(branchId), f: fleet({ a: { branchId, type: "read_only" } }) });
  await stack.up(program(from));
  const before = stack.ids();
  admin.addFault({ route: "endpoints.update", effect: { kind: "status", status: 403 } });

  const { errors } = await stack.up(program(to), { pace: "late" });
  expect(errors.f).toContain("so nothing was sent for this one");
  expect(stack.ids()).toEqual(before);
  expect(idsOn(from)).toHaveLength(2);
});
