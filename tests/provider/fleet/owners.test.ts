import { describe, expect, it } from "vitest";
import { type Declared, useStack } from "../../engine-model/stack";

const replica = { type: "read_only" } as const;

describe("an endpoint has one owner", () => {
  it("among the members that name it by importId", async () => {
    const { bench, projectId, admin, fleet, stack } = await useStack();
    const branchId = bench.branch();
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, ...replica });
    const one = { branchId, ...replica, importId: `${projectId}/${id}` };
    const { errors } = await stack.preview({ f: fleet({ a: one, b: one }) });
    expect(errors.f).toMatch(/^endpoints\["b"\]\.importId: that endpoint belongs to "a" already/);
  });

  it("among a member and the single endpoint of the same name that it names by importId", async () => {
    const { bench, projectId, fleet, stack } = await useStack();
    const branchId = bench.branch();
    const single: Declared = { args: { projectId, branchId, ...replica } };
    await stack.up({ r1: single });
    const importId = `${projectId}/${stack.ids().r1}`;
    const { errors } = await stack.preview({ r1: single, f: fleet({ r1: { branchId, ...replica, importId } }) });
    expect(errors.f).toMatch(/^endpoints\["r1"\]\.importId: that endpoint belongs to "r1" already/);
  });

  it("where it was made for one member and another has it", async () => {
    const { bench, projectId, fleet, stack, idsOn } = await useStack();
    const branchId = bench.branch();
    const one = { branchId, ...replica };
    await stack.up({ f: fleet({ a: { ...one, retainOnDelete: true } }) });
    await stack.up({ f: fleet({}) });
    const [id] = idsOn(branchId);
    const taken = { ...one, importId: `${projectId}/${id}` };
    expect((await stack.preview({ f: fleet({ a: one, b: taken }) })).changes).toEqual({ a: "create", b: "adopt" });
    await stack.up({ f: fleet({ b: taken }) });
    expect((await stack.preview({ f: fleet({ a: one, b: one }) })).changes).toEqual({ a: "create", b: "same" });
  });

  it("so that an import names those that were created for other resources", async () => {
    const { bench, projectId, fleet, stack } = await useStack();
    await stack.up({ f: fleet({ a: { branchId: bench.branch() }, b: { branchId: bench.branch() } }) });
    const { "f/a": a = "", "f/b": b = "" } = stack.ids();
    const again = await stack.import("f", `${projectId}/a=${a},b=${b}`);
    expect(again.said.filter((line) => line.startsWith("warn"))).toEqual([]);
    const other = `${projectId}/x=${a},y=${b}`;
    expect((await stack.import("fg", other)).error?.message).toMatch(
      /x and y: made for "f-a" and "f-b", and of two owners [\s\S]*with PGCOMPUTE_ADOPT_INTERRUPTED=1/,
    );
    const taken = await stack.import("fg", other, { adoptInterrupted: true });
    expect(taken.said.filter((line) => line.startsWith("warn"))).toEqual([
      expect.stringMatching(
        /^warn fg: x and y: made for "f-a" and "f-b"; if a stack still has them, .* sends nothing for them:\n +PGCOMPUTE_FORGET=\S+,\S+ pulumi up$/,
      ),
    ]);
  });
});
