import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../../tools/root.mjs";
import { pluginHost as host } from "../support/hosts";
import { changesCalled, opsOf, said } from "../support/look";
import { useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench();

/** An endpoint that somebody made by hand, and its import id. */
function byHand(settings: Record<string, unknown> = {}) {
  const branchId = bench.branch();
  const { id } = bench.emulator.admin.seedEndpoint(bench.projectId, { branch_id: branchId, ...settings });
  return { branchId, endpointId: id, importId: `${bench.projectId}/${id}` };
}

/** Runs `pulumi import`, and gives what it wrote, and its code as the resources of a YAML program. */
async function importByCli(project: Project, name: string, id: string) {
  const out = join(project.folders.program, "imported.yaml");
  const { text } = await project.pulumi("import", host.type, name, id, "--out", out);
  const { resources } = parse(readFileSync(out, "utf8"));
  return { text, resources: resources as Record<string, { properties: Record<string, unknown> }> };
}

it("pulumi import gives complete inputs and code, after which nothing changes; so does an import after state delete", async () => {
  const { branchId, endpointId, importId } = byHand({
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 900,
    settings: { pg_settings: { work_mem: "64MB" } },
    name: "made by hand",
  });
  const { project, is, stored, urn } = bench.program(host);
  is({});
  const first = await importByCli(project, "main", importId);
  expect(first.text).not.toMatch(/error|warning: (?!using pulumi-resource)/);
  const properties = {
    projectId: bench.projectId,
    branchId,
    type: "read_write",
    name: "made by hand",
    autoscalingLimitMinCu: 0.5,
    autoscalingLimitMaxCu: 2,
    suspendTimeoutSeconds: 900,
    pgSettings: { work_mem: "64MB" },
    disabled: false,
  };
  expect(first.resources.main?.properties).toEqual(properties);
  expect(stored("main")).toMatchObject({ id: importId, protect: true, inputs: properties });

  const stack = project.yaml({ resources: first.resources });
  bench.emulator.admin.clearLog();
  expect((await stack.preview({ args: ["--expect-no-changes"] })).changes).toMatchObject({ same: 1 });
  expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });

  await project.pulumi("state", "delete", urn("main"), "--force");
  const refused = await stack.preview({ expectFailure: true });
  expect(refused.failure).toContain(`pulumi import ${host.type} main ${importId}`);
  expect((await importByCli(project, "main", importId)).resources).toEqual(first.resources);
  expect((await stack.up()).changes).toMatchObject({ same: 1, update: 0 });
  expect(changesCalled(bench)).toEqual([]);
  expect(bench.on(branchId).map(({ id }) => id)).toEqual([endpointId]);
});

it("the import option takes an endpoint over as it is, or shows in what the program differs and changes that; the program goes on without it", async () => {
  const [same, other] = [
    byHand({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 }),
    byHand({ suspend_timeout_seconds: 900 }),
  ];
  const project = bench.project();
  const program = (isImported: boolean) => {
    const of = ({ branchId, importId }: typeof same, settings: object) => ({
      ...{ type: host.type, properties: { projectId: bench.projectId, branchId, ...settings } },
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
  expect(bench.on(other.branchId)).toMatchObject([{ id: other.endpointId, suspend_timeout_seconds: 600 }]);
  const later = program(false);
  expect((await later.preview()).changes).toMatchObject({ same: 2, update: 0 });
  await later.destroy();
  expect([same, other].flatMap(({ branchId }) => bench.on(branchId))).toEqual([]);
});

describe("an endpoint that another resource of the stack has is not imported", () => {
  const open = async () => {
    const { project, is, urn, names } = bench.program(host);
    const branchId = bench.branch();
    const f = { args: { projectId: bench.projectId, branchId } };
    await is({ f }).up();
    const importId = `${bench.projectId}/${bench.on(branchId)[0]?.id}`;
    const both = is({ f, s: { args: f.args, options: { import: importId } } });
    return { project, is, urn, names, branchId, f, importId, both };
  };

  it.each([
    ["in a preview", "preview", () => []],
    [
      "where --target names the import alone, without a preview",
      "up",
      (_: string, urn: string) => ["--skip-preview", "--target", urn],
    ],
  ] as const)("%s", async (_, run, argsOf) => {
    const { both, urn, names, branchId, project, importId } = await open();
    const args = [...argsOf(urn("f"), urn("s"))];
    const refused = await both[run]({ args, expectFailure: true });
    // Where the engine refuses the import for want of inputs, the reason is a line on the resource's row.
    expect(`${refused.failure}\n${said(refused)}`).toMatch(/made for "f"|and an endpoint has one owner|both have/);
    expect(names()).toEqual(["f"]);
    const byCommand = ["import", host.type, "s", importId, "--generate-code=false", "--yes", "--stack", "dev"];
    expect((await project.cli(byCommand)).code).not.toBe(0);
    expect(names()).toEqual(["f"]);
    expect(bench.on(branchId)).toHaveLength(1);
  });

  it("but a program may read it", async () => {
    const { project, branchId, f, importId } = await open();
    const type = host.type;
    const run = await project
      .yaml({ resources: { f: { type, properties: f.args }, s: { type, get: { id: importId } } } })
      .up();
    expect(run.diagnostics.filter(({ severity }) => severity === "warning")).toEqual([]);
    await project.yaml({ resources: { f: { type, properties: f.args } } }).up();
    expect(bench.on(branchId)).toHaveLength(1);
  });
});

it("a member leaves its fleet for a resource of its own, as docs/fleets.md says", async () => {
  const guide = readFileSync(join(root, "docs/fleets.md"), "utf8");
  const [, retain = ""] = guide.match(/\| out of it, to a single `Endpoint` \| `(\w+): true`/) ?? [];
  const [, variable = "", value = ""] =
    guide.match(/(PGCOMPUTE_\w+)=(\w+) pulumi import pgcompute:index:Endpoint /) ?? [];
  const { project, is } = bench.program(host);
  const branchId = bench.branch();
  const fleet = (endpoints: object) => ({
    f: { args: { projectId: bench.projectId, endpoints }, isFleet: true as const },
  });
  await is(fleet({ a: { branchId } })).up();
  const [endpoint] = bench.on(branchId);
  await is(fleet({ a: { branchId, [retain]: true } })).up();
  await is(fleet({})).up();
  const main = { args: { projectId: bench.projectId, branchId } };
  const stack = is({ ...fleet({}), main });
  const args = ["import", host.type, "main", `${bench.projectId}/${endpoint?.id}`, "--generate-code=false"];
  const { code, text } = await project.cli([...args, "--yes", "--stack", "dev"], { env: { [variable]: value } });
  expect(code, text).toBe(0);
  expect((await stack.up()).changes).toMatchObject({ same: 2 });
  expect(bench.on(branchId)).toEqual([endpoint]);
});
