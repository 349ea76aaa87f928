import { describe, expect, it } from "vitest";
import { useFleet } from "../support/stack";

describe("a member under another key whose endpoint is kept", () => {
  it("is told the importId that makes it the fleet's own in a second run", async () => {
    const { fleet, bench, program, branches } = await useFleet();
    const [a, b] = branches(2) as [string, string];
    await fleet.up(program({ old: { branchId: a, retainOnDelete: true }, b: { branchId: b } }));
    const [{ id = "" } = {}] = bench.on(a);
    const importId = `${bench.emulator.projectId}/${id}`;
    for (const adoptExisting of [undefined, true]) {
      const renamed = program({ new: { branchId: a, adoptExisting }, b: { branchId: b } });
      const refused = (await fleet.preview(renamed)).error?.message ?? "";
      expect(refused).toMatch(
        /^endpoints\["new"\]\.branchId: branch \S+ still has the read-write endpoint of member "old", and it stays there/,
      );
      expect(refused).toMatch(/run pulumi up without this one first; then to make it the fleet's own/);
      expect(refused).toContain(`set \`importId: "${importId}"\` for this member`);
      expect(refused).not.toContain("adoptExisting");
    }
    expect((await fleet.up(program({ b: { branchId: b } }))).error).toBeUndefined();
    fleet.restart();
    const unnamed = (await fleet.preview(program({ new: { branchId: a }, b: { branchId: b } }))).error?.message;
    expect(unnamed).toContain(`set \`importId: "${importId}"\` for this member, once no other state has it`);
    const named = program({ new: { branchId: a, importId }, b: { branchId: b } });
    const { error, rows } = await fleet.up(named);
    expect(error).toBeUndefined();
    const taken = `becomes the fleet's own; it was created for "fleet-old", a resource or a member, which no program`;
    expect(rows).toContainEqual(expect.objectContaining({ message: expect.stringContaining(taken) }));
    expect(fleet.endpoints.new).toMatchObject({ endpointId: id });
    expect(bench.on(a).map((one) => one.id)).toEqual([id]);
  });

  it("is told only to go elsewhere where it has an endpoint itself", async () => {
    const { fleet, program, branches } = await useFleet();
    const [a, b] = branches(2) as [string, string];
    await fleet.up(program({ old: { branchId: a, retainOnDelete: true }, b: { branchId: b } }));
    const { error } = await fleet.preview(program({ b: { branchId: a } }));
    expect(error?.message).toMatch(
      /^endpoints\["b"\]\.branchId: .* it stays there .*:\n {2}- give this one another branch$/,
    );
  });
});
