/** Commands that list, refuse or explain. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../tools/root.mjs";
import { type Bench, useBench } from "../support/bench";
import { temporaryFolder } from "../support/temporary-folder";
import { terraformState } from "../support/terraform-states";
import { answersIn, expectTold, type Line, transcriptOf } from "./support/transcript";

const noKey = { env: { PGCOMPUTE_API_KEY: "" } };
const ownKey = { env: { PGCOMPUTE_API_KEY: "s3cret-0123456789" } };
const noProject = { env: { PGCOMPUTE_PROJECT_ID: "" } };
const sample = (name: string) => join(root, "tests/unit/cli/samples", name);
const imported = `review ${sample("plugin-import.json")}`;

it("what is refused before anything is asked of the platform", async () => {
  const bench = await useBench();
  const text = await transcriptOf(
    [
      "",
      "endpoint",
      "endpoints --state idle",
      "endpoints supend ep-a",
      "endpoints ep-cool-rain-1",
      "operations waite",
      "--api-key=s3cret",
      "endpoints --api-key s3cret",
      "operations --token=s3cret",
      ["endpoints s3cret-0123456789", ownKey],
      ["endpoints --s3cret-0123456789", ownKey],
      ["endpoints", noKey],
      ["endpoints", noProject],
      "endpoints --project 'My Shop'",
      "endpoints --base-url http://example.com/v2",
      ["endpoints", { env: { PGCOMPUTE_BASE_URL: "http://example.com/v2" } }],
      "endpoints start a/b/c",
      "operations --follow --page 2",
      "operations --limit 1.5",
      ["init /proc/nowhere", noKey],
      "init /proc/nowhere --emulator --project zebra-1",
      "init /proc/nowhere --emulator --base-url http://127.0.0.1:4011/api/v2",
      ["review --live", { input: '{"steps":[],"duration":1}', ...noKey }],
    ],
    bench,
  );
  expect(answersIn(text)).not.toContain("s3cret");
  await expectTold("refused", text.replace(/^@ .*\n(?=! pgcompute: no API key)/gm, ""));
  expect(bench.emulator.admin.log()).toEqual([]);
});

it("what the review refuses", async () => {
  const text = await transcriptOf([
    "review --price-per-cu-hour 0.16XQX",
    "review --price-per-cu-hour 0",
    "review --format pdf",
    "review --fail-on restrat",
    "review --fail-on ''",
    "review --drift --fail-on delete",
    "review --out r.md --out r.html --format html",
    "review /nowhere/plan.json",
    `review ${root}`,
    "review a b",
    ["review", { input: "" }],
    ["review", { terminal: true }],
    ["review", { input: "Previewing update (dev)\n" }],
    ["review", { input: 'warning: x\n{"steps": []}' }],
    ["review", { input: '{"steps": [' }],
    ["review", { input: '{"version":3,"deployment":{"resources":[]}}' }],
    ...["refresh.json", "refresh-streamed.jsonl"].map((name) => `review ${sample(`plugin-${name}`)}`),
    ...["import.json", "changes.json", "changes-streamed.jsonl", "changes-refreshed.json"].map(
      (name) => `review ${sample(`plugin-${name}`)} --drift`,
    ),
    `review ${sample("dynamic-refresh.json")} --drift`,
    `${imported} --expect /nowhere/a`,
    `${imported} --expect ${sample("plugin-import.json")}`,
    `${imported} --out /nowhere/a.md`,
  ]);
  await expectTold("review-refused", text);
});

it("what the commands on states refuse", async () => {
  const password = "hunter2-hunter2";
  const stored = (id: string, project_id: string) => ({
    ...{ id, project_id, branch_id: `br-${id}`, type: "read_write" as const, host: `${id}.test` },
    settings: { pg_settings: { "app.password": password } },
  });
  const two = terraformState("kislerdm", [stored("ep-a", "shop-1"), stored("ep-b", "shop-2")]);
  const from = (title: string, input: string, more = ""): Line => [`import-file --from -${more}`, { title, input }];
  const state = JSON.stringify({ version: 3, deployment: { resources: [] } });
  const text = await transcriptOf([
    from("no state", password),
    from("a state of an older form", '{"version":3,"modules":[]}'),
    from("an endpoint without its project", two.replace('"project_id":"shop-1",', "")),
    from("a branch that is no id", two.replace("br-ep-a", "br a")),
    from("no endpoints", terraformState("kislerdm", [])),
    from("none of that type", two, " --type read_only"),
    from("endpoints of two projects", two, " --fleet previews"),
    from("a program of single endpoints", two, " --program fleet.json"),
    from("no folder to write in", two, " --out /nowhere/import.json"),
    "state list --state /nowhere/old.json",
    ["state list", { terminal: true }],
    ["state list", { input: "" }],
    ["state list", { input: "{" }],
    ["state list", { input: "[]" }],
    ["state list", { input: '{"version":3,"deployment":{"resources":[{"urn":1}]}}' }],
    "state forget shop-1",
    ["state list --out x", { input: state }],
  ]);
  expect(answersIn(text)).not.toContain(password);
  await expectTold("states-refused", text);
});

/** Two projects, one of them with branches, endpoints in several states and operations. */
async function openShop(): Promise<Bench> {
  const bench = await useBench({ operationMs: 9_000 });
  const { admin, projectId, branchId, endpointId } = bench.emulator;
  admin.seedProject({ id: "zebra-1", name: "Zebra" });
  admin.seedBranch(projectId, { id: "br-orders", name: "orders" });
  admin.seedBranch(projectId, { id: "br-empty", name: "empty" });
  const seed = (id: string, more: object = {}) =>
    admin.seedEndpoint(projectId, { id, branch_id: "br-orders", current_state: "active", ...more });
  seed("ep-shop-1", {
    ...{ autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: -1 },
    settings: { pg_settings: { work_mem: "64MB" } },
  });
  for (const id of ["ep-shop-2", "ep-shop-3"]) seed(id, { type: "read_only" });
  admin.changeEndpoint("ep-shop-2", { disabled: true, current_state: "stopped" });
  admin.changeEndpoint("ep-shop-3", { current_state: "active\u001b]0;owned\u0007\u202e" as "active" });
  admin.startOperation({ projectId, action: "check_availability", branchId });
  admin.advance(60_000);
  admin.startOperation({ projectId, action: "apply_config", branchId: "br-orders" });
  admin.advance(60_000);
  admin.startOperation({ projectId, action: "start_compute", branchId, endpointId });
  return bench;
}

