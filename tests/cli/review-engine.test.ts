import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-pgcompute";
import { describe, expect, it } from "vitest";
import type { Report } from "../../cli/review/report-model";
import { hosts, pluginHost } from "../engine/support/hosts";
import { said } from "../engine/support/look";
import { endpointsOn, useBench } from "../engine/support/platform";
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

describe.each(hosts)("what the engine prints of the $name host", (host) => {
  it("is reviewed: changes in place, a replacement, a creation, a deletion, a release", async () => {
    const printed = await printChanges(bench, host);
    record(host.name, printed);
    const { changes = "", failed = "" } = printed;
    const report = await review(changes);
    expect(fates(report)).toEqual({
      resized: "update: restarts yes, host changes no, downtime no",
      typed: "replace: restarts no, host changes yes, downtime no",
      gone: "delete: restarts no, host changes no, downtime yes",
      moved: "update: restarts not_stated, host changes no, downtime yes",
      triggered: "update: restarts possible, host changes no, downtime no",
      fresh: "create: restarts no, host changes no, downtime no",
      adopted: "release: restarts no, host changes no, downtime no",
      delayed: "update: restarts no, host changes no, downtime no",
    });
    expect(fates(await review(printed["changes-streamed"] ?? ""))).toEqual(fates(report));
    expect(fates(await review(printed["changes-refreshed"] ?? ""))).toEqual(fates(report));
    const { code, err } = await runAlone(["review", "--format", "json"], { input: failed });
    expect(code).not.toBe(0);
    expect(err).toMatch(/branchId.*looks like a branch's name/);
  });

  it("is reviewed: replacements of every kind", async () => {
    const printed = await printReplacements(bench, host);
    record(host.name, printed);
    const report = await review(printed.replacements ?? "");
    expect(fates(report)).toEqual({
      first: "replace: restarts no, host changes yes, downtime yes",
      option: "replace: restarts no, host changes yes, downtime yes",
      forced: "replace: restarts no, host changes yes, downtime no",
      adopts: "adopt: restarts possible, host changes no, downtime no",
      hidden: "update: restarts possible, host changes no, downtime no",
      retained: "release: restarts no, host changes no, downtime no",
    });
    expect(fates(await review(printed["replacements-streamed"] ?? ""))).toEqual(fates(report));
    expect(fates(await review(printed["replacements-steps"] ?? ""))).toEqual(fates(report));
  });
});

it.each(hosts)(
  "preview and review both say that up starts an endpoint whose start failed, by the $name host",
  async (host) => {
    const { projectId, emulator } = bench;
    const branchId = bench.branch();
    const program = await bench.program(host);
    const stack = program.is({ main: { args: { projectId, branchId, sizeCu: 1 } } });
    const effect = { kind: "fail", error: "no room in this region", failures: 3 } as const;
    emulator.admin.addFault({ on: "operation", branchId, action: "start_compute", count: 1, effect });
    await stack.up({ expectFailure: true });
    const done = "what the program sets is sent again, and the endpoint is started if that starts no operation";
    expect(said(await stack.preview(), "main")).toContain(done);
    const report = await review((await stack.preview({ args: ["--json"] })).stdout);
    expect(report.summary).toBe("1 endpoint changes: 1 repaired after an earlier run (started where that failed)");
    expect(report.endpoints[0]?.notes.join()).toContain(done);
    expect(report.messages.map(({ message }) => message).join()).toContain(done);
    await stack.up();
    expect(endpointsOn(bench, branchId)).toMatchObject([{ current_state: "active" }]);
    expect(await review((await stack.preview({ args: ["--json"] })).stdout)).toMatchObject({
      summary: "No endpoint changes",
    });
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

it("a key of the platform that a program or a configuration has in the wrong place is in no report", async () => {
  const key = `napi_${"0123456789abcdef".repeat(4)}`;
  const project = await bench.project({ "pgcompute:apikey": key });
  const properties = { projectId: bench.projectId, branchId: bench.branch(), pgSettings: { application_name: key } };
  const program = { resources: { main: { type: "pgcompute:index:Endpoint", properties } } };
  const wrong = (await project.yaml(program).preview({ args: ["--json"], expectFailure: true })).stdout;
  const shown = (await (await bench.project()).yaml(program).preview({ args: ["--json"] })).stdout;
  expect(shown).toContain(key);
  for (const plan of [wrong, shown]) {
    for (const format of ["markdown", "html", "json"]) {
      const { out, err } = await runAlone(["review", "--format", format], { input: plan });
      expect(out).toMatch(/main|The preview failed/);
      expect(out + err).not.toContain(key.slice(0, 30));
    }
  }
});

it("a plan is reviewed with components, other resources and colons in names around its endpoints", async () => {
  const branchId = bench.branch();
  const project = await bench.project();
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
  expect(await review(destruction)).toMatchObject({ summary: "1 endpoint changes: 1 deleted (connections drop)" });
  const empty = project.yaml({ resources: {} });
  const deleted = await review((await empty.preview({ args: ["--json", "--diff"] })).stdout, "--fail-on", "restart");
  expect(deleted).toMatchObject({ endpoints: [{ action: "delete" }], otherChanges: 2, gate: { met: [] } });
  await stack.destroy();
  const nothing = await review((await empty.preview({ args: ["--json"] })).stdout);
  expect(nothing).toMatchObject({ summary: "No endpoint changes", endpoints: [], otherChanges: 0, errors: [] });
});
