import { describe, expect, it } from "vitest";
import { platformIn, profiles } from "../../../provider/platform/profiles/profiles";
import { UNKNOWN } from "../../engine-model/deployment/resource";
import { type Run, useStack, type Values } from "../../engine-model/stack";
import { optionIn } from "../../support/commands";

type Places = Record<"a" | "b" | "c", Values>;

const deleted = "deletes the endpoint permanently: open connections are dropped";
const released = "releases the endpoint: it keeps running, outside this stack; connections stay";

it.each<[string, (at: Places) => Values, (at: Places) => Values, level: string, message: string]>([
  ["members are deleted", (at) => at, ({ a }) => ({ a }), "warn", `b and c: ${deleted}`],
  [
    "a key may have got another name",
    ({ a, b, c }) => ({ a, b, c }),
    ({ a, b, c }) => ({ a, b2: b, c2: c }),
    "warn",
    "b2 and c2 come to the branch of b and c, which are deleted: another key is another endpoint, with another host name. To keep an endpoint",
  ],
  [
    "a member is deleted on which nothing runs",
    ({ a, b }) => ({ a, b: { ...b, disabled: true } }),
    ({ a }) => ({ a }),
    "info",
    "b: deletes the endpoint permanently",
  ],
  [
    "a member is released",
    ({ a, b }) => ({ a, b: { ...b, retainOnDelete: true } }),
    ({ a }) => ({ a }),
    "info",
    `b: ${released}`,
  ],
  [
    "an endpoint stays whose member is replaced",
    ({ a }) => ({ a: { ...a, type: "read_only", retainOnDelete: true } }),
    ({ a }) => ({ a }),
    "warn",
    "; the old endpoint is not deleted: it stays on the platform, outside the fleet",
  ],
  [
    "only a member's options change",
    ({ a, b }) => ({ a, b }),
    ({ a, b }) => ({ a, b: { ...b, protect: true } }),
    "info",
    "b: only its options change; the endpoint stays as it is",
  ],
  [
    "an importId may turn out to be any endpoint's",
    ({ a }) => ({ a }),
    ({ a, b }) => ({ a, b: { ...b, importId: UNKNOWN } }),
    "info",
    "importId is not known yet: the endpoint that it names is taken over, and whatever differs from the program changes in place",
  ],
])("a preview says that %s", async (_, first, next, level, message) => {
  const { stack, branches, ...used } = await useStack();
  const [a = {}, b = {}, c = {}] = branches(3).map((branchId) => ({ branchId }));
  const program = (of: typeof first) => used.program(of({ a, b, c }) as Record<string, Values>, { maxDeletions: 9 });
  expect((await stack.up(program(first))).error).toBeUndefined();
  const { rows, error } = await stack.preview(program(next));
  expect(error).toBeUndefined();
  const line = { level, name: "fleet", message: expect.stringContaining(message) };
  expect(rows).toContainEqual(expect.objectContaining(line));
});

it("keeps an endpoint under a new key by the three runs that the hint names", async () => {
  const { stack, bench, program, branches } = await useStack();
  const [first, second] = branches(2);
  const [a, b] = [{ branchId: first }, { branchId: second }];
  await stack.up(program({ a, b }));
  const idsOn = () => bench.on(second ?? "").map(({ id }) => id);
  const [id] = idsOn();
  const { rows } = await stack.preview(program({ a, b2: b }));
  const importId = optionIn(rows.map(({ message }) => message).join("\n"), "importId");
  await stack.up(program({ a, b: { ...b, retainOnDelete: true } }));
  await stack.up(program({ a }));
  const { error } = await stack.up(program({ a, b2: { ...b, importId } }));
  expect(error).toBeUndefined();
  expect(idsOn()).toEqual([id]);
  expect((await stack.preview(program({ a, b2: b }))).isChanged).toBe(false);
});

it("says once what the last run has left of many members", async () => {
  const { stack, bench, program, branches } = await useStack();
  const places = Object.fromEntries(branches(3).map((branchId, at) => [`m${at}`, { branchId }]));
  await stack.up(program(places));
  bench.emulator.admin.addFault({ on: "operation", action: "suspend_compute", effect: { kind: "fail" } });
  const next = program(places, { defaults: { sizeCu: 1 } });
  await stack.up(next);
  const said = (await stack.preview(next)).said.filter((line) => line.includes("the last run left"));
  expect(said).toEqual([expect.stringMatching(/: m0, m1 and m2: the last run left suspend_compute "failed"/)]);
});

