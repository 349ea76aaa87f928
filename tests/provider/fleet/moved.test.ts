import { describe, expect, it } from "vitest";
import { openAccount } from "../../../provider/platform/account";
import { TAKE_UP_COMMAND } from "../../../provider/pulumi/messages/commands";
import { createMortalApi } from "../../support/mortal-api";
import { type Run, useFleet, type Values } from "../support/stack";

type Used = Awaited<ReturnType<typeof useFleet>>;
type Endpoints = Record<string, Values>;

const replica = { type: "read_only" } as const;

const programOf = ({ program }: Used, endpoints: Endpoints) => program(endpoints, { maxDeletions: 99 });

/** By key, where the endpoints of the state stand. */
function places({ bench, fleet }: Used): Record<string, string> {
  const all = Object.entries(fleet.endpoints).map(([key, { endpointId }]) => {
    const { branch_id, type } = bench.emulator.admin.endpoint(String(endpointId));
    return [key, `${branch_id} ${type}`] as const;
  });
  return Object.fromEntries(all);
}

const wanted = (endpoints: Endpoints) =>
  Object.fromEntries(
    Object.entries(endpoints).map(([key, { branchId, type = "read_write" }]) => [key, `${branchId} ${type}`]),
  );

const said = ({ error, rows }: Run) => [error?.message ?? "", ...rows.map(({ message }) => message)].join("\n");

const everything = ({ admin, projectId }: Used) => JSON.stringify(admin.project(projectId).endpoints);

/** Preview and up in processes of their own, which say the same; what is refused is asked of nobody. */
async function upped(used: Used, endpoints: Endpoints, settings = {}): Promise<Run> {
  const { fleet } = used;
  fleet.restart(settings);
  const before = everything(used);
  const preview = await fleet.preview(programOf(used, endpoints));
  fleet.restart(settings);
  const up = await fleet.up(programOf(used, endpoints));
  expect(up.error?.message).toBe(preview.error?.message);
  if (up.error) expect(everything(used)).toBe(before);
  return up;
}

/** Does what the messages say until the program is in force. */
async function settle(used: Used, endpoints: Endpoints): Promise<void> {
  const { fleet, bench } = used;
  let adoptInterrupted = false;
  for (let runs = 0; runs < 5; runs += 1) {
    const up = await upped(used, endpoints, { adoptInterrupted });
    const left = up.error?.message.match(/run: npx --no-install pgcompute endpoints delete \S+\/(ep-\S+)/)?.[1];
    if (said(up).includes(TAKE_UP_COMMAND)) adoptInterrupted = true;
    else if (said(up).includes("run: pulumi refresh")) {
      fleet.restart();
      expect((await fleet.refresh()).error).toBeUndefined();
    } else if (left) bench.emulator.admin.dropEndpoint(left);
    else {
      expect(up.error).toBeUndefined();
      break;
    }
  }
  expect(places(used)).toEqual(wanted(endpoints));
  fleet.restart();
  expect((await fleet.preview(programOf(used, endpoints))).isChanged).toBe(false);
}

