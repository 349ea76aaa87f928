import { describe, expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { bookkeepingOf } from "../../../provider/endpoint/state";
import { madeFor } from "../../../provider/lib/owner";
import { type Declared, justBefore, type Run, useMade, useMain, useStack, type Values } from "../../engine-model/stack";
import { urnOf } from "../../support/call-context";

const warnings = ({ rows }: Run) => rows.flatMap(({ level, message }) => (level === "warn" ? [message] : []));

describe("a replacement without a comparison, as by replacementTrigger,", () => {
  const triggered = ({ main }: { main: Declared }, deleteBeforeReplace = true) => ({
    main: { ...main, isTriggered: true, deleteBeforeReplace },
  });

  it.each(["read_write", "read_only"] as const)("says what it needs (%s)", async (type) => {
    const { stack, admin, projectId, branchId, main, id, idsOn } = await useMade({ type });
    const isReplica = type === "read_only";
    const beside = isReplica ? [admin.seedEndpoint(projectId, { branch_id: branchId }).id] : [];
    const run = await stack.up(triggered(main(), false));
    expect(warnings(run).join()).toMatch(
      isReplica ? /host name changes$/ : /host name changes.* takes the option `deleteBeforeReplace: true`/,
    );
    if (isReplica) expect(run.errors).toEqual({});
    else expect(run.errors.main).toContain("the platform answered 409");
    expect((await stack.up(triggered(main()))).errors).toEqual({});
    expect(stack.ids().main).not.toBe(id);
    expect(idsOn(branchId)).toEqual([...beside, stack.ids().main]);
  });

  it("says at the create that what was taken over stays", async () => {
    const { stack, admin, projectId, branchId, main } = await useMain();
    admin.seedEndpoint(projectId, { branch_id: branchId });
    await stack.up(main({ adoptExisting: true }));
    const { errors } = await stack.up(triggered(main()));
    expect(errors.main).toMatch(/was taken over, so a replacement does not delete it/);
  });

  it("does not take its own endpoint over that it is to replace", async () => {
    const { stack, admin, main, stored, id } = await useMade();
    // Only what bears no name is adopted.
    admin.changeEndpoint(id, { name: "" });
    const adopting = main({ adoptExisting: true });
    expect((await stack.up(triggered(adopting, false))).error).toMatchObject({
      message: expect.stringContaining("answered 409"),
    });
    expect((await stack.up(triggered(adopting))).errors).toEqual({});
    expect(stack.ids().main).not.toBe(id);
    expect(bookkeepingOf(stored()?.state ?? {}).adopted).toBeUndefined();
  });
});

it.each<[string, Values]>([
  ["by its type", { type: "read_only" }],
  ["by an option, before its successor comes", { sizeCu: 2 }],
])("is deleted under its former name where it is renamed and replaced %s", async (_, more) => {
  const { branch, single, idsOn, stack } = await useStack();
  const branchId = branch();
  await stack.up({ old: single(branchId) });
  const { old } = stack.ids();
  const main = { ...single(branchId, more), was: "old", replaceOnChanges: ["sizeCu"] };
  expect((await stack.up({ main })).errors).toEqual({});
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
  expect(stack.ids().main).not.toBe(old);
});

it("is not deleted first where somebody else has come to the new place since the plan", async () => {
  const { bench, branch, single, idsOn, stack, admin, projectId } = await useStack();
  const [from, to] = [branch(), branch()];
  await stack.up({ main: single(from) });
  const main = { ...single(to), deleteBeforeReplace: true };
  const beforeStep = justBefore("delete", () => {
    admin.seedEndpoint(projectId, { branch_id: to });
    return bench.clock.sleep(1);
  });
  const { errors } = await stack.up({ main }, { replace: ["main"], beforeStep });
  expect(errors.main).toMatch(/has the read-write endpoint/);
  expect(errors.main).not.toMatch(/no state has this one yet/);
  expect(idsOn(from)).toEqual([stack.ids().main]);
});

it("is deleted by a later run, whose endpoint has the new place", async () => {
  const { branch, single, idsOn, stack } = await useStack();
  const [from, to] = [branch(), branch()];
  stack.settings = { moves: "replace" };
  await stack.up({ main: single(from) });
  const beforeStep = justBefore("delete", () => {
    throw new Error("ended before the delete");
  });
  await stack.up({ main: single(to) }, { beforeStep });
  expect(idsOn(from)).toHaveLength(1);
  expect((await stack.up({ main: single(to) })).errors).toEqual({});
  expect([idsOn(from), idsOn(to)]).toEqual([[], [stack.ids().main]]);
});

it("is not left running in the end where a replacement by force adopts what it has itself created", async () => {
  const { branch, single, idsOn, stack } = await useStack({ endpointNames: false });
  const branchId = branch();
  const main = single(branchId, { adoptExisting: true });
  await stack.up({ main });
  const { errors } = await stack.up({ main }, { replace: ["main"] });
  expect(errors.main).toMatch(
    /is not deleted; to get a new endpoint, leave the resource out of the program for one run/,
  );
  expect(idsOn(branchId)).toEqual([stack.ids().main]);
  expect((await stack.up({})).errors).toEqual({});
  expect(idsOn(branchId)).toEqual([]);
});

it("refuses in the preview what a killed replacement has left in its own place, with the command that takes it up", async () => {
  const { stack, admin, projectId, branchId, main, id: old } = await useMade({ sizeCu: 1 });
  admin.dropEndpoint(old);
  const name = newOwnershipName(madeFor(urnOf("main")));
  const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, name });
  const program = { main: { ...main({ sizeCu: 2 }).main, replaceOnChanges: ["sizeCu"] } };
  const { errors } = await stack.preview(program);
  expect(errors.main).toMatch(
    new RegExp(`^branchId: .*${id} [^]*hide owners:\\n +PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up`),
  );
  expect((await stack.up(program, { adoptInterrupted: true })).errors).toEqual({});
  expect(stack.ids().main).toBe(id);
});

it("warns of what ignoreChanges keeps in the comparison and not in the replacement, and of nothing else", async () => {
  const { stack, main } = await useMade({ sizeCu: 1, pgSettings: { work_mem: "8MB" } });
  const warned = async (ignoreChanges: string[]) => {
    const run = await stack.preview({ main: { ...main({ type: "read_only", sizeCu: 2 }).main, ignoreChanges } });
    expect(run.changes).toEqual({ main: "replace" });
    return warnings(run).filter((line) => line.includes("ignoreChanges"));
  };
  expect(await warned(["sizeCu"])).toEqual([
    "a replacement does not follow ignoreChanges: the new endpoint gets sizeCu as the program says now",
  ]);
  expect(await warned([])).toEqual([]);
});
