import { describe, expect, it } from "vitest";
import { hosts } from "../support/hosts";
import { useBench } from "../support/platform";

const bench = useBench();

describe.each(hosts)("a fleet of the $name host", (host) => {
  it.each(["member", "defaults", "fleet"] as const)(
    "replaces members alone for another project of the %s",
    async (of) => {
      const { admin } = bench.emulator;
      const projects = [admin.seedProject().project.id, admin.seedProject().project.id];
      const [here = "", there = ""] = projects;
      const branches = projects.map((projectId) => [0, 1].map(() => admin.seedBranch(projectId).id));
      const program = bench.program(host);
      const stored = () => program.project.exportState().resources.find(({ type }) => type === host.fleetType);
      const ids = () => projects.map((projectId) => admin.project(projectId).endpoints.map(({ id }) => id));
      const stack = (projectId: string, at: number) => {
        const moving = { branchId: branches[at]?.[0], ...(of === "member" && { projectId }) };
        const staying = { branchId: branches[of === "member" ? 0 : at]?.[1] };
        const args = {
          ...(of === "defaults" ? { defaults: { projectId } } : { projectId: of === "fleet" ? projectId : here }),
          ...{ endpoints: { moving, staying }, maxDeletions: 2 },
        };
        return program.is({ previews: { isFleet: true, args } });
      };
      const before = ids();
      await stack(here, 0).up();
      const id = stored()?.id;
      const kept = stored()?.outputs?.endpoints as Record<string, { endpointId: string }>;
      // In a preview of the plugin members have rows of their own.
      const { steps, text } = await stack(there, 1).preview();
      expect(steps.flatMap(({ type, op }) => (type === host.fleetType ? op : []))).toEqual(["update"]);
      if (of === "defaults") expect(text).toContain("[diff: ~defaults,endpoints]");

      const up = await stack(there, 1).up();
      expect(up.changes).toMatchObject({ update: 1, replace: 0 });
      expect(stored()?.id).toBe(id);
      const now = ids();
      expect(now.map((all, at) => all.length - (before[at]?.length ?? 0))).toEqual(of === "member" ? [1, 1] : [0, 2]);
      expect(now.flat().includes(kept.staying?.endpointId ?? "")).toBe(of === "member");
      expect((await stack(there, 1).up()).changes).toMatchObject({ update: 0, replace: 0 });
    },
  );
});
