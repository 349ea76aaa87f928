import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Run {
  child: ChildProcess;
  /** Resolves with the output as soon as it matches. */
  shows(pattern: RegExp): Promise<string>;
  /** Resolves with the exit code and the whole output. */
  ended: Promise<{ code: number | null; output: string }>;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, ["--import", "tsx", "emulator/cli.ts", ...args], { cwd: root });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += String(data);
    });
  }
  return {
    child,
    shows: async (pattern) => {
      while (!pattern.test(output)) await once(child.stdout, "data");
      return output;
    },
    ended: once(child, "close").then(([code]) => ({ code, output })),
  };
}

describe("the command line", { timeout: 30_000 }, () => {
  it.each(["SIGINT", "SIGTERM"] as const)("prints where it is and ends cleanly on %s", async (signal) => {
    const { child, shows, ended } = run("--port", "0", "--plan", "free", "--operation-ms", "0", "--api-key", "KEY");
    const output = await shows(/admin .*\n/);
    expect(output).toMatch(/^key {7}KEY$/m);
    expect(output).toMatch(/^project {3}quiet-harbor-12345678$/m);
    expect(output).toMatch(/^branch {4}br-quiet-harbor-main$/m);
    expect(output).toMatch(/^endpoint {2}ep-quiet-harbor-main$/m);
    const url = /^address {3}(http:\/\/127\.0\.0\.1:\d+\/api\/v2)$/m.exec(output)?.[1];
    const headers = { authorization: "Bearer KEY", "content-type": "application/json" };
    const body = JSON.stringify({ endpoint: { branch_id: "br-quiet-harbor-main", type: "read_only" } });
    const answer = await fetch(`${url}/projects/quiet-harbor-12345678/endpoints`, { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ code: "PLAN_LIMIT" });
    child.kill(signal);
    expect((await ended).code).toBe(0);
  });

  it.each([
    ["--port", "65536"],
    ["--port", "x"],
    ["--operation-ms", "-1"],
    ["--plan", "gold"],
    ["--api-key", "two words"],
    ["--typo", "1"],
  ])("refuses %s %s", async (option, value) => {
    const { code, output } = await run(option, value).ended;
    expect(code).toBe(1);
    expect(output).toMatch(/^pgcompute-emulator: /);
  });

  it("explains itself", async () => {
    const { code, output } = await run("--help").ended;
    expect(code).toBe(0);
    for (const option of ["--port", "--host", "--plan", "--operation-ms", "--api-key"])
      expect(output).toContain(option);
  });
});
