/** What refusals say to do in the program, of fleets and of single resources, is done as they say it; tests/unit/ways-on.test.ts has the list of all messages. */
import { expect, it } from "vitest";
import { optionIn } from "../../support/commands";
import { type Options, type Program, useStack, type Values } from "../support/stack";

async function open(options?: Parameters<typeof useStack>[0]) {
  const used = await useStack(options);
  const { engine } = used;
  /** What a preview of the program is refused with. */
  const refused = async (program: Program, options?: Options) =>
    Object.values((await engine.preview(program, options)).errors).join("\n");
  /** Previews and does it; both have to go well. */
  const does = async (program: Program, options: Options = {}) => {
    expect((await engine.preview(program, options)).errors).toEqual({});
    expect((await engine.up(program, options)).errors).toEqual({});
  };
  return { ...used, refused, does };
}

const replica = { type: "read_only" };

it.each(["resource", "member"] as const)(
  "let all others go first, where one that leaves the branch, or is no longer in the program, has it: %s",
  async (kind) => {
    for (const stays of [true, false]) {
      const { bench, fleet, single, engine, idsOn, refused, does } = await open();
      const [branchId, other, free] = [bench.branch(), bench.branch(), bench.branch()];
      const b = { branchId: other };
      const own = kind === "resource" ? "m" : "f";
      const before: Program = kind === "resource" ? {} : { f: fleet({ b }) };
      const after: Program = kind === "resource" ? { m: single(branchId) } : { f: fleet({ b, x: { branchId } }) };
      const old: Program = stays ? { old: single(free) } : {};
      await does({ old: single(branchId), ...before });
      const news = { ...after, ...old };
      expect(await refused(news)).toMatch(
        new RegExp(
          `let all others go first, .*run: pulumi up --exclude '\\S+::${own}' --exclude-dependents, then: pulumi up `,
        ),
      );
      await does(news, { hidden: [own] });
      await does(news);
      expect(idsOn(branchId)).toEqual([engine.ids()[kind === "resource" ? "m" : "f/x"]]);
    }
  },
);

it("run pulumi up without this one in the program, where the one that has the branch waits for it", async () => {
  const { bench, single, engine, idsOn, refused, does } = await open();
  const [branchId, other] = [bench.branch(), bench.branch()];
  await does({ old: single(branchId) });
  const old = single(other, {}, ["m"]);
  const message = await refused({ m: single(branchId), old });
  expect(message).toMatch(/where that one waits for this one, run pulumi up without this one in the program first/);
  await does({ old: single(other) });
  await does({ m: single(branchId), old });
  expect(idsOn(branchId)).toEqual([engine.ids().m]);
});

it("say the branch of before for one run, where replicas stand on the one that a read-write endpoint moves to", async () => {
  const { bench, single, engine, idsOn, refused, does } = await open();
  const [A, B] = [bench.branch(), bench.branch()];
  const both = (branchId: string, more: string[] = []) => ({
    p: single(branchId),
    r: single(branchId, replica, more),
  });
  await does({ p: single(A), r: single(B, replica) });
  const { p } = engine.ids();
  const message = await refused(both(B));
  expect(message).toMatch(
    /let what is there leave first: say branch (\S+) again for one run, here and for each replica/,
  );
  await does(both(A));
  await does(both(B, ["p"]));
  expect([idsOn(A), idsOn(B).length, engine.ids().p]).toEqual([[], 2, p]);
});

