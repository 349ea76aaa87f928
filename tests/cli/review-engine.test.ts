import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";
import { expect, it } from "vitest";
import { readPlan } from "../../cli/review/plan";
import type { Report } from "../../cli/review/report-model";
import { hosts, pluginHost } from "../engine/support/hosts";
import { useBench } from "../engine/support/platform";
import { reportOn } from "../unit/cli/support/plans";
import { runAlone } from "./support/open-shell";
import { record } from "./support/record";
import { printChanges, printImport, printReplacements } from "./support/scenarios";

const bench = useBench();

/** What `pgcompute review --format json` makes of a plan. */
async function review(plan: string, ...args: string[]): Promise<Report> {
  const { code, out, err } = await runAlone(["review", "--format", "json", ...args], { input: plan });
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

function fates({ endpoints }: Report): Record<string, string> {
  const words = endpoints.map(({ name, action, restarts, hostChanges, downtime }) => [
    name,
    `${action}: restarts ${restarts}, host changes ${hostChanges}, downtime ${downtime}`,
  ]);
  return Object.fromEntries(words);
}

/** What tests read without the engine, of all that it prints. */
const recorded: Readonly<Record<string, readonly string[]>> = {
  plugin: ["changes", "changes-streamed", "changes-refreshed", "failed", "failed-streamed", "replacements"],
  dynamic: ["changes", "failed", "failed-streamed", "replacements"],
};

/** The forms of a plan, in which what was recorded of each says the same of every endpoint. */
const forms = { changes: ["", "-streamed", "-refreshed"], replacements: ["", "-streamed", "-steps"] };

it.each(hosts)(
  "what the engine prints of the $name host is reviewed in every form as what was recorded of it",
  async (host) => {
    const printed = { ...(await printChanges(bench, host)), ...(await printReplacements(bench, host)) };
    const kept = (recorded[host.name] ?? []).map((name) => [name, printed[name] ?? ""]);
    record(host.name, Object.fromEntries(kept));
    for (const [name, endings] of Object.entries(forms)) {
      const known = fates(reportOn(`${host.name}-${name}.json`));
      expect(Object.keys(known).length).toBeGreaterThan(5);
      for (const ending of endings) expect(fates(await review(printed[name + ending] ?? "")), ending).toEqual(known);
    }
    // A seal holds a value that is not known yet by the resources that it comes from, which only the digest tells.
    const sourcesIn = (form: string) => {
      const { steps } = readPlan(Buffer.from(printed[form] ?? ""));
      return steps.find(({ urn }) => urn.endsWith("::triggered"))?.after?.sources?.restartTrigger;
    };
    const fresh = [expect.stringMatching(/::fresh$/)];
    expect(["changes", "changes-streamed"].map(sourcesIn)).toEqual([fresh, undefined]);
    const { code, err } = await runAlone(["review", "--format", "json"], { input: printed.failed ?? "" });
    expect(code).not.toBe(0);
    expect(err).toMatch(/branchId.*looks like a branch's name/);
  },
);

it("an import is reviewed, and a read is no change", async () => {
  const printed = await printImport(bench);
  record(pluginHost.name, printed);
  for (const plan of Object.values(printed)) {
    const report = await review(plan);
    expect(report.summary).toBe("1 endpoint changes: 1 imported");
    expect(report.endpoints[0]).toMatchObject({ name: "imported", dropsConnections: "no" });
    expect(report.unchanged).toBe(1);
  }
});

it("a plan is reviewed with components, other resources and colons in names around its endpoints", async () => {
  const branchId = bench.branch();
  const project = bench.project();
  const note = { create: async () => ({ id: "note" }) };
  const stack = project.stack(async () => {
    const shop = new pulumi.ComponentResource("shop:index:Shop", "shop");
    new Endpoint("data::main", { projectId: bench.projectId, branchId, sizeCu: 1 }, { parent: shop });
    new (class extends pulumi.dynamic.Resource {})(note, "note", {}, { parent: shop });
  });
  const created = await review((await stack.preview({ args: ["--json", "--diff"] })).stdout);
  expect(created).toMatchObject({
    summary: "1 endpoint changes: 1 created",
    endpoints: [{ name: "data::main", host: "dynamic" }],
    otherChanges: 2,
  });
  await stack.up();
  const args = ["--stack", "dev", "--json", "--non-interactive"];
  const { stdout: destruction } = await project.cli(["destroy", "--preview-only", ...args]);
  expect(await review(destruction)).toMatchObject({ summary: "1 endpoint changes: 1 deleted (host gone, downtime)" });
  const empty = project.yaml({ resources: {} });
  const deleted = await review((await empty.preview({ args: ["--json", "--diff"] })).stdout, "--fail-on", "restart");
  expect(deleted).toMatchObject({ endpoints: [{ action: "delete" }], otherChanges: 2, gate: { met: [] } });
  await stack.destroy();
  const nothing = await review((await empty.preview({ args: ["--json"] })).stdout);
  expect(nothing).toMatchObject({ endpoints: [], otherChanges: 0, errors: [], hidesLeftDeletes: true });
});