it("says once what happens to many members, the worst first, and the same sum before and after", async () => {
  const { stack, members, program } = await useStack();
  const all = members(40);
  const sizes = (defaults: Values, own: Values) => {
    const endpoints = Object.entries(all).map(([key, member]) => [key, { ...member, ...(own[key] as Values) }]);
    return program(Object.fromEntries(endpoints.reverse()), { defaults });
  };
  const first = await stack.up(sizes({ sizeCu: 1 }, {}));
  const lines = ({ rows }: typeof first) =>
    rows.flatMap(({ level, name, message }) =>
      name === "fleet" && level !== "status" && platformIn(message) === undefined ? message : [],
    );
  const listed = "pr-0, pr-1, pr-2, pr-3, pr-4, pr-5, pr-6 and 33 others";
  expect(lines(first)).toEqual([`will create 40 of 40 members (${listed})`, "created 40 of 40 members"]);
  const next = sizes(
    { sizeCu: 2 },
    { "pr-10": { sizeCu: 1, type: "read_only" }, "pr-7": { sizeCu: 1, passwordlessAccess: false } },
  );
  const preview = await stack.preview(next);
  const resized = "size 1 CU -> 2 CU; max_connections 450 -> 901 (set by the minimum size); memory 4 GB -> 8 GB";
  expect(lines(preview)).toEqual([
    "pr-7: the platform ignores passwordlessAccess for now",
    "will change 39 of 40 members (pr-0, pr-1, pr-2, pr-3, pr-4, pr-5, pr-6 and 32 others) and replace 1 (pr-10)",
    "pr-10: replaced: an endpoint cannot change its type; replaces the endpoint: open connections are dropped; host name changes; downtime: nobody can connect between the old endpoint and the new one",
    `pr-0, pr-1, pr-2, pr-3, pr-4, pr-5, pr-6 and 31 others: restarts the endpoint: open connections are dropped; ${resized}`,
    "pr-7: restart not stated by the platform for passwordlessAccess, which it applies as configuration",
  ]);
  expect(lines(await stack.up(next)).at(-1)).toBe("changed 39 of 40 members and replaced 1");
});

it.each([
  [5, "3 members start at their first connection: the platform has skipped their start"],
  [3, "1 member starts at its first connection: the platform has skipped its start"],
])("says how many of %d members start at their first connection, where the platform skips it", async (count, line) => {
  const { stack, members, program } = await useStack({ activeComputes: 2, activeLimit: "skipped" });
  const { said, error } = await stack.up(program(members(count)));
  expect(error).toBeUndefined();
  expect(said).toContain(`info fleet: ${line}`);
});

/** What a fleet's row showed in turn, a second apart. */
const statusOf = ({ rows }: Run) =>
  rows.flatMap(({ level, name, message }) => (level === "status" && name === "fleet" ? message : []));

it("says how far a fleet is, and its pace from the first second on", async () => {
  const { stack, members, program, admin } = await useStack({ operationMs: 100 });
  admin.addFault({ on: "operation", skip: 1, effect: { kind: "slow", operationMs: 3_000 } });
  // Where nothing is cut there are no waves to tell of.
  const status = statusOf(await stack.up(program(members(2), { rollout: { maxUnavailable: 1 } })));
  expect(status.slice(0, 3)).toEqual(["0 of 2 done", "1 of 2 done, 1.0/s", "1 of 2 done, 0.5/s"]);
});

it("says what a fleet waits for", async () => {
  const { stack, members, program } = await useStack({ rateLimit: { perSecond: 4 } });
  const status = statusOf(await stack.up(program(members(30))));
  expect(status[0]).toBe("0 of 30 done");
  expect(status).toContain("0 of 30 done, waiting for the account's rate limit");
  expect(status[6]).toMatch(/^2 of 30 done, 0\.3\/s, /);
  expect(status.at(-1)).toMatch(/^30 of 30 done, [\d.]+\/s$/);
});

