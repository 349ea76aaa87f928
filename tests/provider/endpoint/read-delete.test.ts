import { expect, it, vi } from "vitest";
import { check, diff, read, remove } from "../../../provider/pulumi/endpoint/lifecycle";
import { useEndpoint } from "./support";

// Specification, sections 4.4 and 4.6.
it.each([
  ...["", "ep-1", "p-1/", "/ep-1", "p-1/ep-1/x", "p-1/br-1", "../ep-1", "p-1/ep-%2f", "P-1/ep-1", "p-1/ep-1\n"],
  `p-1/ep-${"x".repeat(10_000)}`,
])("read refuses the id %j", async (id) => {
  const { bench, context, emulator } = await useEndpoint();
  const error = await bench.fails(read(context, { id }));
  expect(error).toMatchObject({ kind: "invalid_argument" });
  expect(error.message).toMatch(
    id === "p-1/br-1" ? /^"br-1" is not the id of an endpoint: it begins with ep-/ : /write PROJECT\/ENDPOINT/,
  );
  expect(emulator.admin.counts().total).toBe(0);
});

it.each<[string, typeof read | typeof remove, requests: number, isLost: boolean]>([
  ["read", read, 0, false],
  ["delete", remove, 1, false],
  ["delete whose answer was lost", remove, 1, true],
])("a %s does not take an unknown project for an endpoint that is gone", async (_, verb, requests, isLost) => {
  const { bench, context, stored, emulator } = await useEndpoint();
  const id = stored.id.replace(/^[^/]+/, "another-project-1");
  if (isLost) emulator.admin.addFault({ route: "endpoints.delete", count: 1, effect: { kind: "reset" } });
  const error = await bench.fails(verb(context, { ...stored, id }));
  expect(error).toMatchObject({ kind: "not_found" });
  expect(error.message).toMatch(
    /^cannot tell what became of endpoint another-project-1\/ep-\S+: .* answered 404: .* \[request .*state forget another-project-1 /s,
  );
  expect(emulator.admin.log({ route: "endpoints.delete" })).toHaveLength(requests);
});

// Where it is gone at once: tests/provider/fleet/lost-answers.test.ts.
it("delete waits for what it began although the answer was lost and the first look is behind", async () => {
  const { bench, context, stored, inputs, endpointId, emulator } = await useEndpoint();
  const { api } = context.account;
  const record = await bench.run(api.getEndpoint(inputs.projectId, endpointId));
  emulator.admin.addFault({ route: "endpoints.delete", count: 1, effect: { kind: "reset", when: "after" } });
  emulator.admin.addFault({ on: "operation", endpointId, effect: { kind: "fail", error: "storage is away" } });
  const getEndpoint = vi.fn(api.getEndpoint.bind(api)).mockResolvedValueOnce(record);
  const account = { ...context.account, api: { ...api, getEndpoint } };
  const error = await bench.fails(remove({ ...context, account }, stored));
  expect(error.message).toContain("storage is away");
  expect(bench.on(inputs.branchId)).toEqual([]);
});

it("an import writes what a program should say, and nothing deprecated or without effect, however the endpoint has it", async () => {
  const changes = { poolerEnabled: true, poolerMode: "session", passwordlessAccess: false, disabled: true } as const;
  const { bench, context, stored, inputs } = await useEndpoint(changes);
  const imported = await bench.run(read(context, { id: stored.id }));
  for (const name of ["poolerEnabled", "poolerMode", "passwordlessAccess"]) {
    expect(imported?.inputs).not.toHaveProperty(name);
    expect(imported?.state).toHaveProperty(name, changes[name as keyof typeof changes]);
  }
  const { projectId, branchId } = inputs;
  expect(imported?.inputs).toMatchObject({ projectId, branchId, type: "read_write", disabled: true });
  if (!imported) throw new Error("it is there");
  const { inputs: news } = await bench.run(check(context, { news: imported.inputs, olds: imported.inputs }));
  expect(context.said.warnings).toEqual([]);
  const found = await bench.run(
    diff(context, { id: stored.id, ...imported, oldInputs: imported.inputs, inputs: news }),
  );
  expect(found.changes).toBe(false);
});
