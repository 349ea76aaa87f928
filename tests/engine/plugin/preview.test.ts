import { describe, expect, it } from "vitest";
import { pluginHost } from "../support/hosts";
import { said } from "../support/look";
import { type Program, useBench } from "../support/platform";
import type { Run } from "../support/run";

const bench = useBench();

/** A step of `preview --json`. */
interface PlannedStep {
  op: string;
  urn: string;
  replaceReasons?: string[];
  detailedDiff?: Record<string, { kind: string; inputDiff: boolean }>;
}

/** What `pulumi preview --diff --json` says about the resource `main`. */
async function planned({ project }: Program): Promise<{ step: PlannedStep; diagnostics: { message: string }[] }> {
  const ended = await project.cli(["preview", "--diff", "--json", "--non-interactive", "--stack", "dev"]);
  expect(ended.code, ended.text).toBe(0);
  const { steps, diagnostics = [] } = JSON.parse(ended.stdout);
  return { step: steps.find(({ urn }: PlannedStep) => urn.endsWith("::main")), diagnostics };
}

/** The outputs that a run says a resource has, or will have. */
function outputsOf({ steps }: Run, name: string): Record<string, unknown> | undefined {
  return steps.find((step) => step.name === name)?.new?.outputs;
}

/** The kinds of a detailed diff, by path. */
function kindsOf({ detailedDiff = {} }: PlannedStep): Record<string, string> {
  return Object.fromEntries(Object.entries(detailedDiff).map(([path, { kind }]) => [path, kind]));
}

describe("a preview by the plugin", () => {
  it("shows the outputs that are known, then each property's change, and why it replaces", async () => {
    const [branchId, otherBranchId] = [bench.branch(), bench.branch()];
    const { projectId } = bench;
    const program = await bench.program(pluginHost);
    const main = { projectId, branchId, type: "read_only", autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 };
    const pgSettings = { work_mem: "64MB", log_statement: "all", "my.name": "a" };
    const first = program.is({ main: { args: { ...main, pgSettings } } });
    const create = outputsOf(await first.preview(), "main");
    expect(create).toMatchObject({ maxConnections: 225, autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2 });
    expect(create).not.toHaveProperty("host", expect.stringContaining("ep-"));
    await first.up();

    const changed = { log_statement: "none", "my.name": "b", maintenance_work_mem: "1GB" };
    const second = { ...main, autoscalingLimitMaxCu: 4, poolerEnabled: true, pgSettings: changed };
    const preview = await program.is({ main: { args: second } }).preview();
    expect(outputsOf(preview, "main")).toMatchObject({
      autoscalingLimitMaxCu: 4,
      maxConnections: 225,
      host: expect.stringMatching(/^ep-/),
    });
    const update = await planned(program);
    expect(update.step.op).toBe("update");
    expect(kindsOf(update.step)).toEqual({
      autoscalingLimitMaxCu: "update",
      poolerEnabled: "add",
      "pgSettings.log_statement": "update",
      "pgSettings.maintenance_work_mem": "add",
      "pgSettings.work_mem": "delete",
      'pgSettings["my.name"]': "update",
    });
    expect(update.diagnostics.map(({ message }) => message).join("\n")).toMatch(/restart/);

    bench.emulator.admin.seedEndpoint(projectId, { branch_id: otherBranchId });
    const moved = program.is({ main: { args: { ...main, branchId: otherBranchId, pgSettings } } });
    const replace = await planned(program);
    expect(replace.step).toMatchObject({ op: "replace", replaceReasons: ["branchId"] });
    expect(kindsOf(replace.step)).toEqual({ branchId: "update-replace" });
    const why = `replaced: branch ${otherBranchId} has another endpoint by then`;
    expect(said(await moved.preview(), "main")).toContain(why);
    expect((await moved.destroy()).changes).toMatchObject({ delete: 1 });
  });
});
