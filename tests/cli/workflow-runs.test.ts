import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createEmulator, type Emulator } from "../../emulator";
import { root } from "../../tools/root.mjs";
import { examples, gitlabScript, openRunner, readWorkflow, scriptOf } from "./support/runner";

const samples = join(root, "tests/unit/cli/samples");

let emulator: Emulator;
beforeAll(async () => {
  emulator = await createEmulator();
});
afterAll(() => emulator.close());

/** A runner whose `pulumi` prints a plan that the engine has printed before; the platform has none of its endpoints. */
function openPlanned(plan: string, said: Record<string, string> = {}) {
  const env = { PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url };
  return openRunner({ pulumi: `cat ${join(samples, plan)}`, said, env });
}

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
    ["3", "false", "", "", 1],
    ["3", "true", "alice", "maintain", 0],
    ["3", "true", "alice", "admin", 0],
    ["3", "true", "bob", "write", 1],
    ["3", "true", "mallory", "maintain", 1],
    ["3", "true", "", "", 1],
    ["0", "false", "", "", 0],
  ])(
    "ends the gate, after a review that ended with %s and with the label set: %s, by %s who may %s, with %i",
    async (code, set, by, role, end) => {
      const said = {
        "issues/7/labels": set,
        "issues/7/events": `bob\n${by}\n`,
        [`collaborators/${by}/permission`]: role,
      };
      const runner = openRunner({ said });
      expect(await runner.run(step("gate"), { CODE: code })).toBe(end);
    },
  );

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

  it.each([
    ["gone", "false", 0],
    ["still set", "true", 1],
    ["unknown", "", 1],
  ])("ends the taking back that is refused, with the label %s, as it should", async (_, set, end) => {
    const runner = openRunner({ said: { "issues/7/labels?per_page": set } });
    const refusing = 'gh() { command gh "$@"; [[ "$*" != *DELETE* ]]; }';
    expect(await runner.run(`${refusing}\n${step("take back the approval")}`)).toBe(end);
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

  it("takes up what a killed run has made where a run by hand says so: every step of it, on the default branch alone", () => {
    const { env, jobs } = readWorkflow("pipeline/.github/workflows/deploy.yml");
    expect(env?.PGCOMPUTE_ADOPT_INTERRUPTED).toMatch(/^\$\{\{ inputs\.adopt-interrupted && '1' \|\| '' \}\}$/);
    expect(jobs.plan?.if).toBe("github.ref == 'refs/heads/main'");
    const gitlab = parse(readFileSync(join(examples, "pipeline/.gitlab-ci.yml"), "utf8"));
    expect(gitlab.variables.PGCOMPUTE_ADOPT_INTERRUPTED).toMatchObject({ value: "", options: ["", "1"] });
    const byHand = "$CI_PIPELINE_SOURCE =~ /^(push|web)$/ && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH";
    for (const job of ["plan", "up", "up-disruptive"]) expect(gitlab[job].rules[0].if, job).toBe(byHand);
    // No job and no step has a word of its own on it.
    const own = [
      ...Object.values(jobs),
      ...Object.values(jobs).flatMap(({ steps }) => steps),
      ...Object.values(gitlab),
    ];
    for (const one of own as { env?: object; script?: object }[]) {
      expect(one.env ?? {}).not.toHaveProperty("PGCOMPUTE_ADOPT_INTERRUPTED");
      if (one.script) expect(JSON.stringify(one)).not.toContain("ADOPT_INTERRUPTED");
    }
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
  const names = ["compare", "review", "report"];
  const [compare, review, report] = names.map((name) => scriptOf("pipeline/.github/workflows/drift.yml", name));
  const night = async (plan: string, said: Record<string, string> = {}) => {
    const runner = openPlanned(plan, said);
    const { code = "" } = await runner.outputsOf(`${compare}\n${review}`);
    expect(await runner.run(report ?? "", { CODE: code })).toBe(0);
    return { code, calls: runner.file("calls.txt") };
  };

  it("opens an issue, or writes the open one anew", async () => {
    const first = await night("plugin-refresh-streamed.jsonl");
    expect(first.code).toBe("5");
    expect(first.calls).toMatch(/gh issue create --title Drift: 3 endpoints were changed outside the stack; when the/);
    const next = await night("plugin-refresh-streamed.jsonl", { "issue list": "12" });
    expect(next.calls).toMatch(/gh issue edit 12 --title Drift/);
  });

  it("closes it when there is nothing left", async () => {
    const { code, calls } = await night("plugin-refreshed-same.json", { "issue list": "12" });
    expect(code).toBe("0");
    expect(calls).toMatch(/gh issue close 12/);
  });

  it("fails where the comparison failed, and tells nobody that all is well", async () => {
    const runner = openPlanned("plugin-failed-streamed.jsonl", { "issue list": "12" });
    expect(await runner.run(`${compare}\n${review}`)).toBe(1);
    expect(runner.file("calls.txt")).not.toContain("gh ");
  });
});

describe("drift by cron", () => {
  it.each([
    ["plugin-refresh-streamed.jsonl", 5, /^<!-- pgcompute-review -->\n\n\*\*3 endpoints were changed outside/],
    ["plugin-refreshed-same.json", 0, /^$/],
    ["plugin-failed-streamed.jsonl", 1, /^pgcompute: /],
  ])("prints what there is to say about %s, and ends with %i", async (plan, code, printed) => {
    const runner = openPlanned(plan);
    expect(await runner.run(`bash ${join(examples, "pipeline/drift.sh")} prod > printed.txt`)).toBe(code);
    expect(runner.file("printed.txt")).toMatch(printed);
  });
});

describe("GitLab's pipeline", () => {
  const preview = { CI_MERGE_REQUEST_DIFF_BASE_SHA: "HEAD~1" };
  const push = { CI_COMMIT_BEFORE_SHA: "HEAD~1" };

  it.each([
    ["plugin-changes-streamed.jsonl", 3],
    ["plugin-import.json", 0],
    ["plugin-failed-streamed.jsonl", 1],
  ])("ends the preview of %s with %i, and leaves the report", async (plan, code) => {
    const runner = openPlanned(plan);
    expect(await runner.run(gitlabScript("preview"), preview)).toBe(code);
    expect(runner.file("review.html")).toMatch(/^<!doctype html>/);
  });

  it.each([
    ["plugin-changes.json", 3, 42],
    ["plugin-import.json", 0, 0],
  ])("brings out %s by the job that may, held to the seal of its own plan", async (plan, code, end) => {
    const runner = openPlanned(plan);
    expect(await runner.run(gitlabScript("plan"), push)).toBe(0);
    expect(runner.file("sealed/code")).toBe(`${code}\n`);
    expect(await runner.run(gitlabScript("up"))).toBe(end);
    expect(runner.file("calls.txt").includes("pulumi up")).toBe(code === 0);
    expect(await runner.run(gitlabScript("up-disruptive"))).toBe(0);
    expect(runner.file("calls.txt")).toContain(
      "pulumi up --stack prod --yes --plan update-plan.json --policy-pack policy",
    );
  });

  it("excuses what waits for approval, and no plan that disrupts more than its seal", async () => {
    const runner = openPlanned('"$PLAN"');
    expect(await runner.run(gitlabScript("plan"), { ...push, PLAN: "plugin-import.json" })).toBe(0);
    expect(await runner.run(gitlabScript("up"), { PLAN: "plugin-changes.json" })).toBe(3);
    expect(runner.file("calls.txt")).not.toContain("pulumi up");
    const { up } = parse(readFileSync(join(examples, "pipeline/.gitlab-ci.yml"), "utf8"));
    expect(up.allow_failure).toEqual({ exit_codes: 42 });
  });

  it("gives a fork none of its jobs, and secrets to environments only", () => {
    const file = parse(readFileSync(join(examples, "pipeline/.gitlab-ci.yml"), "utf8"));
    expect(file.preview.rules).toEqual([
      { if: expect.stringContaining("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID") },
    ]);
    for (const job of ["plan", "up", "up-disruptive"]) {
      expect(file[job].rules[0].if).toContain("$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH");
    }
    for (const job of ["preview", "plan", "up", "up-disruptive", "drift"]) expect(file[job].environment).toBeTruthy();
    expect(file["up-disruptive"].rules[0].when).toBe("manual");
  });

  it("fails for drift with its exit code", async () => {
    const drifted = openPlanned("plugin-refresh-streamed.jsonl");
    expect(await drifted.run(gitlabScript("drift"))).toBe(5);
    expect(drifted.file("drift.html")).toContain("were changed outside the stack");
    expect(await openPlanned("plugin-refreshed-same.json").run(gitlabScript("drift"))).toBe(0);
  });
});