it.each<[string, Values | undefined, Values | undefined, RegExp]>([
  [
    "half a range in the defaults",
    { autoscalingLimitMinCu: 1 },
    undefined,
    /^defaults\.autoscalingLimitMinCu: autoscalingLimitMinCu needs autoscalingLimitMaxCu; or use sizeCu for a fixed size$/,
  ],
  [
    "a branch that is not there, another one for each",
    undefined,
    { branchId: "br-gone" },
    /^endpoints\["pr-0"\]\.branchId: branch br-gone-0 does not exist in project \S+; the same for pr-1, pr-2, .* and 42 others; getBranch finds it/,
  ],
])(
  "says once of many members that they have %s, and warns of nothing that follows",
  async (_, defaults, own, failure) => {
    const { stack, members, program } = await useStack();
    const all = members(50);
    expect((await stack.up(program(all, { defaults: { sizeCu: 0.5 } }))).error).toBeUndefined();
    const next = Object.entries(all).map(([key, one], at) => [key, own ? { branchId: `${own.branchId}-${at}` } : one]);
    const { error, said } = await stack.preview(program(Object.fromEntries(next), { defaults }));
    // A line that is indented belongs to the failure before it.
    expect(error?.message.split(/\n(?! )/)).toEqual([expect.stringMatching(failure)]);
    expect(said.filter((line) => line.includes("sets a size"))).toHaveLength(defaults ? 0 : 1);
  },
);

it.each([
  ["neon", 21, ["starts 21 computes of project"]],
  ["neon", 20, []],
  ["specification", 21, []],
] as const)("says on %s where %d computes are more than may be active", async (name, count, expected) => {
  const { stack, members, program } = await useStack();
  stack.settings = { profile: profiles[name] };
  const { said } = await stack.preview(program(members(count)));
  const warned = said.filter((line) => line.includes("active at a time"));
  expect(warned).toEqual(expected.map((text) => expect.stringContaining(text)));
});

it("says how long members were away, in the middle and at the most", async () => {
  const { stack, members, program, admin } = await useStack();
  const all = members(4);
  const awayAt = async (sizes: number[]) => {
    const sized = Object.entries(all).map(([key, member], at) => [key, { ...member, sizeCu: sizes[at] }]);
    const { said } = await stack.up(program(Object.fromEntries(sized), { rollout: { maxUnavailable: 1 } }));
    return said.filter((line) => line.includes("away"));
  };
  await awayAt([1, 1, 1, 1]);

  // One after the other, the slowest first.
  for (const seconds of [40, 10, 30, 20]) {
    const effect = { kind: "slow", operationMs: seconds * 1_000 } as const;
    admin.addFault({ on: "operation", action: "start_compute", count: 1, effect });
  }
  expect(await awayAt([2, 2, 2, 2])).toEqual([
    expect.stringMatching(/^info fleet: 4 restarts: away for about 3[\d.]+ s, the slowest 4[\d.]+ s$/),
  ]);
  expect(await awayAt([1, 2, 2, 2])).toEqual([expect.stringMatching(/^info fleet: 1 restart: away for [\d.]+ s$/)]);
});

const inTheWay = /has the read-write endpoint ep-\S+ .*of which no owner is known/;
const mistakes: [string, Values, RegExp][] = [
  ["a size that there is none of", { sizeCu: 0.3 }, /sizeCu: 0\.3 CU is not a compute size/],
  ["a library that the platform does not have", { preloadLibraries: { libraries: ["none"] } }, /preloadLibraries/],
];

describe.each(["main", "fleet"])("of a Check of %s", (name) => {
  it.each(mistakes)("what is in the way is said beside %s", async (_, wrong, message) => {
    const { stack, bench, admin, projectId, program } = await useStack();
    const args = { projectId, branchId: bench.branch(), ...wrong };
    admin.seedEndpoint(projectId, { branch_id: args.branchId });
    const { error } = await stack.preview(name === "main" ? { main: { args } } : program({ a: args }));
    expect(error?.message).toMatch(message);
    expect(error?.message).toMatch(inTheWay);
  });
});

it("what is in the way of a member is said beside another one that has no place", async () => {
  const { stack, bench, admin, projectId, program } = await useStack();
  const branchId = bench.branch();
  admin.seedEndpoint(projectId, { branch_id: branchId });
  const { error, rows } = await stack.preview(program({ a: { branchId }, b: { branchId: "br-none-1" } }));
  expect(error?.message).toMatch(inTheWay);
  expect(error?.message).toContain("branch br-none-1 does not exist");
  expect(rows.filter(({ level }) => level === "info")).toEqual([]);
});
