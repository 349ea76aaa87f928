/** The action, by what its file says, and its review with each of its inputs. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
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
  for (const name of ["preview", "review"]) {
    const { script, env } = actionStep(name, { stack: "prod", ...given });
    expect(await runner.run(script, env)).toBe(0);
  }
  const [, code] = /^code=(\d+)$/m.exec(runner.file("output.txt")) ?? [];
  const report = (name: string) => runner.file(`../endpoint-review/${name}`);
  return { code: Number(code), report, runner };
}

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
    const { report, runner } = await reviewed({});
    const seal = join(runner.temp, "endpoint-review", "seal.json");
    expect((await reviewed({ expect: seal, seal: "mine.json" })).code).toBe(0);
    const lines = report("review.annotations").trim().split("\n");
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines).toContain("::warning title=gone%3A deleted::connections drop, host gone, downtime");
    expect(readFileSync(join(runner.temp, "endpoint-review", "plan.json"), "utf8")).not.toBe("");
  });
});
