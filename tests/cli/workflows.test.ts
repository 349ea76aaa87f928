import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createEmulator } from "../../emulator";
import { root } from "../../tools/root.mjs";

interface Step {
  name?: string;
  run?: string;
  uses?: string;
}

interface Workflow {
  jobs: Record<string, { steps: Step[] }>;
}

const examples = join(root, "examples");
const samples = join(root, "tests/unit/cli/samples");

const workflows = readdirSync(examples).flatMap((example) => {
  const folder = join(examples, example, ".github/workflows");
  return existsSync(folder) ? readdirSync(folder).map((file) => join(example, ".github/workflows", file)) : [];
});

function read(path: string): Workflow {
  return parse(readFileSync(join(examples, path), "utf8"));
}

/** The script of a step, as the workflow has it. */
function scriptOf(path: string, name: string): string {
  const steps = Object.values(read(path).jobs).flatMap((job) => job.steps);
  const script = steps.find((step) => step.name === name)?.run;
  if (script === undefined) throw new Error(`${path} has no step "${name}" with a script`);
  return script;
}

/** A folder to run steps in, where `gh` and `pulumi` write down what they are called with and `npx pgcompute` is this one. */
function openRunner(plan: string, said: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-workflow-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tool = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  tool("npx", `shift\nexec node ${join(root, "bin/pgcompute.cjs")} "$@"`);
  tool("pulumi", `echo "pulumi $*" >> calls.txt\ncat ${join(samples, plan)}`);
  const answers = Object.entries(said).map(([words, text]) => `[[ "$*" == *"${words}"* ]] && printf '%s' '${text}'`);
  tool("gh", `echo "gh $*" >> calls.txt\n${answers.join("\n")}\ntrue`);
  const file = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  return {
    file,
    /** Runs a step's script as a runner does, and gives the exit code. */
    async run(script: string, env: Record<string, string> = {}): Promise<number> {
      const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], {
        stdio: "ignore",
        cwd: folder,
        env: {
          PATH: [folder, process.env.PATH].join(delimiter),
          GITHUB_OUTPUT: join(folder, "output.txt"),
          GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
          GITHUB_REPOSITORY: "o/r",
          STACK: "prod",
          PR: "7",
          ...env,
        },
      });
      return new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (code) => resolve(code ?? -1));
      });
    },
  };
}

describe("every workflow", () => {
  it.each(workflows)("%s has steps that bash understands and actions of a fixed version", (path) => {
    const steps = Object.values(read(path).jobs).flatMap((job) => job.steps);
    expect(steps.length).toBeGreaterThan(3);
    for (const { run, uses } of steps) {
      if (uses !== undefined) expect(uses).toMatch(/@v\d+$/);
      else expect(spawnSync("bash", ["-n", "-c", run ?? ""], { encoding: "utf8" }).stderr).toBe("");
    }
  });

  it.each(workflows)("%s puts nothing of a pull request into a script's text", (path) => {
    for (const { run = "" } of Object.values(read(path).jobs).flatMap((job) => job.steps))
      expect(run).not.toContain("${{");
  });
});

describe("the preview workflow", () => {
  const path = "pipeline/.github/workflows/preview.yml";
  const step = (name: string) => scriptOf(path, name);

  it("reviews the plan, comments, and stops what nobody has approved", async () => {
    const runner = openRunner("plugin-changes-streamed.jsonl");
    expect(await runner.run(step("preview"))).toBe(0);
    expect(runner.file("calls.txt")).toBe("pulumi preview --stack prod --json --policy-pack policy\n");
    expect(await runner.run(step("review"))).toBe(0);
    expect(runner.file("output.txt")).toBe("code=3\n");
    expect(runner.file("summary.md")).toBe(runner.file("review.md"));
    expect(runner.file("review.md")).toMatch(/^<!-- pgcompute-review -->\n\n\*\*8 endpoints change/);
    expect(await runner.run(step("comment"))).toBe(0);
    expect(runner.file("calls.txt")).toMatch(
      /gh api --method POST repos\/o\/r\/issues\/7\/comments -F body=@review\.md/,
    );
    expect(await runner.run(step("gate"), { CODE: "3", APPROVED: "false" })).toBe(1);
    expect(await runner.run(step("gate"), { CODE: "3", APPROVED: "true" })).toBe(0);
    expect(await runner.run(step("gate"), { CODE: "0", APPROVED: "false" })).toBe(0);
  });

  it("writes its own comment anew", async () => {
    const runner = openRunner("plugin-changes.json", { "--paginate": "4711\n" });
    await runner.run(`${step("preview")}\n${step("review")}`);
    expect(await runner.run(step("comment"))).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/gh api --method PATCH repos\/o\/r\/issues\/comments\/4711 -F/);
  });

  it("lets a harmless plan through, and fails with a preview that failed", async () => {
    const harmless = openRunner("plugin-import.json");
    expect(await harmless.run(`${step("preview")}\n${step("review")}`)).toBe(0);
    expect(harmless.file("output.txt")).toBe("code=0\n");
    const failed = openRunner("plugin-failed.json");
    expect(await failed.run(`${step("preview")}\n${step("review")}`)).toBe(1);
    expect(failed.file("review.md")).toMatch(/looks like a branch's name/);
  });
});

