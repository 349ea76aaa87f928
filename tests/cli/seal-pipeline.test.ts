import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginHost } from "../engine/support/hosts";
import { type Bench, type Program, useBench } from "../engine/support/platform";
import { actionStep, examples, openRunner, scriptOf } from "./support/runner";

const bench = useBench();
const preview = (name: string) => scriptOf("pipeline/.github/workflows/preview.yml", name);
const deploy = (name: string) => scriptOf("pipeline/.github/workflows/deploy.yml", name);

/** The repository of a program, with the pipeline's steps in it. */
function openRepository({ project }: Program) {
  const folder = project.folders.program;
  const git = (...args: string[]) =>
    execFileSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false", ...args],
      { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    ).trim();
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message=base");
  // Without the policy pack, which these steps name last: the tests of the pack start one of their own.
  const live = { PGCOMPUTE_API_KEY: bench.emulator.apiKey, PGCOMPUTE_BASE_URL: bench.emulator.url };
  const temp = join(project.folders.home, "runner");
  mkdirSync(temp);
  const runner = openRunner({
    folder,
    pulumi: `exec ${join(project.folders.bin, "pulumi")} "\${@:1:$(($# - 2))}"`,
    env: { ...project.env, ...live, STACK: "dev", RUNNER_TEMP: temp },
  });
  return {
    /** The seal of the deployment's own plan. */
    deploymentSeal: join(temp, "seal.json"),
    head: () => git("rev-parse", "HEAD"),
    file: (name: string) => join(folder, name),
    /** Commits what a change brings, and nothing else of the folder. */
    commit(name: string, write: (file: string) => void) {
      write(join(folder, name));
      git("add", "--force", name);
      git("commit", "--quiet", `--message=${name}`);
    },
    run: runner.run,
    outputsOf: runner.outputsOf,
    report: () => runner.file("review.md"),
    calls: () => runner.file("calls.txt").split("\n"),
  };
}

const sized = ({ projectId }: Bench, branchId: string, sizeCu: number) => ({
  main: { args: { projectId, branchId, sizeCu } },
});

/** A stack with an endpoint of 2 CU, and a pull request that wants 1 CU. */
async function openChange() {
  const branchId = bench.branch();
  const program = bench.program(pluginHost);
  await program.is(sized(bench, branchId, 2)).up();
  const repository = openRepository(program);
  const wants = (sizeCu: number) => program.is(sized(bench, branchId, sizeCu));
  const size = () => bench.on(branchId)[0]?.autoscaling_limit_max_cu;
  wants(1);
  return { repository, wants, size, before: repository.head() };
}

/** What the review of a pull request puts out, by the workflow's own step and the action's. */
async function reviewOf({ outputsOf }: ReturnType<typeof openRepository>): Promise<Record<string, string>> {
  const gate = await outputsOf(preview("seal"));
  const [look, review] = ["preview", "review"].map((name) =>
    actionStep(name, { stack: "dev", "policy-pack": "policy", live: "true", ...gate }),
  );
  if (!look || !review) throw new Error("the action has other steps");
  const { report = "" } = await outputsOf(look.script, look.env);
  return { report, ...(await outputsOf(review.script, { ...review.env, REPORT: report })) };
}

