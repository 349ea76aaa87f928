/** The action, by what its file says, and its review with each of its inputs. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../tools/root.mjs";
import { runAlone } from "./support/open-shell";
import { actionStep, openRunner, readAction } from "./support/runner";

const plans = join(root, "tests/unit/cli/samples");
const { inputs, runs } = readAction();

/** Plays the steps up to the review of a plan, and gives what it ended with. */
async function reviewed(given: Record<string, string>, plan = "plugin-changes-streamed.jsonl") {
  const runner = openRunner({ pulumi: `cat ${join(plans, plan)}` });
  const { folder, code } = await reviewOn(runner, given);
  return { code: Number(code), folder, report: reportsIn(folder), runner };
}

/** Plays the steps of a review on a runner, which may have played others. */
async function reviewOn(runner: ReturnType<typeof openRunner>, given: Record<string, string>) {
  const [preview, review] = ["preview", "review"].map((name) => actionStep(name, { stack: "prod", ...given }));
  const { report: folder = "" } = await runner.outputsOf(preview?.script ?? "", preview?.env);
  const { code } = await runner.outputsOf(review?.script ?? "", { ...review?.env, REPORT: folder });
  return { folder, code };
}

/** Reads a review's files; one that is not there is empty. */
const reportsIn = (folder: string) => (name: string) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";

describe("the action", () => {
  it("has the command's flags as inputs, but for those of drift and of formats, which it sets itself", async () => {
    const { out } = await runAlone(["review", "--help"]);
    const flags = [...out.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name ?? "");
    const own = ["stack", "working-directory", "policy-pack", "comment", "github-token"];
    const named = flags.filter((name) => !["format", "out", "drift", "show-replacement-steps"].includes(name));
    expect(Object.keys(inputs).sort()).toEqual([...named, ...own].sort());
  });

  it("has steps that bash understands, with nothing of an event in their text", () => {
    for (const { run, shell } of runs.steps) {
      expect(shell).toBe("bash");
      expect(spawnSync("bash", ["-n", "-c", run], { encoding: "utf8" }).stderr).toBe("");
      expect(run).not.toContain("${{");
    }
  });

  it.each([
    ["nothing", {}, 0],
    ["conditions that are met", { "fail-on": "replace,delete" }, 3],
    ["conditions that are not", { "fail-on": "config" }, 0],
    ["a price", { "price-per-cu-hour": "0.16USD" }, 0],
    ["a platform", { platform: "neon" }, 0],
    ["a platform that is none", { platform: "none" }, 2],
    ["a seal of another plan", { expect: join(plans, "none.json") }, 1],
  ])("ends with what the command ends with, given %s", async (_, given, code) => {
    const { code: ended, report } = await reviewed(given);
    expect(ended).toBe(code);
    expect(report("review.md").startsWith("<!-- pgcompute-review -->")).toBe(code === 0 || code === 3);
    const { script, env } = actionStep("gate");
    const gate = openRunner();
    expect(await gate.run(script, { ...env, CODE: String(ended) })).toBe(code);
  });

  it("holds a plan to its own seal, wherever that was written, and warns of each verdict", async () => {
    const { report, folder } = await reviewed({});
    const seal = join(folder, "seal.json");
    expect((await reviewed({ expect: seal, seal: "mine.json" })).code).toBe(0);
    const lines = report("review.annotations").trim().split("\n");
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines).toContain("::warning title=gone%3A deleted::connections drop, host gone, downtime");
    expect(report("plan.json")).not.toBe("");
  });

  it("has a folder for each step of a job, seal included", async () => {
    const runner = openRunner({ pulumi: `cat ${join(plans, "plugin-changes-streamed.jsonl")}` });
    const first = await reviewOn(runner, { stack: "prod" });
    const [seal, report] = ["seal.json", "review.md"].map(reportsIn(first.folder));
    const second = await reviewOn(runner, { stack: "prod" });
    const failed = await reviewOn(openRunner({ pulumi: "exit 1" }), { stack: "staging" });
    expect(new Set([first.folder, second.folder, failed.folder]).size).toBe(3);
    expect(["seal.json", "review.md"].map(reportsIn(first.folder))).toEqual([seal, report]);
    expect(reportsIn(failed.folder)("seal.json")).toBe("");
  });

  it("has one comment for each program and stack, which it looks for among those of the token's own user", async () => {
    const marks: string[] = [];
    for (const [stack, program] of [
      ["prod", "."],
      ["staging", "."],
      ["prod", "orders"],
      ["prod", "."],
    ] as const) {
      const { folder, runner } = await reviewed({ stack });
      const { script, env } = actionStep("comment", { stack, "working-directory": program });
      expect(await runner.run(script, { ...env, REPORT: folder })).toBe(0);
      const [mark = ""] = reportsIn(folder)("comment.md").split("\n");
      const calls = runner.file("calls.txt");
      expect(calls).toContain(`select(.viewerDidAuthor and (.body | startswith("${mark}")))`);
      expect(calls).toContain(`--method POST repos/o/r/issues/7/comments -F body=@${folder}/comment.md`);
      marks.push(mark);
    }
    expect(marks.every((mark) => /^<!-- pgcompute-review [0-9a-f]{16} -->$/.test(mark))).toBe(true);
    expect(new Set(marks).size).toBe(3);
    expect(marks[3]).toBe(marks[0]);
  });
});
