import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HostDriver, hosts, pluginHost } from "../engine/support/hosts";
import { useBench } from "../engine/support/platform";
import { commandIn } from "../support/commands";
import { runAlone } from "./support/open-shell";
import { record } from "./support/record";
import { examples, gitlabScript, openRunner, scriptOf } from "./support/runner";

const bench = useBench();

/** A stack of four endpoints, changes to them outside Pulumi, and the pipeline that detects them. */
async function openStack(host: HostDriver) {
  const names = ["sized", "gone", "same", "moved"] as const;
  const branches = Object.fromEntries(names.map((name) => [name, bench.branch()]));
  const { project, is } = bench.program(host);
  const settings = { moved: { pgSettings: { work_mem: "64MB" } } } as Record<string, object>;
  const args = (name: string) => ({
    ...{ projectId: bench.projectId, branchId: branches[name], sizeCu: 2, suspendTimeoutSeconds: 600 },
    ...settings[name],
  });
  await is(Object.fromEntries(names.map((name) => [name, { args: args(name) }]))).up();
  const { emulator, projectId } = bench;
  const change = async (name: string, method: string, endpoint?: object) => {
    const [{ id = "" } = {}] = bench.on(branches[name]);
    const answer = await fetch(`${emulator.url}/projects/${projectId}/endpoints/${id}`, {
      method,
      headers: { Authorization: `Bearer ${emulator.apiKey}`, "Content-Type": "application/json" },
      ...(endpoint && { body: JSON.stringify({ endpoint }) }),
    });
    const { operations } = (await answer.json()) as { operations: { id: string; action: string }[] };
    return operations;
  };
  const runner = openRunner({
    folder: project.folders.program,
    pulumi: `exec ${join(project.folders.bin, "pulumi")} "$@"`,
    env: { ...project.env, STACK: "dev", PGCOMPUTE_API_KEY: emulator.apiKey, PGCOMPUTE_BASE_URL: emulator.url },
  });
  copyFileSync(join(examples, "pipeline/drift.sh"), join(project.folders.program, "drift.sh"));
  return {
    change,
    runner,
    cron: async () => {
      const code = await runner.run("./drift.sh dev > printed.txt");
      return { code, printed: runner.file("printed.txt") };
    },
    refresh: () => project.cli(["refresh", "--stack", "dev", "--preview-only", "--json", "--non-interactive"]),
    /** What a command of a message writes. */
    told: async (command: string, env: Record<string, string>) =>
      (await project.cli([...command.split(" ").slice(1), "--stack", "dev", "--non-interactive"], { env })).stdout,
  };
}

/** As somebody at the platform's console: another size and delay, other settings, and one endpoint less. */
async function meddle({ change }: Awaited<ReturnType<typeof openStack>>) {
  const size = { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 };
  const [resized] = await change("sized", "PATCH", { ...size, suspend_timeout_seconds: -1 });
  await change("moved", "PATCH", { settings: { pg_settings: { work_mem: "8MB", application_name: "x" } } });
  await change("gone", "DELETE");
  return resized?.id ?? "";
}

const streamed = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };
const summary =
  "3 endpoints were changed outside the stack; when the next deployment puts that back: 1 restart (connections drop), " +
  "1 created again (host changes), 1 reconfigured (restart not stated)";

describe.each(hosts)("drift of a stack of the $name host", (host) => {
  it("is told with who was changed, from what to what, and by which operation", async () => {
    const stack = await openStack(host);
    expect(await stack.cron()).toEqual({ code: 0, printed: "" });
    const operation = await meddle(stack);

    const { code, printed } = await stack.cron();
    expect(code).toBe(5);
    expect(printed).toContain(`**${summary}**`);
    // From what is there to what the program says.
    expect(printed).toMatch(
      /\| `sized` \| changed in place \| \S+.* \| \*\*yes\*\* .*\| 0\.5\sCU → 2\sCU \| 225 → 901 \|/,
    );
    expect(printed).toContain("| `suspendTimeoutSeconds` | `never` | `after 600 s` |");
    expect(printed).toMatch(
      new RegExp(`- \\*\\*Changed\\*\\*: since .* UTC: operation ${operation} \\(apply.?_config\\)`),
    );
    expect(printed).toMatch(/- \*\*Now\*\*: the platform does not have this endpoint any more/);

    // The summary form tells it of the plugin only; where it does not, it says so.
    const digest = (await stack.refresh()).stdout;
    const alone = await runAlone(["review", "--drift"], { input: digest });
    if (host.name === "plugin") {
      expect(alone).toMatchObject({ code: 5, out: expect.stringContaining(summary) });
      const [compare, review] = ["compare", "review"].map((step) =>
        scriptOf("pipeline/.github/workflows/drift.yml", step),
      );
      expect(await stack.runner.outputsOf(`${compare}\n${review}`, streamed)).toEqual({ code: "5" });
    } else {
      expect(alone).toMatchObject({ code: 1, err: expect.stringMatching(/does not tell what changed/) });
      const [, name = "", value = ""] = alone.err.match(/ with (\w+)=(\w+) in its environment/) ?? [];
      const input = await stack.told(commandIn(alone.err, "pulumi refresh"), { [name]: value });
      expect(await runAlone(["review", "--drift"], { input })).toMatchObject({ code: 5 });
      expect(await stack.runner.run(gitlabScript("drift"))).toBe(5);
    }
    record(host.name, { refresh: digest, "refresh-streamed": stack.runner.file("plan.json") });
    expect(stack.runner.file("drift.md")).toContain(summary);
  });
});

it("no change of what a stack only reads is drift: no deployment puts it back", async () => {
  const branch = bench.branch();
  const args = { projectId: bench.projectId, branchId: branch, sizeCu: 2, suspendTimeoutSeconds: 600 };
  const owner = bench.program(pluginHost);
  await owner.is({ shared: { args } }).up();
  const [{ id = "" } = {}] = bench.on(branch);
  const reader = bench.project();
  const get = { id: `${bench.projectId}/${id}` };
  await reader.yaml({ resources: { shared: { type: "pgcompute:index:Endpoint", get } } }).up();
  const found = async () => {
    const refresh = ["refresh", "--stack", "dev", "--preview-only", "--json", "--non-interactive"];
    const { stdout } = await reader.cli(refresh, { env: streamed });
    return runAlone(["review", "--drift"], { input: stdout });
  };
  bench.emulator.admin.changeEndpoint(id, { suspend_timeout_seconds: -1 });
  expect(await found()).toMatchObject({ code: 0, out: expect.stringContaining("No endpoint was changed outside") });
  bench.emulator.admin.dropEndpoint(id);
  expect(await found()).toMatchObject({ code: 0, out: expect.stringContaining("No endpoint was changed outside") });
});
