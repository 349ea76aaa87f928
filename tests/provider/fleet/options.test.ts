import { expect, it } from "vitest";
import { UNKNOWN } from "../../engine-model/deployment/resource";
import { useStack } from "../../engine-model/stack";

it("the options of a member keep its endpoint when it is replaced, of which no later run says that it was left behind", async () => {
  const { stack, bench, program, branches } = await useStack();
  const [a] = branches(1) as [string];
  await stack.up(program({ a: { branchId: a, type: "read_only", retainOnDelete: true } }));
  const [{ id: keptId = "" } = {}] = bench.on(a);
  const replaced = program({ a: { branchId: a, retainOnDelete: true } });
  expect((await stack.up(replaced)).error).toBeUndefined();
  expect(bench.on(a).map(({ id }) => id)).toEqual([keptId, stack.endpoints().a?.endpointId]);
  expect((await stack.preview(replaced)).rows).toEqual([]);
  const grown = program({ a: { branchId: a, sizeCu: 1, retainOnDelete: true } });
  expect((await stack.up(grown)).said.join()).not.toContain(keptId);
});

it("what is wrong with a program is told all at once, each failure where it was written, and a default's once", async () => {
  const { stack, program, branches } = await useStack();
  const [a, b] = branches(2);
  const endpoints = {
    a: { branchId: a },
    b: { branchId: b, size: 1 },
    c: { branchId: "main" },
    d: { branchId: a },
    e: { branchId: "br-unknown" },
    "not ok": { branchId: b },
  };
  const { error } = await stack.preview(program(endpoints, { defaults: { sizeCu: 3.3 }, max: 1 }));
  const found = (error?.message ?? "").match(/^\S[^:]*(?=: )/gm);
  expect(found).toEqual([
    "max",
    'endpoints["not ok"]',
    "defaults.sizeCu",
    'endpoints["b"].size',
    'endpoints["c"].branchId',
    'endpoints["e"].branchId',
    'endpoints["d"].branchId',
  ]);
  const twice = await stack.preview(program({ a: { branchId: a }, d: { branchId: a } }));
  expect(twice.error?.message).toMatch(
    /^endpoints\["d"\]\.branchId: "fleet\/a" \(\S+\) already declares the read-write endpoint of branch/,
  );
});

it("a project that cannot be read is asked for once, and said once with the members that name it", async () => {
  const { stack, bench, program, branches } = await useStack();
  const [a] = branches(1);
  const one = { branchId: "br-none-1", projectId: "no-such-project-1" };
  const { error } = await stack.preview(program({ a: { branchId: a }, b: one, c: one }));
  // A line that is indented belongs to the failure before it.
  expect(error?.message.split(/\n(?! )/)).toEqual([
    expect.stringMatching(
      /^endpoints\["b"\]\.projectId: project no-such-project-1 does not exist.*404.*; the same for c; to see/,
    ),
  ]);
  expect(bench.emulator.admin.counts().byRoute).toMatchObject({ "endpoints.list": 2, "projects.list": 1 });
});

it("refusals of many members are a few in the error, each of them whole, and a row each", async () => {
  const { stack, admin, projectId, program, branches } = await useStack();
  const all = Object.fromEntries(branches(12).map((branchId, at) => [`pr-${at}`, { branchId }]));
  await stack.up(program(all));
  const taken = branches(12);
  for (const branch_id of taken) admin.seedEndpoint(projectId, { branch_id });
  const moved = Object.fromEntries(taken.map((branchId, at) => [`pr-${at}`, { branchId }]));
  const { error, said } = await stack.preview(program(moved));
  expect(error?.message).toMatch(/^endpoints\["pr-0"\]\.branchId: .*\nand \d more, on the members' own rows$/s);
  for (const key of Object.keys(all))
    expect(said.join("\n")).toMatch(new RegExp(`^error fleet/${key}: .*has the read-write endpoint`, "m"));
});

it("what is not known yet makes one member unknown, not the fleet", async () => {
  const { stack, program, branches } = await useStack();
  const [a, b] = branches(2);
  await stack.up(program({ a: { branchId: a }, b: { branchId: b } }));
  const wanted = program({ a: { branchId: a, sizeCu: 1 }, b: { branchId: UNKNOWN }, c: { branchId: UNKNOWN } });
  const { outputs, error } = await stack.preview(wanted);
  expect(error).toBeUndefined();
  expect(outputs?.endpoints).toMatchObject({
    a: { host: stack.endpoints().a?.host, sizeCu: 1 },
    b: { branchId: UNKNOWN },
    c: { branchId: UNKNOWN, host: UNKNOWN },
  });
  const whole = await stack.preview({ fleet: { args: { ...wanted.fleet.args, endpoints: UNKNOWN } } });
  expect(whole.error).toBeUndefined();
  expect(whole.outputs).toMatchObject({ endpoints: UNKNOWN });
});

it.each(["by a get", "by a refresh of what a get has read"])(
  "a fleet that is only read %s, does not keep another fleet's endpoints from its delete",
  async (how) => {
    const { bench, stack, program, branches } = await useStack();
    const [a, b] = branches(2) as [string, string];
    await stack.up(program({ a: { branchId: a }, b: { branchId: b } }));
    const process = stack.process();
    const urn = "urn:pulumi:test::shop::pgcompute:index:EndpointFleet::all";
    const { provider } = process;
    const found = await bench.run(provider.read({ urn, id: bench.emulator.projectId }));
    if (how !== "by a get") await bench.run(provider.read({ urn, ...found }));
    const run = await stack.destroy({ process });
    expect(run.error).toBeUndefined();
    expect(run.said.filter((line) => line.startsWith("warn"))).toEqual([]);
    expect([a, b].flatMap((branchId) => bench.on(branchId))).toEqual([]);
  },
);
