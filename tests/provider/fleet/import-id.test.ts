import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../provider/lib/unknown";
import { useFleet } from "./support";

type Values = Record<string, unknown>;
type Used = Awaited<ReturnType<typeof useFleet>>;

function program({ bench }: Used, endpoints: Record<string, Values>): Values {
  return { projectId: bench.emulator.projectId, endpoints };
}

describe("an importId that is not known yet", () => {
  it("may be the endpoint on the member's branch, which is refused where it is not", async () => {
    const used = await useFleet();
    const { fleet, bench } = used;
    const { admin, projectId } = bench.emulator;
    const [a, b] = [bench.branch(), bench.branch()];
    const [there, elsewhere] = [a, b].map((branch) => admin.seedEndpoint(projectId, { branch_id: branch }).id);
    const wanted = (importId: unknown) => program(used, { a: { branchId: a, importId } });
    const { error, outputs } = await fleet.preview(wanted(UNKNOWN));
    expect(error).toBeUndefined();
    expect(outputs?.endpoints).toMatchObject({ a: { branchId: a, endpointId: UNKNOWN } });
    fleet.restart();
    expect((await fleet.preview(wanted(`${projectId}/${elsewhere}`))).error?.message).toMatch(
      /not where the program puts/,
    );
    expect((await fleet.up(wanted(`${projectId}/${there}`))).error).toBeUndefined();
    expect(fleet.endpoints.a).toMatchObject({ endpointId: there });
    expect((await fleet.preview(wanted(UNKNOWN))).diff).toMatchObject({ changes: false });
  });

  it("stands for what an earlier run has made for the member, too", async () => {
    const used = await useFleet();
    const { fleet, bench } = used;
    const a = bench.branch();
    await fleet.up(program(used, { a: { branchId: a } }));
    fleet.stored = undefined;
    fleet.restart();
    const preview = async (importId?: unknown) => {
      const { outputs = {}, rows } = await fleet.preview(program(used, { a: { branchId: a, importId } }));
      expect(rows.map(({ message }) => message).join("\n")).not.toMatch(/delete it/);
      return (outputs.endpoints as { a: Values }).a.endpointId;
    };
    expect(await preview()).toBe(bench.on(a)[0]?.id);
    expect(await preview(UNKNOWN)).toBe(UNKNOWN);
  });
});
