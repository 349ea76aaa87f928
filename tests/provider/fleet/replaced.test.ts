import { expect, it } from "vitest";
import { useStack } from "../support/stack";

it.each([
  ["members that are protected", { protect: true }, false],
  ["the option deleteBeforeReplace", {}, true],
])(
  "a replacement by force takes up what is there where somebody says so with %s, and nothing is deleted",
  async (_, options, deleteBeforeReplace) => {
    const { bench, projectId, engine } = await useStack();
    const endpoints = { a: { branchId: bench.branch(), ...options }, b: { branchId: bench.branch() } };
    const f = { args: { projectId, endpoints }, deleteBeforeReplace };
    await engine.up({ f });
    const before = { ids: engine.ids(), id: engine.engine.state.get("f")?.id };
    const unsaid = await engine.preview({ f }, { replace: ["f"] });
    expect(unsaid.errors.f).toContain("PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    const said = { replace: ["f"], adoptInterrupted: true };
    const preview = await engine.preview({ f }, said);
    expect(preview.said.join("\n")).toMatch(
      /2 of the members are there.* taken up, nothing is replaced, unless this run deletes the fleet first.* no other state has them/,
    );
    const up = await engine.up({ f }, said);
    expect(up.errors).toEqual({});
    expect(engine.engine.toDelete).toEqual([]);
    expect(engine.ids()).toEqual(before.ids);
    expect(engine.engine.state.get("f")?.id).not.toBe(before.id);
    expect(bench.on(String(endpoints.b.branchId)).map(({ id }) => id)).toEqual([before.ids["f/b"]]);
  },
);

it("a replacement by force that a protected member stops is ended by the run that its message asks for", async () => {
  const { bench, projectId, engine } = await useStack();
  const [here, there] = [bench.branch(), bench.branch()];
  const f = (a: Record<string, unknown>) => ({ f: { args: { projectId, endpoints: { a } } } });
  await engine.up(f({ branchId: here, protect: true }));
  const stopped = await engine.up(f({ branchId: there, protect: true }), { replace: ["f"] });
  expect(stopped.errors.f).toMatch(
    /it is protected, .*deleted\. If that is meant, keep the member, set `protect: false` and run pulumi up; then it can go/,
  );
  expect((await engine.up(f({ branchId: there, protect: true }))).errors.f).toBe(stopped.errors.f);
  expect(bench.on(here)).toHaveLength(1);
  expect((await engine.up(f({ branchId: there, protect: false }))).errors).toEqual({});
  expect([bench.on(here).length, bench.on(there).length, engine.engine.toDelete.length]).toEqual([0, 1, 0]);
});

it("a replacement by force deletes no more of what it has not taken up than maxDeletions allows; a destroy has no bound", async () => {
  const { bench, projectId, engine } = await useStack();
  const branchId = bench.branch();
  const f = (keys: string, more: Record<string, unknown> = {}) => {
    const endpoints = Object.fromEntries([...keys].map((key) => [key, { branchId, type: "read_only" }]));
    return { f: { args: { projectId, endpoints, ...more } } };
  };
  await engine.up(f("abcd"));
  const stopped = await engine.up(f("efgh"), { replace: ["f"] });
  expect(stopped.errors.f).toMatch(/deletes 4 \(.*no more than 2 may go at a time.*set `maxDeletions: 4`/);
  expect(bench.on(branchId)).toHaveLength(8);
  expect((await engine.up(f("efgh", { maxDeletions: 3 }))).errors.f).toMatch(/no more than 3 may go/);
  expect((await engine.up(f("efgh", { maxDeletions: 4 }))).errors).toEqual({});
  expect([bench.on(branchId).length, engine.engine.toDelete.length]).toEqual([4, 0]);
  expect((await engine.up({})).errors).toEqual({});
  expect(bench.on(branchId)).toEqual([]);
});

it("a member that is to be kept gives up its branch to nobody but whoever takes its endpoint over", async () => {
  const { bench, projectId, engine } = await useStack();
  const branchId = bench.branch();
  const f = (x: Record<string, unknown>) => ({
    args: { projectId, endpoints: { b: { branchId: bench.branch() }, ...x } },
  });
  await engine.up({ f: f({ x: { branchId, retainOnDelete: true } }) });
  const id = `${projectId}/${engine.ids()["f/x"]}`;
  const g = (y: Record<string, unknown>) => ({
    args: { projectId, endpoints: { y } },
    after: ["f"],
  });
  const refused = await engine.preview({ f: f({}), fg: g({ branchId }) });
  expect(refused.errors.fg).toMatch(/of "f\/x" .*, and it stays there when that one leaves/);
  expect(refused.errors.fg).not.toMatch(/second run/);
  // As it says: without this one first, then by the id that it names.
  const [, importId] =
    refused.errors.fg?.match(/run pulumi up without this one first; then .* set `importId: "([^"]+)"`/) ?? [];
  expect(importId).toBe(id);
  expect((await engine.up({ f: f({}) })).errors).toEqual({});
  expect((await engine.up({ f: f({}), fg: g({ branchId, importId }) })).errors).toEqual({});
  expect(engine.ids()["fg/y"]).toBe(id.split("/")[1]);
});

it("a resource that wants a member's branch is told what to wait for, and comes there once it waits for the fleet", async () => {
  const { bench, projectId, engine } = await useStack();
  const branchId = bench.branch();
  const f = (x: Record<string, unknown>) => ({
    args: { projectId, endpoints: { b: { branchId: bench.branch() }, ...x } },
  });
  await engine.up({ f: f({ x: { branchId } }) });
  const m = { args: { projectId, branchId } };
  const rest = f({});
  expect((await engine.preview({ m, f: rest })).errors.m).toMatch(/`dependsOn` for that resource, or for that fleet/);
  // Once the fleet was met it is named.
  const told = (await engine.preview({ f: rest, m }, { pace: "late" })).errors.m;
  const [, waitsFor = ""] = told?.match(/`dependsOn: \[(.+?)\]`/) ?? [];
  expect(waitsFor).toBe("f");
  expect((await engine.up({ f: rest, m: { ...m, after: [waitsFor] } })).errors).toEqual({});
  expect(bench.on(branchId).map(({ id }) => id)).toEqual([engine.ids().m]);
});
