import { expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { useBench } from "../support/platform";

const bench = useBench();
const places = ["member", "defaults", "fleet"] as const;

it.each(hosts)(
  "a fleet of the $name host replaces members alone for another project of the member, the defaults or the fleet",
  async (host) => {
    const { admin } = bench.emulator;
    const program = bench.program(host);
    const fleets = places.map((of) => {
      const projects = [admin.seedProject().project.id, admin.seedProject().project.id];
      const [here = ""] = projects;
      const branches = projects.map((projectId) => [0, 1].map(() => admin.seedBranch(projectId).id));
      const ids = () => projects.map((projectId) => admin.project(projectId).endpoints.map(({ id }) => id));
      return {
        of,
        ids,
        before: ids(),
        args: (at: number) => {
          const projectId = projects[at];
          const moving = { branchId: branches[at]?.[0], ...(of === "member" && { projectId }) };
          const staying = { branchId: branches[of === "member" ? 0 : at]?.[1] };
          return {
            ...(of === "defaults" ? { defaults: { projectId } } : { projectId: of === "fleet" ? projectId : here }),
            ...{ endpoints: { moving, staying }, maxDeletions: 2 },
          };
        },
      };
    });
    const stack = (at: number) =>
      program.is(Object.fromEntries(fleets.map(({ of, args }) => [of, { isFleet: true, args: args(at) }])));
    const stored = (name: string) => {
      const { resources } = program.project.exportState();
      return resources.find(({ type, urn }) => type === host.fleetType && urn.endsWith(`::${name}`));
    };
    await stack(0).up();
    const first = fleets.map(({ of }) => stored(of));

    const { steps, text } = await stack(1).preview();
    const planned = steps.filter(({ type }) => type === host.fleetType).map(({ name, op }) => [name, op]);
    expect(planned.sort()).toEqual(places.map((of) => [of, "update"]).sort());
    expect(text).toContain("[diff: ~defaults,endpoints]");

    const up = await stack(1).up();
    expect(up.changes).toMatchObject({ update: places.length, replace: 0 });
    for (const [at, { of, ids, before }] of fleets.entries()) {
      expect(stored(of)?.id).toBe(first[at]?.id);
      const now = ids();
      const more = now.map((all, index) => all.length - (before[index]?.length ?? 0));
      expect(more).toEqual(of === "member" ? [1, 1] : [0, 2]);
      const kept = first[at]?.outputs?.endpoints as Record<string, { endpointId: string }>;
      expect(now.flat().includes(kept.staying?.endpointId ?? "")).toBe(of === "member");
    }
    expect((await stack(1).up()).changes).toMatchObject({ update: 0, replace: 0 });
  },
);
