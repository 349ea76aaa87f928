/** Runs the examples' pipelines: the exit, calls and files of each step's script, compared with recordings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createEmulator } from "../../emulator";
import type { Fault } from "../../emulator/faults/fault";
import { root } from "../../tools/root.mjs";
import { actionStep, examples, gitlabScript, openRunner, readWorkflow, scriptOf, workflows } from "./support/runner";
import { expectTold } from "./support/transcript";

/** A script by its name, and its environment; that may have what earlier steps have put out. */
type Step = [name: string, script: string, env?: Env | ((outputs: Env) => Env)];
type Env = Record<string, string>;

/**
 * Steps on a machine where `pulumi` prints a recorded plan, or does what the script says, and `gh` gives these answers.
 */
interface Play {
  plan?: string;
  pulumi?: string;
  said?: Env;
  fault?: Fault;
  steps: Step[];
}

/** What was left, in short: of reports how they begin. */
const left = [
  ...["calls.txt", "output.txt", "review.md", "review.html", "summary.md", "drift.html", "printed.txt"],
  ...["operations.txt", "sealed/code"],
];
/** The same of what the action leaves in its step's folder. */
const reports = ["review.md", "review.html", "review.annotations"];

async function told(title: string, { plan, pulumi = "", said = {}, fault, steps }: Play): Promise<string> {
  const emulator = await createEmulator({ operationMs: 20 });
  onTestFinished(() => emulator.close());
  const { admin, projectId, apiKey, url } = emulator;
  if (fault) admin.addFault(fault);
  const env = { PGCOMPUTE_API_KEY: apiKey, PGCOMPUTE_BASE_URL: url, PGCOMPUTE_PROJECT_ID: projectId };
  const printing = plan === undefined ? pulumi : `cat ${join(root, "tests/unit/cli/samples", plan)}`;
  const runner = openRunner({ pulumi: printing, said, env });
  const lines = [`# ${title}`];
  for (const [name, script, own = {}] of steps) {
    const outputs = Object.fromEntries(
      runner
        .file("output.txt")
        .trim()
        .split("\n")
        .map((line) => line.split("=")),
    );
    lines.push(`${name}: ${await runner.run(script, typeof own === "function" ? own(outputs) : own)}`);
  }
  const [, folder] = /^report=.*\/(endpoint-review\.\w+)$/m.exec(runner.file("output.txt")) ?? [];
  const ofAction = folder === undefined ? [] : reports.map((file) => `../${folder}/${file}`);
  for (const file of [...left, ...ofAction]) {
    const text = runner.file(file).trim();
    const [heading] = /<h1>.*<\/h1>/.exec(text) ?? [];
    const shown = heading ?? text.split("\n").filter(Boolean).slice(0, 5).join("\n");
    if (text) lines.push(`--- ${file}`, file === "calls.txt" ? text : shown);
  }
  const asked = admin.log().filter(({ method, path }) => method === "POST" && path.endsWith("/branches"));
  if (asked.length > 0) {
    const names = admin.project(projectId).branches.map(({ name }) => name);
    lines.push(`${asked.length} asked for, there are ${names.sort().join(", ")}`);
  }
  return `${lines.join("\n")}\n`
    .replaceAll(runner.temp, "TEMP")
    .replaceAll(/endpoint-review\.\w+/g, "endpoint-review.ID");
}

/** Plays all of a pipeline. */
const itPlays = (name: string, plays: Record<string, Play>) =>
  it(`${name} does as it did`, async () => {
    const all: string[] = [];
    for (const [title, play] of Object.entries(plays)) all.push(await told(title, play));
    await expectTold(`pipeline-${name}`, all.join("\n"));
  });

const of = (file: string, name: string, env?: Record<string, string>): Step =>
  [name, scriptOf(`pipeline/.github/workflows/${file}.yml`, name), ...(env ? [env] : [])] as Step;
const pullRequest = of("preview", "seal");
const action = (name: string): Step => {
  const { script, env } = actionStep(name, { stack: "prod", "policy-pack": "policy", live: "true" });
  return [
    `action's ${name}`,
    script,
    ({ code = "", expect: seal = "", "fail-on": conditions = "", report = "" }) => ({
      ...env,
      REPORT: report,
      CODE: code,
      EXPECT: seal,
      FAIL_ON: conditions,
    }),
  ];
};
const reviewed = [pullRequest, action("preview"), action("review")];

