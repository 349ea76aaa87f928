import { describe, expect, it } from "vitest";
import type { EndpointInputs } from "../../../provider/endpoint/properties";
import { resourceOwner } from "../../../provider/lib/owner";
import { neon } from "../../../provider/platform/profiles/profiles";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import { createFleet, diffFleet, removeFleet, updateFleet } from "../../../provider/pulumi/fleet/lifecycle";
import { previewFleet } from "../../../provider/pulumi/fleet/preview";
import { check, create, diff, remove } from "../../../provider/pulumi/lifecycle";
import { RunRecords } from "../../../provider/pulumi/run";
import { urnOf } from "../../support/bench";
import { FLEET_URN, useFleet } from "./support";

type Values = Record<string, unknown>;
type Used = Awaited<ReturnType<typeof useFleet>>;

const OTHER_FLEET = resourceOwner(FLEET_URN.replace("fleet", "others"));

/** One run: single endpoints and fleets whose calls share what the run knows. */
function runOf({ fleet }: Used) {
  const run = new RunRecords();
  return {
    single: (name = "main", after?: ReadonlySet<string>) => ({ ...fleet.process({ run, urn: urnOf(name) }), after }),
    fleet: (urn = FLEET_URN, after?: ReadonlySet<string>) => fleet.process({ run, urn, after }),
  };
}

function place({ bench }: Used, branchId: string): EndpointInputs {
  return { projectId: bench.emulator.projectId, branchId, type: "read_write" };
}

const failuresOf = ({ failures }: { failures: { property: string; reason: string }[] }) =>
  failures.map(({ property, reason }) => `${property}: ${reason}`);

describe("an endpoint that comes into a fleet by importId", () => {
  it("is not deleted with the resource that the program no longer has", async () => {
    const used = await useFleet();
    const { bench } = used;
    const branchId = bench.branch();
    const single = await bench.run(create(runOf(used).single(), place(used, branchId)));
    const run = runOf(used);
    const news = { endpoints: { a: { ...place(used, branchId), importId: single.id } } };
    const call = run.fleet();
    const { inputs, failures } = await bench.run(checkFleet(call, { olds: {}, news, secrets: [] }));
    expect(failures).toEqual([]);
    expect(call.rows.map(({ message }) => message).join("\n")).toMatch(
      /becomes the fleet's own; it was created for "main", a resource or a member[\s\S]*delete spares it only in a run that has this fleet too/,
    );
    const made = await bench.run(createFleet(call, inputs));
    const old = run.single();
    await bench.run(remove(old, single));
    expect(call.rows.concat(old.rows).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/is not deleted, because "fleet\/a" .* has it, too/),
    );
    expect(bench.on(branchId)).toMatchObject([{ id: single.state.endpointId }]);
    expect(made.state.endpoints.a).toMatchObject({ endpointId: single.state.endpointId });
  });

  it.each(["first", "last"])(
    "is refused while the resource is still in the program, the fleet's check %s",
    async (which) => {
      const used = await useFleet();
      const { bench } = used;
      const branchId = bench.branch();
      const single = await bench.run(create(runOf(used).single(), place(used, branchId)));
      const run = runOf(used);
      const inputs = { ...place(used, branchId) };
      const news = { endpoints: { a: { ...inputs, importId: single.id } } };
      const checkSingle = async () => {
        const found = failuresOf(await bench.run(check(run.single(), { olds: inputs, news: inputs })));
        if (found.length > 0) return found;
        const planned = diff(run.single(), { ...single, inputs, oldInputs: inputs });
        return bench.run(
          planned.then(
            () => [],
            (error: Error) => [error.message],
          ),
        );
      };
      const checkOther = async () =>
        failuresOf(await bench.run(checkFleet(run.fleet(), { olds: {}, news, secrets: [] })));
      const found =
        which === "first" ? [await checkOther(), await checkSingle()] : [await checkSingle(), await checkOther()];
      expect(found[0]).toEqual([]);
      expect(found[1]).toEqual([expect.stringMatching(/fleet\/a|belongs to "main" already/)]);
    },
  );
});

