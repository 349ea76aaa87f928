import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { pluginHost as host, hosts } from "../support/hosts";
import { useBench } from "../support/platform";
import { createProject, type Project } from "../support/project";
import type { Stack } from "../support/stack";

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

async function expectAdviceWithoutKeys(stack: Stack, project: Project): Promise<void> {
  const { failure, text, diagnostics } = await stack.preview({ expectFailure: true });
  for (const line of advice) expect(failure).toContain(`pgcompute:${line}`);
  // Not in the engine's own copy of a stack's plain configuration, which the events have.
  expect(`${text}\n${JSON.stringify(diagnostics)}\n${project.stateText()}`).not.toMatch(/napi_/);
  project.close();
}

// The plugin has a configuration of its own, the dynamic host the stack's.
it.each(hosts)(
  "a key in the wrong place of the configuration is not printed, in the clear or as a secret, and what is wrong is said by the names of the settings, by the $name host",
  async (host) => {
    const project = createProject();
    for (const [at, [name, value]] of Object.entries(misplaced).entries())
      project.setConfig({ [`pgcompute:${name}`]: at % 2 === 0 ? value : { secret: value } });
    const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId: bench.branch() } } });
    await expectAdviceWithoutKeys(stack, project);
  },
);

it("a key in the wrong place of an explicit provider is not printed for a program in Node.js", async () => {
  const project = createProject();
  const stack = project.stack(async () => {
    new (class extends pulumi.ProviderResource {
      constructor() {
        super("pgcompute", "other", { ...misplaced, apikey: pulumi.secret(misplaced.apikey) });
      }
    })();
  });
  await expectAdviceWithoutKeys(stack, project);
});

it.each(hosts)(
  "a setting that there is none of is refused without its value, with the command that takes it out, by the $name host",
  async (host) => {
    const project = bench.project({ "pgcompute:maxAnswerBytes": "napi_12_bytes" });
    const branchId = bench.branch();
    const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId } } });
    const { text } = await stack.preview({ expectFailure: true });
    expect(text).toMatch(/maxAnswerBytes: unknown configuration key/);
    expect(text).not.toContain("napi_12_bytes");
    // As the message says.
    const [, command = ""] = text.match(/to take it out, run:\n +pulumi (config rm \S+)/) ?? [];
    await project.cli([...command.split(" "), "--stack", "dev"]);
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    await stack.destroy();
    expect(bench.on(branchId)).toEqual([]);
  },
);

// By the environment alone: tests/unit/config/resolve.test.ts. A call's contents:
// tests/provider/platform/http/trace.test.ts.
it("a trace for support has every call, by the configuration rather than the environment", async () => {
  const { admin } = bench.emulator;
  const project = bench.project({ "pgcompute:traceFile": "up.jsonl" });
  const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId: bench.branch() } } });
  admin.clearLog();
  await stack.up({ env: { PGCOMPUTE_TRACE_FILE: "unused.jsonl" } });
  const fileOf = (name: string) => join(project.folders.program, name);
  const lines = readFileSync(fileOf("up.jsonl"), "utf8").trimEnd().split("\n");
  expect(admin.log().length).toBeGreaterThan(0);
  expect(lines).toHaveLength(admin.log().length);
  expect(existsSync(fileOf("unused.jsonl"))).toBe(false);
});
