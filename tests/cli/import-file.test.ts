import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useBench } from "../support/bench";
import { temporaryFolder } from "../support/temporary-folder";
import { terraformState } from "../support/terraform-states";
import { endpoint, exportOf, fleetOf, SECRET, secret } from "../unit/cli/support/states";
import { expectTold, type Line, transcriptOf } from "./support/transcript";

it("import-file names endpoints after their branches, each once whatever marks and case it has", async () => {
  const bench = await useBench();
  const { admin } = bench.emulator;
  const { project } = admin.seedProject({ id: "shop-1", branchName: "main", endpointId: "ep-main" });
  const names = ["Feature/A", "feature-a", "feature a!", "??", "x".repeat(80), `${"x".repeat(80)}y`];
  names.push("null", "~", "0x1F", "1e3", "2026-01-01", "No", "pulumi", "let", "endpoint-null");
  names.forEach((name, at) => {
    const { id } = admin.seedBranch(project.id, { name });
    admin.seedEndpoint(project.id, { id: `ep-${at}`, branch_id: id });
  });
  const [main] = admin.project(project.id).endpoints;
  for (const id of ["ep-r1", "ep-r2"]) {
    admin.seedEndpoint(project.id, { id, branch_id: main?.branch_id ?? "", type: "read_only" });
  }
  const all = "import-file --project shop-1";
  const text = await transcriptOf(
    [all, all, `${all} --branch main --type read_only`, `${all} --fleet previews`],
    bench,
  );
  await expectTold("import-file", text);
});

it("import-file prints the word that the import of what bears another's mark takes", async () => {
  const bench = await useBench();
  const { admin } = bench.emulator;
  const { project } = admin.seedProject({ id: "shop-1", branchName: "main", endpointId: "ep-main" });
  const marked = { id: "ep-pr", name: "pulumi-previews-pr-1-0123456789ab-01234567" };
  admin.seedEndpoint(project.id, { ...marked, branch_id: admin.seedBranch(project.id, { name: "pr-1" }).id });
  const all = "import-file --project shop-1";
  const text = await transcriptOf([all, `${all} --branch main`, `${all} --fleet previews`], bench);
  await expectTold("import-file-marked", text);
});

const PASSWORD = "hunter2-hunter2";

/** An endpoint whose program says this much. */
const wanted = (name: string, inputs: object, more: object = {}) => endpoint(name, { ...more, inputs });
const adopted = { adopted: true, v: 2, set: [] };
const stack = exportOf(
  wanted("pr-1", { sizeCu: 1, suspendTimeoutSeconds: 300 }),
  wanted("pr-2", { sizeCu: 1, suspendTimeoutSeconds: 300, pgSettings: { "app.password": secret(PASSWORD) } }),
  wanted("pr-3", { sizeCu: 2, suspendTimeoutSeconds: 300, pgSettings: SECRET }, { protect: true }),
  wanted("main", { adoptExisting: true, suspendTimeoutSeconds: 300 }, { outputs: { __pgcompute: adopted } }),
  wanted(
    "far",
    { projectId: "other-1", type: "read_only" },
    { id: "other-1/ep-far", outputs: { projectId: "other-1" } },
  ),
  endpoint("read", { external: true }),
  endpoint("old", { delete: true }),
  fleetOf(endpoint("a"), endpoint("b"), endpoint("pr-1")),
);
const dynamic = fleetOf(endpoint("a"));
const dynamicType = "pulumi-nodejs:dynamic/pgcompute:EndpointFleet";

it("import-file writes from an exported stack both sides of a move between single resources and a fleet, and none of its secrets", async () => {
  const input = JSON.stringify(stack);
  const fleet = JSON.stringify(
    exportOf({ ...dynamic, type: dynamicType, urn: dynamic.urn.replace(/::pgcompute.*::/, `::${dynamicType}::`) }),
  );
  const lines = [
    " --fleet previews",
    " --fleet previews --name 'pr-*'",
    " --fleet previews --name main --name far --type read_only",
    "",
    " --name 'pr-*'",
    " --name x",
    " --fleet previews --name x",
  ].map((more): Line => [`import-file --from -${more}`, { title: "a stack's state", input }]);
  const single = JSON.stringify(exportOf(endpoint("a")));
  const secretly = { ...dynamic, outputs: { endpoints: SECRET, __pgcompute: SECRET } };
  const hidden = JSON.stringify(exportOf(secretly, endpoint("b")));
  const others: Line[] = [
    ["import-file --from -", { title: "a state of single endpoints", input: single }],
    ["import-file --from -", { title: "a fleet of the dynamic host", input: fleet }],
    [
      "import-file --from - --fleet previews",
      {
        title: "a stack whose branch is a secret",
        input: JSON.stringify(exportOf(endpoint("a", { outputs: { branchId: SECRET } }))),
      },
    ],
    ["import-file --from -", { title: "a fleet whose members are a secret", input: hidden }],
    ["import-file --from - --fleet previews", { title: "a single endpoint beside such a fleet", input: hidden }],
  ];
  const text = await transcriptOf([...lines, ...others]);
  expect(text).not.toContain(PASSWORD);
  await expectTold("import-file-stack", text);
});

