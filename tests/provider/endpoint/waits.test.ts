/** What a row says while a change waits: each wait of more than 2 s is on it, whatever it is for. */
import { expect, it } from "vitest";
import type { CallEffect } from "../../../emulator";
import { endpointKind } from "../../../provider/pulumi/resource";
import { useBench } from "../../support/bench";
import { contextOf } from "../../support/call-context";

type Verb = "create" | "update" | "delete" | "read" | "create on a branch that another change locks";

/** Latest time of the first line, in milliseconds: after 2 s, for a wait that began within the first poll. */
const NOTICED_MS = 2_600;

const seconds = (count: number) => ({ retryAfter: { form: "seconds" as const, seconds: count } });
const stalls: CallEffect = { kind: "stall-headers", when: "before" };

const cases: [Verb, { route: string; effect: CallEffect } | undefined, RegExp][] = [
  [
    "create on a branch that another change locks",
    undefined,
    /^waiting for \w+ of another change, which locks this one, 2 s$/,
  ],
  [
    "create",
    { route: "endpoints.create", effect: { kind: "status", status: 429, ...seconds(40) } },
    /the account's rate limit/,
  ],
  [
    "create",
    { route: "endpoints.create", effect: { kind: "status", status: 503, ...seconds(8) } },
    /^waiting 8 s: could not create .* 503/,
  ],
  [
    "create",
    { route: "endpoints.create", effect: { kind: "stall-headers", when: "after" } },
    /^waiting for an answer from http.*, 2 s$/,
  ],
  [
    "create",
    { route: "endpoints.create", effect: { kind: "stall-body" } },
    /^waiting for the rest of an answer from http.*, 2 s$/,
  ],
  ["update", { route: "endpoints.update", effect: stalls }, /^waiting for an answer from http.*, 2 s$/],
  ["delete", { route: "endpoints.delete", effect: stalls }, /^waiting for an answer from http.*, 2 s$/],
  ["read", { route: "endpoints.list", effect: stalls }, /^waiting for the list of the project's endpoints, 2 s$/],
  [
    "read",
    { route: "endpoints.list", effect: { kind: "status", status: 429, ...seconds(40) } },
    /the account's rate limit/,
  ],
];

it.each(cases)("%s under %o is on the row", async (verb, fault, expected) => {
  const bench = await useBench({ operationMs: 20_000 });
  const { admin, projectId } = bench.emulator;
  const said: { line: string; atMs: number }[] = [];
  const status = (line: string) => said.push({ line, atMs: bench.clock.now() });
  const context = contextOf(bench, { reporter: { info: () => {}, warn: () => {}, status } });
  const inputs = { projectId, branchId: bench.branch(), type: "read_write" } as const;
  const isNew = verb.startsWith("create");
  const stored = isNew ? { id: "", state: {} } : await bench.run(endpointKind.create(context, inputs));
  if (verb.includes("locks"))
    admin.startOperation({ projectId, action: "check_availability", branchId: inputs.branchId });
  if (fault) admin.addFault({ ...fault, count: 1 });

  said.length = 0;
  const beganMs = bench.clock.now();
  const work = {
    create: () => endpointKind.create(context, inputs),
    update: () => endpointKind.update(context, { ...stored, inputs: { ...inputs, suspendTimeoutSeconds: 60 } }),
    delete: () => endpointKind.remove(context, stored),
    read: () => endpointKind.read({ ...context, account: bench.account() }, { ...stored, inputs: {} }),
  }[isNew ? "create" : (verb as "update")];
  await bench.run(work() as Promise<unknown>);
  expect(said.map(({ line }) => line)).toContainEqual(expect.stringMatching(expected));
  const first = said.find(({ line }) => expected.test(line));
  expect((first?.atMs ?? 0) - beganMs).toBeLessThanOrEqual(NOTICED_MS);
});
