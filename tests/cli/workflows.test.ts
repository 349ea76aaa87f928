import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../tools/root.mjs";
import { examples, openRunner, readWorkflow, scriptOf } from "./support/runner";

const samples = join(root, "tests/unit/cli/samples");

const workflows = readdirSync(examples).flatMap((example) => {
  const folder = join(examples, example, ".github/workflows");
  return existsSync(folder) ? readdirSync(folder).map((file) => join(example, ".github/workflows", file)) : [];
});

/** A runner whose `pulumi` prints a plan that the engine has printed before. */
function openPlanned(plan: string, said: Record<string, string> = {}) {
  return openRunner({ pulumi: `cat ${join(samples, plan)}`, said });
}

/** The steps that run the program, the engine or this package's command: each needs the account, or hides its key. */
const withSecrets = [
  ...["preview", "review", "preview again", "hold to the seal", "up", "compare"],
  ...["branch", "wait for the branch", "destroy"],
];

/** Every step of every job of a workflow, with its job. */
function stepsOf(path: string) {
  return Object.values(readWorkflow(path).jobs).flatMap((job) => job.steps.map((step) => ({ job, step })));
}

describe("every workflow", () => {
  it.each(workflows)("%s has steps that bash understands, and nothing of an event in their text", (path) => {
    const scripts = stepsOf(path).flatMap(({ step }) => step.run ?? []);
    expect(scripts.length).toBeGreaterThan(0);
    for (const run of scripts) {
      expect(spawnSync("bash", ["-n", "-c", run], { encoding: "utf8" }).stderr).toBe("");
      expect(run).not.toContain("${{");
    }
  });

  it("has actions of one commit each, with its version beside it", () => {
    const lines = workflows.flatMap((path) => readFileSync(join(examples, path), "utf8").match(/^.*uses:.*$/gm) ?? []);
    expect(lines.filter((line) => !/^ +- uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
    const pins = new Set(lines.map((line) => line.trim()));
    const actions = new Set([...pins].map((line) => line.split("@")[0]));
    expect(pins.size).toBe(actions.size);
    expect(actions.size).toBeGreaterThan(2);
  });

  it.each(workflows)("%s has secrets of an environment only, in the steps that need them", (path) => {
    const { env = {}, on } = readWorkflow(path);
    expect(Object.keys(on)).not.toContain("pull_request_target");
    expect(JSON.stringify(env)).not.toContain("secrets.");
    for (const { job, step } of stepsOf(path)) {
      expect(JSON.stringify([job.env, step.with, step.uses, job.if])).not.toContain("secrets.");
      const secrets = JSON.stringify(step.env ?? {}).match(/secrets\.\w+/g) ?? [];
      if (secrets.length === 0) continue;
      expect(job.environment).toBeTruthy();
      expect(withSecrets).toContain(step.name);
      expect(step.run).not.toMatch(/\bnpm\b/);
    }
  });

  it.each(workflows)("%s installs packages without a token, and leaves none on the disk", (path) => {
    for (const { job, step } of stepsOf(path)) {
      if (step.run?.includes("npm ")) expect(step.env).toBeUndefined();
      if (step.uses?.startsWith("actions/checkout@")) expect(step.with).toMatchObject({ "persist-credentials": false });
      // The platform's own token only where it is used.
      expect(JSON.stringify(job.env ?? {})).not.toContain("github.token");
      if (step.env?.GH_TOKEN) expect(step.run).toContain("gh ");
    }
  });

  it.each(workflows)("%s gives a fork's pull request no job", (path) => {
    const { on, jobs } = readWorkflow(path);
    if (!("pull_request" in on)) return;
    for (const { if: condition } of Object.values(jobs))
      expect(condition).toContain("github.event.pull_request.head.repo.full_name == github.repository");
  });

  it("may do no more than it has to", () => {
    const rights = workflows.map((path) => {
      const { permissions, jobs } = readWorkflow(path);
      const ofJobs = Object.entries(jobs).flatMap(([name, job]) => (job.permissions ? [[name, job.permissions]] : []));
      return [path.split("/").at(-1), { all: permissions, ...Object.fromEntries(ofJobs) }];
    });
    const read = { contents: "read" };
    expect(Object.fromEntries(rights)).toEqual({
      "deploy.yml": { all: read },
      "drift.yml": { all: { ...read, issues: "write" } },
      "preview.yml": { all: { ...read, "pull-requests": "write" } },
      "preview-environment.yml": { all: read, open: { ...read, "pull-requests": "write" } },
    });
  });
});

describe("the preview workflow", () => {
  const path = "pipeline/.github/workflows/preview.yml";
  const step = (name: string) => scriptOf(path, name);

  it("reviews the plan and comments", async () => {
    const runner = openPlanned("plugin-changes-streamed.jsonl");
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
  });

  it("writes its own comment anew", async () => {
    const runner = openPlanned("plugin-changes.json", { "--paginate": "4711\n" });
    await runner.run(`${step("preview")}\n${step("review")}`);
    expect(await runner.run(step("comment"))).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/gh api --method PATCH repos\/o\/r\/issues\/comments\/4711 -F/);
  });

  it.each([
    ["3", "false", 1],
    ["3", "true", 0],
    ["0", "false", 0],
  ])("ends the gate, after a review that ended with %s and with the label set: %s, with %i", async (code, set, end) => {
    const runner = openRunner({ said: { "issues/7/labels": set } });
    expect(await runner.run(step("gate"), { CODE: code })).toBe(end);
  });

  it("takes an approval back on new commits, on reopening and on another base", () => {
    const { on, jobs } = readWorkflow(path);
    expect(on.pull_request?.types).toEqual(expect.arrayContaining(["synchronize", "reopened", "edited"]));
    const condition = jobs.withdraw?.if?.replaceAll(/\s+/g, " ") ?? "";
    expect(condition).toMatch(
      /^\(github\.event\.action == 'synchronize' \|\| github\.event\.action == 'reopened' \|\| \(github\.event\.action == 'edited' && github\.event\.changes\.base != null\)\) && contains/,
    );
    expect(jobs.preview?.if).toContain("needs.withdraw.result != 'failure'");
  });

  it("takes an approval back by name", async () => {
    const runner = openRunner();
    expect(await runner.run(step("take back the approval"))).toBe(0);
    expect(runner.file("calls.txt")).toBe("gh api --method DELETE repos/o/r/issues/7/labels/disruption-approved\n");
  });

  it("lets a harmless plan through, and fails with a preview that failed", async () => {
    const harmless = openPlanned("plugin-import.json");
    expect(await harmless.run(`${step("preview")}\n${step("review")}`)).toBe(0);
    expect(harmless.file("output.txt")).toBe("code=0\n");
    const failed = openPlanned("plugin-failed.json");
    expect(await failed.run(`${step("preview")}\n${step("review")}`)).toBe(1);
    expect(failed.file("review.md")).toMatch(/looks like a branch's name/);
  });
});

describe("the deploy workflow", () => {
  it("brings out only what an environment that fits has approved", () => {
    const { plan, up } = readWorkflow("pipeline/.github/workflows/deploy.yml").jobs;
    expect(plan?.environment).toBe("plan");
    expect(up?.environment).toMatch(/^\$\{\{ needs\.plan\.outputs\.environment \}\}$/);
    expect(plan?.steps.map(({ run = "" }) => run).join()).not.toContain("pulumi up");
  });

  const review = () => scriptOf("pipeline/.github/workflows/deploy.yml", "review");

  it.each([
    ["plugin-changes.json", "environment=production-disruptive\n", 0],
    ["plugin-import.json", "environment=production\n", 0],
    ["plugin-failed.json", "", 1],
  ])("sends %s to the environment that may have it", async (plan, output, code) => {
    const runner = openPlanned(plan);
    expect(await runner.run(`pulumi > plan.json\n${review()}`)).toBe(code);
    expect(runner.file("output.txt")).toBe(output);
  });
});

describe("the drift workflow", () => {
  const steps = () =>
    ["compare", "review", "report"].map((name) => scriptOf("pipeline/.github/workflows/drift.yml", name));

  it("opens an issue, or writes the open one anew", async () => {
    const first = openPlanned("plugin-changes.json");
    expect(await first.run(steps().join("\n"))).toBe(0);
    expect(first.file("calls.txt")).toMatch(/gh issue create --title Drift: 8 endpoints change: 1 restarts/);
    const next = openPlanned("plugin-changes.json", { "issue list": "12" });
    expect(await next.run(steps().join("\n"))).toBe(0);
    expect(next.file("calls.txt")).toMatch(/gh issue edit 12 --title Drift/);
  });

  it("closes it when there is nothing left", async () => {
    const runner = openPlanned("plugin-changes.json", { "issue list": "12" });
    const same = `${steps()[0]}\necho '{"changeSummary": {"same": 3}}' > plan.json\n${steps()[1]}\n${steps()[2]}`;
    expect(await runner.run(same)).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/gh issue close 12/);
  });
});