it("what is listed and shown", async () => {
  const bench = await openShop();
  const { projectId, endpointId } = bench.emulator;
  const text = await transcriptOf(
    [
      "projects",
      "projects --json",
      "branches",
      "branches --json",
      "endpoints",
      "endpoints list --json",
      "endpoints list --branch orders",
      `endpoints show ${projectId}/ep-shop-1`,
      "endpoints show ep-shop-1",
      "operations",
      "operations --ids",
      "operations --limit 2",
      "operations --limit 2 --page 2",
      "operations --page 9",
      "operations --branch main",
      ["operations --json --project quiet-harbor-12345678 --branch main", noProject],
      [`operations --endpoint ${projectId}/${endpointId}`, noProject],
    ],
    bench,
  );
  // Nothing that a platform answers acts on a terminal.
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const coloured = await transcriptOf(
    ([{}, { NO_COLOR: "1" }, { TERM: "dumb" }] as Record<string, string>[]).map(
      (env): Line => ["operations", { terminal: true, columns: 200, env }],
    ),
    bench,
  );
  await expectTold("listed", text + coloured);
});

it("projects are listed from every page of them", async () => {
  const bench = await useBench();
  for (let at = 0; at < 120; at++) bench.emulator.admin.seedProject({ id: `many-${at}` });
  const told = await transcriptOf(["projects --json"], bench);
  expect(new Set(told.match(/(?<="id": ")[^"]+/g)).size).toBe(121);
  expect(bench.emulator.admin.log().length).toBeGreaterThan(1);
});

it("what the platform has not, or refuses", async () => {
  const bench = await openShop();
  const elsewhere = { env: { PGCOMPUTE_BASE_URL: bench.emulator.url.replace("/v2", "/other/v2") } };
  const text = await transcriptOf(
    [
      "endpoints list --branch order",
      "endpoints show ep-nowhere-1",
      "operations --branch order",
      "operations --endpoint orders",
      "operations wait 00000000-0000-4000-8000-000000000000",
      "branches --project no-such-1",
      `endpoints delete ${bench.emulator.endpointId} --yes`,
      ["init /proc/nowhere", noProject],
      "init /proc/nowhere --project zebra-1 --branch deev",
      ["endpoints", { env: { PGCOMPUTE_API_KEY: "wrong-key" } }],
      ...["projects", "branches", "operations", "endpoints show ep-a"].map((line): Line => [line, elsewhere]),
    ],
    bench,
  );
  await expectTold("not-there", text);
});

it("tables on a terminal are no wider than that, and name what they leave out", async () => {
  const bench = await useBench();
  const told: string[] = [];
  for (const columns of [40, 60, 80, 100, 146]) {
    const lines = ["endpoints", "operations", "branches", "projects", "operations --ids"];
    const text = await transcriptOf(
      lines.map((line) => [line, { terminal: true, columns, env: { NO_COLOR: "1" } }]),
      bench,
    );
    // Operation ids were asked for, and take most of a narrow line by themselves.
    const [usual = ""] = columns < 120 ? text.split(/^\$ .*--ids /m) : [text];
    const rows = usual.split("\n").filter((line) => !/^[$@!]/.test(line));
    expect(rows.filter(({ length }) => length > columns)).toEqual([]);
    told.push(`# ${columns} columns\n${text}`);
  }
  await expectTold("tables", told.join("\n"));
});

