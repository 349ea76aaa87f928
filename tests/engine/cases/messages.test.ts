import { Endpoint, getBranch } from "pulumi-pgcompute";
import { describe, expect, it } from "vitest";
import { dynamicHost as host } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";
import type { Run } from "../support/run";

const bench = useBench({ operationMs: 2_500 });

const place = () => ({ projectId: bench.projectId, branchId: bench.branch() });

/** How often the text is told, in whatever severity, on whatever row. */
function timesTold({ diagnostics }: Run, text: RegExp): number {
  return diagnostics.filter(({ message, ephemeral }) => !ephemeral && text.test(message)).length;
}

// This host has its row from the SDK; the plugin: tests/provider/pulumi/plugin/partial.test.ts.
describe("what people read on a row of the dynamic host", () => {
  it("is said once where the platform cannot be reached", async () => {
    const project = await bench.project({ "pgcompute:baseUrl": "http://127.0.0.1:1/api/v2" });
    const run = await host.stack(project, { main: { args: place() } }).preview({ expectFailure: true });
    expect(timesTold(run, /nothing listens there/)).toBe(1);
    expect(said(run, "main")).toMatch(/Check the base address .* then run the command again\.$/m);
    expect(run.text).not.toMatch(/again\.:/);
  });

  it("says what is done and for how long while it waits, and in the end that it is done", async () => {
    const { is } = await bench.program(host);
    const args = place();
    const stack = is({ main: { args } });
    const run = await stack.up();
    const status = run.diagnostics.filter(({ name, ephemeral }) => ephemeral && name === "main");
    const lines = status.map(({ message }) => message.trim());
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(0, -1).filter((line) => !/^start_compute( scheduling)?, \d+ s$/.test(line))).toEqual([]);
    expect(lines.at(-1)).toBe("start_compute done");
  });
});

describe("a program in TypeScript that cannot go on", () => {
  it("says why without a stack trace: the option import", async () => {
    const project = await bench.project();
    const { projectId, branchId } = bench.emulator;
    const stack = project.stack(async () => {
      new Endpoint("main", { projectId, branchId }, { import: `${projectId}/ep-x` });
    });
    const run = await stack.preview({ expectFailure: true });
    expect(run.failure).toMatch(/"import" needs the pgcompute plugin; .*adoptExisting: true/);
    expect(run.text).not.toMatch(/\n\s+at /);
    expect(JSON.stringify(run.diagnostics)).not.toMatch(/\\n\s+at |Unhandled exception/);
  });

  it("says why without a stack trace: a branch that is not there", async () => {
    const project = await bench.project();
    const stack = project.stack(async () => {
      await getBranch({ projectId: bench.projectId, name: "no-such-branch" });
    });
    const run = await stack.preview({ expectFailure: true });
    expect(run.failure).toMatch(/has no branch named "no-such-branch"; getBranches lists those that it has/);
    expect(JSON.stringify(run.diagnostics)).not.toMatch(/\\n\s+at |Unhandled exception/);
  });
});
