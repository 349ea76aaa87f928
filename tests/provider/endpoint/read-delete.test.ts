import { expect, it, vi } from "vitest";
import { type Stored, useMade, useMain } from "../../engine-model/stack";

// Specification, sections 4.4 and 4.6.
it.each([
  ...["", "ep-1", "p-1/", "/ep-1", "p-1/ep-1/x", "p-1/br-1", "../ep-1", "p-1/ep-%2f", "P-1/ep-1", "p-1/ep-1\n"],
  `p-1/ep-${"x".repeat(10_000)}`,
])("an import refuses the id %j", async (id) => {
  const { stack, admin } = await useMain();
  const { error } = await stack.import("main", id);
  expect(error?.message).toMatch(
    id === "p-1/br-1" ? /^"br-1" is not the id of an endpoint: it begins with ep-/ : /write PROJECT\/ENDPOINT/,
  );
  expect(admin.counts().total).toBe(0);
});

it.each<[string, "refresh" | "destroy", requests: number, isLost: boolean]>([
  ["refresh", "refresh", 0, false],
  ["delete", "destroy", 1, false],
  ["delete whose answer was lost", "destroy", 1, true],
])("a %s does not take an unknown project for an endpoint that is gone", async (_, run, requests, isLost) => {
  const { stack, admin, stored } = await useMade();
  const { id = "" } = stored() ?? {};
  stack.engine.state.set("main", { ...(stored() as Stored), id: id.replace(/^[^/]+/, "another-project-1") });
  if (isLost) admin.addFault({ route: "endpoints.delete", count: 1, effect: { kind: "reset" } });
  const { error } = await stack[run]();
  expect(error).toMatchObject({ message: expect.stringContaining("answered 404") });
  expect(error?.message).toMatch(
    /^cannot tell what became of endpoint another-project-1\/ep-\S+: .* answered 404: .* \[request .*PGCOMPUTE_FORGET=another-project-1 pulumi up$/s,
  );
  expect(admin.log({ route: "endpoints.delete" })).toHaveLength(requests);
});

// Where it is gone at once: tests/provider/fleet/lost-answers.test.ts.
it("delete waits for what it began although the answer was lost and the first look is behind", async () => {
  const { bench, stack, admin, projectId, branchId, id: endpointId, idsOn } = await useMade();
  const account = bench.account();
  const record = await bench.run(account.api.getEndpoint(projectId, endpointId));
  admin.addFault({ route: "endpoints.delete", count: 1, effect: { kind: "reset", when: "after" } });
  admin.addFault({ on: "operation", endpointId, effect: { kind: "fail", error: "storage is away" } });
  vi.spyOn(account.api, "getEndpoint").mockResolvedValueOnce(record);
  const { messages } = await stack.destroy({ account });
  expect(messages).toEqual([expect.stringContaining("storage is away")]);
  expect(idsOn(branchId)).toEqual([]);
});

it("an import writes what a program should say, and nothing deprecated or without effect, however the endpoint has it", async () => {
  const changes = { poolerEnabled: true, poolerMode: "session", passwordlessAccess: false, disabled: true };
  const { stack, projectId, branchId, stored } = await useMade(changes);
  await stack.import("main", stored()?.id ?? "");
  const { inputs = {}, state } = stored() ?? {};
  for (const name of ["poolerEnabled", "poolerMode", "passwordlessAccess"]) {
    expect(inputs).not.toHaveProperty(name);
    expect(state).toHaveProperty(name, changes[name as keyof typeof changes]);
  }
  expect(inputs).toMatchObject({ projectId, branchId, type: "read_write", disabled: true });
  expect(await stack.preview({ main: { args: inputs } })).toMatchObject({ messages: [], said: [], isChanged: false });
});