describe("a member and another resource at one branch", () => {
  it("is refused where both declare its read-write endpoint", async () => {
    const used = await useFleet();
    const branchId = used.bench.branch();
    const run = runOf(used);
    const news = { endpoints: { a: place(used, branchId) } };
    expect(failuresOf(await used.bench.run(check(run.single(), { news: place(used, branchId) })))).toEqual([]);
    expect(failuresOf(await used.bench.run(checkFleet(run.fleet(), { olds: {}, news, secrets: [] })))).toEqual([
      expect.stringMatching(
        /^endpoints\["a"\]\.branchId: the resource "main" .* already declares the read-write endpoint/,
      ),
    ]);
    const again = runOf(used);
    expect(failuresOf(await used.bench.run(checkFleet(again.fleet(), { olds: {}, news, secrets: [] })))).toEqual([]);
    expect(
      failuresOf(await used.bench.run(checkFleet(again.fleet(OTHER_FLEET), { olds: {}, news, secrets: [] }))),
    ).toEqual([expect.stringMatching(/the resource "fleet\/a" .* already declares/)]);
    expect(failuresOf(await used.bench.run(check(again.single(), { news: place(used, branchId) })))).toEqual([
      expect.stringMatching(/^branchId: the resource "fleet\/a"/),
    ]);
  });

  it.each([
    [
      "nobody says which comes first",
      undefined,
      /depends on which of them is changed first[\s\S]*dependsOn: \[fleet\]/,
    ],
    ["the other waits for the fleet", new Set([FLEET_URN]), undefined],
  ])("comes after a member that makes room where %s", async (_, after, refusal) => {
    const used = await useFleet();
    const { bench, fleet } = used;
    const [from, to] = [bench.branch(), bench.branch()];
    await fleet.up({ endpoints: { a: place(used, to), b: place(used, bench.branch()) } });
    const single = await bench.run(create(runOf(used).single(), place(used, from)));
    const run = runOf(used);
    const { id = "", inputs: oldInputs = {}, state = {} } = fleet.stored ?? {};
    const { b } = oldInputs.endpoints as Values;
    const call = run.fleet();
    const { inputs } = await bench.run(checkFleet(call, { olds: oldInputs, news: { endpoints: { b } }, secrets: [] }));
    await bench.run(diffFleet(call, { id, state, inputs, oldInputs }));
    const [olds, news] = [place(used, from), place(used, to)];
    const checked = await bench.run(check(run.single("main", after), { olds, news }));
    if (refusal) {
      expect(failuresOf(checked)).toEqual([expect.stringMatching(refusal)]);
      return;
    }
    expect(failuresOf(checked)).toEqual([]);
    const planned = await bench.run(diff(run.single("main", after), { ...single, inputs: news, oldInputs: olds }));
    expect(planned).toMatchObject({ changes: true, replaces: false });
    await bench.run(updateFleet(call, { id, state, inputs, oldInputs }));
    expect(bench.on(to)).toEqual([]);
  });

  it("is planned from where the other leaves, once that was asked for", async () => {
    const used = await useFleet();
    const { bench } = used;
    const [from, to] = [bench.branch(), bench.branch()];
    const single = await bench.run(create(runOf(used).single(), place(used, from)));
    const run = runOf(used);
    const [olds, news] = [place(used, from), place(used, to)];
    expect(failuresOf(await bench.run(check(run.single(), { olds, news })))).toEqual([]);
    await bench.run(diff(run.single(), { ...single, inputs: news, oldInputs: olds }));
    const fleet = { endpoints: { a: place(used, from) } };
    const early = await bench.run(checkFleet(run.fleet(), { olds: {}, news: fleet, secrets: [] }));
    expect(failuresOf(early)).toEqual([
      expect.stringMatching(/^endpoints\["a"\]\.branchId: [\s\S]*dependsOn: \[main\]/),
    ]);
    run.single().run.claims.done(urnOf("main"));
    const late = await bench.run(checkFleet(run.fleet(), { olds: {}, news: fleet, secrets: [] }));
    expect(failuresOf(late)).toEqual([]);
    expect((await bench.run(previewFleet(run.fleet(), { inputs: late.inputs }))).plan?.members.get("a")?.change).toBe(
      "create",
    );
  });
});

describe("the preview of a fleet that takes over what another one lets go", () => {
  it("waits with its answer for the other one's plan, which nothing orders, and that is refused", async () => {
    const used = await useFleet({ endpointNames: false });
    const { bench, fleet } = used;
    const branchId = bench.branch();
    await fleet.up({ endpoints: { x: place(used, branchId) } });
    fleet.restart();
    const run = runOf(used);
    const { id = "", inputs: oldInputs = {}, state = {} } = fleet.stored ?? {};
    const taker = run.fleet(OTHER_FLEET);
    const news = { endpoints: { y: { ...place(used, branchId), adoptExisting: true } } };
    const checked = await bench.run(checkFleet(taker, { olds: {}, news, secrets: [] }));
    expect(checked.failures).toEqual([]);
    const answer = previewFleet(taker, { inputs: checked.inputs });
    // The engine asks for the other one's plan while the first has not been answered.
    await bench.run(bench.clock.sleep(1));
    const giver = run.fleet();
    const less = { olds: oldInputs, news: { endpoints: {} }, secrets: [] };
    const planned = checkFleet(giver, less).then(({ inputs }) => diffFleet(giver, { id, state, inputs, oldInputs }));
    expect((await bench.fails(planned)).message).toMatch(/depends on which of them is changed first/);
    await bench.run(answer);
  });
});