it("the help of every command, of which no line passes 80 columns", async () => {
  const groups = ["endpoints", "operations", "state"];
  const pages = async (...commands: string[]) =>
    transcriptOf(commands.map((name): Line => [`${name} --help`.trim(), { terminal: true, columns: 200 }]));
  const whole = await pages("", "review", "init", "projects", "branches", "import-file", ...groups);
  const own = await Promise.all(
    groups.map(async (group) => {
      const [, listed = ""] = /^Commands:\n([\s\S]*?)\n\n/m.exec(`${await pages(group)}\n\n`) ?? [];
      const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => `${group} ${name}`);
      return pages(...names.filter((name) => !name.endsWith(" help")));
    }),
  );
  const text = [whole, ...own].join("");
  expect(text.split("\n").filter(({ length }) => length > 80)).toEqual([]);
  await expectTold("help", text);
});

/** What the engine prints of a fleet that is a secret as a whole. */
const hidden = (op: string, ...steps: object[]) => {
  const type = "pgcompute:index:EndpointFleet";
  const state = { type, inputs: { endpoints: "[secret]" }, outputs: { endpoints: "[secret]" } };
  const fleet = { op, urn: `urn:pulumi:dev::shop::${type}::previews`, oldState: state, newState: state };
  return JSON.stringify({ steps: [fleet, ...steps], changeSummary: { [op]: 1 } });
};
const gone = {
  op: "delete",
  urn: "urn:pulumi:dev::shop::pgcompute:index:Endpoint::gone",
  oldState: { type: "pgcompute:index:Endpoint", id: "p-1/ep-1", inputs: {}, outputs: {} },
};

it("each report is written in the form of its file, and the rest is told", async () => {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const [changes, replacements] = ["plugin-changes.json", "plugin-replacements.json"].map(sample);
  const atTerminal = { terminal: true, columns: 80, env: { NO_COLOR: "1" } };
  const lines = [
    `${imported} --out a.md --out b.HTML --out c.json --out d --fail-on delete`,
    `${imported} --format json --out e`,
    `${imported} --price-per-cu-hour 0.16USD`,
    ["review --out a.md --seal seal.json", { title: "a secret fleet", input: hidden("update") }],
    ["review --out a.md --drift", { title: "a secret fleet", input: hidden("update") }],
    [
      "review --out a.md --drift",
      { title: "a secret fleet, and an endpoint that is gone", input: hidden("update", gone) },
    ],
    ["review - --format markdown", { input: readFileSync(sample("plugin-import-streamed.jsonl"), "utf8") }],
    `review ${changes} --out a.md --fail-on restart`,
    `review ${changes} --out a.md --fail-on 'delete, replace' --fail-on downtime`,
    `review ${changes} --out a.md --platform neon --seal seal.json`,
    `review ${changes} --out a.md --platform neon --show-replacement-steps --seal seal.json`,
    `${imported} --out a.md --expect seal.json`,
    `review ${replacements} --out a.md --show-replacement-steps --expect seal.json`,
    ...["", " --format markdown", " --out a.md"].map((more): Line => [`${imported}${more}`, atTerminal]),
    [`review ${sample("plugin-failed.json")}`, atTerminal],
    `review ${sample("plugin-failed.json")} --fail-on restart`,
    `review ${sample("plugin-failed.json")} --drift --out a.md`,
    ...["plugin-refresh.json", "plugin-refresh-streamed.jsonl", "dynamic-refresh-streamed.jsonl"].map(
      (name) => `review ${sample(name)} --drift --out a.md`,
    ),
    `review ${sample("plugin-refreshed-same.json")} --drift`,
  ] as Line[];
  const inFolder = (line: string) =>
    line.replaceAll(/(?<= )(\w+(?:\.\w+)?)(?= |$)/g, (word, _, at) =>
      /--(out|seal|expect) $/.test(line.slice(0, at)) ? file(word) : word,
    );
  const text = await transcriptOf(
    lines.map((line) => (typeof line === "string" ? inFolder(line) : [inFolder(line[0]), line[1]])),
  );
  const heads = ["a.md", "b.HTML", "c.json", "d", "e"].map((name) => {
    const [first, second] = readFileSync(file(name), "utf8").split("\n");
    return `--- ${name}\n${first}\n${second}\n`;
  });
  await expectTold("reviewed", [text, ...heads].join("").replaceAll(folder, "/folder"));
});