/** The gate after a review that ended so: whether the label is set, by whom, and what that person may. */
const gate = (code: string, set: string, by = "", role = ""): Play => ({
  said: { "issues/7/labels": set, "issues/7/events": `bob\n${by}\n`, [`collaborators/${by}/permission`]: role },
  steps: [of("preview", "gate", { CODE: code })],
});
const refusing = 'gh() { command gh "$@"; [[ "$*" != *DELETE* ]]; }';
const takingBack = (said: string): Play => {
  const [name, script] = of("preview", "take back the approval");
  return { said: { "issues/7/labels?per_page": said }, steps: [[name, `${refusing}\n${script}`]] };
};

itPlays("preview", {
  "a plan that disrupts": {
    plan: "plugin-changes-streamed.jsonl",
    steps: [...reviewed, action("comment"), action("gate")],
  },
  "one on which it has commented": {
    plan: "plugin-changes.json",
    said: { "--paginate": "4711\n" },
    steps: [...reviewed, action("comment"), action("gate")],
  },
  "a harmless one": { plan: "plugin-import.json", steps: [...reviewed, action("gate")] },
  "one that failed": { plan: "plugin-failed.json", steps: [...reviewed, action("gate")] },
  "a gate that is met, no label": gate("3", "false"),
  "a gate that is met, the label by a maintainer": gate("3", "true", "alice", "maintain"),
  "a gate that is met, the label by an administrator": gate("3", "true", "alice", "admin"),
  "a gate that is met, the label by one who may write": gate("3", "true", "bob", "write"),
  "a gate that is met, the label by the author": gate("3", "true", "mallory", "maintain"),
  "a gate that is met, the label by nobody": gate("3", "true"),
  "a gate that is not met": gate("0", "false"),
  "a gate after a preview that failed": gate("1", "false"),
  "a gate after no review": gate("", "true", "alice", "maintain"),
  "an approval is taken back": { steps: [of("preview", "take back the approval")] },
  "the taking back is refused, with the label gone": takingBack("false"),
  "the taking back is refused, with the label still set": takingBack("true"),
  "the taking back is refused, with nothing told of the label": takingBack(""),
});

itPlays(
  "deploy",
  Object.fromEntries(
    ["plugin-changes.json", "plugin-import.json", "plugin-failed.json"].map((plan) => [
      `the environment for ${plan}`,
      { plan, steps: [of("deploy", "preview"), of("deploy", "review")] },
    ]),
  ),
);

const night = (plan: string, code: string, said: Record<string, string> = {}): Play => ({
  plan,
  said,
  steps: [of("drift", "compare"), of("drift", "review"), of("drift", "report", { CODE: code })],
});
const cron: Play["steps"] = [["drift.sh", `bash ${join(examples, "pipeline/drift.sh")} prod > printed.txt`]];
/** A refresh that cannot read its second endpoint. */
const failing = `head -4 ${join(root, "tests/unit/cli/samples/plugin-refresh-streamed.jsonl")}
echo '{"sequence":6,"timestamp":1,"diagnosticEvent":{"urn":"u::p::pgcompute:index:Endpoint::moved","message":"error: no key","severity":"error"}}'
echo '{"sequence":7,"timestamp":1,"summaryEvent":{"result":"failed"}}'
exit 255`;

itPlays("drift", {
  "some, for the first time": night("plugin-refresh-streamed.jsonl", "5"),
  "some, again": night("plugin-refresh-streamed.jsonl", "5", { "issue list": "12" }),
  "none any more": night("plugin-refreshed-same.json", "0", { "issue list": "12" }),
  "a comparison that failed": {
    pulumi: failing,
    said: { "issue list": "12" },
    steps: [of("drift", "compare"), of("drift", "review")],
  },
  "some, by cron": { plan: "plugin-refresh-streamed.jsonl", steps: cron },
  "none, by cron": { plan: "plugin-refreshed-same.json", steps: cron },
  "a comparison that failed, by cron": { pulumi: failing, steps: cron },
  "a preview in its place, by cron": { plan: "plugin-import.json", steps: cron },
});

const job = (name: string, env?: Record<string, string>) => [name, gitlabScript(name), ...(env ? [env] : [])] as Step;
const merge = { CI_MERGE_REQUEST_DIFF_BASE_SHA: "HEAD~1" };
const push = { CI_COMMIT_BEFORE_SHA: "HEAD~1" };