describe("a disruption that is approved in the pull request", () => {
  it("is brought out without another question, and what changed since is not", async () => {
    const { repository, wants, size, before } = await openChange();
    const { run, outputsOf, report, commit, calls } = repository;
    commit("README.md", (path) => writeFileSync(path, "smaller"));
    const { code, report: folder = "" } = await reviewOf(repository);
    expect(code).toBe("3");
    expect(await run(preview("gate"), { CODE: "3" })).toBe(1);

    commit("approved.json", (path) => copyFileSync(join(folder, "seal.json"), path));
    const approved = await reviewOf(repository);
    expect(approved).toMatchObject({ code: "0" });
    expect(readFileSync(join(approved.report ?? "", "review.md"), "utf8")).toContain(
      "- As approved: the plan disrupts nothing but what the seal has",
    );
    expect(await run(deploy("preview"))).toBe(0);
    expect(await outputsOf(deploy("review"), { BEFORE: before })).toEqual({ environment: "production" });

    // Another deployment comes between: the endpoint is larger now than anybody saw who approved.
    await wants(4).up();
    wants(1);
    expect(await run(deploy("preview again"))).toBe(0);
    expect(await run(deploy("hold to the seal"))).toBe(3);
    expect(report()).toContain("- Not as approved: main: sizeCu before is 4 CU, and in the seal 2 CU");
    expect(size()).toBe(4);

    await wants(2).up();
    wants(1);
    expect(await run([deploy("preview again"), deploy("hold to the seal"), deploy("up")].join("\n"))).toBe(0);
    expect(size()).toBe(1);
    expect(calls().filter((call) => call.startsWith("pulumi up"))).toEqual([
      "pulumi up --stack dev --yes --plan update-plan.json --policy-pack policy",
    ]);
  });

  it("waits for the environment's reviewers where nobody approved it there", async () => {
    const { repository, wants, before, size } = await openChange();
    const { run, outputsOf, file, commit, head, deploymentSeal, report } = repository;
    const environmentSince = (commit: string) => outputsOf(deploy("review"), { BEFORE: commit });
    expect(await run(deploy("preview"))).toBe(0);
    expect(await environmentSince(before)).toEqual({ environment: "production-disruptive" });
    // A seal that is lying about, or that an earlier change brought, is none of this change.
    copyFileSync(deploymentSeal, file("approved.json"));
    expect(await environmentSince(before)).toEqual({ environment: "production-disruptive" });
    commit("approved.json", () => {});
    expect(await environmentSince(head())).toEqual({ environment: "production-disruptive" });
    expect(await environmentSince("0".repeat(40))).toEqual({ environment: "production-disruptive" });
    // One of another change does not fit; one that was edited is no seal.
    const seal = JSON.parse(readFileSync(deploymentSeal, "utf8"));
    commit("approved.json", (path) => writeFileSync(path, JSON.stringify({ ...seal, endpoints: [] })));
    expect(await run(deploy("review"), { BEFORE: before })).toBe(1);
    // And without one the plan's own seal still holds what is brought out.
    rmSync(file("approved.json"));
    expect(await environmentSince(before)).toEqual({ environment: "production-disruptive" });
    expect(await run(deploy("hold to the seal"))).toBe(0);

    // A contributor who cannot approve adds a seal under a name without an owner, once as a link and once in the
    // pipeline's place.
    await wants(0.5)
      .preview({ args: ["--json", "--show-replacement-steps"] })
      .then(({ stdout }) => writeFileSync(file("plan.json"), stdout));
    expect(
      await run(
        "npx --no-install pgcompute review plan.json --show-replacement-steps --seal wide.json --out review.md",
      ),
    ).toBe(0);
    commit("approved.json", (path) => symlinkSync(file("wide.json"), path));
    expect(await environmentSince(before)).toEqual({ environment: "production-disruptive" });
    wants(1);
    expect(await run(deploy("preview"))).toBe(0);
    expect(await environmentSince(before)).toEqual({ environment: "production-disruptive" });
    // What the reviewers of the environment have approved is 1 CU; 0.5 is not brought out with it.
    commit("seal.json", (path) => copyFileSync(file("wide.json"), path));
    wants(0.5);
    expect(await run([deploy("preview again"), deploy("hold to the seal"), deploy("up")].join("\n"))).toBe(3);
    expect(report()).toContain("- Not as approved: main: sizeCu after is 0.5 CU, and in the seal 1 CU");
    expect(size()).toBe(2);
    // A change between the last review and the deployment has no effect either: the engine keeps to the reviewed plan.
    wants(1);
    expect(await run([deploy("preview again"), deploy("hold to the seal")].join("\n"))).toBe(0);
    wants(0.5);
    expect(await run(deploy("up"))).not.toBe(0);
    expect(size()).toBe(2);
  });
});

it("the owners of what approves are named", () => {
  const owners = readFileSync(join(examples, "pipeline/.github/CODEOWNERS"), "utf8");
  const approving = [
    "/approved.json",
    "/.github/",
    "/.gitlab-ci.yml",
    "/policy/",
    "/package-lock.json",
    "/Pulumi.yaml",
  ];
  for (const path of approving) expect(owners).toMatch(new RegExp(`^${path} +@\\S+`, "m"));
});
