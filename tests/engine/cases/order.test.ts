import { expect, it } from "vitest";
import { commandsIn } from "../../support/commands";
import { follow } from "../support/follow";
import { pluginHost as host, hosts } from "../support/hosts";
import { changesCalled, failuresOf, said } from "../support/look";
import { useBench } from "../support/platform";

const bench = useBench();

const typesOn = (branchId: string | undefined) =>
  bench
    .on(branchId)
    .map(({ type }) => type)
    .sort();

const waitingFor = (...dependsOn: string[]) => ({ options: { dependsOn } });

const typeOf = { type: "read_only" };

it.each(hosts)(
  "what the preview says is what up does, where a primary and its replicas go to an empty branch together, by the $name host",
  async (host) => {
    const { projectId } = bench;
    const on = (branchId: string | undefined, more = {}) => ({ args: { projectId, branchId, ...more } });
    const [from, to] = bench.branches(2);
    const program = bench.program(host);
    const all = (branchId: string | undefined) => ({
      primary: on(branchId),
      replica: { ...on(branchId, typeOf), ...waitingFor("primary") },
      second: { ...on(branchId, typeOf), ...waitingFor("primary") },
    });
    await program.is(all(from)).up();
    const primary = program.idOf("primary");
    const changes = { create: 0, update: 1, replace: 2, delete: 0, same: 0 };
    const preview = await program.is(all(to)).preview();
    expect(preview.changes).toEqual(changes);
    expect(said(preview, "replica")).toContain("replaced: a read replica does not move to another branch");
    expect((await program.is(all(to)).up()).changes).toEqual(changes);
    expect([bench.on(from), typesOn(to)]).toEqual([[], ["read_only", "read_only", "read_write"]]);
    expect(program.idOf("primary")).toBe(primary);
    await program.is(all(to)).refresh();
    expect((await program.is(all(to)).preview()).changes).toMatchObject({ same: 3 });
  },
);

it("what wants the branch of another one is refused in any order, and comes there once all others went first", async () => {
  const { projectId } = bench;
  const [b1, b2, b3] = [bench.branch(), bench.branch(), bench.branch()];
  const program = bench.program(host);
  const on = (branchId: string, ...dependsOn: string[]) => ({ args: { projectId, branchId }, options: { dependsOn } });
  await program.is({ aa: on(b2) }).up();
  const aa = program.idOf("aa");
  bench.emulator.admin.clearLog();
  const messages: string[] = [];
  for (const declared of [
    { aa: on(b3), bb: on(b2, "aa") },
    { bb: on(b2), aa: on(b3) },
  ]) {
    const refused = await program.is(declared).preview({ expectFailure: true });
    messages.push(failuresOf(refused, "bb")[0]?.reason ?? "");
  }
  expect(changesCalled(bench)).toEqual([]);
  for (const message of messages) {
    expect(message).toContain("the other resources go first, then this one");
    const commands = commandsIn(message).filter((one) => one.startsWith("pulumi up"));
    expect(commands.slice(0, 2)).toEqual([expect.stringMatching(/^pulumi up --exclude '\S+::bb'$/), "pulumi up"]);
  }
  for (const command of commandsIn(messages[0] ?? "")
    .filter((one) => one.startsWith("pulumi up"))
    .slice(0, 2))
    await follow(program.project, command);
  expect([b2, b3].map((one) => bench.on(one)[0]?.id)).toEqual([program.idOf("bb"), aa]);
  expect(bench.on(b1)).toEqual([]);
});