const settings = { pg_settings: { "app.password": PASSWORD } };
const stored = (id: string, more: object = {}) => ({
  ...{ id, project_id: "shop-1", branch_id: `br-${id}`, type: "read_write" as const, host: `${id}.test`, settings },
  ...more,
});
const sizes = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 300 };
const four = [
  stored("ep-a", sizes),
  stored("ep-b", { ...sizes, autoscaling_limit_max_cu: 2 }),
  stored("ep-c", { ...sizes, type: "read_only", branch_id: "br-ep-a" }),
  stored("shop-1/ep-d", { ...sizes, branch_id: "br-d", suspend_timeout_seconds: -1 }),
];
const states = {
  kislerdm: terraformState("kislerdm", four, 'module.eu.module.shop["x"]'),
  kenchan0130: terraformState("kenchan0130", four, 'module.eu.module.shop["x"]'),
  "of which one size is not known": terraformState("kenchan0130", [
    stored("ep-a", { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 }),
    stored("ep-b"),
  ]),
};

it("import-file takes from a Terraform state its endpoints, and none of its secrets", async () => {
  const folder = temporaryFolder();
  const program = join(folder, "fleet.json");
  const told: string[] = [];
  for (const [name, input] of Object.entries(states)) {
    expect(input).toContain(PASSWORD);
    const lines = ["", ` --fleet previews --program ${program}`].map(
      (more): Line => [`import-file --from -${more}`, { input }],
    );
    told.push(`# ${name}\n${await transcriptOf(lines)}--- fleet.json\n${readFileSync(program, "utf8")}`);
  }
  const two = terraformState("kislerdm", [stored("ep-a"), stored("ep-b", { project_id: "shop-2" })]);
  const deposed = two.replace('"index_key":"0"', '"index_key":"0","deposed":"0a1b2c3d"');
  const parts: Line[] = [
    ["import-file --from - --project shop-2", { input: two }],
    ["import-file --from - --branch br-ep-a", { input: two }],
    ["import-file --from -", { input: deposed }],
  ];
  told.push(`# one project, one branch, and without what a replacement has left\n${await transcriptOf(parts)}`);
  const text = told.join("\n");
  expect(text).not.toMatch(/hunter2|a-role's-password/);
  await expectTold("import-file-terraform", text.replaceAll(folder, "/folder"));
});

/** The state of one resource of a provider, beside what it keeps secret. */
const stateOf = (provider: string, type: string, ...all: object[]) =>
  JSON.stringify({
    version: 4,
    resources: all.map((attributes, at) => ({
      mode: "managed",
      type,
      name: `r${at}`,
      provider: `provider["registry.terraform.io/${provider}"]`,
      instances: [{ attributes: { database_password: PASSWORD, ...attributes } }],
    })),
  });
const kislerdmProject = { id: "shop-1", default_branch_id: "br-main", default_endpoint_id: "ep-main" };
const untoldProjects = stateOf(
  "kislerdm/neon",
  "neon_project",
  kislerdmProject,
  ...["shop-2", "shop-3"].map((id) => ({ ...kislerdmProject, id, default_endpoint_id: null })),
);
const communityEndpoint = {
  host: "ep-x.test",
  min_cu: 0.25,
  max_cu: 2,
  suspend_timeout: 300,
  compute_provisioner: "k8s-neonvm",
};
const COMMUNITY = "terraform-community-providers/neon";
const insideOthers: Record<string, [string, string?]> = {
  "kislerdm's project": [
    stateOf(
      "kislerdm/neon",
      "neon_project",
      {
        ...kislerdmProject,
        branch: [{ id: "br-main", name: "main" }],
        default_endpoint_settings: [{ id: "ep-main", ...sizes }],
      },
      { ...kislerdmProject, id: "shop-2", default_endpoint_id: "ep-two", default_endpoint_settings: [sizes] },
      {
        ...kislerdmProject,
        id: "shop-3",
        default_endpoint_id: undefined,
        primary_compute: { id: "ep-three", ...sizes },
      },
      { ...kislerdmProject, id: "shop-4", default_endpoint_id: "" },
    ),
  ],
  "one of its projects": [untoldProjects, " --project shop-2"],
  "one of its branches": [untoldProjects, " --branch br-main"],
  "the community's projects": [
    stateOf(COMMUNITY, "neon_project", {
      id: "shop-1",
      branch: { id: "br-main", endpoint: { id: "ep-main", ...communityEndpoint } },
    }),
  ],
  "the community's branches": [
    stateOf(
      COMMUNITY,
      "neon_branch",
      { id: "br-dev", project_id: "shop-1", parent_id: "br-main", endpoint: { id: "ep-dev", ...communityEndpoint } },
      { id: "br-bare", project_id: "shop-1", parent_id: "br-main", endpoint: null },
      { id: "br-odd", project_id: "shop-1", endpoint: { min_cu: 1 } },
    ),
  ],
  "the community's replicas": [
    stateOf(COMMUNITY, "neon_endpoint", {
      id: "ep-a",
      project_id: "shop-1",
      branch_id: "br-main",
      ...communityEndpoint,
    }),
  ],
  "a project that tells no endpoint": [
    stateOf("kenchan0130/neon", "neon_project", { id: "shop-1", default_endpoint_settings: sizes }),
  ],
  "a pooled host": [
    stateOf(
      "kislerdm/neon",
      "neon_endpoint",
      { ...four[0], host: "ep-a-pooler.eu.test", pooler_enabled: true },
      { ...four[1] },
    ),
  ],
};

it("import-file reads endpoints inside projects and branches, and names what their state does not tell", async () => {
  const lines = Object.entries(insideOthers).flatMap(([title, [input, more = ""]]): Line[] => [
    [`import-file --from -${more}`, { title, input }],
    [`import-file --from - --fleet previews --program -${more}`, { title, input }],
  ]);
  const shown = JSON.stringify({ format_version: "1.0", values: { root_module: {} } });
  const text = await transcriptOf([
    ...lines,
    ["import-file --from -", { title: "terraform show -json", input: shown }],
  ]);
  expect(text).not.toContain(PASSWORD);
  await expectTold("import-file-inside", text);
});
