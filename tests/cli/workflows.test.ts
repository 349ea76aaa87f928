import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
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

describe("every workflow", () => {
  it.each(workflows)("%s has steps that bash understands and actions of a fixed version", (path) => {
    for (const { steps } of Object.values(readWorkflow(path).jobs)) {
      expect(steps.length).toBeGreaterThan(0);
      for (const { run, uses } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/@v\d+$/);
        else expect(spawnSync("bash", ["-n", "-c", run ?? ""], { encoding: "utf8" }).stderr).toBe("");
      }
    }
  });

  it.each(workflows)("%s puts nothing of a pull request into a script's text", (path) => {
    for (const { run = "" } of Object.values(readWorkflow(path).jobs).flatMap((job) => job.steps))
      expect(run).not.toContain("${{");
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
