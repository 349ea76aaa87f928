import { describe, expect, it } from "vitest";
import { dynamicHost, pluginHost as host, hosts } from "../support/hosts";
import { changesCalled, endpointIdOf, failuresOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

const typesOn = (branchId: string) =>
  endpointsOn(bench, branchId)
    .map(({ type }) => type)
    .sort();

// The SDK tells the dynamic host the order.
describe.each(hosts)("what the preview says is what up does, by the $name host", (host) => {
  it("moves the primary and replaces its replicas, which come after it in no order among themselves", async () => {
    const { projectId } = bench;
    const [b1, b2, b3, b4] = [bench.branch(), bench.branch(), bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const options = { dependsOn: ["primary"] };
    const group = (branchId: string) => ({
      primary: { args: { projectId, branchId } },
      replica: { args: { projectId, branchId, type: "read_only" }, options },
      second: { args: { projectId, branchId, type: "read_only" }, options },
    });
    await program.is(group(b1)).up();
    const preview = await program.is(group(b2)).preview();
    expect(preview.changes).toMatchObject({ update: 1, replace: 2 });
    expect(said(preview, "replica")).toContain("replaced: ");
    expect((await program.is(group(b2)).up()).changes).toMatchObject({ update: 1, replace: 2 });
    expect(typesOn(b2)).toEqual(["read_only", "read_only", "read_write"]);

    // A branch that the replica leaves first is one without any.
    const swapped = program.is({
      replica: { args: { projectId, branchId: b3, type: "read_only" } },
      other: { args: { projectId, branchId: b4, type: "read_only" } },
      primary: { args: { projectId, branchId: b2 } },
    });
    await swapped.up();
    const follows = program.is({
      replica: { args: { projectId, branchId: b1, type: "read_only" } },
      other: { args: { projectId, branchId: b4, type: "read_only" } },
      primary: { args: { projectId, branchId: b3 }, options: { dependsOn: ["replica"] } },
    });
    expect((await follows.preview()).changes).toMatchObject({ update: 2, replace: 0 });
    expect((await follows.up()).changes).toMatchObject({ update: 2, replace: 0 });

    // A new primary is an arrival, too.
    const arrives = program.is({
      primary: { args: { projectId, branchId: b3 } },
      second: { args: { projectId, branchId: b2 } },
      replica: { args: { projectId, branchId: b2, type: "read_only" }, options: { dependsOn: ["second"] } },
      other: { args: { projectId, branchId: b4, type: "read_only" } },
    });
    expect((await arrives.preview()).changes).toMatchObject({ create: 1, replace: 1, same: 2 });
    expect((await arrives.up()).changes).toMatchObject({ create: 1, replace: 1, same: 2 });
    expect((await arrives.up()).changes).toMatchObject({ same: 4 });
  });
});

describe("what the preview says is what up does", () => {
  it("lets a branch and a role change hands in their order, and else names who leaves", async () => {
    const { projectId } = bench;
    const [b1, b2, b3] = [bench.branch(), bench.branch(), bench.branch()];
    const program = await bench.program(host);
    await program.is({ aa: { args: { projectId, branchId: b2 } }, bb: { args: { projectId, branchId: b1 } } }).up();
    const [aa, bb] = ["aa", "bb"].map((name) => endpointIdOf(stored(program.project, host, name)));

    bench.emulator.admin.clearLog();
    const chain = (after: "aa" | "bb") => ({
      ...(after === "aa" ? {} : { bb: { args: { projectId, branchId: b2 } } }),
      aa: { args: { projectId, branchId: b3 }, options: after === "bb" ? { dependsOn: ["bb"] } : {} },
      ...(after === "aa" ? { bb: { args: { projectId, branchId: b2 }, options: { dependsOn: ["aa"] } } } : {}),
    });
    const refused = await program.is(chain("bb")).preview({ expectFailure: true });
    const [{ reason } = { reason: "" }] = failuresOf(refused, "bb");
    expect(reason).toContain("::aa)");
    expect(reason).toContain("`dependsOn: [aa]`");
    expect(reason).not.toContain("adoptExisting: true");
    expect(reason).not.toContain("pulumi import");
    expect(changesCalled(bench)).toEqual([]);
    expect((await program.is(chain("aa")).preview()).changes).toMatchObject({ update: 2 });
    expect((await program.is(chain("aa")).up()).changes).toMatchObject({ update: 2 });
    expect([b3, b2].map((one) => endpointsOn(bench, one)[0]?.id)).toEqual([aa, bb]);

    await program
      .is({
        aa: { args: { projectId, branchId: b3 } },
        bb: { args: { projectId, branchId: b3, type: "read_only" } },
      })
      .up();
    const roles = program.is({
      aa: { args: { projectId, branchId: b3, type: "read_only" } },
      bb: { args: { projectId, branchId: b3 }, options: { dependsOn: ["aa"] } },
    });
    expect((await roles.preview()).changes).toMatchObject({ replace: 2 });
    expect((await roles.up()).changes).toMatchObject({ replace: 2 });
    expect(typesOn(b3)).toEqual(["read_only", "read_write"]);
  });

  it("names the two runs in which two primaries exchange their branches, and they work", async () => {
    const { projectId } = bench;
    const [b1, b2, free] = [bench.branch(), bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const on = (branchId: string, dependsOn: string[] = []) => ({
      args: { projectId, branchId },
      options: { dependsOn },
    });
    await program.is({ aa: on(b1), bb: on(b2) }).up();
    const [aa, bb] = ["aa", "bb"].map((name) => endpointIdOf(stored(program.project, host, name)));
    bench.emulator.admin.clearLog();
    const refused = await program.is({ aa: on(b2), bb: on(b1, ["aa"]) }).preview({ expectFailure: true });
    const exchange = `if "bb" is to come to branch ${b1} in exchange, that takes two runs`;
    expect(failuresOf(refused, "aa")[0]?.reason).toContain(exchange);
    expect(changesCalled(bench)).toEqual([]);

    const first = program.is({ aa: on(free), bb: on(b1, ["aa"]) });
    expect((await first.preview()).changes).toMatchObject({ update: 2 });
    expect((await first.up()).changes).toMatchObject({ update: 2 });
    expect((await program.is({ aa: on(b2), bb: on(b1) }).up()).changes).toMatchObject({ update: 1, same: 1 });
    expect([b1, b2].map((one) => endpointsOn(bench, one)[0]?.id)).toEqual([bb, aa]);
  });
});

describe("two changes without an order, by a host that tells the order", () => {
  it("are refused in the preview, whichever comes first, and pass with the order of an output", async () => {
    const { projectId } = bench;
    const [b1, b2] = [bench.branch(), bench.branch()];
    const program = await bench.program(dynamicHost);
    const pair = (branchId: string, args: Record<string, unknown> = {}) => ({
      primary: { args: { projectId, branchId } },
      replica: { args: { projectId, branchId, type: "read_only", ...args } },
    });
    await program.is(pair(b1)).up();
    const refused = await program.is(pair(b2)).preview({ expectFailure: true });
    expect(refused.failure).toMatch(/depends on which of them is changed first, .* add `dependsOn: \[/s);

    const after = program.is(pair(b2, { pgSettings: { "app.primary": `\${primary.endpointId}` } }));
    const preview = await after.preview();
    expect(preview.changes).toMatchObject({ update: 1, replace: 1 });
    const up = await after.up();
    expect(opsOf(up, "primary")).toEqual(["update"]);
    expect(up.changes).toMatchObject({ update: 1, replace: 1 });
    // The order is no part of what is compared, neither at rest nor after a refresh.
    await after.refresh();
    const ordered = { ...pair(b2, { pgSettings: { "app.primary": `\${primary.endpointId}` } }) };
    const replica = { ...ordered.replica, options: { dependsOn: ["primary"] } };
    expect((await program.is({ ...ordered, replica }).up()).changes).toMatchObject({ same: 2 });
  });
});

describe("two changes without an order, by a host that does not tell the order", () => {
  it("are refused in every preview, however many resources come between them", async () => {
    const { projectId } = bench;
    const [b1, b2, others] = [bench.branch(), bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const fillers = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `filler${at}`,
        { args: { projectId, branchId: others, type: "read_only" as const } },
      ]),
    );
    const pair = (branchId: string) => ({
      primary: { args: { projectId, branchId } },
      ...fillers,
      replica: { args: { projectId, branchId, type: "read_only" } },
    });
    await program.is(pair(b1)).up();
    for (let preview = 0; preview < 3; preview += 1) {
      const refused = await program.is(pair(b2)).preview({ expectFailure: true });
      expect(refused.failure).toMatch(/depends on which of them is changed first, .* add `dependsOn: \[/s);
    }
  });
});
