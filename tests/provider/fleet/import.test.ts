import { describe, expect, it } from "vitest";
import { BOOKKEEPING } from "../../../provider/endpoint/state";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import { fleetKind } from "../../../provider/pulumi/resource";
import { UNKNOWN } from "../../engine-model/deployment/resource";
import { justBefore, useStack, type Values } from "../../engine-model/stack";
import { fleetCall } from "../../support/call-context";

describe("an import", () => {
  it("takes in all of a project, some of it, or some under keys of its own, and is no difference then", async () => {
    const { stack, admin, projectId, program, branches } = await useStack();
    const [a, b] = branches(2) as [string, string];
    const [one, two] = [a, b].map((branch) => admin.seedEndpoint(projectId, { branch_id: branch }).id);
    await stack.import("fleet", projectId);
    expect(Object.keys(stack.endpoints())).toHaveLength(admin.project(projectId).endpoints.length);
    await stack.import("fleet", `${projectId}/${one},${two}`);
    expect(Object.keys(stack.endpoints()).sort()).toEqual([one, two].sort());
    await stack.import("fleet", `${projectId}/pr-1=${one},pr-2=${two}`);
    expect(stack.endpoints()).toMatchObject({ "pr-1": { endpointId: one }, "pr-2": { endpointId: two } });
    expect(stack.stored()?.id).toMatch(/^fleet-/);
    const wanted = program({ "pr-1": { branchId: a }, "pr-2": { branchId: b } });
    expect((await stack.preview(wanted)).isChanged).toBe(false);
    expect((await stack.import("fleet", `${projectId}/pr 1=${one}`)).error?.message).toMatch(
      /is not what a fleet can be imported by/,
    );
    expect((await stack.import("fleet", "fleet-0123abcd")).error?.message).toMatch(
      /is a fleet's own id, which does not tell its endpoints: write PROJECT/,
    );
    expect((await stack.import("fleet", `${projectId}/ep-none`)).error?.message).toMatch(/has no endpoint ep-none/);
  });

  it("deletes nothing that the program does not have; what a run has had may go", async () => {
    const { stack, bench, admin, projectId, program, branches } = await useStack();
    const [a, b] = branches(2) as [string, string];
    const [one, two] = [a, b].map((branch) => admin.seedEndpoint(projectId, { branch_id: branch }).id);
    await stack.import("fleet", `${projectId}/a=${one},${two}`);
    await stack.refresh();
    const short = program({ a: { branchId: a } });
    const renamed = program({ a: { branchId: a }, b: { branchId: b } });
    admin.clearLog();
    for (const wanted of [short, renamed]) {
      for (const run of [await stack.preview(wanted), await stack.up(wanted)]) {
        expect(run.error?.message).toContain(`endpoints["${two}"]: it was imported (${projectId}/${two})`);
      }
    }
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    await stack.up(program({ a: { branchId: a }, [String(two)]: { branchId: b } }));
    expect((await stack.up(short)).error).toBeUndefined();
    expect(bench.on(b)).toEqual([]);
  });
});

type Used = Awaited<ReturnType<typeof useStack>>;

it.each([
  ["is gone", /there is no endpoint .*Take importId out/s],
  ["is on another branch", /not where the program puts this member/],
])("an endpoint that %s when its import begins is no other one", async (how, refusal) => {
  const { stack, bench, admin, projectId, program } = await useStack();
  const [a, b] = [bench.branch(), bench.branch()];
  const { id } = admin.seedEndpoint(projectId, { branch_id: a });
  const beforeStep = justBefore("create", () => {
    if (how === "is gone") admin.dropEndpoint(id);
    else admin.changeEndpoint(id, { branch_id: b });
  });
  const run = await stack.up(program({ a: { branchId: a, importId: `${projectId}/${id}` } }), { beforeStep });
  expect(run.error?.message).toMatch(refusal);
  expect(bench.on(a)).toEqual([]);
});

