/** Options that a refusal offers with their values, given as it says; other ways on: tests/programs/ways.test.ts. */
import { expect, it } from "vitest";
import { type Options, type Program, useStack, type Values } from "../../engine-model/stack";
import { optionIn } from "../../support/commands";

async function open() {
  const used = await useStack();
  const { stack } = used;
  /** What a preview of the program is refused with. */
  const refused = async (program: Program, options?: Options) =>
    Object.values((await stack.preview(program, options)).errors).join("\n");
  /** Previews and does it; both have to go well. */
  const does = async (program: Program, options: Options = {}) => {
    expect((await stack.preview(program, options)).errors).toEqual({});
    expect((await stack.up(program, options)).errors).toEqual({});
  };
  return { ...used, refused, does };
}

it("importId takes over what was made for another resource, also where a fleet that has it is replaced by force", async () => {
  const { bench, projectId, stack, fleet, single, idsOn, refused, does } = await open();
  const branchId = bench.branch();
  await does({ old: single(branchId) });
  const [id = ""] = idsOn(branchId);
  stack.engine.state.delete("old");
  const f = fleet({ x: { branchId } });
  for (const options of [{}, { replace: ["f"] }]) {
    expect(await refused({ f }, options)).toContain('made for "old"');
    const importId = `${projectId}/${id}`;
    await does({ f: fleet({ x: { branchId, importId } }) }, options);
    await does({ f });
    expect([idsOn(branchId), stack.ids()["f/x"], stack.engine.toDelete]).toEqual([[id], id, []]);
  }
});

it.each(["adoptExisting", "importId"])("%s for what is there", async (option) => {
  const { bench, projectId, admin, fleet, single, stack, idsOn, refused, does } = await open();
  const adopts = option === "adoptExisting";
  const branchId = bench.branch();
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId });
  const program = (more: Values): Program =>
    adopts ? { m: single(branchId, more) } : { f: fleet({ a: { branchId, ...more } }) };
  await does(program({ [option]: optionIn(await refused(program({})), option) }));
  expect(Object.values(stack.ids())).toEqual([id]);
  await does({});
  // What was adopted is released.
  expect(idsOn(branchId)).toEqual(adopts ? [id] : []);
});

it("no importId, where nothing has that id, or the member has another endpoint", async () => {
  const { bench, projectId, admin, fleet, stack, refused, does } = await open();
  const x = { branchId: bench.branch() };
  const f = (importId: string) => ({ f: fleet({ x: { ...x, importId } }) });
  for (const none of [`${projectId}/ep-none`, "ep-x"]) expect(await refused(f(none))).toContain(none);
  await does({ f: fleet({ x }) });
  const id = stack.ids()["f/x"];
  const { id: other } = admin.seedEndpoint(projectId, { branch_id: bench.branch() });
  expect(await refused(f(`${projectId}/${other}`))).toContain(id);
  await does({ f: fleet({ x }) });
  expect(stack.ids()["f/x"]).toBe(id);
});

it("retainOnDelete for a member whose endpoint a root branch keeps, until it is removed", async () => {
  const { admin, fleet, stack, does } = await open();
  const { project, branches } = admin.seedProject({ endpoint: false });
  const x = { projectId: project.id, branchId: branches[0]?.id };
  await does({ f: fleet({ x }) });
  const { errors, said } = await stack.up({});
  const retainOnDelete = optionIn(`${Object.values(errors)}${said.join()}`, "retainOnDelete");
  await does({ f: fleet({ x: { ...x, retainOnDelete } }) });
  await does({});
  expect(stack.ids()).toEqual({});
});

it("no retainOnDelete for a replica, which no root branch keeps", async () => {
  const { bench, admin, fleet, stack, does } = await open();
  const { projectId } = bench.emulator;
  await does({ f: fleet({ x: { projectId, branchId: bench.branch(), type: "read_only" } }) });
  const effect = { kind: "status", status: 422, message: "branch not ready yet" } as const;
  admin.addFault({ route: "endpoints.delete", effect });
  const { errors } = await stack.up({});
  expect(Object.values(errors).join()).toContain("branch not ready yet");
  expect(Object.values(errors).join()).not.toContain("root branch keeps");
});

it("aliases for a resource that was renamed", async () => {
  const { bench, single, stack, refused, does } = await open();
  const m = single(bench.branch());
  await does({ old: m });
  const { old } = stack.ids();
  const [, was = ""] = String(optionIn(await refused({ m }), "aliases")).match(/::([^:"]+)"\]$/) ?? [];
  await does({ m: { ...m, was } });
  expect(stack.ids()).toEqual({ m: old });
});