describe("the deploy workflow", () => {
  const review = () => scriptOf("pipeline/.github/workflows/deploy.yml", "review");

  it.each([
    ["plugin-changes.json", "environment=production-disruptive\n", 0],
    ["plugin-import.json", "environment=production\n", 0],
    ["plugin-failed.json", "", 1],
  ])("sends %s to the environment that may have it", async (plan, output, code) => {
    const runner = openRunner(plan);
    expect(await runner.run(`pulumi > plan.json\n${review()}`)).toBe(code);
    expect(runner.file("output.txt")).toBe(output);
  });
});

describe("the drift workflow", () => {
  const steps = () =>
    ["compare", "review", "report"].map((name) => scriptOf("pipeline/.github/workflows/drift.yml", name));

  it("opens an issue, or writes the open one anew", async () => {
    const first = openRunner("plugin-changes.json");
    expect(await first.run(steps().join("\n"))).toBe(0);
    expect(first.file("calls.txt")).toMatch(/gh issue create --title Drift: 8 endpoints change: 1 restarts/);
    const next = openRunner("plugin-changes.json", { "issue list": "12" });
    expect(await next.run(steps().join("\n"))).toBe(0);
    expect(next.file("calls.txt")).toMatch(/gh issue edit 12 --title Drift/);
  });

  it("closes it when there is nothing left", async () => {
    const runner = openRunner("plugin-changes.json", { "issue list": "12" });
    const same = `${steps()[0]}\necho '{"changeSummary": {"same": 3}}' > plan.json\n${steps()[1]}\n${steps()[2]}`;
    expect(await runner.run(same)).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/gh issue close 12/);
  });
});

describe("the preview environment's branch", () => {
  it("is created once, waited for, and found again", async () => {
    const emulator = await createEmulator({ operationMs: 20 });
    onTestFinished(() => emulator.close());
    const path = "preview-environments/.github/workflows/preview-environment.yml";
    const runner = openRunner("plugin-import.json");
    const env = {
      PGCOMPUTE_API_KEY: emulator.apiKey,
      PGCOMPUTE_BASE_URL: emulator.url,
      PGCOMPUTE_PROJECT_ID: emulator.projectId,
      STACK: "pr-7",
    };
    const script = scriptOf(path, "branch").replace("branch.mjs", join(examples, "preview-environments/branch.mjs"));
    const output = async () => {
      const before = runner.file("output.txt");
      expect(await runner.run(script, env)).toBe(0);
      return Object.fromEntries(
        runner
          .file("output.txt")
          .slice(before.length)
          .trim()
          .split("\n")
          .map((line) => line.split("=") as [string, string]),
      );
    };
    const created = await output();
    expect(created.branch_id).toMatch(/^br-/);
    expect(created.operations).toMatch(/^[-0-9a-f]{36}/);
    const wait = scriptOf(path, "wait for the branch");
    expect(await runner.run(wait, { ...env, OPERATIONS: created.operations ?? "" })).toBe(0);
    expect(await output()).toEqual({ branch_id: created.branch_id, operations: "" });
    const made = emulator.admin.project(emulator.projectId).branches.filter(({ name }) => name === "preview/pr-7");
    expect(made).toMatchObject([{ id: created.branch_id }]);
  });
});
