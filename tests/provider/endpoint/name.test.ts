/** Names that programs give their endpoints, in place of the provider's mark. */
import { describe, expect, it } from "vitest";
import { useMain } from "../../engine-model/stack";

// The first that runs say is of which platform the figures are.

const mark = /^pulumi-main-[0-9a-f]{12}-[0-9a-f]{8}$/;

describe("a name of the program's", () => {
  it("is sent in place of the mark, kept, and changed in place without an operation", async () => {
    const { stack, admin, main, live, stored } = await useMain();
    await stack.up(main({ name: "orders" }));
    expect(live().name).toBe("orders");
    expect(stored()?.state).toMatchObject({ name: "orders" });

    const renamed = main({ name: "Bestellungen – öffentlich" });
    const { changes, said } = await stack.preview(renamed);
    expect(changes).toEqual({ main: "update" });
    expect(said.slice(1)).toEqual(["info main: no restart; connections stay"]);
    admin.clearLog();
    await stack.up(renamed);
    expect(live().name).toBe("Bestellungen – öffentlich");
    expect(stored()?.state).toMatchObject({ name: "Bestellungen – öffentlich" });
    expect(admin.log({ method: "PATCH" })).toHaveLength(1);
    expect(admin.counts().byRoute).not.toHaveProperty(["operations.get"]);
    expect((await stack.preview(renamed)).isChanged).toBe(false);
  });

  it("is no name of the state's where the provider has given it, and stays when it is no longer set", async () => {
    const { stack, main, live, stored } = await useMain();
    await stack.up(main());
    expect(live().name).toMatch(mark);
    expect(stored()?.state).not.toHaveProperty("name");
    await stack.up(main({ name: "orders" }));
    expect((await stack.up(main())).isChanged).toBe(false);
    expect(live().name).toBe("orders");
  });

  it("that somebody else changes is drift, and goes back", async () => {
    const { stack, admin, main, live, stored } = await useMain();
    await stack.up(main({ name: "orders" }));
    admin.changeEndpoint(live().id, { name: "theirs" });
    await stack.refresh();
    expect(stored()?.inputs).toMatchObject({ name: "theirs" });
    await stack.up(main({ name: "orders" }));
    expect(live().name).toBe("orders");
  });

  it("is kept by an import, and a mark is not", async () => {
    const { stack, admin, projectId, main, branch, stored } = await useMain();
    await stack.up(main());
    await stack.import("main", stored()?.id ?? "");
    expect(stored()?.inputs).not.toHaveProperty("name");
    const { id } = admin.seedEndpoint(projectId, { branch_id: branch(), name: "by hand" });
    await stack.import("other", `${projectId}/${id}`);
    expect(stack.stored("other")?.inputs).toMatchObject({ name: "by hand" });
  });

  it.each(["mine", undefined])("is given to what is taken over, which keeps its own without: %s", async (name) => {
    const { stack, admin, projectId, main, branchId, live } = await useMain();
    const { id } = admin.seedEndpoint(projectId, { branch_id: branchId, name: "theirs" });
    await stack.up(main({ adoptExisting: true, ...(name && { name }) }));
    expect(live()).toMatchObject({ id, name: name ?? "theirs" });
  });

  it.each([
    ["", "has to be 1 to 64 characters, and has 0"],
    ["x".repeat(65), "has to be 1 to 64 characters, and has 65"],
    ["two\nlines", "must not begin or end with a blank"],
    [" padded", "must not begin or end with a blank"],
    ["pulumi-main-0123456789ab-00000000", "has the form of the names that this provider gives"],
  ])("of %j is refused", async (name, reason) => {
    const { stack, main } = await useMain();
    expect((await stack.preview(main({ name }))).messages).toEqual([expect.stringContaining(reason)]);
  });

  it("of 64 characters is none too many", async () => {
    const { stack, main, live } = await useMain();
    await stack.up(main({ name: "ü".repeat(64) }));
    expect(live().name).toHaveLength(64);
  });
});

describe("a create with a name of the program's whose answer is lost", () => {
  const lost = { route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } } as const;

  it("is found by difference, as on a platform without names", async () => {
    const { stack, admin, main, idsOn, branchId } = await useMain();
    admin.addFault(lost);
    const { said } = await stack.up(main({ name: "orders" }));
    expect(idsOn(branchId)).toEqual([stack.ids().main]);
    expect(said.slice(1)).toEqual([expect.stringContaining("no mark tells what was created")]);
  });

  it("names what may be it, where nothing else tells", async () => {
    const { stack, admin, main, idsOn, branchId } = await useMain();
    admin.addFault(lost);
    const { messages } = await stack.up(main({ name: "orders", type: "read_only" }));
    expect(messages).toEqual([expect.stringContaining("a name of the program's own marks no request")]);
    expect(idsOn(branchId)).toHaveLength(1);
  });
});

it("a name that the platform takes and does not show is told, and differs no more", async () => {
  const { stack, main } = await useMain({ endpointNames: false });
  const { said } = await stack.up(main({ name: "orders" }));
  expect(said.slice(1)).toEqual([expect.stringMatching(/the platform takes name and does not show it/)]);
  expect((await stack.preview(main({ name: "orders" }))).isChanged).toBe(false);
});
