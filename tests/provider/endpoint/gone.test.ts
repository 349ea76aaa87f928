import { describe, expect, it } from "vitest";
import { justBefore, useMade, type Values } from "../../engine-model/stack";

const GONE = /warn main: endpoint \S+ is gone: .*A new one is created or taken up/s;

/** A preview and an `up` that make `main` anew; the next preview has nothing to do. */
async function expectAnew(
  { stack, live }: Awaited<ReturnType<typeof useMade>>,
  program: Parameters<typeof stack.up>[0],
) {
  const preview = await stack.preview(program);
  expect(preview.messages).toEqual([]);
  expect(preview.changes).toMatchObject({ main: "replace" });
  expect(preview.said.join("\n")).toMatch(GONE);
  const up = await stack.up(program);
  expect(up.messages).toEqual([]);
  expect(up.said).toEqual(expect.arrayContaining(preview.said));
  expect((await stack.preview(program)).isChanged).toBe(false);
  return live();
}

describe("an endpoint of the state that is gone is made anew", () => {
  it("after somebody deleted it, with one call by its id", async () => {
    const used = await useMade({ sizeCu: 2 });
    const { admin, stack, main, id } = used;
    admin.dropEndpoint(id);
    admin.clearLog();
    await stack.preview(main());
    expect(
      admin
        .log()
        .filter(({ route }) => route.startsWith("endpoints"))
        .map(({ route }) => route),
    ).toEqual(["endpoints.list", "endpoints.get"]);
    expect(await expectAnew(used, main())).toMatchObject({ autoscaling_limit_max_cu: 2 });
    expect(stack.known()).toHaveLength(1);
  });

  it.each<[string, Values]>([
    ["with another size", { sizeCu: 4 }],
    ["that is now a replica", { type: "read_only" }],
  ])("%s", async (_, changes) => {
    const used = await useMade({ sizeCu: 2 });
    used.admin.dropEndpoint(used.id);
    await expectAnew(used, used.main(changes));
  });

  it("on a branch that was made anew under another id", async () => {
    const used = await useMade();
    const { admin, projectId, branch, branchId, main } = used;
    admin.dropBranch(projectId, branchId);
    const there = branch();
    expect(await expectAnew(used, main({ branchId: there }))).toMatchObject({ branch_id: there });
  });

  it("by taking over the endpoint that its branch was born with, where the program adopts", async () => {
    const used = await useMade({ adoptExisting: true });
    const { admin, projectId, branchId, main, id } = used;
    admin.dropEndpoint(id);
    const born = admin.seedEndpoint(projectId, { branch_id: branchId }).id;
    expect((await expectAnew(used, main())).id).toBe(born);
    await used.stack.destroy();
    expect(used.idsOn(branchId)).toEqual([born]);
  });

  it("not where somebody else's is on its branch by now: that one is in the way, as of a new resource", async () => {
    const { admin, stack, projectId, branchId, main, id } = await useMade();
    admin.dropEndpoint(id);
    const other = admin.seedEndpoint(projectId, { branch_id: branchId }).id;
    const runs = [await stack.preview(main()), await stack.up(main())];
    for (const { messages } of runs)
      expect(messages.join()).toContain(`${branchId} has the read-write endpoint ${other}`);
  });

  it("whatever operations the last run had left open", async () => {
    const used = await useMade({ sizeCu: 1 });
    const { admin, stack, main, id } = used;
    admin.addFault({ on: "operation", endpointId: id, effect: { kind: "fail" } });
    expect((await stack.up(main({ sizeCu: 2 }))).messages).not.toEqual([]);
    admin.clearFaults();
    admin.dropEndpoint(id);
    await expectAnew(used, main({ sizeCu: 2 }));
  });

  it("in the run after the one whose update met it", async () => {
    const used = await useMade();
    const { admin, stack, main, id } = used;
    const beforeStep = justBefore("update", () => admin.dropEndpoint(id));
    const { error } = await stack.up(main({ sizeCu: 2 }), { beforeStep });
    expect(error?.message).toMatch(/no longer exists: .*Run `pulumi up` again: a new one is created/);
    await expectAnew(used, main({ sizeCu: 2 }));
  });

  it("with the program's values of what is ignored, as it says", async () => {
    const used = await useMade({ sizeCu: 2 });
    const { admin, stack, main, id } = used;
    admin.dropEndpoint(id);
    const ignoring = { main: { ...main({ sizeCu: 4 }).main, ignoreChanges: ["sizeCu"] } };
    const { said } = await stack.preview(ignoring);
    expect(said.join("\n")).toMatch(/does not follow ignoreChanges: the new endpoint gets sizeCu/);
    expect(await expectAnew(used, ignoring)).toMatchObject({ autoscaling_limit_max_cu: 4 });
  });

  it("under another name, by an alias", async () => {
    const used = await useMade();
    const { admin, stack, main, id } = used;
    admin.dropEndpoint(id);
    const renamed = { other: { ...main().main, was: "main" } };
    expect((await stack.preview(renamed)).changes).toEqual({ other: "replace" });
    expect((await stack.up(renamed)).messages).toEqual([]);
    expect(stack.known()).toHaveLength(1);
    expect((await stack.preview(renamed)).isChanged).toBe(false);
  });

  it("after a destroy that was interrupted, which names the deletes that the platform has accepted", async () => {
    const used = await useMade();
    const { bench, admin, stack, main, id, projectId } = used;
    const stop = new AbortController();
    admin.addFault({ on: "operation", endpointId: id, effect: { kind: "slow", operationMs: 60_000 } });
    void bench.clock.sleep(3_000).then(() => stop.abort());
    const { error } = await stack.destroy({ signal: stop.signal });
    expect(error).toMatchObject({ message: expect.stringContaining("interrupted") });
    expect(error?.message).toContain(`the platform has accepted the delete of endpoint ${projectId}/${id}`);
    admin.clearFaults();
    await bench.run(bench.clock.sleep(120_000));
    await expectAnew(used, main());
  });
});

describe("an endpoint counts as there", () => {
  it("where its project cannot be read", async () => {
    const { admin, stack, main } = await useMade();
    admin.addFault({ route: "endpoints.list", effect: { kind: "status", status: 404 } });
    admin.addFault({ route: "endpoints.get", effect: { kind: "status", status: 404 } });
    const { messages, said } = await stack.preview(main());
    expect(messages.join()).toMatch(/does not exist, or this API key may not see it/);
    expect(said.join("\n")).not.toMatch(GONE);
  });

  it("where a run is to let go of it, which sends nothing for it", async () => {
    const { admin, stack, main, id, projectId } = await useMade();
    admin.dropEndpoint(id);
    admin.clearLog();
    const run = await stack.up(main(), { settings: { forget: [`${projectId}/${id}`] } });
    expect([run.messages, run.isChanged]).toEqual([[], false]);
    expect(admin.log().map(({ route }) => route)).not.toContain("endpoints.get");
  });

  it("where the list lacks it and its id shows it, as right after its create", async () => {
    const { admin, stack, main } = await useMade();
    admin.addFault({ route: "endpoints.list", effect: { kind: "json", body: { endpoints: [] } } });
    const { changes, said } = await stack.preview(main());
    expect(changes).toEqual({ main: "same" });
    expect(said.join("\n")).not.toMatch(GONE);
  });
});
