import { describe, expect, it } from "vitest";
import { platformMessage, specification } from "../../../provider/platform/profiles/profiles";
import { type Declared, type Run, useStack } from "../../engine-model/stack";

const WORD = /PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up/;

/** A stack in which `f`, a single endpoint or a fleet with one member, has an endpoint, and `s` imports that. */
async function open(kind: "single" | "fleet", { endpointNames = true } = {}) {
  const stack = await useStack({ endpointNames });
  const branchId = stack.branch();
  const f: Declared = kind === "fleet" ? stack.fleet({ a: { branchId } }) : stack.single(branchId);
  const name = kind === "fleet" ? "f" : "r1";
  await stack.stack.up({ [name]: f });
  const [id = ""] = stack.idsOn(branchId);
  const s: Declared = { ...stack.single(branchId), importId: `${stack.projectId}/${id}` };
  return { ...stack, f, s, id, name, branchId };
}

describe.each(["single", "fleet"] as const)("an import of what a %s has", (kind) => {
  const expectRefused = ({ ok, errors }: Run, by: string) => {
    expect(ok).toBe(false);
    expect(errors[by]).toMatch(/and an endpoint has one owner|both have|made for/);
  };

  it.each([
    ["that is checked before", ["f", "s"]],
    ["that is checked after", ["s", "f"]],
  ])("is refused for one %s, in a preview and without one", async (_, order) => {
    for (const endpointNames of [true, false]) {
      const { stack, f, s, name, idsOn, branchId, id } = await open(kind, { endpointNames });
      const program = Object.fromEntries(order.map((one) => (one === "f" ? [name, f] : ["r2", s])));
      const last = order[1] === "s" ? "r2" : name;
      const refused = endpointNames ? "r2" : last;
      expectRefused(await stack.preview(program), refused);
      const up = await stack.up(program);
      expectRefused(up, refused);
      // The person's word is for what nobody of this run has.
      expectRefused(await stack.preview(program, { adoptInterrupted: true }), last);
      expect(idsOn(branchId)).toEqual([id]);
      if (refused === "r2") expect(Object.keys(stack.ids())).toHaveLength(1);
    }
  });

  it.each([["f"], ["s"]])("is refused where --target names %s alone", async (shown) => {
    const { stack, f, s, name, id, idsOn, branchId } = await open(kind);
    const hidden = shown === "f" ? ["r2"] : [name];
    for (const run of ["preview", "up"] as const) {
      const { errors } = await stack[run]({ [name]: f, r2: s }, { hidden });
      expect(Object.keys(errors)).toEqual(["r2"]);
    }
    expect(Object.values(stack.ids())).toEqual([id]);
    expect(idsOn(branchId)).toEqual([id]);
  });

  it("takes the person's word that nobody has it, and says whose it was", async () => {
    const { stack, s, projectId, id } = await open(kind);
    stack.engine.state.clear();
    const importId = `${projectId}/${id}`;
    for (const run of [await stack.import("r2", importId), await stack.preview({ r2: s })]) {
      expect(run.error?.message).toMatch(WORD);
      expect(run.error?.message).toMatch(/made for/);
    }
    expect(stack.ids()).toEqual({});
    const taken = await stack.up({ r2: s }, { adoptInterrupted: true });
    expect([taken.errors, stack.ids()]).toEqual([{}, { r2: id }]);
    expect(taken.said).toEqual([
      `info r2: ${platformMessage(specification)}`,
      expect.stringMatching(/^warn r2: .*made for .*if a stack still has it/),
    ]);
  });

  it("needs no word where the owner itself comes back to its endpoint", async () => {
    const { stack, f, name, id, projectId } = await open(kind);
    stack.engine.state.clear();
    const run = await stack.import(name, kind === "fleet" ? `${projectId}/a=${id}` : `${projectId}/${id}`);
    // A review of an import has no other line to find the platform in.
    expect(run.said).toEqual([`info ${name}: ${platformMessage(specification)}`]);
    expect((await stack.preview({ [name]: f })).errors).toEqual({});
  });
});

it("two imports of one endpoint are refused, whichever is read first", async () => {
  const { stack, single, bench, projectId, admin } = await useStack();
  const branchId = bench.branch();
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId });
  const one: Declared = { ...single(branchId), importId: `${projectId}/${id}` };
  for (const hidden of [[], ["r2"]]) {
    const run = await stack.preview({ r1: one, r2: one }, { hidden });
    expect(Object.keys(run.errors)).toEqual(["r2"]);
  }
});

it("a refresh of an entry that the program dropped makes nobody an owner", async () => {
  const { stack, single, bench, projectId, admin } = await useStack();
  const branchId = bench.branch();
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId });
  const importId = `${projectId}/${id}`;
  await stack.import("r1", importId);
  const process = stack.process();
  await stack.refresh({ process });
  const run = await stack.preview({ r2: { ...single(branchId), importId } }, { process });
  expect(run.errors).toEqual({});
});
