import { describe, expect, it } from "vitest";
import { useFleet } from "../support/stack";

describe("an import", () => {
  it("takes in all of a project, some of it, or some under keys of its own, and is no difference then", async () => {
    const { fleet, admin, projectId, program, branches } = await useFleet();
    const [a, b] = branches(2) as [string, string];
    const [one, two] = [a, b].map((branch) => admin.seedEndpoint(projectId, { branch_id: branch }).id);
    await fleet.import(projectId);
    expect(Object.keys(fleet.endpoints)).toHaveLength(admin.project(projectId).endpoints.length);
    await fleet.import(`${projectId}/${one},${two}`);
    expect(Object.keys(fleet.endpoints).sort()).toEqual([one, two].sort());
    await fleet.import(`${projectId}/pr-1=${one},pr-2=${two}`);
    expect(fleet.endpoints).toMatchObject({ "pr-1": { endpointId: one }, "pr-2": { endpointId: two } });
    expect(fleet.stored?.id).toMatch(/^fleet-/);
    const wanted = program({ "pr-1": { branchId: a }, "pr-2": { branchId: b } });
    expect((await fleet.preview(wanted)).isChanged).toBe(false);
    expect((await fleet.import(`${projectId}/pr 1=${one}`)).error?.message).toMatch(
      /is not what a fleet can be imported by/,
    );
    expect((await fleet.import("fleet-0123abcd")).error?.message).toMatch(
      /is a fleet's own id, which does not tell its endpoints: write PROJECT/,
    );
    expect((await fleet.import(`${projectId}/ep-none`)).error?.message).toMatch(/has no endpoint ep-none/);
  });

  it("deletes nothing that the program does not have; what a run has had may go", async () => {
    const { fleet, bench, admin, projectId, program, branches } = await useFleet();
    const [a, b] = branches(2) as [string, string];
    const byHand = (branch: string) => admin.seedEndpoint(projectId, { branch_id: branch }).id;
    const [one, two] = [byHand(a), byHand(b)];
    await fleet.import(`${projectId}/a=${one},${two}`);
    await fleet.refresh();
    const short = program({ a: { branchId: a } });
    const renamed = program({ a: { branchId: a }, b: { branchId: b } });
    admin.clearLog();
    for (const wanted of [short, renamed]) {
      for (const run of [await fleet.preview(wanted), await fleet.up(wanted)]) {
        expect(run.error?.message).toMatch(
          new RegExp(`^endpoints\\["${two}"\\]: it was imported \\(${projectId}/${two}\\)`),
        );
      }
    }
    expect(admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
    await fleet.up(program({ a: { branchId: a }, [two]: { branchId: b } }));
    expect((await fleet.up(short)).error).toBeUndefined();
    expect(bench.on(b)).toEqual([]);
  });
});
