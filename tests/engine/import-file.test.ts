import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { root } from "../../tools/root.mjs";
import { terraformState } from "../support/terraform-states";
import { changesCalled } from "./support/look";
import { useBench } from "./support/platform";

const bench = useBench();
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

// As single resources: plugin/migrate.test.ts; as which of them, by their branches: tests/cli/import-file.test.ts.
it(
  "import-file brings a Terraform state's endpoints in as a fleet with a program that says little, and nothing changes then",
  async () => {
    const projectId = seeded(MEMBERS);
    const project = bench.project();
    const { admin, apiKey, url } = bench.emulator;
    admin.clearLog();
    const cwd = project.folders.program;
    const file = (name: string) => join(cwd, name);
    writeFileSync(file("old.tfstate"), terraformState("kislerdm", admin.project(projectId).endpoints));
    expect(readFileSync(file("old.tfstate"), "utf8")).toContain(PASSWORD);
    const words = ["--from", "old.tfstate", "--fleet", "previews", "--program", "fleet.json", "--out", "import.json"];
    const env = { ...process.env, PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url };
    const command = [join(root, "bin/pgcompute.cjs"), "import-file", ...words];
    const { stderr } = await promisify(execFile)(process.execPath, command, { env, cwd });
    expect(stderr).toMatch(new RegExp(`^${MEMBERS} endpoints, as .*\\. Next: `));
    const [, line = ""] = stderr.match(/`pulumi (import [^`]*)`/) ?? [];
    project.yaml({});
    await project.pulumi(...line.split(" "), "--skip-preview", "--protect=false");
    const text = readFileSync(file("fleet.json"), "utf8");
    expect(text).not.toContain(PASSWORD);
    const properties = JSON.parse(text);
    expect(Object.keys(properties.endpoints)).toHaveLength(MEMBERS);
    const resources = { previews: { type: "pgcompute:index:EndpointFleet", properties } };
    const preview = await project.yaml({ resources }).preview({ args: ["--expect-no-changes"] });
    expect(preview.changes).toMatchObject({ same: 1 });
    expect(preview.text).not.toContain("no longer sets");
    expect(changesCalled(bench)).toEqual([]);
  },
  TIMEOUT_MS,
);
