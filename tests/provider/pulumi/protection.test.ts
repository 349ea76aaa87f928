/** Tests what becomes of endpoints on branches that today's public platform protects, restricts or lets expire. */
import { describe, expect, it } from "vitest";
import { neon } from "../../../provider/platform/profiles/profiles";
import { justBefore, type Run, useStack, type Values } from "../../engine-model/stack";
import { commandsIn } from "../../support/commands";

const SOON = "2024-05-02T10:00:00Z";

async function setUp(settings = {}) {
  const used = await useStack({ platform: "neon" });
  used.stack.settings = { profile: neon, ...settings };
  const { admin, projectId } = used;
  const sent = () => admin.log().filter(({ method }) => method !== "GET");
  const asked = () => {
    const { byRoute } = admin.counts();
    return (byRoute["branches.list"] ?? 0) + (byRoute["branches.get"] ?? 0);
  };
  const change = (branchId: string, changes: object) => admin.changeBranch(projectId, branchId, changes);
  return { ...used, sent, asked, protect: (id: string) => change(id, { protected: true }), change };
}

const told = ({ messages, rows }: Run) => [...messages, ...rows.map(({ message }) => message)].join("\n");

const keeps = (branchId: string) =>
  new RegExp(
    `since the platform keeps the endpoint on branch ${branchId}: the branch is protected\\. Nothing was sent\\.`,
  );

describe("a single endpoint on a protected branch", () => {
  it.each<[string, Values, object, object]>([
    ["moves away", {}, {}, {}],
    ["is replaced as it moves", {}, { moves: "replace" }, {}],
    ["is replaced by its type", { type: "read_only" }, {}, {}],
    ["is replaced by an option", {}, {}, { isTriggered: true, deleteBeforeReplace: true }],
  ])("is refused in the preview where it %s", async (title, more, settings, options) => {
    const { stack, branches, single, protect, change, sent, admin } = await setUp(settings);
    const [from = "", to = ""] = branches(2);
    await stack.up({ main: single(from) });
    protect(from);
    admin.clearLog();

    const isAway = title.includes("moves");
    const changed = { main: { ...single(isAway ? to : from, more), ...options } };
    const { messages } = await stack.preview(changed);
    expect(messages.join("\n")).toMatch(keeps(from));
    expect(sent()).toEqual([]);
    change(from, { protected: false });
    expect((await stack.preview(changed)).messages).toEqual([]);
  });

  it("is changed in place without a call about branches", async () => {
    const { stack, branch, single, protect, asked, admin } = await setUp();
    const from = branch();
    await stack.up({ main: single(from) });
    protect(from);
    admin.clearLog();
    expect((await stack.up({ main: single(from, { sizeCu: 1 }) })).messages).toEqual([]);
    expect(asked()).toBe(0);
  });

  it("is not deleted, and the error has both ways, of which each ends", async () => {
    const { stack, branch, single, protect, sent, admin, idsOn, change } = await setUp();
    const from = branch();
    await stack.up({ main: single(from) });
    const id = `quiet-harbor-12345678/${stack.ids().main}`;
    protect(from);
    admin.clearLog();

    const { messages } = await stack.up({});
    expect(messages.join("\n")).toMatch(keeps(from));
    expect(messages.join("\n")).toContain(`PGCOMPUTE_FORGET=${id} pulumi up`);
    expect(sent()).toEqual([]);
    change(from, { protected: false });
    expect((await stack.up({})).messages).toEqual([]);
    expect(idsOn(from)).toEqual([]);
  });

  it("is let go of where PGCOMPUTE_FORGET names it", async () => {
    const { stack, branch, single, protect, idsOn } = await setUp();
    const from = branch();
    await stack.up({ main: single(from) });
    protect(from);
    stack.settings = { profile: neon, forget: [`quiet-harbor-12345678/${stack.ids().main}`] };
    expect((await stack.up({})).messages).toEqual([]);
    expect(idsOn(from)).toHaveLength(1);
  });

  it("is released where it was taken over, and done with where it is gone", async () => {
    const { stack, branches, single, protect, admin, projectId, idsOn } = await setUp();
    const [kept = "", gone = ""] = branches(2);
    admin.seedEndpoint(projectId, { branch_id: kept });
    await stack.up({ main: single(kept, { adoptExisting: true }), other: single(gone) });
    for (const id of [kept, gone]) protect(id);
    admin.dropEndpoint(stack.ids().other ?? "");
    expect((await stack.up({})).messages).toEqual([]);
    expect(idsOn(kept)).toHaveLength(1);
  });
});

