/** Restores in place of which the state says nothing, or less than the whole. */
import { describe, expect, it } from "vitest";
import { PartialError } from "../../../provider/platform/errors";
import { check, diff, read } from "../../../provider/pulumi/lifecycle";
import { useEndpoint } from "../endpoint/support";

describe("a restore in place is not undone", () => {
  it("where operations of the run before are made good", async () => {
    const { bench, change, emulator, inputs, stored, live } = await useEndpoint({ sizeCu: 1 });
    emulator.admin.addFault({ on: "operation", action: "suspend_compute", effect: { kind: "fail" } });
    const error = await bench.fails(change({ sizeCu: 2 }));
    if (!(error instanceof PartialError)) throw error;
    emulator.admin.clearFaults();
    const [restored] = await restore(emulator, inputs.branchId, 1);
    expect(live().branch_id).toBe(restored);
    const context = bench.context({ account: bench.account({}) });
    await context.account.project(emulator.projectId).cache.snapshot({ signal: context.signal });
    const request = { id: stored.id, state: error.state, inputs: { ...inputs, sizeCu: 2 }, oldInputs: inputs };
    const refused = await bench.fails(diff(context, request as Parameters<typeof diff>[1]));
    expect(refused.message).toMatch(`PGCOMPUTE_UNDO_RESTORE=${restored}`);
  });

  it("where the endpoint is replaced by force, which has a Check without anything old and no Diff", async () => {
    const { bench, emulator, inputs, stored } = await useEndpoint({ sizeCu: 1 });
    const [restored] = await restore(emulator, inputs.branchId, 1);
    const context = bench.context({ account: bench.account({}) });
    await bench.run(read(context, { id: stored.id, state: stored.state, oldInputs: inputs }));
    const { failures } = await bench.run(check(context, { news: inputs }));
    expect(failures).toEqual([
      { property: "branchId", reason: expect.stringContaining(`PGCOMPUTE_UNDO_RESTORE=${restored}`) },
    ]);
  });

  it("where two restores follow each other", async () => {
    const { bench, emulator, inputs, stored } = await useEndpoint({ sizeCu: 1 });
    const [, last] = await restore(emulator, inputs.branchId, 2);
    const context = bench.context({ account: bench.account({}) });
    const found = await bench.run(read(context, { id: stored.id, state: stored.state, oldInputs: inputs }));
    if (!found) throw new Error("the endpoint has gone");
    await context.account.project(emulator.projectId).cache.snapshot({ signal: context.signal });
    const request = { id: stored.id, state: found.state, inputs, oldInputs: found.inputs };
    // The first Diff after a Read is the refresh's own.
    await bench.run(diff(context, request as Parameters<typeof diff>[1]));
    const refused = await bench.fails(diff(context, request as Parameters<typeof diff>[1]));
    expect(refused.message).toMatch(`which replaced ${inputs.branchId} when`);
    expect(refused.message).toMatch(`branchId: "${last}"`);
  });
});

/** Restores a branch in place so many times, each in the place of the one before, and gives the branches that came. */
async function restore(
  { url, apiKey, projectId, admin }: Awaited<ReturnType<typeof useEndpoint>>["emulator"],
  branchId: unknown,
  times: number,
): Promise<string[]> {
  const call = async (path: string, body: object): Promise<{ snapshot: { id: string }; branch: { id: string } }> => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/projects/${projectId}/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    admin.advance(10_000);
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { snapshot: { id: string }; branch: { id: string } };
  };
  const { snapshot } = await call(`branches/${branchId}/snapshot`, {});
  const made: string[] = [];
  for (const _ of Array(times)) {
    const before = made.at(-1);
    const { branch } = await call(`snapshots/${snapshot.id}/restore`, {
      finalize_restore: true,
      ...(before !== undefined && { target_branch_id: before }),
    });
    made.push(branch.id);
  }
  return made;
}
