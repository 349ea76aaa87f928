import { Endpoint, getBranch } from "pulumi-pgcompute";
import { describe, expect, it } from "vitest";
import { dynamicHost as host } from "../support/hosts";
import { said } from "../support/look";
import { useBench } from "../support/platform";

const bench = useBench({ operationMs: 2_500 });

const place = () => ({ projectId: bench.projectId, branchId: bench.branch() });

// This host has its row from the SDK; the plugin: tests/provider/pulumi/plugin/partial.test.ts.
describe("what people read on a row of the dynamic host", () => {
  it("is said once where the platform cannot be reached", async () => {
    const project = bench.project({ "pgcompute:baseUrl": "http://127.0.0.1:1/api/v2" });
    const run = await host.stack(project, { main: { args: place() } }).preview({ expectFailure: true });
    expect(said(run).match(/nothing listens there/g)).toHaveLength(1);
    expect(said(run, "main")).toMatch(/Check the base address .* then run the command again\.$/m);
    expect(run.text).not.toMatch(/again\.:/);
  });

  it("says what is done and for how long while it waits, and in the end that it is done", async () => {
    const { is } = bench.program(host);
    const run = await is({ main: { args: place() } }).up();
    const status = run.diagnostics.filter(({ name, ephemeral }) => ephemeral && name === "main");
    const lines = status.map(({ message }) => message.trim());
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(0, -1).filter((line) => !/^start_compute( scheduling)?, \d+ s$/.test(line))).toEqual([]);
    expect(lines.at(-1)).toBe("start_compute done");
  });
});

it.each<[string, () => unknown, RegExp]>([
  [
    "the option import",
    () => new Endpoint("main", place(), { import: `${bench.projectId}/ep-x` }),
    /"import" needs the pgcompute plugin; .*adoptExisting: true/,
  ],
  [
    "a branch that is not there",
    () => getBranch({ projectId: bench.projectId, name: "no-such-branch" }),
    /has no branch named "no-such-branch"; getBranches lists those that it has/,
  ],
])("a program in TypeScript that cannot go on says why without a stack trace: %s", async (_, program, why) => {
  const stack = bench.project().stack(async () => void (await program()));
  const run = await stack.preview({ expectFailure: true });
  expect(run.failure).toMatch(why);
  expect(run.text).not.toMatch(/\n\s+at /);
  expect(JSON.stringify(run.diagnostics)).not.toMatch(/\\n\s+at |Unhandled exception/);
});
