/** Tests endpoints on branches that today's public platform protects: refused before anything is sent, each with a way on. */
import { expect, it } from "vitest";
import { type Declarations, hosts } from "../support/hosts";
import { changesCalled } from "../support/look";
import { useBench } from "../support/platform";
import { failed, waysOn } from "./ways";

const bench = useBench({ platform: "neon" });
const { byVariable, idsOn, fleet, single, expectSettled } = waysOn(bench);

interface Branches {
  kept: string;
  free: string;
  other: string;
}

/** What becomes of an endpoint on the branch `kept`: the program before and after, further words, what is printed. */
const refused: Record<string, [(b: Branches) => Declarations, (b: Branches) => Declarations, string]> = {
  "a single one that moves away": [({ kept }) => single(kept), ({ free }) => single(free), "moved"],
  "a single one of another type": [
    ({ kept }) => single(kept),
    ({ kept }) => single(kept, { type: "read_only" }),
    "replaced",
  ],
  "a member that moves away": [
    ({ kept, other }) => fleet({ a: { branchId: kept }, b: { branchId: other } }),
    ({ free, other }) => fleet({ a: { branchId: free }, b: { branchId: other } }),
    "moved",
  ],
  "a member of another type": [
    ({ kept, other }) => fleet({ a: { branchId: kept }, b: { branchId: other } }),
    ({ kept, other }) => fleet({ a: { branchId: kept, type: "read_only" }, b: { branchId: other } }),
    "replaced",
  ],
  "a member that leaves": [
    ({ kept, other }) => fleet({ a: { branchId: kept }, b: { branchId: other } }),
    ({ other }) => fleet({ b: { branchId: other } }),
    "deleted",
  ],
};

const rows = hosts.flatMap((host) =>
  Object.entries(refused).map(
    ([name, [before, after, how]]) => [`${name}, by the ${host.name} host`, { host, before, after, how }] as const,
  ),
);

it.each(rows)("%s is refused in preview and up, and goes once the branch is free", async (_, row) => {
  const { host, before, after, how } = row;
  const { emulator, projectId, branches } = bench;
  const [kept = "", free = "", other = ""] = branches(3);
  const program = bench.program(host);
  program.project.setConfig({ "pgcompute:platform": "neon" });
  const places = { kept, free, other };
  await program.is(before(places)).up();
  const ids = idsOn(kept);
  emulator.admin.changeBranch(projectId, kept, { protected: true });

  emulator.admin.clearLog();
  const stack = program.is(after(places));
  for (const run of [await stack.preview(failed), await stack.up(failed)]) {
    expect(run.failure).toContain(`${ids} cannot be ${how}, since the platform keeps the endpoint on branch ${kept}`);
    expect(run.failure).toContain("the branch is protected. Nothing was sent.");
  }
  expect([changesCalled(bench), idsOn(kept)]).toEqual([[], ids]);

  emulator.admin.changeBranch(projectId, kept, { protected: false });
  await stack.up();
  expect(idsOn(kept)).not.toEqual(ids);
  await expectSettled(program, after(places));
});

const whole = hosts.flatMap((host) => (["single", "fleet"] as const).map((what) => ({ host, what })));

/** A stack of one resource, all of whose branches are protected by now. Another size replaces a single one. */
async function protectedStack({ host, what }: (typeof whole)[number]) {
  const { emulator, projectId } = bench;
  const on = bench.branches(what === "single" ? 1 : 2);
  const program = bench.program(host);
  program.project.setConfig({ "pgcompute:platform": "neon" });
  const members = Object.fromEntries(on.map((branchId, at) => [`m${at}`, { branchId }]));
  const declared = (sizeCu: number): Declarations => {
    const options = { replaceOnChanges: ["sizeCu"], deleteBeforeReplace: true };
    if (what === "single") return { main: { args: { projectId, branchId: on[0], sizeCu }, options } };
    return fleet(members, { defaults: { sizeCu } });
  };
  await program.is(declared(1)).up();
  const protect = (isProtected: boolean) => {
    for (const id of on) emulator.admin.changeBranch(projectId, id, { protected: isProtected });
  };
  protect(true);
  emulator.admin.clearLog();
  return { program, declared, protect, ids: () => on.flatMap(idsOn) };
}

// A fleet that is replaced takes its members up, so that none leaves its branch.
it.each(whole.filter(({ what }) => what === "single"))(
  "a single one that an option of Pulumi replaces stays, by the $host.name host",
  async (row) => {
    const { program, declared, protect, ids } = await protectedStack(row);
    const before = ids();
    const stack = program.is(declared(2));
    for (const { failure } of [await stack.preview(failed), await stack.up(failed)])
      expect(failure).toContain("the branch is protected. Nothing was sent");
    expect([changesCalled(bench), ids()]).toEqual([[], before]);

    protect(false);
    await stack.up();
    expect(ids()).toHaveLength(before.length);
    expect(ids().filter((id) => before.includes(id))).toEqual([]);
    await expectSettled(program, declared(2));
  },
);

it.each(whole)("a $what that leaves the program stays, until it is let go of, by the $host.name host", async (row) => {
  const { program, ids } = await protectedStack(row);
  const before = ids();
  const { failure } = await program.is({}).up(failed);
  for (const id of before) expect(failure).toContain(id);
  expect(failure).toContain("cannot be deleted, since the platform keeps the endpoint");
  expect([changesCalled(bench), ids()]).toEqual([[], before]);

  await byVariable(program, {}, failure);
  expect(program.names()).toEqual([]);
  expect([changesCalled(bench), ids()]).toEqual([[], before]);
});
