import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../tools/root.mjs";
import { terraformState } from "../support/terraform-states";
import { changesCalled } from "./support/look";
import { useBench } from "./support/platform";
import type { Project } from "./support/project";

const bench = useBench();
const SINGLE = 20;
const MEMBERS = 200;
const PASSWORD = "hunter2-hunter2";
const TIMEOUT_MS = 600_000;

/** A project with this many branches with an endpoint each, of several sizes, and a replica. */
function seeded(count: number) {
  const { admin } = bench.emulator;
  const { project } = admin.seedProject({});
  const endpoints = Array.from({ length: count - 2 }, (_, at) => {
    const { id } = admin.seedBranch(project.id, { name: `pr/${Math.floor(at / 2)}${at % 2 ? "" : "?"}` });
    return admin.seedEndpoint(project.id, {
      branch_id: id,
      autoscaling_limit_max_cu: at % 10 === 0 ? 2 : 1,
      settings: { pg_settings: { "app.password": PASSWORD } },
    });
  });
  admin.seedEndpoint(project.id, { branch_id: endpoints[0]?.branch_id ?? "", type: "read_only" });
  return project.id;
}

async function importFile(project: Project, count: number, args: string[]) {
  const { emulator } = bench;
  const command = [join(root, "bin/pgcompute.cjs"), "import-file", ...args, "--out", "import.json"];
  const env = { ...process.env, PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url };
  const ran = await promisify(execFile)(process.execPath, command, { env, cwd: project.folders.program });
  expect(ran.stderr).toMatch(new RegExp(`^${count} endpoints, as .*\\. Next: `));
  const written = [...ran.stderr.matchAll(/`(pulumi import [^`]*)`/g)].map(([, line]) => line ?? "");
  const [, ...words] = (written[0] ?? "").split(" ");
  project.yaml({});
  await project.pulumi(...words, "--skip-preview", "--protect=false");
}

describe("import-file", { timeout: TIMEOUT_MS }, () => {
  it("brings a project's endpoints in as single resources, and nothing changes then", async () => {
    const projectId = seeded(SINGLE);
    const project = bench.project();
    bench.emulator.admin.clearLog();
    await importFile(project, SINGLE, ["--project", projectId]);
    const { resources } = parse(readFileSync(join(project.folders.program, "PROGRAM"), "utf8"));
    expect(Object.keys(resources)).toHaveLength(SINGLE);
    const preview = await project.yaml({ resources }).preview({ args: ["--expect-no-changes"] });
    expect(preview.changes).toMatchObject({ same: SINGLE });
    expect(changesCalled(bench)).toEqual([]);
  });

  it("brings a Terraform state's in as a fleet with a program that says little, and nothing changes then", async () => {
    const projectId = seeded(MEMBERS);
    const project = bench.project();
    bench.emulator.admin.clearLog();
    const { endpoints } = bench.emulator.admin.project(projectId);
    const file = (name: string) => join(project.folders.program, name);
    writeFileSync(file("old.tfstate"), terraformState("kislerdm", endpoints));
    expect(readFileSync(file("old.tfstate"), "utf8")).toContain(PASSWORD);
    await importFile(project, MEMBERS, ["--from", "old.tfstate", "--fleet", "previews", "--program", "fleet.json"]);
    const text = readFileSync(file("fleet.json"), "utf8");
    expect(text).not.toContain(PASSWORD);
    const properties = JSON.parse(text);
    expect(Object.keys(properties.endpoints)).toHaveLength(MEMBERS);
    const resources = { previews: { type: "pgcompute:index:EndpointFleet", properties } };
    const preview = await project.yaml({ resources }).preview({ args: ["--expect-no-changes"] });
    expect(preview.changes).toMatchObject({ same: 1 });
    expect(preview.text).not.toContain("no longer sets");
    expect(changesCalled(bench)).toEqual([]);
  });
});
