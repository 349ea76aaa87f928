import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { fleetType, pluginHost } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";

const bench = useBench();

describe("pulumi import of a fleet", () => {
  it("takes in endpoints under keys, writes the program for them, and is no difference then", async () => {
    const { emulator, projectId } = bench;
    const [a, b] = [bench.branch(), bench.branch()];
    const [one, two] = [a, b].map((branch) => emulator.admin.seedEndpoint(projectId, { branch_id: branch }).id);
    const project = await bench.project();
    project.yaml({});
    const out = join(project.folders.program, "imported.yaml");
    const id = `${projectId}/pr-1=${one},pr-2=${two}`;
    const args = ["import", fleetType(pluginHost), "previews", id, "--yes", "--stack", "dev", "--non-interactive"];
    const ended = await project.cli([...args, "--protect=false", "--out", out]);
    expect(ended.code, ended.text).toBe(0);
    const { resources } = parse(readFileSync(out, "utf8"));
    expect(Object.keys(resources.previews.properties.endpoints)).toEqual(["pr-1", "pr-2"]);
    const fleet = project.exportState().resources.find(({ type }) => type === fleetType(pluginHost));
    expect(fleet).toMatchObject({
      id: expect.stringMatching(/^fleet-/),
      outputs: { endpoints: { "pr-1": { endpointId: one } } },
    });
    const stack = project.yaml({ resources });
    expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });
    const endpoints = { "pr-1": { branchId: a, sizeCu: 1 }, "pr-2": { branchId: b } };
    const type = fleetType(pluginHost);
    const said = project.yaml({ resources: { previews: { type, properties: { projectId, endpoints } } } });
    expect((await said.up()).changes).toMatchObject({ update: 1 });
    expect(endpointsOn(bench, a)).toMatchObject([{ id: one, autoscaling_limit_min_cu: 1 }]);
    await said.destroy();
    expect([a, b].flatMap((branch) => endpointsOn(bench, branch))).toEqual([]);
  });
});
