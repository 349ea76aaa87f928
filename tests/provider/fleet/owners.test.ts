import { describe, expect, it } from "vitest";
import { type Declared, useStack } from "../support/stack";

const replica = { type: "read_only" } as const;

describe("an endpoint has one owner", () => {
  it("among the members that name it by importId", async () => {
    const { bench, projectId, admin, fleet, engine } = await useStack();
    const branchId = bench.branch();
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, ...replica });
    const one = { branchId, ...replica, importId: `${projectId}/${id}` };
    const { errors } = await engine.preview({ f: fleet({ a: one, b: one }) });
    expect(errors.f).toMatch(/^endpoints\["b"\]\.importId: that endpoint belongs to "a" already/);
  });

  it("among a member and the single endpoint of the same name that it names by importId", async () => {
    const { bench, projectId, fleet, engine } = await useStack();
    const branchId = bench.branch();
    const single: Declared = { args: { projectId, branchId, ...replica } };
    await engine.up({ r1: single });
    const importId = `${projectId}/${engine.ids().r1}`;
    const { errors } = await engine.preview({ r1: single, f: fleet({ r1: { branchId, ...replica, importId } }) });
    expect(errors.f).toMatch(/^endpoints\["r1"\]\.importId: that endpoint belongs to "r1" already/);
  });

  it("where it was made for one member and another has it", async () => {
    const { bench, projectId, fleet, engine, idsOn } = await useStack();
    const branchId = bench.branch();
    const one = { branchId, ...replica };
    await engine.up({ f: fleet({ a: { ...one, retainOnDelete: true } }) });
    await engine.up({ f: fleet({}) });
    const [importId = ""] = idsOn(branchId);
    const taken = { ...one, importId: `${projectId}/${importId}` };
    const both = await engine.preview({ f: fleet({ a: one, b: taken }) });
    expect(both.changes).toEqual({ a: "create", b: "adopt" });
    await engine.up({ f: fleet({ b: taken }) });
    const later = { f: fleet({ a: one, b: one }) };
    expect((await engine.preview(later)).changes).toEqual({ a: "create", b: "same" });
    expect((await engine.up(later)).errors).toEqual({});
    expect(engine.ids()["f/b"]).toBe(importId);
    expect(new Set(Object.values(engine.ids()))).toEqual(new Set(idsOn(branchId)));
    expect(idsOn(branchId)).toHaveLength(2);
  });

  it("so that an import names those that were created for other resources", async () => {
    const { bench, projectId, fleet, engine } = await useStack();
    await engine.up({ f: fleet({ a: { branchId: bench.branch() }, b: { branchId: bench.branch() } }) });
    const { "f/a": a = "", "f/b": b = "" } = engine.ids();
    const again = await engine.import("f", `${projectId}/a=${a},b=${b}`);
    expect(again.said).toEqual([]);
    const other = await engine.import("fg", `${projectId}/x=${a},y=${b}`);
    expect(other.said).toEqual([
      expect.stringMatching(
        /^warn fg: x and y: created for "f-a" and "f-b"; if a state still has them there, .*: take them out of that state, a resource by/,
      ),
    ]);
  });
});

describe.each(["read_only", "read_write"])("a member that goes to another fleet by importId (%s)", (type) => {
  it.each([
    ["the old fleet waits for the new one", ["fB", "fA"], { fA: ["fB"] }, undefined],
    ["nothing says which comes first", ["fB", "fA"], {}, /fA: .*`dependsOn: \[fB\]` to the options of "fA"/],
    ["the old fleet comes first", ["fA", "fB"], {}, /fB: .*importId: that endpoint belongs to "fA\/x" already/],
    ["the new fleet waits for the old one", ["fA", "fB"], { fB: ["fA"] }, /fB: .*belongs to "fA\/x" already/],
  ])("is released or refused, never deleted, where %s", async (_, order, after: Record<string, string[]>, refusal) => {
    for (const host of ["plugin", "dynamic"] as const) {
      const { bench, projectId, fleet, engine, idsOn } = await useStack({ host });
      const [branchId, other] = [bench.branch(), bench.branch()];
      const [x, y] = [{ branchId, type }, { branchId: other }];
      await engine.up({ fA: fleet({ x, y }), fB: fleet({}) });
      const ids = idsOn(branchId);
      const all: Record<string, Declared> = {
        fA: fleet({ y }, { after: after.fA ?? [] }),
        fB: fleet({ x: { ...x, importId: `${projectId}/${ids[0]}` } }, { after: after.fB ?? [] }),
      };
      const program = Object.fromEntries(order.map((name) => [name, all[name] as Declared]));
      const { errors } = await engine.preview(program, { pace: "late" });
      if (refusal) {
        expect(Object.entries(errors).map(([name, message]) => `${name}: ${message}`)).toEqual([
          expect.stringMatching(refusal),
        ]);
        continue;
      }
      expect(errors).toEqual({});
      expect((await engine.up(program)).errors).toEqual({});
      expect(idsOn(branchId)).toEqual(ids);
      expect(engine.ids()).toMatchObject({ "fB/x": ids[0] });
      expect((await engine.up({ fB: fleet({ x }) })).errors).toEqual({});
      expect(idsOn(branchId)).toEqual(ids);
    }
  });
});
