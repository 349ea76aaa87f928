import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
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

describe("branch.mjs", () => {
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [join(folder, "branch.mjs"), "preview/pr-7"], {
      env: { PATH: process.env.PATH, PGCOMPUTE_API_KEY: "napi_0123456789", PGCOMPUTE_PROJECT_ID: "p-1", ...env },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );

  it.each([
    ["http://platform.test/v2", /plain http would send the key in the clear/],
    ["http://127.0.0.1.platform.test/v2", /plain http/],
    ["https://me:pass@platform.test/v2", /must not have a user name/],
    ["ftp://platform.test/v2", /no address of the web/],
    ["platform", /no address of the web/],
  ])("sends no key to %s", async (address, reason) => {
    const { code, text } = await run({ PGCOMPUTE_BASE_URL: address });
    expect({ code, text }).toEqual({ code: 1, text: expect.stringMatching(reason) });
    expect(text).not.toMatch(/napi_|me:pass/);
  });

  const command = "::stop-commands::x";
  it.each([
    ["an error's text", 500, `\n${command}\n`, "GET branches: status 500"],
    ["what is no JSON", 200, `\n${command}\n`, "GET branches: the answer is no JSON"],
    ["what is no list", 200, JSON.stringify({ error: command }), "the answer is not what was expected"],
    [
      "an id with lines in it",
      200,
      JSON.stringify({ branches: [{ name: "preview/pr-7", id: `br-1\n${command}\noperations=x` }] }),
      "the answer has an id that is none",
    ],
  ])("prints nothing of %s that the platform answers", async (_, status, body, reason) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ended = await run({ PGCOMPUTE_BASE_URL: `http://127.0.0.1:${port}/v2` });
    expect(ended).toEqual({ code: 1, text: `branch.mjs: ${reason}\n` });
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
      pulumi: `[ "$1" = up ] || [ "$2" = output ] || exec ${join(project.folders.bin, "pulumi")} "$@"`,
    });
    const shell = { ...project.env, STACK: "dev" };
    const { branch_id: branchId = "" } = await runner.outputsOf(branchScript, shell);
    const onBranch = () => admin.project(projectId).endpoints.filter(({ branch_id }) => branch_id === branchId);

    expect(await runner.run(scriptOf(path, "up"), { ...shell, BRANCH_ID: branchId })).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/\npulumi up --yes\npulumi stack output host\n$/);
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
});
