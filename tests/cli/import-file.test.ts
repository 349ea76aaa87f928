import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, useBench } from "../support/bench";
import { terraformState } from "../support/terraform-states";
import { type Ran, runAlone, runCommand } from "./support/open-shell";

let bench: Bench;
let folder: string;
beforeEach(async () => {
  bench = await useBench();
  folder = mkdtempSync(join(tmpdir(), "pgcompute-import-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const PASSWORD = "hunter2-hunter2";
const settings = { pg_settings: { "app.password": PASSWORD } };
const stored = (id: string, more: object = {}) => ({
  id,
  project_id: "shop-1",
  branch_id: `br-${id}`,
  type: "read_write" as const,
  host: `${id}.test`,
  settings,
  ...more,
});

const resourcesOf = ({ out }: Ran): { type: string; name: string; id: string }[] => JSON.parse(out).resources;
const from = (text: string, ...args: string[]) => runAlone(["import-file", "--from", "-", ...args], { input: text });

describe("import-file of a project", () => {
  it("names endpoints after their branches, each once whatever marks and case it has, and the same in each run", async () => {
    const { admin } = bench.emulator;
    const { project } = admin.seedProject({ branchName: "main", endpointId: "ep-main" });
    const names = ["Feature/A", "feature-a", "feature a!", "??", "x".repeat(80), `${"x".repeat(80)}y`];
    names.forEach((name, at) => {
      const { id } = admin.seedBranch(project.id, { name });
      admin.seedEndpoint(project.id, { id: `ep-${at}`, branch_id: id });
    });
    const [main] = admin.project(project.id).endpoints;
    for (const id of ["ep-r1", "ep-r2"]) {
      admin.seedEndpoint(project.id, { id, branch_id: main?.branch_id ?? "", type: "read_only" });
    }
    const run = (...args: string[]) => runCommand(bench, ["import-file", "--project", project.id, ...args]);
    const all = await run();
    expect(all.code).toBe(0);
    expect(Object.fromEntries(resourcesOf(all).map(({ name, id }) => [id.split("/")[1], name]))).toEqual({
      "ep-main": "main",
      "ep-r1": "main-replica",
      "ep-r2": "main-replica-2",
      "ep-0": "Feature-A",
      "ep-1": "feature-a-3",
      "ep-2": "feature-a-2",
      "ep-3": "ep-3",
      "ep-4": "x".repeat(63),
      "ep-5": `${"x".repeat(61)}-2`,
    });
    expect(resourcesOf(await run())).toEqual(resourcesOf(all));
    expect(resourcesOf(await run("--branch", "main", "--type", "read_only"))).toEqual([
      { type: "pgcompute:index:Endpoint", name: "main-replica", id: `${project.id}/ep-r1` },
      { type: "pgcompute:index:Endpoint", name: "main-replica-2", id: `${project.id}/ep-r2` },
    ]);
  });
});

describe("import-file of a Terraform state", () => {
  it.each(["kislerdm", "kenchan0130"] as const)(
    "of %s has its endpoints, and none of its secrets",
    async (provider) => {
      const sizes = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 300 };
      const state = terraformState(
        provider,
        [
          stored("ep-a", sizes),
          stored("ep-b", { ...sizes, autoscaling_limit_max_cu: 2 }),
          stored("ep-c", { ...sizes, type: "read_only", branch_id: "br-ep-a" }),
          stored("shop-1/ep-d", { ...sizes, branch_id: "br-d", suspend_timeout_seconds: -1 }),
        ],
        'module.eu.module.shop["x"]',
      );
      expect(state).toContain(PASSWORD);
      const single = await from(state);
      expect(resourcesOf(single)).toMatchObject(
        ["a", "b", "c", "d"].map((id, at) => ({ name: `eu.shop-x-pr-${at}`, id: `shop-1/ep-${id}` })),
      );
      const program = join(folder, "fleet.json");
      const fleet = await from(state, "--fleet", "previews", "--program", program);
      expect(resourcesOf(fleet)).toEqual([
        {
          type: "pgcompute:index:EndpointFleet",
          name: "previews",
          id: `shop-1/${["a", "b", "c", "d"].map((id, at) => `eu.shop-x-pr-${at}=ep-${id}`).join(",")}`,
        },
      ]);
      const text = readFileSync(program, "utf8");
      expect(JSON.parse(text)).toEqual({
        projectId: "shop-1",
        defaults: {
          type: "read_write",
          autoscalingLimitMinCu: 0.25,
          autoscalingLimitMaxCu: 1,
          suspendTimeoutSeconds: 300,
        },
        endpoints: {
          "eu.shop-x-pr-0": { branchId: "br-ep-a" },
          "eu.shop-x-pr-1": { branchId: "br-ep-b", autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 },
          "eu.shop-x-pr-2": { branchId: "br-ep-a", type: "read_only" },
          "eu.shop-x-pr-3": { branchId: "br-d", suspendTimeoutSeconds: -1 },
        },
      });
      for (const written of [single.out, single.err, fleet.out, fleet.err, text]) {
        expect(written).not.toMatch(/hunter2|a-role's-password/);
      }
    },
  );

  it("gives no default where one of them is not known", async () => {
    const program = join(folder, "fleet.json");
    const known = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
    const state = terraformState("kenchan0130", [stored("ep-a", known), stored("ep-b")]);
    expect((await from(state, "--fleet", "previews", "--program", program)).code).toBe(0);
    expect(JSON.parse(readFileSync(program, "utf8"))).toEqual({
      projectId: "shop-1",
      defaults: { type: "read_write" },
      endpoints: {
        "pr-0": { branchId: "br-ep-a", autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 1 },
        "pr-1": { branchId: "br-ep-b" },
      },
    });
  });

  const two = terraformState("kislerdm", [stored("ep-a"), stored("ep-b", { project_id: "shop-2" })]);

  it("takes the endpoints of one project, or one branch, and leaves out what a replacement has left", async () => {
    expect(resourcesOf(await from(two, "--project", "shop-2"))).toMatchObject([{ id: "shop-2/ep-b" }]);
    expect(resourcesOf(await from(two, "--branch", "br-ep-a"))).toMatchObject([{ id: "shop-1/ep-a" }]);
    const deposed = two.replace('"index_key":"0"', '"index_key":"0","deposed":"0a1b2c3d"');
    expect(resourcesOf(await from(deposed))).toMatchObject([{ id: "shop-2/ep-b" }]);
  });
});
