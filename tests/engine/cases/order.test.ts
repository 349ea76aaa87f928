import { describe, expect, it } from "vitest";
import { dynamicHost, pluginHost as host, hosts } from "../support/hosts";
import { changesCalled, endpointIdOf, failuresOf, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

const typesOn = (branchId: string) =>
  endpointsOn(bench, branchId)
    .map(({ type }) => type)
    .sort();

const waitingFor = (...dependsOn: string[]) => ({ options: { dependsOn } });

// The SDK tells the dynamic host the order.
describe.each(hosts)("what the preview says is what up does, by the $name host", (host) => {
  it("where branches and roles change hands in their order, each group on branches of its own", async () => {
    const { projectId } = bench;
    const on = (branchId: string | undefined, more = {}) => ({ args: { projectId, branchId, ...more } });
    const replica = { type: "read_only" };
    const b = Array.from({ length: 13 }, () => bench.branch());
    const program = await bench.program(host);
    const settled = {
      // A primary and two replicas, which are in no order among themselves.
      primary: on(b[0]),
      replica: { ...on(b[0], replica), ...waitingFor("primary") },
      second: { ...on(b[0], replica), ...waitingFor("primary") },
      // A branch that a replica leaves first is one without any.
      leaves: on(b[2], replica),
      follows: on(b[3]),
      // A new primary is an arrival, too.
      beside: on(b[5], replica),
      // A chain of primaries, and two that change roles.
      aa: on(b[8]),
      bb: on(b[7]),
      rr: on(b[10]),
      ro: on(b[10], replica),
      // An order that only an output tells.
      told: on(b[11]),
      telling: on(b[11], replica),
    };
    await program.is(settled).up();
    const [aa, bb] = ["aa", "bb"].map((name) => endpointIdOf(stored(program.project, host, name)));

    const reads = { ...replica, pgSettings: { "app.primary": `\${told.endpointId}` } };
    const changed = {
      primary: on(b[1]),
      replica: { ...on(b[1], replica), ...waitingFor("primary") },
      second: { ...on(b[1], replica), ...waitingFor("primary") },
      leaves: on(b[4], replica),
      follows: { ...on(b[2]), ...waitingFor("leaves") },
      arrives: on(b[6]),
      beside: { ...on(b[6], replica), ...waitingFor("arrives") },
      aa: on(b[9]),
      bb: { ...on(b[8]), ...waitingFor("aa") },
      rr: on(b[10], replica),
      ro: { ...on(b[10]), ...waitingFor("rr") },
      told: on(b[12]),
      telling: on(b[12], reads),
    };
    const changes = { create: 1, update: 6, replace: 6, delete: 0, same: 0 };
    const preview = await program.is(changed).preview();
    expect(preview.changes).toEqual(changes);
    expect(said(preview, "replica")).toContain("replaced: ");
    const up = await program.is(changed).up();
    expect(up.changes).toEqual(changes);
    expect(opsOf(up, "told")).toEqual(["update"]);
    expect(typesOn(b[1] ?? "")).toEqual(["read_only", "read_only", "read_write"]);
    expect([b[9], b[8]].map((one) => endpointsOn(bench, one ?? "")[0]?.id)).toEqual([aa, bb]);
    expect(typesOn(b[10] ?? "")).toEqual(["read_only", "read_write"]);

    // The order is no part of what is compared, neither at rest nor after a refresh.
    await program.is(changed).refresh();
    const again = { ...changed, telling: { ...changed.telling, ...waitingFor("told") } };
    expect((await program.is(again).preview()).changes).toMatchObject({ same: 13 });
  });
});

describe("what cannot be in that order", () => {
  it("is refused with the one to wait for, and names the two runs in which two primaries exchange their branches, and they work", async () => {
    const { projectId } = bench;
    const [b1, b2, free] = [bench.branch(), bench.branch(), bench.branch()];
    const program = await bench.program(host);
    const on = (branchId: string, ...dependsOn: string[]) => ({
      args: { projectId, branchId },
      options: { dependsOn },
    });
    await program.is({ aa: on(b1), bb: on(b2) }).up();
    const [aa, bb] = ["aa", "bb"].map((name) => endpointIdOf(stored(program.project, host, name)));

    bench.emulator.admin.clearLog();
    const refused = await program.is({ bb: on(b1), aa: on(free, "bb") }).preview({ expectFailure: true });
    const [{ reason } = { reason: "" }] = failuresOf(refused, "bb");
    expect(reason).toContain("::aa)");
    expect(reason).toContain("`dependsOn: [aa]`");
    expect(reason).not.toContain("adoptExisting: true");
    expect(reason).not.toContain("pulumi import");
    const exchanged = await program.is({ aa: on(b2), bb: on(b1, "aa") }).preview({ expectFailure: true });
    expect(failuresOf(exchanged, "aa")[0]?.reason).toContain(
      `if "bb" is to come to branch ${b1} in exchange, that takes two runs`,
    );
    expect(changesCalled(bench)).toEqual([]);

    expect((await program.is({ aa: on(free), bb: on(b1, "aa") }).up()).changes).toMatchObject({ update: 2 });
    expect((await program.is({ aa: on(b2), bb: on(b1) }).up()).changes).toMatchObject({ update: 1, same: 1 });
    expect([b1, b2].map((one) => endpointsOn(bench, one)[0]?.id)).toEqual([bb, aa]);
  });

  // The dynamic host tells the order; how the plugin waits for it: tests/provider/pulumi/preview.test.ts.
  it("is refused in the preview where nothing says which of two changes comes first", async () => {
    const { projectId } = bench;
    const [b1, b2] = [bench.branch(), bench.branch()];
    const program = await bench.program(dynamicHost);
    const pair = (branchId: string) => ({
      primary: { args: { projectId, branchId } },
      replica: { args: { projectId, branchId, type: "read_only" } },
    });
    await program.is(pair(b1)).up();
    const refused = await program.is(pair(b2)).preview({ expectFailure: true });
    expect(refused.failure).toMatch(/depends on which of them is changed first, .* add `dependsOn: \[/s);
  });
});
