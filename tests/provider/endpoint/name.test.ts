import { describe, expect, it } from "vitest";
import { check, create, diff, read } from "../../../provider/pulumi/endpoint/lifecycle";
import { messageFor } from "../../../provider/pulumi/messages/errors";
import { useEndpoint, useOne } from "./support";

const mark = /^pulumi-main-[0-9a-f]{12}-[0-9a-f]{8}$/;

describe("a name of the program's", () => {
  it("is sent in place of the mark, kept, and changed in place without an operation", async () => {
    const { run, context, stored, live, change, inputs, changes, emulator } = await useEndpoint({ name: "orders" });
    expect(live().name).toBe("orders");
    expect(stored.state).toMatchObject({ name: "orders" });
    const news = { ...inputs, name: "Bestellungen – öffentlich" };
    const planned = await run(diff(context, { ...stored, inputs: news, oldInputs: inputs }));
    expect(planned).toMatchObject({ changes: true, replaces: false });
    expect(planned.messages).toEqual(["no restart; connections stay"]);
    const renamed = await run(change(news, { oldInputs: inputs }));
    expect(live().name).toBe(news.name);
    expect(renamed.state).toMatchObject({ name: news.name });
    expect(changes().map(({ method }) => method)).toEqual(["PATCH"]);
    expect(emulator.admin.counts().byRoute["operations.get"]).toBeUndefined();
    expect((await run(diff(context, { ...renamed, inputs: news, oldInputs: news }))).changes).toBe(false);
  });

  it("is no name of the state's where the provider has given it, and stays when it is no longer set", async () => {
    const { run, context, stored, live, change, inputs } = await useEndpoint();
    expect(live().name).toMatch(mark);
    expect(stored.state).not.toHaveProperty("name");
    const named = await run(change({ name: "orders" }));
    const dropped = await run(
      diff(context, { ...named, inputs: { ...inputs }, oldInputs: { ...inputs, name: "orders" } }),
    );
    expect(dropped.changes).toBe(false);
    expect(live().name).toBe("orders");
  });

  it("that somebody else changes is drift, and goes back", async () => {
    const { run, context, stored, inputs, endpointId, emulator, bench } = await useEndpoint({ name: "orders" });
    emulator.admin.changeEndpoint(endpointId, { name: "theirs" });
    await bench.clock.pass(1_000);
    const refreshed = await run(read(context, { ...stored, oldInputs: inputs }));
    expect(refreshed?.inputs).toMatchObject({ name: "theirs" });
    if (!refreshed) throw new Error("it is there");
    const planned = await run(diff(context, { id: stored.id, state: refreshed.state, inputs, oldInputs: inputs }));
    expect(planned.properties).toMatchObject({ name: { before: "theirs", after: "orders" } });
  });

  it("is kept by an import, and a mark is not", async () => {
    const { run, context, emulator, bench, stored } = await useEndpoint();
    expect((await run(read(context, { id: stored.id })))?.inputs).not.toHaveProperty("name");
    const { id } = emulator.admin.seedEndpoint(emulator.projectId, { branch_id: bench.branch(), name: "by hand" });
    await bench.clock.pass(1_000);
    const imported = await run(read(context, { id: `${emulator.projectId}/${id}` }));
    expect(imported?.inputs).toMatchObject({ name: "by hand" });
  });

  it.each(["mine", undefined])("is given to what is taken over, which keeps its own without: %s", async (name) => {
    const { run, context, emulator, inputs } = await useOne();
    const { admin } = emulator;
    const { id } = admin.seedEndpoint(emulator.projectId, { branch_id: inputs.branchId, name: "theirs" });
    const news = { ...inputs, adoptExisting: true, ...(name && { name }) };
    expect((await run(check(context, { news }))).failures).toEqual([]);
    await run(create(context, news));
    expect(admin.endpoint(id).name).toBe(name ?? "theirs");
  });

  it.each([
    ["", "has to be 1 to 64 characters, and has 0"],
    ["x".repeat(65), "has to be 1 to 64 characters, and has 65"],
    ["two\nlines", "must not begin or end with a blank"],
    [" padded", "must not begin or end with a blank"],
    ["pulumi-main-0123456789ab-00000000", "has the form of the names that this provider gives"],
  ])("of %j is refused", async (name, reason) => {
    const { checked, inputs } = await useOne();
    const { failures } = await checked({ news: { ...inputs, name } });
    expect(failures).toMatchObject([{ property: "name", reason: expect.stringContaining(reason) }]);
  });

  it("of 64 characters is none too many", async () => {
    const { bench, make } = await useOne();
    const { id } = await bench.run(make({ name: "ü".repeat(64) }));
    expect(bench.emulator.admin.endpoint(id.split("/")[1] ?? "").name).toHaveLength(64);
  });
});

describe("a create with a name of the program's whose answer is lost", () => {
  const lost = { route: "endpoints.create", count: 1, effect: { kind: "reset", when: "after" } } as const;

  it("is found by difference, as on a platform without names", async () => {
    const { bench, context, make, inputs, emulator } = await useOne();
    // A list right before it, by which others are told from it.
    await bench.run(check(context, { news: { ...inputs, name: "orders" } }));
    emulator.admin.addFault(lost);
    const { id } = await bench.run(make({ name: "orders" }));
    expect(bench.on(inputs.branchId).map((one) => `${inputs.projectId}/${one.id}`)).toEqual([id]);
    expect(context.said.warnings).toEqual([expect.stringContaining("no mark tells what was created")]);
  });

  it("names what may be it, where nothing else tells", async () => {
    const { bench, make, inputs, emulator } = await useOne();
    emulator.admin.addFault(lost);
    const error = await bench.fails(make({ name: "orders", type: "read_only" }));
    const message = messageFor(error as never);
    expect(message).toContain("a name of the program's own marks no request");
    expect(bench.on(inputs.branchId)).toHaveLength(1);
  });
});

it("a name that the platform takes and does not show is told, and differs no more", async () => {
  const { bench, context, make, inputs } = await useOne({ endpointNames: false });
  const news = { ...inputs, name: "orders" };
  const stored = await bench.run(make({ name: "orders" }));
  expect(context.said.warnings).toEqual([expect.stringMatching(/the platform takes name and does not show it/)]);
  expect((await bench.run(diff(context, { ...stored, inputs: news, oldInputs: news }))).changes).toBe(false);
});