itPlays("gitlab", {
  ...Object.fromEntries(
    ["plugin-changes-streamed.jsonl", "plugin-import-streamed.jsonl", "plugin-failed-streamed.jsonl"].map((plan) => [
      `preview of ${plan}`,
      { plan, steps: [job("preview", merge)] },
    ]),
  ),
  ...Object.fromEntries(
    ["plugin-changes.json", "plugin-import.json"].map((plan) => [
      `deployment of ${plan}`,
      { plan, steps: [job("plan", push), job("up"), job("up-disruptive")] },
    ]),
  ),
  "a plan that disrupts more than its seal": {
    plan: '"$PLAN"',
    steps: [job("plan", { ...push, PLAN: "plugin-import.json" }), job("up", { PLAN: "plugin-changes.json" })],
  },
  drift: { plan: "plugin-refresh-streamed.jsonl", steps: [job("drift")] },
  "no drift": { plan: "plugin-refreshed-same.json", steps: [job("drift")] },
});

const withBranch = (script: string) => script.replace("branch.mjs", join(examples, "preview-environments/branch.mjs"));
const previews = (file: string, name: string, ...env: [Step[2]?]): Step => [
  name,
  withBranch(scriptOf(`preview-environments/.github/workflows/${file}.yml`, name)),
  ...env,
];
const branch = previews("preview-environment", "branch", { STACK: "pr-7" });
const comment = previews("preview-environment", "comment", { HOST: "ep-1.test" });
const upOfFleet = previews("preview-fleet", "up");
const refused = (status: number, count?: number): Fault => ({
  route: "branches.create",
  effect: { kind: "status", status },
  ...(count !== undefined && { count }),
});
const open = (name: string) => previews("preview-fleet", name);

itPlays("previews", {
  "a branch is created once, waited for, and found again": {
    steps: [
      branch,
      previews("preview-environment", "wait for the branch", ({ operations = "" }) => ({ OPERATIONS: operations })),
      branch,
    ],
  },
  "a branch is asked for again where another operation is in the way": { fault: refused(423, 1), steps: [branch] },
  "a branch is not, where it may have been created": { fault: refused(500), steps: [branch] },
  "a fleet has a branch for each pull request, and is brought to the list": {
    said: { list: "[7,12]" },
    steps: [
      ...["open pull requests", "branch", "wait for the branch"].map(open),
      ["up", `mkdir fleet; cd fleet\n${upOfFleet[1]}`, { MAX_DELETIONS: "" }],
      open("branch"),
    ],
  },
  "a fleet goes on without a branch that is refused": {
    said: { list: "[7,12]" },
    fault: refused(422, 1),
    steps: [
      open("open pull requests"),
      ["branch", `exec > printed.txt\n${open("branch")[1]}`],
      open("wait for the branch"),
    ],
  },
  "the host is told, whatever else is in it, and all is gone in the end": {
    pulumi: `[ "$2" != output ] || printf 'ep-1.test\\n::stop-commands::x' `,
    steps: [
      previews("preview-environment", "up", { BRANCH_ID: "br-7" }),
      comment,
      previews("preview-environment", "destroy"),
    ],
  },
  "a comment is written anew": { said: { "--paginate": "4711\n" }, steps: [comment] },
});

it("when jobs run, where, and with which rights: as it was", async () => {
  const oneLine = (value: unknown) => JSON.stringify(value).replaceAll(/(\\n|\s)+/g, " ");
  const lines = workflows.flatMap((path) => {
    const { on, env, permissions, jobs } = readWorkflow(path);
    const parts = Object.entries(jobs).map(([name, { steps, ...own }]) => {
      const checkout = steps.find(({ uses = "" }) => uses.startsWith("actions/checkout"))?.with;
      return `${name}: ${oneLine({ ...own, checkout })}`;
    });
    return [`# ${path}`, oneLine({ on, env, permissions }), ...parts, ""];
  });
  const gitlab: Record<string, object> = parse(readFileSync(join(examples, "pipeline/.gitlab-ci.yml"), "utf8"));
  const jobs = Object.entries(gitlab).map(
    ([name, { script: _, ...own }]: [string, { script?: unknown }]) => `${name}: ${oneLine(own)}`,
  );
  const text = [...lines, "# pipeline/.gitlab-ci.yml", ...jobs].join("\n");
  await expectTold("pipeline-jobs", `${text}\n`);
  // What a killed run has made is taken up where a run by hand says so: by every step of it, and by none alone.
  const whole = [".github/workflows/deploy.yml", ".gitlab-ci.yml"].map((file) =>
    readFileSync(join(examples, "pipeline", file), "utf8"),
  );
  expect(whole.map((file) => file.match(/ADOPT_INTERRUPTED/g)?.length)).toEqual([1, 1]);
});
