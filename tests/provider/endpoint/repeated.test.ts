import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../emulator";
import { bookOf, partial, useCreate, useEndpoint } from "./support";

type Fault = Parameters<Emulator["admin"]["addFault"]>[0];

// The engine's hook `onError` has a change made again within the run. It keeps only what the last try told.

const startFails: Fault = { on: "operation", action: "start_compute", effect: { kind: "fail" } };

const inTheWay: [string, Fault, string][] = [
  ["the endpoint cannot be read", { route: "endpoints.get", effect: { kind: "status", status: 500 } }, "server"],
  ["the key is refused", { route: "operations.*", effect: { kind: "status", status: 401 } }, "unauthorized"],
];

describe("a create that is repeated within the run", () => {
  it.each(inTheWay)("keeps its endpoint where %s", async (_, fault, kind) => {
    const { run, make, bench, emulator, inputs } = await useCreate();
    emulator.admin.addFault(startFails);
    const first = await partial(bench.fails(make({ type: "read_only" })));
    emulator.admin.clearFaults();
    emulator.admin.addFault(fault);
    const second = await partial(bench.fails(make({ type: "read_only" })));
    expect(second).toMatchObject({ kind, id: first.id });
    expect(bookOf(second.state).operations).toEqual(bookOf(first.state).operations);

    emulator.admin.clearFaults();
    expect((await run(make({ type: "read_only" }))).id).toBe(first.id);
    expect(bench.on(inputs.branchId)).toHaveLength(1);
  });
});

it("an update that is repeated within the run keeps the operation that failed", async () => {
  const { bench, change, emulator } = await useEndpoint({ sizeCu: 1 });
  emulator.admin.addFault(startFails);
  const first = await partial(bench.fails(change({ sizeCu: 2 })));
  for (const [, fault, kind] of inTheWay) {
    emulator.admin.clearFaults();
    emulator.admin.addFault(fault);
    // The engine shows the same old state as it did the first time.
    const second = await partial(bench.fails(change({ sizeCu: 2 })));
    expect(second).toMatchObject({ kind, id: first.id, state: { sizeCu: 2 } });
    expect(bookOf(second.state).operations).toEqual(bookOf(first.state).operations);
  }
});
