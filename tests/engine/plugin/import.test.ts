import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { pluginHost, urnOf } from "../support/hosts";
import { changesCalled, opsOf, said, stored } from "../support/look";
import { endpointsOn, useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();
const TYPE = "pgcompute:index:Endpoint";

/** An endpoint that somebody made by hand, and its import id. */
function byHand(settings: Record<string, unknown> = {}) {
  const branchId = bench.branch();
  const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId, ...settings });
  return { branchId, endpointId: id, importId: `${bench.projectId}/${id}` };
}

/** Runs `pulumi import`, and gives the code it wrote as the resources of a YAML program. */
async function importByCli(project: Project, name: string, id: string) {
  const out = join(project.folders.program, "imported.yaml");
  const args = ["import", TYPE, name, id, "--yes", "--stack", "dev", "--non-interactive", "--out", out];
  const ended = await project.cli(args);
  const code = ended.code === 0 ? parse(readFileSync(out, "utf8")) : undefined;
  return { ended, resources: (code?.resources ?? {}) as Record<string, { properties: Record<string, unknown> }> };
}

it("pulumi import gives complete inputs and code, after which nothing changes; so does an import after state delete", async () => {
  const { branchId, endpointId, importId } = byHand({
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 900,
    settings: { pg_settings: { work_mem: "64MB" } },
  });
  const project = await bench.project();
  project.yaml({});
  const first = await importByCli(project, "main", importId);
  expect(first.ended.text).not.toMatch(/error|warning: (?!using pulumi-resource)/);
  const properties = {
    projectId: bench.projectId,
    branchId,
    type: "read_write",
    autoscalingLimitMinCu: 0.5,
    autoscalingLimitMaxCu: 2,
    suspendTimeoutSeconds: 900,
    poolerEnabled: false,
    poolerMode: "transaction",
    pgSettings: { work_mem: "64MB" },
    disabled: false,
    passwordlessAccess: true,
  };
  expect(first.resources.main?.properties).toEqual(properties);
  expect(stored(project, pluginHost, "main")).toMatchObject({ id: importId, protect: true, inputs: properties });

  const stack = project.yaml({ resources: first.resources });
  bench.emulator.admin.clearLog();
  expect((await stack.preview({ args: ["--expect-no-changes"] })).changes).toMatchObject({ same: 1 });
  expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });

  const urn = urnOf(project, pluginHost, "main");
  expect((await project.cli(["state", "delete", urn, "--force", "--yes", "--stack", "dev"])).code).toBe(0);
  expect(project.exportState().resources.some(({ type }) => type === TYPE)).toBe(false);
  const refused = await stack.preview({ expectFailure: true });
  const [, command] = /pulumi import (\S+ \S+ [\w/-]+)/.exec(refused.failure) ?? [];
  expect(command).toBe(`${TYPE} main ${importId}`);
  expect((await importByCli(project, "main", importId)).resources).toEqual(first.resources);
  expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });
  expect(bench.emulator.admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
  expect(endpointsOn(bench, branchId).map(({ id }) => id)).toEqual([endpointId]);
});

describe("the import option", () => {
  it("takes an endpoint over as it is, or shows in what the program differs and changes that; the program goes on without it", async () => {
    const [same, other] = [
      byHand({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 }),
      byHand({ suspend_timeout_seconds: 900 }),
    ];
    const project = await bench.project();
    const program = (isImported: boolean) => {
      const of = ({ branchId, importId }: typeof same, settings: object) => ({
        ...{ type: TYPE, properties: { projectId: bench.projectId, branchId, ...settings } },
        options: isImported ? { import: importId } : {},
      });
      const resources = { same: of(same, { sizeCu: 2 }), other: of(other, { suspendTimeoutSeconds: 600 }) };
      return project.yaml({ resources });
    };
    const preview = await program(true).preview();
    expect(opsOf(preview, "same")).toEqual(["import"]);
    expect(opsOf(preview, "other")).toEqual(["import", "update"]);
    const update = preview.steps.find(({ op }) => op === "update");
    expect(Object.keys(update?.detailedDiff ?? {})).toEqual(["suspendTimeoutSeconds"]);
    expect(said(preview, "other")).toMatch(/autosuspend after 900 s -> after 600 s/);
    expect(opsOf(await program(true).up(), "same")).toEqual(["import"]);
    expect(endpointsOn(bench, other.branchId)).toMatchObject([{ id: other.endpointId, suspend_timeout_seconds: 600 }]);
    const later = program(false);
    expect((await later.preview()).changes).toMatchObject({ same: 2, update: 0 });
    await later.destroy();
    expect([same, other].flatMap(({ branchId }) => endpointsOn(bench, branchId))).toEqual([]);
  });

  it("of a fleet deletes nothing that the program does not have", async () => {
    const { projectId } = bench;
    const [one, two] = [byHand(), byHand()];
    const program = (endpoints: Record<string, { branchId: string }>) => ({
      resources: {
        previews: {
          type: "pgcompute:index:EndpointFleet",
          properties: { projectId, endpoints },
          options: { import: `${projectId}/one=${one.endpointId},two=${two.endpointId}` },
        },
      },
    });
    const project = await bench.project();
    bench.emulator.admin.clearLog();
    const part = { one: { branchId: one.branchId } };
    const short = project.yaml(program(part));
    const refusal = /endpoints\["two"\]: it was imported/;
    expect((await short.preview({ expectFailure: true })).failure).toMatch(refusal);
    expect((await short.up({ expectFailure: true })).failure).toMatch(refusal);
    // The import is in the state, so that the next run is none.
    expect((await short.up({ expectFailure: true })).failure).toMatch(refusal);
    const whole = project.yaml(program({ ...part, two: { branchId: two.branchId } }));
    expect((await whole.up()).changes).toMatchObject({ same: 1, update: 0 });
    expect(changesCalled(bench)).toEqual([]);
    await project.yaml(program(part)).up();
    expect([one, two].map(({ branchId }) => endpointsOn(bench, branchId).length)).toEqual([1, 0]);
  });
});

it("a resource that is only read gives the outputs of somebody else's endpoint, and leaves it alone", async () => {
  const { branchId, endpointId, importId } = byHand({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
  const project = await bench.project();
  const programOf = (id: string) => ({
    resources: { seen: { type: TYPE, get: { id } } },
    outputs: { host: "$" + "{seen.host}", maxConnections: "$" + "{seen.maxConnections}" },
  });
  bench.emulator.admin.clearLog();
  const stack = project.yaml(programOf(importId));
  expect(opsOf(await stack.up(), "seen")).toEqual(["read"]);
  const outputs = project.exportState().resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs;
  expect(outputs).toEqual({ host: endpointsOn(bench, branchId)[0]?.host, maxConnections: 901 });
  const gone = await project.yaml(programOf(`${bench.projectId}/ep-not-there-1`)).preview({ expectFailure: true });
  expect(gone.failure).toContain(`resource '${bench.projectId}/ep-not-there-1' does not exist`);
  await stack.destroy();
  expect(bench.emulator.admin.log().filter(({ method }) => method !== "GET")).toEqual([]);
  expect(endpointsOn(bench, branchId).map(({ id }) => id)).toEqual([endpointId]);
});