it("wait with `dependsOn` for the read-write endpoint that moves to a replica's branch", async () => {
  const { bench, single, engine, does } = await open();
  const [A, B] = [bench.branch(), bench.branch()];
  const both = (branchId: string, after: string[] = []) => ({
    r: single(branchId, replica, after),
    p: single(branchId),
  });
  await does({ p: single(A) });
  await does({ p: single(A), r: single(A, replica, ["p"]) });
  const ids = engine.ids();
  // The step of the read-write endpoint never begins.
  const beforeStep = async (verb: string, name: string) => {
    if (verb === "update" && name === "p") throw new Error("no");
  };
  const { errors } = await engine.up(both(B), { pace: "late", beforeStep });
  const [, waitsFor = ""] =
    errors.r?.match(/Let this one wait for it: add `dependsOn: \[(\w+)\]` to its options/) ?? [];
  expect([waitsFor, engine.ids()]).toEqual(["p", ids]);
  await does(both(B, [waitsFor]));
  expect(engine.ids().p).toBe(ids.p);
});

it("give one of the members that exchange their branches an empty one first", async () => {
  const { bench, fleet, engine, refused, does } = await open();
  const [A, B, free] = [bench.branch(), bench.branch(), bench.branch()];
  const f = (a?: string, b?: string) => ({ f: fleet({ a: { branchId: a }, b: { branchId: b } }) });
  await does(f(A, B));
  const ids = engine.ids();
  expect(await refused(f(B, A))).toMatch(
    /Give one of them a branch without endpoints and run pulumi up, then say again/,
  );
  await does(f(free, A));
  await does(f(B, A));
  expect(engine.ids()).toEqual(ids);
});

it("take off what asks for an endpoint that another one has", async () => {
  const { bench, projectId, admin, single, engine, idsOn, refused, does } = await open();
  const [branchId, other] = [bench.branch(), bench.branch()];
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId });
  await does({ has: single(branchId, { adoptExisting: true }) });
  const program = (more: Values) => ({ asks: single(branchId, more), has: single(other, { adoptExisting: true }) });
  expect(await refused(program({ adoptExisting: true }))).toMatch(
    /take `importId`, `adoptExisting` or adoptInterrupted, which asks for it, off "asks"/,
  );
  await does(program({}), { hidden: ["asks"] });
  await does(program({}));
  expect([engine.ids().has, idsOn(branchId)]).toEqual([id, [engine.ids().asks]]);
});

it("set importId for what was created for another resource, also where a fleet that has it is replaced by force", async () => {
  const { bench, projectId, engine, fleet, single, idsOn, refused, does } = await open();
  const branchId = bench.branch();
  await does({ old: single(branchId) });
  const [id = ""] = idsOn(branchId);
  engine.engine.state.delete("old");
  const f = fleet({ x: { branchId } });
  const idIn = (message: string) =>
    message.match(
      /only where no state has it, to make it the fleet's own, set `importId: "([^"]+)"` for this member/,
    )?.[1];
  for (const options of [{}, { replace: ["f"] }]) {
    const importId = idIn(await refused({ f }, options));
    expect(importId).toBe(`${projectId}/${id}`);
    await does({ f: fleet({ x: { branchId, importId } }) }, options);
    await does({ f });
    expect([idsOn(branchId), engine.ids()["f/x"], engine.engine.toDelete]).toEqual([[id], id, []]);
  }
});

it("keep a root branch's endpoint by retainOnDelete, and remove the member after that", async () => {
  const { admin, fleet, engine, does } = await open();
  const { project, branches, endpoints } = admin.seedProject({ endpoint: false });
  expect(endpoints).toEqual([]);
  const x = { projectId: project.id, branchId: branches[0]?.id };
  await does({ f: fleet({ x }) });
  const { errors, said } = await engine.up({});
  expect(`${Object.values(errors)}${said.join()}`).toMatch(
    /Keep the member, set `retainOnDelete: true`, run `pulumi up`, then remove it/,
  );
  await does({ f: fleet({ x: { ...x, retainOnDelete: true } }) });
  await does({});
  expect(engine.ids()).toEqual({});
});