describe("an importId that is not known yet", () => {
  it("may be the endpoint on the member's branch, which is refused where it is not", async () => {
    const { stack, bench, admin, projectId, program } = await useStack();
    const [a, b] = [bench.branch(), bench.branch()];
    const [there, elsewhere] = [a, b].map((branch) => admin.seedEndpoint(projectId, { branch_id: branch }).id);
    const wanted = (importId: unknown) => program({ a: { branchId: a, importId } });
    const { error, outputs } = await stack.preview(wanted(UNKNOWN));
    expect(error).toBeUndefined();
    expect(outputs?.endpoints).toMatchObject({ a: { branchId: a, endpointId: UNKNOWN } });
    expect((await stack.preview(wanted(`${projectId}/${elsewhere}`))).error?.message).toMatch(
      /not where the program puts/,
    );
    expect((await stack.up(wanted(`${projectId}/${there}`))).error).toBeUndefined();
    expect(stack.endpoints().a).toMatchObject({ endpointId: there });
    expect((await stack.preview(wanted(UNKNOWN))).isChanged).toBe(false);
  });

  it("stands for what an earlier run has made for the member, too", async () => {
    const { stack, bench, program } = await useStack();
    const a = bench.branch();
    await stack.up(program({ a: { branchId: a } }));
    stack.engine.state.delete("fleet");
    stack.settings = { adoptInterrupted: true };
    const preview = async (importId?: unknown) => {
      const { outputs = {}, said } = await stack.preview(program({ a: { branchId: a, importId } }));
      expect(said.join("\n")).not.toMatch(/delete it/);
      return (outputs.endpoints as { a: Values }).a.endpointId;
    };
    expect(await preview()).toBe(bench.on(a)[0]?.id);
    expect(await preview(UNKNOWN)).toBe(UNKNOWN);
  });
});

it.each([
  ["new", false],
  ["there", true],
])(
  "what is taken over as it is is looked for again where the fleet, which is %s, had to wait since its plan",
  async (_, isThere) => {
    const { stack, bench, admin, projectId, program } = await useStack();
    const [a, b, c] = [bench.branch(), bench.branch(), bench.branch()];
    if (isThere) expect((await stack.up(program({ c: { branchId: c } }))).error).toBeUndefined();
    const [gone, moved] = [a, b].map((branch) => admin.seedEndpoint(projectId, { branch_id: branch }).id);
    const wanted = program({
      a: { branchId: a, importId: `${projectId}/${gone}` },
      b: { branchId: b, adoptExisting: true },
      c: { branchId: c },
    });
    const context = fleetCall(bench);
    const { id = "", state = {}, inputs: olds = {} } = stack.stored() ?? {};
    const { inputs } = await bench.run(checkFleet(context, { olds, news: wanted.fleet.args, secrets: [] }));
    const change = (endpoints: Values) => {
      const news = { ...inputs, endpoints };
      return isThere
        ? fleetKind.update(context, { id, state, inputs: news, oldInputs: olds })
        : fleetKind.create(context, news);
    };
    if (isThere) await bench.run(fleetKind.diff(context, { id, state, inputs, oldInputs: olds }));

    await bench.run(bench.clock.sleep(240_000));
    admin.changeEndpoint(String(moved), { branch_id: bench.branch() });
    admin.dropEndpoint(String(gone));
    const all = inputs.endpoints as Values;
    expect((await bench.fails(change(all))).message).toContain(`there is no endpoint "${projectId}/${gone}"`);
    const { state: now } = await bench.run(change({ ...all, a: { branchId: a } }));
    const endpoints = now.endpoints as Record<string, Values | undefined>;
    expect(endpoints.b?.endpointId).toBe(bench.on(b)[0]?.id);
    expect(endpoints.b?.endpointId).not.toBe(moved);
  },
);