describe.each(["moves", "is new"])("who is in the way of a member that %s, where no endpoint bears a name", (what) => {
  it.each([
    ["a single endpoint, which is checked later", true, /Let "fleet" wait for "aa": add `dependsOn: \[aa\]`/],
    ["somebody else", false, /already has a read-write endpoint/],
  ])("is told when the rest of the program was met: %s", async (_, isOurs, message) => {
    const used = await useFleet({ endpointNames: false });
    const { bench } = used;
    const [from, contested, free] = [bench.branch(), bench.branch(), bench.branch()];
    const member = (branchId: string) => ({ endpoints: { x: place(used, branchId) } });
    const seed = runOf(used);
    const single = await bench.run(create(seed.single("aa"), place(used, contested)));
    const made = what === "moves" ? await bench.run(createFleet(seed.fleet(), member(from))) : undefined;
    const run = runOf(used);
    const call = run.fleet();
    const olds = made ? member(from) : {};
    const { inputs, failures } = await bench.run(checkFleet(call, { olds, news: member(contested), secrets: [] }));
    expect(failures).toEqual([]);
    const update = { ...made, inputs, oldInputs: olds };
    if (made) await bench.run(diffFleet(call, { ...made, ...update }));
    const answered = previewFleet(call, update);
    if (isOurs) {
      const [was, inForce] = [place(used, contested), place(used, free)];
      expect(failuresOf(await bench.run(check(run.single("aa"), { olds: was, news: inForce })))).toEqual([]);
      await bench.run(diff(run.single("aa"), { ...single, inputs: inForce, oldInputs: was }));
    }
    await bench.run(expect(answered).rejects.toThrow(message));
  });
});

it("is refused before the old fleet is deleted, where nothing of its plan was refused by a preview", async () => {
  const used = await useFleet({ endpointNames: false });
  const { bench } = used;
  const [here, contested] = [bench.branch(), bench.branch()];
  const old = { endpoints: { a: place(used, here) } };
  const made = await bench.run(createFleet(runOf(used).fleet(), old));
  bench.emulator.admin.seedEndpoint(bench.emulator.projectId, { branch_id: contested });
  // As `up --skip-preview --replace` asks with `deleteBeforeReplace`: Check with nothing old, then Delete.
  const call = runOf(used).fleet();
  const news = { endpoints: { ...old.endpoints, b: place(used, contested) } };
  expect((await bench.run(checkFleet(call, { olds: {}, news, secrets: [] }))).failures).toEqual([]);
  expect((await bench.fails(removeFleet(call, made))).message).toMatch(/already has a read-write endpoint/);
  expect(bench.on(here)).toHaveLength(1);
});

describe("the replicas that a plan has in a project", () => {
  const replicas = ({ bench }: Used, count: number) => {
    const one = { projectId: bench.emulator.projectId, branchId: bench.emulator.branchId, type: "read_only" };
    return { endpoints: Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, one])) };
  };

  it.each(["singles", "fleet"])("are those of single endpoints and of a fleet, the %s checked first", async (first) => {
    const used = await useFleet({}, { profile: neon, plan: "free" });
    const { bench } = used;
    const run = runOf(used);
    const ofFleet = async () =>
      failuresOf(await bench.run(checkFleet(run.fleet(), { olds: {}, news: replicas(used, 1), secrets: [] })));
    const ofSingles = async () => {
      const news = replicas(used, 1).endpoints.r0 ?? {};
      const all = [];
      for (const name of ["one", "two", "three"])
        all.push(...failuresOf(await bench.run(check(run.single(name), { news }))));
      return all;
    };
    const found = first === "fleet" ? [await ofFleet(), await ofSingles()] : [await ofSingles(), await ofFleet()];
    expect(found[0]).toEqual([]);
    expect(found[1]).toEqual([expect.stringContaining("and the program has 4 in")]);
  });

  it("are those, too, that others have made, and that the fleet deletes last", async () => {
    const used = await useFleet({}, { profile: neon, plan: "free" });
    const { bench } = used;
    const { admin, projectId, branchId } = bench.emulator;
    const seed = () => admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only" }).id;
    const { r0, r1 } = replicas(used, 2).endpoints;
    const failures = async (olds: object, news: object) => {
      const request = { olds: { endpoints: olds }, news: { endpoints: news }, secrets: [] };
      return failuresOf(await bench.run(checkFleet(runOf(used).fleet(), request)));
    };
    const [first, second] = [seed(), seed()];
    expect(await failures({}, { r0 })).toEqual([]);
    expect(await failures({ r0 }, { r0, r1 })).toEqual([]);
    expect(await failures({}, { r0: { ...r0, importId: `${projectId}/${first}` }, r1 })).toEqual([]);
    expect(await failures({}, { r0, r1 })).toEqual([
      expect.stringContaining(`and ${projectId} would have 4 with those that are there: remove 1 first`),
    ]);
    // If both are the fleet's: two come before one of them goes.
    expect(await failures({ r0, r1 }, { r0, r2: r1, r3: r1 })).toEqual([expect.stringContaining("would have 4")]);
    admin.dropEndpoint(second);
    await bench.clock.pass(1_000);
    expect(await failures({ r0, r1 }, { r0, r2: r1, r3: r1 })).toEqual([]);
  });

  it("do not refuse a fleet that has more, and is to have fewer", async () => {
    const used = await useFleet({}, { profile: neon, plan: "free" });
    const request = { olds: replicas(used, 8), news: replicas(used, 5), secrets: [] };
    expect(failuresOf(await used.bench.run(checkFleet(runOf(used).fleet(), request)))).toEqual([]);
  });
});