describe("two members that exchange their branches, and a run that is killed meanwhile", () => {
  /** A fleet on two branches, and the program that exchanges them, in a process of its own. */
  async function open() {
    const used = await useFleet();
    const [A, B, C] = used.branches(3) as [string, string, string];
    expect((await upped(used, { a: { branchId: A }, b: { branchId: B } })).error).toBeUndefined();
    const b = used.fleet.endpoints.b?.endpointId;
    used.fleet.restart();
    return { used, A, B, C, b, exchanged: programOf(used, { a: { branchId: B }, b: { branchId: A } }) };
  }

  /** By number, the calls of that run that change something; the first only looks, and the last never comes. */
  async function calls(): Promise<number[]> {
    const { used, exchanged } = await open();
    const { account } = used.fleet;
    let last = 0;
    const changes: number[] = [];
    const { api } = createMortalApi(account.api, undefined, (call, name) => {
      last = call;
      if (/^(create|update|delete)/.test(name)) changes.push(call);
    });
    used.fleet.account = openAccount(api, account.settings, account.clock);
    expect((await used.fleet.up(exchanged)).error).toBeUndefined();
    return [1, ...changes, last + 1];
  }

  it.each<[string, (A: string, B: string, C: string) => Endpoints]>([
    ["the program is the same", (A, B) => ({ a: { branchId: B }, b: { branchId: A } })],
    ["the program is as before", (A, B) => ({ a: { branchId: A }, b: { branchId: B } })],
    ["the one goes elsewhere", (_, B, C) => ({ a: { branchId: C }, b: { branchId: B } })],
    ["the other goes elsewhere", (_, B, C) => ({ a: { branchId: B }, b: { branchId: C } })],
    ["the one leaves", (_, B) => ({ b: { branchId: B } })],
    ["the other leaves", (A) => ({ a: { branchId: A } })],
    ["a third comes in its stead", (A, B) => ({ b: { branchId: B }, c: { branchId: A } })],
    ["a replica comes", (A, B) => ({ a: { branchId: A }, b: { branchId: B }, r: { branchId: A, ...replica } })],
    ["the other grows", (A, B) => ({ a: { branchId: A }, b: { branchId: B, sizeCu: 1 } })],
  ])("then %s: what the messages say leads to what the program says", async (_, next) => {
    for (const call of await calls()) {
      const { used, A, B, C, b, exchanged } = await open();
      await used.fleet.killed(exchanged, { call, moment: "after" });
      const endpoints = next(A, B, C);
      await settle(used, endpoints);
      if (endpoints.b) expect(used.fleet.endpoints.b?.endpointId).toBe(b);
    }
  });
});

describe("a member whose endpoint somebody has moved", () => {
  /** A fleet of a primary on B, which was moved to A. */
  async function moved() {
    const used = await useFleet();
    const [A, B] = used.branches(2) as [string, string];
    const endpoints = { b: { branchId: B } };
    expect((await upped(used, endpoints)).error).toBeUndefined();
    const id = String(used.fleet.endpoints.b?.endpointId);
    used.admin.changeEndpoint(id, { branch_id: A });
    return { used, A, B, endpoints, id };
  }

  it("is in the way of one that comes, which the preview refuses with the command that records it", async () => {
    const { used, A, B, endpoints, id } = await moved();
    const both = { ...endpoints, a: { branchId: A } };
    expect((await upped(used, both)).error?.message).toBe(
      `endpoints["a"].branchId: the read-write endpoint of member "b" is on this branch, moved there from branch ${B} outside this ` +
        "program or by an interrupted run, and a branch has at most one. Record that first, run: pulumi refresh; the next pulumi up " +
        "moves it back before this member comes",
    );
    await settle(used, both);
    expect(used.fleet.endpoints.b?.endpointId).toBe(id);
  });

  it("is changed where it stands, and brought back by the run after that", async () => {
    const { used, A, B } = await moved();
    const grown = { b: { branchId: B, sizeCu: 1 } };
    const up = await upped(used, grown);
    expect(up.error).toBeUndefined();
    expect(said(up)).toMatch(`b: the endpoint is on branch ${A}, moved there`);
    expect(places(used)).toEqual({ b: `${A} read_write` });
    await settle(used, grown);
  });

  it("is told while nothing else changes", async () => {
    const { used, A, endpoints } = await moved();
    const run = await upped(used, endpoints);
    expect(run.isChanged).toBe(false);
    expect(run.rows.map(({ message }) => message)).toEqual([
      `b: the endpoint is on branch ${A}, moved there outside this program or by an interrupted run, and stays there; to bring it ` +
        "back, run: pulumi refresh, then: pulumi up",
    ]);
    await settle(used, endpoints);
  });
});