const failed = "deleted for a replacement that failed";
const replica = { type: "read_only" };
it.each<[string, Values[], { refreshes?: number; saved?: boolean }]>([
  ["replaced", [replica, { type: "read_write" }], {}],
  ["deleted outside", [{}], {}],
  ["deleted outside", [{}], { refreshes: 1 }],
  ["deleted outside", [{}], { refreshes: 2 }],
  ["deleted outside", [{}], { refreshes: 1, saved: true }],
  [failed, [replica], {}],
  [failed, [replica], { refreshes: 1 }],
  ["left alone", [{}], { saved: true }],
])(
  "an importId that is left in means nothing once the member was %s (%j, %j)",
  async (what, steps, { refreshes = 0, saved = false }) => {
    const used = await useStack();
    const { stack, bench, program } = used;
    const { admin, projectId } = bench.emulator;
    const [a, b] = [bench.branch(), bench.branch()];
    const { id } = admin.seedEndpoint(projectId, { branch_id: a });
    const wanted = (more: Values = {}) =>
      program({ a: { branchId: a, importId: `${projectId}/${id}`, ...more }, b: { branchId: b } });
    expect((await stack.up(wanted())).error).toBeUndefined();
    if (saved) forgetImports(used);
    if (what === "deleted outside") admin.dropEndpoint(id);
    if (what === failed) {
      const fault = admin.addFault({ route: "endpoints.create", effect: { kind: "status", status: 400 } });
      expect((await stack.up(wanted(steps[0]))).error?.message).toMatch(/^1 of 2 members failed/);
      admin.removeFault(fault);
    }
    for (let at = 0; at < refreshes; at++) {
      await stack.refresh();
      expect(Object.keys(stack.endpoints())).toEqual(["b"]);
    }
    for (const more of steps) {
      expect((await stack.preview(wanted(more))).error).toBeUndefined();
      // The engine updates a fleet whose member is gone once anything differs.
      const run = await stack.up(wanted({ ...more, sizeCu: 1 }));
      expect(run.error).toBeUndefined();
    }
    expect(bench.on(a).map((one) => one.id)).toEqual([stack.endpoints().a?.endpointId]);
    expect(stack.endpoints().a?.endpointId === id).toBe(what === "left alone");
    expect((await stack.preview(wanted({ ...steps.at(-1), sizeCu: 1 }))).isChanged).toBe(false);
    const other = admin.seedEndpoint(projectId, { branch_id: bench.branch() }).id;
    const changed = await stack.preview(wanted({ importId: `${projectId}/${other}` }));
    expect(changed.error?.message).toMatch(/the member has endpoint \S+ already[\s\S]*Take importId out/);
  },
);

/** The state as the version before saved it, which did not note what an importId was. */
function forgetImports({ stack }: Used): void {
  const { state = {} }: { state?: Values } = stack.stored() ?? {};
  const text = JSON.parse(String(state[BOOKKEEPING]));
  for (const member of Object.values<Values>(text.members)) delete member.importId;
  state[BOOKKEEPING] = JSON.stringify(text);
}

it("only Check says what is taken over, and no program", async () => {
  const { bench, program } = await useStack();
  const { args } = program({ a: { branchId: bench.branch() } }).fleet;
  const news = { ...args, __takes: { a: "ep-x" } };
  for (const olds of [{}, args]) {
    const context = fleetCall(bench);
    const { inputs } = await bench.run(checkFleet(context, { olds, news, secrets: [] }));
    expect(inputs.__takes ?? {}).toEqual({});
  }
});

it.each(["plugin", "dynamic"] as const)(
  "Check of the %s host says that new members of a fleet that is there may be taken up, where a person has said so",
  async (host) => {
    const { bench, program } = await useStack();
    const { args } = program({ a: { branchId: bench.branch() } }).fleet;
    const noted = async (settings = {}) => {
      const context = fleetCall(bench, { account: bench.account({}, settings), host });
      const request = { olds: args, news: args, secrets: [], notesDropped: host === "dynamic" };
      return (await bench.run(checkFleet(context, request))).inputs.__takes;
    };
    expect(await noted()).toBeUndefined();
    expect(await noted({ adoptInterrupted: true })).toBe(true);
  },
);
