import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginHost as host } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import type { Project } from "../support/project";

const bench = useBench({ apiKey: "napi_of_the_emulator_0000" });

/** The calls of a trace beside those that the platform has seen since its log was cleared, in an order of their own. */
function expectAllCalls(project: Project, file: string): void {
  const text = readFileSync(join(project.folders.program, file), "utf8");
  expect(text).not.toContain(bench.emulator.apiKey);
  const traced = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const short = ({ method, path, status }: { method: string; path: string; status: number | undefined }) =>
    `${method} ${path.replace(/^.*\/v2/, "").replace(/\?.*$/, "")} ${status}`;
  const seen = bench.emulator.admin.log().map(short);
  expect(seen.length).toBeGreaterThan(0);
  expect(traced.map(short).sort()).toEqual(seen.sort());
}

describe("a trace for support", () => {
  it("has every call, by the environment or by the configuration, and is refused where it cannot be written", async () => {
    const project = await bench.project();
    const stack = host.stack(project, { main: { args: { projectId: bench.projectId, branchId: bench.branch() } } });
    bench.emulator.admin.clearLog();
    await stack.preview({ env: { PGCOMPUTE_TRACE_FILE: "preview.jsonl" } });
    expectAllCalls(project, "preview.jsonl");

    await project.setConfig({ "pgcompute:traceFile": "up.jsonl" });
    bench.emulator.admin.clearLog();
    await stack.up({ env: { PGCOMPUTE_TRACE_FILE: "unused.jsonl" } });
    expectAllCalls(project, "up.jsonl");
    expect(existsSync(join(project.folders.program, "unused.jsonl"))).toBe(false);

    await project.setConfig({ "pgcompute:traceFile": "no/such/folder" });
    const refused = await stack.preview({ expectFailure: true });
    // That the setting changes is another line, which names it.
    const lines = said(refused).split("\n");
    const reason = lines.filter((line) => line.includes("the file that traceFile names cannot be written (ENOENT)"));
    expect(reason.join()).toContain("ENOENT");
    expect(reason.join()).not.toContain("no/such/folder");
  });
});
