import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples, gitlabScript, readWorkflow, workflows } from "./support/runner";

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

  it.each(workflows)("%s has the shell that the tests' runner has, which stops at a failure in a pipe", (path) => {
    expect(readWorkflow(path).defaults?.run?.shell).toBe("bash");
  });

  it("hands no value to a shell unquoted", () => {
    const steps = workflows.flatMap((path) => stepsOf(path).flatMap(({ step }) => step.run ?? []));
    const jobs = ["preview", "plan", "up", "up-disruptive", "drift"].map(gitlabScript);
    const cron = readFileSync(join(examples, "pipeline/drift.sh"), "utf8");
    expect([...steps, ...jobs, cron].flatMap(unquotedIn)).toEqual([]);
    expect(unquotedIn('echo "$A" \'$B\' c=$C && [ "$(cat "$D")" = $E ] # $F')).toEqual(["$E"]);
  });

  it.each(workflows)("%s has secrets of an environment only, in the steps that need them", (path) => {
    const { env = {}, on } = readWorkflow(path);
    expect(Object.keys(on)).not.toContain("pull_request_target");
    expect(JSON.stringify(env)).not.toContain("secrets.");
    // The key's destination is set beside it, by a variable of the same environment, which only its jobs can read.
    expect(env).not.toHaveProperty("PGCOMPUTE_BASE_URL");
    for (const { job, step } of stepsOf(path)) {
      expect(JSON.stringify([job.env, step.with, step.uses, job.if])).not.toContain("secrets.");
      const secrets = JSON.stringify(step.env ?? {}).match(/secrets\.\w+/g) ?? [];
      const address = step.env?.PGCOMPUTE_BASE_URL ?? "none";
      expect(address).toMatch(step.env?.PGCOMPUTE_API_KEY ? /^\$\{\{ vars\.PGCOMPUTE_BASE_URL \}\}$/ : /^none$/);
      if (secrets.length === 0) continue;
      expect(job.environment).toBeTruthy();
      expect(withSecrets).toContain(step.name);
      expect(step.run ?? "").not.toMatch(/\bnpm\b/);
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
});

/**
 * The expansions in a bash script that a shell would split or match against files: those outside quotes, except whole
 * assignments. For plain scripts: no here-documents, arithmetic, or parentheses within a command's quotes.
 */
function unquotedIn(script: string): string[] {
  const plain = script.replaceAll(/\\.|'[^']*'/g, "");
  const [command, within = ""] = /\$\(([^()]*)\)/.exec(plain) ?? [];
  // What a command puts out is as an expansion of its own.
  if (command) return [...unquotedIn(within), ...unquotedIn(plain.replace(command, () => "$_"))];
  const bare = plain.replaceAll(/"[^"]*"/g, "").replaceAll(/(?<=^|\s)#.*$/gm, "");
  const found = bare.replaceAll(/(?<=^|[\s;({])[A-Za-z_]\w*=\$[\w@*#?!{}:-]+/gm, "");
  return found.match(/\$(?:[A-Za-z_]\w*|[@*#?!0-9(]|\{[^}]*\})/g) ?? [];
}
