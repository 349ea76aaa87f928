import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../cli/review/plan";
import { toReport } from "../../cli/review/report";
import { root } from "../../tools/root.mjs";
import { pluginHost } from "../engine/support/hosts";
import { useBench } from "../engine/support/platform";
import type { Project } from "../engine/support/project";

const bench = useBench();

/**
 * Runs a policy pack for an engine without its Node.js language host: a pack may be a program, which the engine starts
 * with its address. The pack does the rest.
 */
const runner = '#!/bin/sh\ncd "$(dirname "$0")"\nexec node index.js "$1" .\n';

/** The example's pack, compiled where node finds its packages, as a program. */
function install(project: Project): string {
  const source = join(root, "examples/pipeline/policy");
  const pack = join(project.folders.home, "policy");
  mkdirSync(pack, { recursive: true });
  for (const name of ["index", "rules"]) {
    const { outputText } = ts.transpileModule(readFileSync(join(source, `${name}.ts`), "utf8"), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, esModuleInterop: true },
    });
    writeFileSync(join(pack, `${name}.js`), outputText);
  }
  for (const name of ["PulumiPolicy.yaml", "package.json"]) {
    writeFileSync(join(pack, name), readFileSync(join(source, name)));
  }
  const program = join(pack, "run");
  writeFileSync(program, runner);
  chmodSync(program, 0o755);
  return program;
}

describe("the example's policy pack on the engine", () => {
  it("stops a large size outside production, and lets a small one through", async () => {
    const program = bench.program(pluginHost);
    const pack = install(program.project);
    const branchId = bench.branch();
    const sized = (sizeCu: number) => program.is({ main: { args: { projectId: bench.projectId, branchId, sizeCu } } });
    const args = ["--policy-pack", pack];
    const refused = await sized(4).preview({ args, expectFailure: true });
    expect(refused.text).toMatch(/size-outside-production/);
    expect(refused.text).toMatch(/4 CU is more than the 2 CU that stacks outside production may have/);
    expect((await sized(2).preview({ args })).changes).toMatchObject({ create: 1 });

    const endpoints = { large: { branchId }, small: { branchId: bench.branch(), sizeCu: 1 } };
    const members = { projectId: bench.projectId, defaults: { sizeCu: 4 }, endpoints };
    const fleet = await program.is({ previews: { isFleet: true, args: members } }).preview({
      args,
      expectFailure: true,
    });
    expect(fleet.text).toMatch(/large: 4 CU is more than the 2 CU/);
    expect(fleet.text).not.toMatch(/small: /);

    // A pipeline has only what is printed: the review must not take the plan for a good one.
    const streaming = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };
    const streamed = await sized(4).preview({ args: [...args, "--json"], env: streaming, expectFailure: true });
    const { errors, summary } = toReport(readPlan(Buffer.from(streamed.stdout)));
    expect(errors.join("\n")).toMatch(/policy size-outside-production \(main\): .*4 CU is more than the 2 CU/s);
    expect(summary).toMatch(/^The preview failed/);
  });

  it("lets through what the pipeline excepts, and the review names it no error", async () => {
    const program = bench.program(pluginHost);
    const pack = install(program.project);
    const config = join(program.project.folders.home, "policy.json");
    const large = program.is({ main: { args: { projectId: bench.projectId, branchId: bench.branch(), sizeCu: 4 } } });
    const match = [{ policies: ["size-outside-production"], targets: [program.urn("main")] }];
    const exceptions = { "EXC-1": { reason: "a load test", match } };
    writeFileSync(config, JSON.stringify({ version: 2, policies: {}, exceptions }));

    const args = ["--policy-pack", pack, "--policy-pack-config", config, "--json"];
    const streamed = await large.preview({ args, env: { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" } });
    expect(streamed.stdout).toMatch(/"exceptions"/);
    expect(toReport(readPlan(Buffer.from(streamed.stdout)))).toMatchObject({ errors: [] });
  });

  it("takes its settings from the pipeline: which stacks are previews and which production", async () => {
    const program = bench.program(pluginHost);
    const pack = install(program.project);
    const config = join(program.project.folders.home, "policy.json");
    const preview = async (settings: object, properties: object, options: object = {}) => {
      const policies = ["size-outside-production", "previews-autosuspend", "production-protected"];
      writeFileSync(config, JSON.stringify(Object.fromEntries(policies.map((name) => [name, settings]))));
      const args = { projectId: bench.projectId, branchId: bench.branch(), ...properties };
      const stack = program.is({ main: { args, options } });
      const flags = ["--policy-pack", pack, "--policy-pack-config", config];
      const expectFailure = "productionStacks" in settings;
      return stack.preview({ args: [...flags, "--diff"], expectFailure });
    };
    // The tests' stack is named dev.
    const asPreview = await preview({ previewPrefix: "dev" }, { suspendTimeoutSeconds: -1 });
    expect(asPreview.text).toMatch(/\[remediate\] .*previews-autosuspend/);
    expect(asPreview.text).toMatch(/suspendTimeoutSeconds *: *300/);
    const asProduction = await preview({ productionStacks: ["dev"] }, { sizeCu: 7 });
    expect(asProduction.text).toMatch(/need the resource option protect: true/);
    expect(asProduction.text).not.toMatch(/7 CU is more than/);
  });
});
