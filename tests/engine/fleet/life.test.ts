import { describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

const bench = useBench();
const MEMBER = "pgcompute:index:EndpointFleet$pgcompute:index:Endpoint";

describe.each(hosts)("the life of a fleet by the $name host", (host) => {
  it("is previewed, created, unchanged, refreshed, changed and destroyed as one resource", async () => {
    const branches = bench.branches(3);
    const [a, b, c] = branches;
    const { projectId } = bench;
    const program = bench.program(host);
    const stack = (endpoints: Record<string, unknown>, sizeCu = 0.5) =>
      program.is({ previews: { isFleet: true, args: { projectId, defaults: { sizeCu }, endpoints } } });
    const first = stack({ "pr-1": { branchId: a }, "pr-2": { branchId: b, sizeCu: 1, pgSettings: { work_mem: 64 } } });
    const opsOf = ({ steps }: Run) => steps.filter(({ type }) => type === host.fleetType).map(({ op }) => op);
    const expectNoRows = ({ steps }: Run) => expect(steps.filter(({ urn }) => urn.includes(MEMBER))).toEqual([]);
    const planned = await first.preview();
    expect(opsOf(planned)).toEqual(["create"]);
    expectNoRows(planned);
    expect(bench.on(a)).toEqual([]);

    const up = await first.up();
    expect(up.changes).toMatchObject({ create: 1 });
    expectNoRows(up);
    const [endpoint] = bench.on(a);
    expect(endpoint).toMatchObject({ autoscaling_limit_min_cu: 0.5 });
    expect(bench.on(b)).toMatchObject([{ autoscaling_limit_min_cu: 1 }]);
    const stored = () => program.project.exportState().resources.find(({ type }) => type === host.fleetType);
    expect(stored()?.id).toMatch(/^fleet-[0-9a-f]{8}$/);
    expect(stored()?.outputs?.endpoints).toMatchObject({
      "pr-1": { endpointId: endpoint?.id, host: endpoint?.host, sizeCu: 0.5, branchId: a },
      "pr-2": { sizeCu: 1, pgSettings: { work_mem: "64" } },
    });

    expect((await first.refresh()).changes).toMatchObject({ same: 1, update: 0 });
    expect(opsOf(await first.preview())).toEqual(["same"]);

    // A refused member has a row of its own, though the engine knows no resource of its URN.
    const twice = stack({ "pr-1": { branchId: a }, "pr-2": { branchId: a } });
    const { diagnostics } = await twice.preview({ expectFailure: true });
    const ofMembers = diagnostics.filter(
      ({ name, severity }) => severity === "error" && /^previews\//.test(name ?? ""),
    );
    expect(ofMembers.length).toBeGreaterThan(0);

    const id = stored()?.id;
    const second = stack({ "pr-2": { branchId: a, sizeCu: 1 }, "pr-3": { branchId: c } });
    const preview = await second.preview({ args: ["--diff"] });
    expect(opsOf(preview)).toEqual(["update"]);
    expectNoRows(preview);
    expect(preview.diagnostics.map(({ message }) => message).join("\n")).toMatch(
      /will create 1 of 3 members \(pr-3\), change 1 \(pr-2\) and delete 1 \(pr-1\)/,
    );
    expect((await second.up()).changes).toMatchObject({ update: 1, replace: 0 });
    expect(program.project.stateText()).not.toContain(MEMBER);
    expect(stored()?.id).toBe(id);
    expect(branches.map((branch) => bench.on(branch).length)).toEqual([1, 0, 1]);

    await second.destroy();
    expect(branches.flatMap((branch) => bench.on(branch))).toEqual([]);
  });
});
