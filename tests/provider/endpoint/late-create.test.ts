/** Tests a create request that the platform gets only after its repeat, so that it makes a second replica. */
import { expect, it } from "vitest";
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { madeFor, memberOwner } from "../../../provider/lib/owner";
import { type Declared, FLEET_URN, type Stack, useStack, type Values } from "../../engine-model/stack";
import { urnOf } from "../../support/call-context";

const owners = { main: urnOf("main"), "fleet/main": memberOwner(FLEET_URN, "main") };
const kinds = [
  ["a single one", "main"],
  ["a member", "fleet/main"],
] as const;

/** A stack of one replica. The answer to its first request was lost, and the platform has the repeat's endpoint. */
async function useRepeated(name: keyof typeof owners) {
  const used = await useStack();
  const { bench, stack, admin, projectId, single } = used;
  const branchId = used.branch();
  // A platform that keeps names is one that shows some.
  const other = newOwnershipName(madeFor(urnOf("other")));
  admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only", name: other });
  admin.addFault({ route: "endpoints.create", count: 1, effect: { kind: "reset" } });

  const replica: Values = { branchId, type: "read_only" };
  const programOf = (changes: Values = {}): Record<string, Declared> =>
    name === "main"
      ? { main: single(branchId, { ...replica, ...changes }) }
      : { fleet: used.fleet({ main: { ...replica, ...changes } }) };
  expect((await stack.up(programOf())).messages).toEqual([]);
  const id = stack.ids()[name] ?? "";

  return {
    ...{ bench, stack, admin, projectId, branchId, id, programOf },
    /** What the late request makes: an endpoint of the same name. */
    arrive: (name = admin.endpoint(id).name) =>
      admin.seedEndpoint(projectId, { branch_id: branchId, type: "read_only", name }).id,
    /** Lets the platform give the resource's own a later time of creation than all others have. */
    rejuvenate: async () => {
      const { name } = admin.endpoint(id);
      await bench.clock.pass(20_000);
      admin.dropEndpoint(id);
      admin.seedEndpoint(projectId, { id, branch_id: branchId, type: "read_only", name });
    },
    naming: (late: string) =>
      expect.stringMatching(`^warn ${name}: .*\\n +npx --no-install pgcompute endpoints delete ${projectId}/${late}`),
  };
}

/** What a preview says of endpoints to delete. */
async function deletesSaid(stack: Stack, program: Record<string, Declared>): Promise<string[]> {
  const { messages, said } = await stack.preview(program);
  expect(messages).toEqual([]);
  return said.filter((line) => line.includes("endpoints delete"));
}

it.each(kinds)("of %s is named by each preview that keeps or changes the first", async (_, name) => {
  const { bench, stack, arrive, naming, programOf } = await useRepeated(name);
  await bench.clock.pass(12_000);
  const late = arrive();
  for (const program of [programOf(), programOf({ sizeCu: 2 }), programOf()])
    expect(await deletesSaid(stack, program)).toEqual([naming(late)]);
});

it.each(kinds)("of %s is named also where the platform calls it the older one", async (_, name) => {
  const { stack, arrive, rejuvenate, naming, programOf } = await useRepeated(name);
  const late = arrive();
  await rejuvenate();
  expect(await deletesSaid(stack, programOf())).toEqual([naming(late)]);
});

it.each(kinds)("of %s stays when the first is destroyed, and the page on reliability says so", async (_, name) => {
  const { bench, stack, arrive, branchId, id } = await useRepeated(name);
  const late = arrive();
  expect((await stack.destroy()).messages).toEqual([]);
  const left = bench.on(branchId).map((one) => one.id);
  expect(left).toContain(late);
  expect(left).not.toContain(id);
});

it.each(kinds)("of %s is not one with a name of another request that is older", async (_, name) => {
  const { stack, arrive, rejuvenate, programOf } = await useRepeated(name);
  arrive(newOwnershipName(madeFor(owners[name])));
  await rejuvenate();
  expect(await deletesSaid(stack, programOf())).toEqual([]);
});
