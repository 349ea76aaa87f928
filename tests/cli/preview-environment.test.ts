import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
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

describe("a branch that is refused", () => {
  const create = (status: number) => ({ route: "branches.create", effect: { kind: "status" as const, status } });
  const creations = ({ admin }: Emulator) =>
    admin.log().filter(({ method, path }) => `${method} ${path}`.match(/^POST .*\/branches$/));

  it("is asked for again where another operation is in the way", async () => {
    const { emulator, env } = await openPlatform();
    emulator.admin.addFault({ ...create(423), count: 1 });
    expect((await openRunner().outputsOf(branchScript, env)).branch_id).toMatch(/^br-/);
    expect(creations(emulator)).toHaveLength(2);
  });

  it("is not, where it may have been created", async () => {
    const { emulator, env } = await openPlatform();
    emulator.admin.addFault(create(500));
    expect(await openRunner().run(branchScript, env)).toBe(1);
    expect(creations(emulator)).toHaveLength(1);
  });
});

describe("the fleet for all open pull requests", () => {
  const fleetPath = "preview-environments/.github/workflows/preview-fleet.yml";
  const step = (name: string) => scriptOf(fleetPath, name).replace("branch.mjs", join(folder, "branch.mjs"));

  it("has a branch for each, waits for the new ones, and is brought to the list", async () => {
    const { emulator, env } = await openPlatform();
    const runner = openRunner({ said: { list: "[7,12]" } });
    const names = () => emulator.admin.project(emulator.projectId).branches.map(({ name }) => name);
    for (const name of ["open pull requests", "branch", "wait for the branch"])
      expect({ name, code: await runner.run(step(name), env) }).toEqual({ name, code: 0 });
    expect(names()).toEqual(expect.arrayContaining(["preview/pr-7", "preview/pr-12"]));
    const many = names().length;
    expect(runner.file("operations.txt")).toMatch(/^[-0-9a-f]{36}.*\n[-0-9a-f]{36}.*\n$/);

    expect(await runner.run(`mkdir fleet; cd fleet\n${step("up")}`, { ...env, MAX_DELETIONS: "" })).toBe(0);
    expect(runner.file("calls.txt")).toMatch(/\npulumi config set open \[7,12\]\npulumi up --yes\n$/);
    expect(runner.file("calls.txt")).toContain("\npulumi config set pgcompute:adoptInterrupted true\n");
    expect(await runner.run(step("branch"), env)).toBe(0);
    expect(names()).toHaveLength(many);
  });

  it("warns of a branch that is refused, and goes on with the others", async () => {
    const { emulator, env } = await openPlatform();
    emulator.admin.addFault({ route: "branches.create", count: 1, effect: { kind: "status", status: 422 } });
    const runner = openRunner({ said: { list: "[7,12]" } });
    await runner.run(step("open pull requests"), env);
    expect(await runner.run(`exec > said.txt\n${step("branch")}`, env)).toBe(0);
    expect(runner.file("said.txt")).toBe(
      "::warning::pull request 7: no branch could be found or created in this run\n",
    );
    const names = emulator.admin.project(emulator.projectId).branches.map(({ name }) => name);
    expect(names).toContain("preview/pr-12");
    expect(names).not.toContain("preview/pr-7");
    expect(await runner.run(step("wait for the branch"), env)).toBe(0);
  });
});

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

  it("tells the host in a comment of its own, and writes that anew", async () => {
    const up = openRunner({ pulumi: `[ "$2" != output ] || printf 'ep-1.test\\n::stop-commands::x' ` });
    expect(await up.outputsOf(scriptOf(path, "up"))).toEqual({ host: "ep-1.teststop-commandsx" });
    const env = { HOST: "ep-1.test" };
    const first = openRunner();
    expect(await first.run(scriptOf(path, "comment"), env)).toBe(0);
    expect(first.file("calls.txt")).toMatch(
      /gh api --method POST repos\/o\/r\/issues\/7\/comments -f body=<!-- preview-database -->\nThe database of this pull request: `ep-1\.test`\n/,
    );
    const next = openRunner({ said: { "--paginate": "4711\n" } });
    expect(await next.run(scriptOf(path, "comment"), env)).toBe(0);
    expect(next.file("calls.txt")).toMatch(/gh api --method PATCH repos\/o\/r\/issues\/comments\/4711 -f body=/);
  });
});
