import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { pluginHost as host, hosts } from "../support/hosts";
import { endpointsOn, useBench } from "../support/platform";
import { createProject, type Project } from "../support/project";
import type { Run } from "../support/run";

const bench = useBench({ apiKey: "napi_of_the_emulator_0000" });

/** A key in every place that is not its own. */
const misplaced = {
  apikey: "napi_misspelt_once_0001",
  api_key: "napi_misspelt_twice_0002",
  plan: "napi_in_the_plan_0003",
  requestTimeoutSeconds: "napi_in_a_number_0004",
  baseUrl: "https://napi_in_the_address_0005@platform.example/api/v2",
};
const advice = [
  'apikey: unknown configuration key; did you mean "apiKey"?',
  'api_key: unknown configuration key; did you mean "apiKey"?',
  'plan: has to be "free" or "launch" or "scale" or "paid"',
  "requestTimeoutSeconds: has to be a number",
  "baseUrl: it must not hold a user name or password; the key goes into apiKey",
];

/** What people are shown, and what the engine keeps of it; not its own copy of a stack's plain configuration. */
function shown({ text, diagnostics }: Run): string {
  return `${text}\n${JSON.stringify(diagnostics)}`;
}

function expectAdviceWithoutKeys(run: Run, project: Project): void {
  for (const line of advice) expect(run.failure).toContain(`pgcompute:${line}`);
  expect(shown(run)).not.toMatch(/napi_/);
  expect(project.stateText()).not.toMatch(/napi_/);
}

// The plugin has a configuration of its own, the dynamic host the stack's.
describe.each(hosts)("a key in the wrong place of the configuration, by the $name host", (host) => {
  it("is not printed, in the clear or as a secret, and what is wrong is said by the names of the settings", async () => {
    const entries = Object.entries(misplaced).map(([name, value], at) => [
      `pgcompute:${name}`,
      at % 2 === 0 ? value : { secret: value },
    ]);
    const project = await createProject({ config: Object.fromEntries(entries) });
    const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId: bench.branch() } } });
    expectAdviceWithoutKeys(await stack.preview({ expectFailure: true }), project);
    project.close();
  });
});

it("a key in the wrong place of an explicit provider is not printed for a program in Node.js", async () => {
  const project = await createProject();
  const stack = project.stack(async () => {
    new (class extends pulumi.ProviderResource {
      constructor() {
        super("pgcompute", "other", { ...misplaced, apikey: pulumi.secret(misplaced.apikey) });
      }
    })();
  });
  expectAdviceWithoutKeys(await stack.preview({ expectFailure: true }), project);
  project.close();
});

describe.each(hosts)("a setting that this version has no more, by the $name host", (host) => {
  it("is ignored, with one warning a run that names what holds instead, and without its value", async () => {
    const project = await bench.project({ "pgcompute:maxAnswerBytes": "napi_12_bytes" });
    const branchId = bench.branch();
    const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId } } });
    for (const verb of ["up", "destroy"] as const) {
      const warnings = (await stack[verb]()).diagnostics.filter(({ message }) => message.includes("maxAnswerBytes"));
      expect(warnings, verb).toEqual([
        expect.objectContaining({
          severity: "warning",
          message: expect.stringMatching(
            /maxAnswerBytes is ignored.* 256 MiB .* run: pulumi config rm pgcompute:maxAnswerBytes\s*$/,
          ),
        }),
      ]);
      if (verb !== "up") continue;
      expect(endpointsOn(bench, branchId)).toHaveLength(1);
      // As the message says; the provider of the state still has it, as those that earlier versions wrote.
      if (host.name === "plugin") await project.cli(["config", "rm", "pgcompute:maxAnswerBytes", "--stack", "dev"]);
    }
    expect(endpointsOn(bench, branchId)).toEqual([]);
  });
});

it("an address that only the state names gets no key of the environment", async () => {
  const { url, apiKey } = bench.emulator;
  const branchId = bench.branch();
  const project = await createProject({ config: { "pgcompute:baseUrl": url }, env: { PGCOMPUTE_API_KEY: apiKey } });
  const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId } } });
  await stack.up();
  const state = project.exportState();
  project.importState(JSON.parse(JSON.stringify(state).replaceAll(url, "https://platform.example/api/v2")));
  const refused = await stack.destroy({ expectFailure: true });
  expect(refused.failure).toMatch(/baseUrl: the API key comes from .* PGCOMPUTE_BASE_URL=ADDRESS beside the key/);
  project.importState(state);
  await stack.destroy();
  expect(endpointsOn(bench, branchId)).toEqual([]);
  project.close();
});

/** The calls of a trace beside those that the platform has seen since its log was cleared, in an order of their own. */
function expectAllCalls(project: Project, file: string): void {
  const text = readFileSync(join(project.folders.program, file), "utf8");
  expect(text).not.toContain(bench.emulator.apiKey);
  const traced = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const short = ({ method, path, status }: { method: string; path: string; status: number | undefined }) =>
    `${method} ${path.replace(/^.*\/v2/, "").replace(/\?.*$/, "")} ${status}`;
  const seen = bench.emulator.admin.log().map(short);
  expect(seen.length).toBeGreaterThan(0);
  expect(traced.map(short).sort()).toEqual(seen.sort());
}

it("a trace for support has every call, by the environment or by the configuration", async () => {
  const project = await bench.project();
  const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId: bench.branch() } } });
  bench.emulator.admin.clearLog();
  await stack.preview({ env: { PGCOMPUTE_TRACE_FILE: "preview.jsonl" } });
  expectAllCalls(project, "preview.jsonl");

  await project.setConfig({ "pgcompute:traceFile": "up.jsonl" });
  bench.emulator.admin.clearLog();
  await stack.up({ env: { PGCOMPUTE_TRACE_FILE: "unused.jsonl" } });
  expectAllCalls(project, "up.jsonl");
  expect(existsSync(join(project.folders.program, "unused.jsonl"))).toBe(false);
});
