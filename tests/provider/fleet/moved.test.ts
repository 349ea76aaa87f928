import { describe, expect, it } from "vitest";
import { places, settle, upped } from "../../engine-model/person";
import { useStack, type Values } from "../../engine-model/stack";

type Used = Awaited<ReturnType<typeof useStack>>;
type Endpoints = Record<string, Values>;

const programOf = ({ program }: Used, endpoints: Endpoints) => program(endpoints, { maxDeletions: 99 });

describe("two members of which one comes to where the other leaves, and a run that is killed meanwhile", () => {
  /** A fleet on two branches, and the program that moves both on, in a process of its own. */
  async function open() {
    const used = await useStack();
    const [A, B, C] = used.branches(3) as [string, string, string];
    expect((await upped(used, programOf(used, { a: { branchId: A }, b: { branchId: B } }))).error).toBeUndefined();
    const b = used.stack.endpoints().b?.endpointId;
    return { used, A, B, C, b, exchanged: programOf(used, { a: { branchId: B }, b: { branchId: C } }) };
  }

  /** By number, the calls of that run that change something; the first only looks, and the last never comes. */
  async function calls(): Promise<number[]> {
    const { used, exchanged } = await open();
    let last = 0;
    const changes: number[] = [];
    const onCall = (call: number, name: string) => {
      last = call;
      if (/^(create|update|delete)/.test(name)) changes.push(call);
    };
    expect((await used.stack.up(exchanged, { onCall })).error).toBeUndefined();
    return [1, ...changes, last + 1];
  }

  it.each<[string, (A: string, B: string, C: string) => Endpoints]>([
    ["the program is the same", (_, B, C) => ({ a: { branchId: B }, b: { branchId: C } })],
    ["the program is as before", (A, B) => ({ a: { branchId: A }, b: { branchId: B } })],
    ["the one leaves", (_, B) => ({ b: { branchId: B } })],
    ["the other leaves", (A) => ({ a: { branchId: A } })],
    ["a third comes in its stead", (A, B) => ({ b: { branchId: B }, c: { branchId: A } })],
    ["the other grows", (A, B) => ({ a: { branchId: A }, b: { branchId: B, sizeCu: 1 } })],
  ])("then %s: what the messages say leads to what the program says", async (_, next) => {
    for (const call of await calls()) {
      const { used, A, B, C, b, exchanged } = await open();
      await used.stack.up(exchanged, { death: { call, moment: "after" } });
      const endpoints = next(A, B, C);
      await settle(used, programOf(used, endpoints));
      if (endpoints.b) expect(used.stack.endpoints().b?.endpointId).toBe(b);
    }
  });
});

describe("a member whose endpoint somebody has moved", () => {
  /** A fleet of a primary on B, which was moved to A. */
  async function moved() {
    const used = await useStack();
    const [A, B] = used.branches(2) as [string, string];
    const endpoints = { b: { branchId: B } };
    expect((await upped(used, programOf(used, endpoints))).error).toBeUndefined();
    const id = String(used.stack.endpoints().b?.endpointId);
    used.admin.changeEndpoint(id, { branch_id: A });
    return { used, A, B, endpoints, id };
  }

  it("is in the way of one that comes, which the preview refuses with the command that records it", async () => {
    const { used, A, B, endpoints, id } = await moved();
    const both = { ...endpoints, a: { branchId: A } };
    expect((await upped(used, programOf(used, both))).error?.message).toMatch(
      new RegExp(
        `^endpoints\\["a"\\]\\.branchId: .* of "fleet/b" .* moved there from branch ${B} [^]*\n {6}pulumi refresh\n`,
      ),
    );
    await settle(used, programOf(used, both));
    expect(used.stack.endpoints().b?.endpointId).toBe(id);
  });

  it("is changed where it stands, and brought back by the run after that", async () => {
    const { used, A, B } = await moved();
    const grown = { b: { branchId: B, sizeCu: 1 } };
    const up = await upped(used, programOf(used, grown));
    expect(up.error).toBeUndefined();
    expect(up.said.join("\n")).toMatch(`b: the endpoint is on branch ${A}, moved there`);
    expect(places(used)).toEqual({ b: `${A} read_write` });
    await settle(used, programOf(used, grown));
  });

  it("is not told where the program ignores its branch, which no command brings back", async () => {
    const { used, B, id, endpoints } = await moved();
    const { fleet } = programOf(used, endpoints);
    const run = await upped(used, { fleet: { ...fleet, ignoreChanges: ["endpoints.b.branchId"] } });
    expect(run).toMatchObject({ isChanged: false, said: [] });
    expect(used.stack.endpoints().b).toMatchObject({ endpointId: id, branchId: B });
  });

  it("is told while nothing else changes", async () => {
    const { used, A, endpoints } = await moved();
    const run = await upped(used, programOf(used, endpoints));
    expect(run.isChanged).toBe(false);
    expect(run.said).toEqual([
      `warn fleet: b: the endpoint is on branch ${A}, moved there outside this program or by an interrupted run, and stays there; to bring it ` +
        "back, run:\n      pulumi refresh\n      pulumi up",
    ]);
    await settle(used, programOf(used, endpoints));
  });
});