it("take importId out, where nothing has that id, or the member has another endpoint", async () => {
  const { bench, projectId, admin, fleet, engine, refused, does } = await open();
  const x = { branchId: bench.branch() };
  const none = await refused({ f: fleet({ x: { ...x, importId: `${projectId}/ep-none` } }) });
  expect(none).toMatch(/to have a new one, take importId out of the program/);
  expect(await refused({ f: fleet({ x: { ...x, importId: "ep-x" } }) })).toMatch(/"ep-x" is not the id of an endpoint/);
  await does({ f: fleet({ x }) });
  const id = engine.ids()["f/x"];
  const importId = `${projectId}/${admin.seedEndpoint(projectId, { branch_id: bench.branch() }).id}`;
  expect(await refused({ f: fleet({ x: { ...x, importId } }) })).toMatch(/already: take importId out of the program/);
  await does({ f: fleet({ x }) });
  expect(engine.ids()["f/x"]).toBe(id);
});

it("let one of two owners go by its importId, where its fleet has it not yet", async () => {
  const { bench, projectId, engine, fleet, refused, does } = await open();
  const one = { branchId: bench.branch(), ...replica };
  await does({ fB: fleet({ y: one }) });
  const kept = engine.ids()["fB/y"];
  const importId = `${projectId}/${kept}`;
  const g = (more: Values = {}) => ({ fB: fleet({ y: one }), fg: fleet({ z: { ...one, ...more } }) });
  expect(await refused(g({ importId }))).toMatch(/belongs to "fB\/y" already/);
  await does(g());
  expect(engine.ids()["fg/z"]).not.toBe(kept);
});

it("do not ask for what is set already, where another one has what an interrupted run left", async () => {
  const { bench, projectId, fleet, single, engine, idsOn, refused, does } = await open();
  const branchId = bench.branch();
  const another = { branchId, ...replica };
  const [one, f] = [single(branchId, replica), fleet({ a: another })];
  await does({ one, f });
  const ids = engine.ids();
  for (const name of ["one", "f"]) engine.engine.state.delete(name);
  const adoptInterrupted = true;
  await engine.import("two", `${projectId}/${ids.one}`, { adoptInterrupted });
  await engine.import("three", `${projectId}/${ids["f/a"]}`, { adoptInterrupted });
  const owners = { two: one, three: one };
  const resource = await refused({ ...owners, one }, { adoptInterrupted });
  expect(resource).toMatch(
    /created for this resource at \S+, and "two" \(.*\) has it now, so it cannot be taken up\. /,
  );
  expect(resource).toMatch(/to have another one beside it, run pulumi up without adoptInterrupted$/);
  for (const options of [{}, { adoptInterrupted }]) {
    const member = await refused({ ...owners, f }, options);
    expect(member).toMatch(/created for the member a of this fleet .*, and "three" \(.*\) has it now/);
    expect(member).toMatch(/\n {2}- give the member another key or branch$/);
  }
  await does({ ...owners, one, f: fleet({ b: another }) });
  expect(idsOn(branchId)).toHaveLength(4);
});

it.each(["adopt what is there", "make what is there a fleet's own by importId"])("%s", async (what) => {
  const { bench, projectId, admin, fleet, single, engine, idsOn, refused, does } = await open();
  const adopts = what.startsWith("adopt");
  const branchId = bench.branch();
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId });
  const program = (more: Values): Program =>
    adopts ? { m: single(branchId, more) } : { f: fleet({ a: { branchId, ...more } }) };
  const option = adopts ? "adoptExisting" : "importId";
  await does(program({ [option]: optionIn(await refused(program({})), option) }));
  expect(Object.values(engine.ids())).toEqual([id]);
  await does({});
  // What was adopted is released.
  expect(idsOn(branchId)).toEqual(adopts ? [id] : []);
});

it("keep the endpoint of a resource that was renamed", async () => {
  const { bench, single, engine, refused, does } = await open();
  const m = single(bench.branch());
  await does({ old: m });
  const { old } = engine.ids();
  const [, was = ""] = String(optionIn(await refused({ m }), "aliases")).match(/name: "([^"]+)"/) ?? [];
  await does({ m: { ...m, was } });
  expect(engine.ids()).toEqual({ m: old });
});
