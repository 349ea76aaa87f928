import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator } from "../../emulator";
import { compileProgram } from "../../tools/demo/program";
import { createProject } from "../engine/support/project";
import { examples, openRunner, scriptOf } from "./support/runner";

const path = "preview-environments/.github/workflows/preview-environment.yml";
const folder = join(examples, "preview-environments");

const branchScript = scriptOf(path, "branch").replace("branch.mjs", join(folder, "branch.mjs"));

/** A platform, and what the workflow's environment says of it. */
async function openPlatform() {
  const emulator = await createEmulator({ operationMs: 20 });
  onTestFinished(() => emulator.close());
  const env = {
    PGCOMPUTE_API_KEY: emulator.apiKey,
    PGCOMPUTE_BASE_URL: emulator.url,
    PGCOMPUTE_PROJECT_ID: emulator.projectId,
  };
  return { emulator, env };
}

describe("the preview environment's branch", () => {
  it("is created once, waited for, and found again", async () => {
    const { emulator, env } = await openPlatform();
    const runner = openRunner();
    const inPullRequest = { ...env, STACK: "pr-7" };
    const created = await runner.outputsOf(branchScript, inPullRequest);
    expect(created.branch_id).toMatch(/^br-/);
    expect(created.operations).toMatch(/^[-0-9a-f]{36}/);
    const wait = scriptOf(path, "wait for the branch");
    expect(await runner.run(wait, { ...inPullRequest, OPERATIONS: created.operations ?? "" })).toBe(0);
    expect(await runner.outputsOf(branchScript, inPullRequest)).toEqual({
      branch_id: created.branch_id,
      operations: "",
    });
    const made = emulator.admin.project(emulator.projectId).branches.filter(({ name }) => name === "preview/pr-7");
    expect(made).toMatchObject([{ id: created.branch_id }]);
  });
});

describe("the preview environment", () => {
  it("opens with a pull request, sleeps when nobody looks, and is gone when that is closed", async () => {
    const { emulator, env } = await openPlatform();
    const { admin, projectId } = emulator;
    // The workflow has key and address in its environment, and makes the stack.
    const project = await createProject({ env });
    onTestFinished(() => project.close());
    await project.cli(["stack", "rm", "dev", "--yes"]);
    const { program } = compileProgram(folder, project.folders.program);
    const stack = project.stack(program);
    // The tests' engine has no Node.js language host: where the step runs the program, this process does.
    const runner = openRunner({
      folder: project.folders.program,
      pulumi: `[ "$1" = up ] || exec ${join(project.folders.bin, "pulumi")} "$@"`,
    });
    const shell = { ...project.env, STACK: "dev" };
    const { branch_id: branchId = "" } = await runner.outputsOf(branchScript, shell);
    const onBranch = () => admin.project(projectId).endpoints.filter(({ branch_id }) => branch_id === branchId);

    expect(await runner.run(scriptOf(path, "up"), { ...shell, BRANCH_ID: branchId })).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/\npulumi up --yes\n$/);
    expect((await stack.up()).changes).toMatchObject({ create: 1 });
    const [{ id: endpointId = "" } = {}] = onBranch();
    expect(onBranch()).toMatchObject([
      { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25, suspend_timeout_seconds: 60 },
    ]);

    admin.advance(61_000);
    admin.advance(1_000);
    expect(admin.endpoint(endpointId).current_state).toBe("idle");
    admin.connect({ endpointId });
    admin.advance(1_000);
    expect(admin.endpoint(endpointId).current_state).toBe("active");

    expect(await runner.run(scriptOf(path, "destroy"), shell)).toBe(0);
    expect(onBranch()).toEqual([]);
    expect((await project.cli(["stack", "ls"])).stdout).not.toMatch(/\bdev\b/);
  });

  it("tells the host in a comment of its own, and writes that anew", async () => {
    const pulumi = "echo ep-1.test";
    const first = openRunner({ pulumi });
    expect(await first.run(scriptOf(path, "comment"))).toBe(0);
    expect(first.file("calls.txt")).toMatch(
      /gh api --method POST repos\/o\/r\/issues\/7\/comments -f body=<!-- preview-database -->\nThe database of this pull request: `ep-1\.test`\n/,
    );
    const next = openRunner({ pulumi, said: { "--paginate": "4711\n" } });
    expect(await next.run(scriptOf(path, "comment"))).toBe(0);
    expect(next.file("calls.txt")).toMatch(/gh api --method PATCH repos\/o\/r\/issues\/comments\/4711 -f body=/);
  });
});
