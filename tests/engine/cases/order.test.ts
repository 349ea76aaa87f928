import { expect, it } from "vitest";
import { pluginHost as host, hosts } from "../support/hosts";
import { changesCalled, failuresOf, opsOf, said } from "../support/look";
import { useBench } from "../support/platform";

const bench = useBench();

const typesOn = (branchId: string | undefined) =>
  bench
    .on(branchId)
    .map(({ type }) => type)
    .sort();

const waitingFor = (...dependsOn: string[]) => ({ options: { dependsOn } });

// The SDK tells the dynamic host the order.
it.each(hosts)(
  "what the preview says is what up does, where branches and roles change hands in their order, each group on branches of its own, by the $name host",
  async (host) => {
    const { projectId } = bench;
    const on = (branchId: string | undefined, more = {}) => ({ args: { projectId, branchId, ...more } });
    const replica = { type: "read_only" };
    const b = bench.branches(8);
    const program = bench.program(host);
    const settled = {
      // A primary and two replicas, which are in no order among themselves.
      primary: on(b[0]),
      replica: { ...on(b[0], replica), ...waitingFor("primary") },
      second: { ...on(b[0], replica), ...waitingFor("primary") },
      // A chain of primaries, and two that change roles.
      aa: on(b[3]),
      bb: on(b[2]),
      rr: on(b[5]),
      ro: on(b[5], replica),
      // An order that only an output tells.
      told: on(b[6]),
      telling: on(b[6], replica),
    };
    await program.is(settled).up();
    const [aa, bb] = ["aa", "bb"].map(program.idOf);

    const reads = { ...replica, pgSettings: { "app.primary": `\${told.endpointId}` } };
    const changed = {
      primary: on(b[1]),
      replica: { ...on(b[1], replica), ...waitingFor("primary") },
      second: { ...on(b[1], replica), ...waitingFor("primary") },
      aa: on(b[4]),
      bb: { ...on(b[3]), ...waitingFor("aa") },
      rr: on(b[5], replica),
      ro: { ...on(b[5]), ...waitingFor("rr") },
      told: on(b[7]),
      telling: on(b[7], reads),
    };
    const changes = { create: 0, update: 4, replace: 5, delete: 0, same: 0 };
    const preview = await program.is(changed).preview();
    expect(preview.changes).toEqual(changes);
    expect(said(preview, "replica")).toContain("replaced: ");
    const up = await program.is(changed).up();
    expect(up.changes).toEqual(changes);
    expect(opsOf(up, "told")).toEqual(["update"]);
    expect(typesOn(b[1])).toEqual(["read_only", "read_only", "read_write"]);
    expect([b[4], b[3]].map((one) => bench.on(one)[0]?.id)).toEqual([aa, bb]);
    expect(typesOn(b[5])).toEqual(["read_only", "read_write"]);

    // The order is no part of what is compared, neither at rest nor after a refresh.
    await program.is(changed).refresh();
    const again = { ...changed, telling: { ...changed.telling, ...waitingFor("told") } };
    expect((await program.is(again).preview()).changes).toMatchObject({ same: 9 });
  },
);

it("what cannot be in that order is refused with the one to wait for, and names the two runs in which two primaries exchange their branches, and they work", async () => {
  const { projectId } = bench;
  const [b1, b2, free] = [bench.branch(), bench.branch(), bench.branch()];
  const program = bench.program(host);
  const on = (branchId: string, ...dependsOn: string[]) => ({
    args: { projectId, branchId },
    options: { dependsOn },
  });
  await program.is({ aa: on(b1), bb: on(b2) }).up();
  const [aa, bb] = ["aa", "bb"].map(program.idOf);

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
  expect([b1, b2].map((one) => bench.on(one)[0]?.id)).toEqual([bb, aa]);
});