describe("members of a fleet", () => {
  it.each<[string, (kept: string, free: string) => Record<string, Values>, string]>([
    ["leaves", () => ({}), "deleted"],
    ["moves away", (_, free) => ({ a: { branchId: free } }), "moved"],
    ["is replaced", (kept) => ({ a: { branchId: kept, type: "read_only" } }), "replaced"],
  ])("are refused in the preview where one %s", async (_, changed, how) => {
    const { stack, branches, program, protect, sent, admin } = await setUp();
    const [kept = "", other = "", free = ""] = branches(3);
    const b = { branchId: other };
    await stack.up(program({ a: { branchId: kept }, b }));
    protect(kept);
    admin.clearLog();
    const { messages } = await stack.preview(program({ ...changed(kept, free), b }));
    expect(messages.join("\n")).toMatch(keeps(kept));
    expect(messages.join("\n")).toMatch(new RegExp(`^a: \\S+ cannot be ${how}`));
    expect(messages.join("\n").includes("PGCOMPUTE_FORGET")).toBe(how === "deleted");
    expect((await stack.up(program({ ...changed(kept, free), b }))).messages.join("\n")).toMatch(keeps(kept));
    expect(sent()).toEqual([]);
  });

  it("keep all that a fleet has which is deleted as a whole, until the way is followed", async () => {
    const { stack, branches, program, protect, sent, admin, idsOn } = await setUp();
    const [first = "", second = "", free = ""] = branches(3);
    await stack.up(program({ a: { branchId: first }, b: { branchId: second }, c: { branchId: free } }));
    for (const id of [first, second]) protect(id);
    admin.clearLog();
    const { messages } = await stack.destroy();
    expect(messages.join("\n")).toMatch(keeps(first));
    expect(messages.join("\n")).toMatch(keeps(second));
    expect(sent()).toEqual([]);

    const commands = commandsIn(messages.join("\n"));
    const forget = commands.flatMap((line) => line.match(/^PGCOMPUTE_FORGET=(\S+) pulumi up$/)?.[1]?.split(",") ?? []);
    expect([commands.length, forget.length]).toEqual([1, 2]);
    stack.settings = { profile: neon, forget };
    expect((await stack.destroy()).messages).toEqual([]);
    expect([first, second, free].map((id) => idsOn(id).length)).toEqual([1, 1, 0]);
  });

  it("leave freely with retainOnDelete, and a replica where only the read-write endpoint is restricted", async () => {
    const { stack, branches, program, change, protect } = await setUp();
    const [kept = "", restricted = "", other = ""] = branches(3);
    const members = {
      a: { branchId: kept, retainOnDelete: true },
      b: { branchId: restricted, type: "read_only" },
      c: { branchId: other },
      d: { branchId: restricted },
    };
    await stack.up(program(members));
    protect(kept);
    change(restricted, { restricted_actions: [{ name: "delete-rw-endpoint", reason: "support is at work" }] });
    const { a: _, b: __, ...left } = members;
    expect((await stack.up(program(left))).messages).toEqual([]);
    const { messages } = await stack.preview(program({ c: left.c }));
    expect(messages.join("\n")).toMatch(/^d: \S+ cannot be deleted, .*: support is at work\. Nothing was sent\./);
  });
});

describe("a branch that expires", () => {
  it("is said of a new endpoint, a moved one and a member, and of nothing that stays", async () => {
    const { stack, branches, single, fleet, change } = await setUp();
    const [first = "", second = "", third = ""] = branches(3);
    for (const id of [first, second, third]) change(id, { expires_at: SOON });
    const note = (id: string) => `branch ${id} expires at ${SOON}: the platform deletes it then, with its endpoints`;
    const program = { main: single(first), fleet: fleet({ a: { branchId: second } }) };

    const created = await stack.preview(program);
    expect(told(created)).toContain(note(first));
    expect(told(created)).toContain(`a: ${note(second)}`);
    expect(created.messages).toEqual([]);
    await stack.up(program);
    expect(told(await stack.preview(program))).toBe("");
    expect(told(await stack.preview({ ...program, main: single(third) }))).toContain(note(third));
    expect(told(await stack.preview({ ...program, replica: single(first, { type: "read_only" }) }))).toContain(
      note(first),
    );
  });
});

describe("calls about branches", () => {
  const many = 30;

  it("are none for singles that stay, and one for as many as leave", async () => {
    const { stack, branches, single, asked, admin } = await setUp();
    const program = Object.fromEntries(branches(many).map((id, at) => [`e${at}`, single(id)]));
    await stack.up(program);
    admin.clearLog();
    expect((await stack.preview(program)).messages).toEqual([]);
    expect(asked()).toBe(0);
    expect((await stack.up({})).messages).toEqual([]);
    expect(asked()).toBe(1);
  });

  it("are none on a platform whose branches have no protection", async () => {
    const { stack, branches, single, asked, admin } = await setUp({ profile: undefined });
    stack.settings = {};
    const program = Object.fromEntries(branches(3).map((id, at) => [`e${at}`, single(id)]));
    await stack.up(program);
    admin.clearLog();
    expect((await stack.up({})).messages).toEqual([]);
    expect(asked()).toBe(0);
  });

  it("that fail do not hold up a delete", async () => {
    const { stack, branch, single, admin, idsOn } = await setUp();
    const from = branch();
    await stack.up({ main: single(from) });
    admin.addFault({ route: "branches.list", effect: { kind: "status", status: 403 } });
    expect((await stack.up({})).messages).toEqual([]);
    expect(idsOn(from)).toEqual([]);
  });

  it("are made anew before a refusal, as the protection may be off by now", async () => {
    const { stack, branches, single, protect, change } = await setUp();
    const [a = "", b = ""] = branches(2);
    await stack.up({ a: single(a), b: single(b) });
    for (const id of [a, b]) protect(id);
    const beforeStep = justBefore("delete", () => {
      for (const id of [a, b]) change(id, { protected: false });
    });
    expect((await stack.up({}, { beforeStep })).messages).toEqual([]);
  });
});
