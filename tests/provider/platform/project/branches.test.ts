/** Tests the lists of branches and projects, which come in pages, and what a run keeps of a project's branches. */
import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../../emulator";
import { useBench } from "../../../support/bench";

const MANY = 250;

/** A cursor of the emulator's. */
const FIRST = Buffer.from('["2024-05-01T10:00:00Z",0]').toString("base64url");

async function setUp(options: EmulatorOptions = {}) {
  const bench = await useBench(options);
  const { projectId, admin, branchId } = bench.emulator;
  const { api, project } = bench.account();
  const { branches } = project(projectId);
  const seed = (count: number) => Array.from({ length: count }, () => bench.branch());
  const counts = () => admin.counts().byRoute;
  return { ...bench, bench, api, branches, projectId, branchId, admin, seed, counts };
}

describe("a list of branches", () => {
  it.each([
    [{}, 3],
    [{ maxPageSize: 60 }, 5],
    [{ maxPageSize: 1 }, MANY],
  ])("is read to its end, with %j by %i calls", async (options, calls) => {
    const { api, run, projectId, branchId, seed, counts } = await setUp(options);
    const ids = [branchId, ...seed(MANY - 1)];
    const listed = (await run(api.listBranches(projectId))).map(({ id }) => id);
    expect(listed).toEqual(ids.reverse());
    expect(counts()).toEqual({ "branches.list": calls });
  });

  it("has each branch once that was there all the time, whatever changes between two pages", async () => {
    const { run, clock, api, projectId, branchId, admin, seed } = await setUp({ maxPageSize: 2 });
    const ids = [branchId, ...seed(8)];
    const rename = (at: number) => admin.changeBranch(projectId, ids[at] ?? "", { name: `renamed-${at}` });
    /** After each page: unread ones change, read ones too; one goes, some come. */
    const changes = [
      () => [rename(3), rename(0)],
      () => [rename(8), admin.dropBranch(projectId, ids[1] ?? ""), seed(3)],
      () => [rename(2), rename(7)],
      () => [rename(0)],
    ];
    const read: string[] = [];
    const walk = async () => {
      for await (const branches of api.branchPages(projectId)) {
        read.push(...branches.map(({ id }) => id));
        await clock.sleep(1_000);
        changes.shift()?.();
      }
    };
    await run(walk());
    expect(changes).toEqual([]);
    expect(read).toEqual(ids.filter((_, at) => at !== 1).reverse());
  });

  const one = { id: "br-1", project_id: "quiet-harbor-12345678", name: "one" };

  it.each([
    ["a page that comes again", [{ branches: [one], pagination: { next: FIRST } }], ["br-1"], 2],
    ["an empty cursor", [{ branches: [one], pagination: { next: "" } }], ["br-1"], 1],
    ["an answer without pagination", [{ branches: [one] }], ["br-1"], 1],
    ["an empty page", [{ branches: [], pagination: { next: "a" } }], [], 1],
  ])("ends at %s", async (_, [body], ids, calls) => {
    const { api, run, projectId, admin, counts } = await setUp();
    admin.addFault({ route: "branches.list", effect: { kind: "json", body: JSON.parse(JSON.stringify(body)) } });
    expect((await run(api.listBranches(projectId))).map(({ id }) => id)).toEqual(ids);
    expect(counts()).toEqual({ "branches.list": calls });
  });
});

it.each([
  [{}, 4],
  [{ maxPageSize: 7 }, 37],
])("the list of projects is read to its end, with %j by %i calls", async (options, calls) => {
  const { api, run, admin, counts } = await setUp(options);
  const ids = Array.from({ length: MANY }, (_, at) => admin.seedProject({ id: `shop-${at}` }).project.id);
  const listed = (await run(api.listProjects())).map(({ id }) => id);
  expect(new Set(listed)).toEqual(new Set(["quiet-harbor-12345678", ...ids]));
  expect(listed).toHaveLength(MANY + 1);
  expect(counts()).toEqual({ "projects.list": calls });
});

describe("the branches of a project, in a run", () => {
  it("are read again after a failed list", async () => {
    const { branches, run, bench, branchId, admin } = await setUp();
    admin.addFault({ route: "branches.list", count: 1, effect: { kind: "status", status: 403 } });
    expect(await bench.fails(branches.find(branchId))).toMatchObject({ kind: "forbidden" });
    expect(await run(branches.find(branchId))).toMatchObject({ id: branchId });
  });

  it("are listed once, and one that was born later is read by its id", async () => {
    const { branches, run, bench, counts } = await setUp();
    const old = bench.branch();
    expect(await run(branches.find(old))).toMatchObject({ id: old });
    const young = bench.branch();
    expect(await run(branches.find(young))).toMatchObject({ id: young });
    expect(await run(branches.find(young))).toMatchObject({ id: young });
    expect(await run(branches.find("br-nowhere"))).toBeUndefined();
    expect(counts()).toEqual({ "branches.list": 1, "branches.get": 2 });
  });

  it("are read by id where few are wanted that the first page lacks, and to the end of the list for more", async () => {
    const { branches, run, seed, counts } = await setUp();
    const [first = "", second = "", third = "", fourth = "", ...others] = seed(MANY);
    for (const id of [first, second, third]) await run(branches.find(id));
    expect(counts()).toEqual({ "branches.list": 1, "branches.get": 3 });
    await run(Promise.all([fourth, ...others].map((id) => branches.find(id))));
    expect(await run(branches.find(fourth))).toMatchObject({ id: fourth });
    expect(counts()).toEqual({ "branches.list": 3, "branches.get": 3 });
  });

  it("go on where the list broke off between two pages", async () => {
    const { branches, run, bench, seed, admin } = await setUp();
    const [oldest = "", ...others] = seed(MANY);
    const wanted = [oldest, ...others.slice(0, 5)];
    admin.addFault({ route: "branches.list", skip: 1, count: 1, effect: { kind: "status", status: 403 } });
    const asked = Promise.all(wanted.map((id) => branches.find(id)));
    expect(await bench.fails(asked)).toMatchObject({ kind: "forbidden" });
    expect((await run(Promise.all(wanted.map((id) => branches.find(id))))).map((one) => one?.id)).toEqual(wanted);
  });

  it("are told as not listed by a platform that has no such list", async () => {
    const { branches, run, admin } = await setUp();
    admin.addFault({ route: "branches.list", effect: { kind: "status", status: 404 } });
    expect(await run(branches.areListed())).toBe(false);
    expect(await run(branches.find("br-nowhere"))).toBeUndefined();
    expect(await run(branches.successors("br-nowhere"))).toEqual([]);
  });

  it("have their successors on any page", async () => {
    const { branches, run, admin, bench, projectId, seed } = await setUp();
    const [old, heir = ""] = [bench.branch(), bench.branch()];
    seed(MANY);
    const record = { id: heir, project_id: projectId, restored_as: old };
    admin.addFault({ route: "branches.list", skip: 2, effect: { kind: "json", body: { branches: [record] } } });
    expect((await run(branches.successors(old))).map(({ id }) => id)).toEqual([heir]);
  });
});
