import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify, stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { runDemo } from "../../tools/demo/demo";
import { cache, root } from "../../tools/root.mjs";

// Specification, sections 3.1 and 7.

const run = promisify(execFile);

describe("make demo", () => {
  it("takes the example through its life, in plain text where nobody watches, and leaves nothing", async () => {
    const running = run(process.execPath, ["--import", "tsx", "tools/demo/main.ts"], { cwd: root });
    const demo = { pid: running.child.pid, ...(await running) }; // an exit code other than 0 rejects, with all it wrote
    expect(demo.stdout).toContain("All 9 steps did what they say");
    expect(demo.stdout).toBe(stripVTControlCharacters(demo.stdout));
    for (const shown of [
      /\+ pulumi-nodejs:dynamic\/pgcompute:Endpoint: \(create\)/,
      /primaryHost {3}: "ep-[a-z0-9-]+\.eu-central-1\.aws\.compute\.test"/,
      /operation start_compute +ep-[a-z0-9-]+ +finished after/,
      /~ autoscalingLimitMaxCu: 7 => 4/,
      /max_connections 225\n[\s\S]*ok {2}the session is still open/,
      /ok {2}the session is gone/,
      /replica deleted/,
    ]) {
      expect(demo.stdout).toMatch(shown);
    }
    expect(demo.stdout).not.toMatch(/using pulumi-resource-|updating\.\.\.| for \d+ s: /);
    expect(leftovers(demo.pid)).toEqual([]);
  });

  it.each<[string, Prepare, RegExp[]]>([
    [
      "the engine fails",
      ({ admin }) =>
        admin.addFault({ on: "operation", action: "start_compute", effect: { kind: "fail", error: "no host" } }),
      [
        /The demo failed at step 2 of 9, "Up: both endpoints are created and started":/,
        /operation [0-9a-f-]+ \(start_compute\) ended as "failed" after 1 failure: no host/,
      ],
    ],
    [
      "the platform is not as the step says, though the engine is content",
      ({ admin, projectId }) => {
        const branch = admin.project(projectId).branches.find(({ name }) => name === "demo");
        admin.seedEndpoint(projectId, { id: "ep-strange-guest", branch_id: branch?.id ?? "", type: "read_only" });
      },
      [
        /The demo failed at step 1 of 9, "Preview: what the program would create":/,
        /nothing was changed on the platform: expected .*, found .*ep-strange-guest/,
      ],
    ],
  ])("fails, says at which step and why, and still clears up, when %s", async (_, prepare, said) => {
    const before = { ...process.env };
    let text = "";
    const write = (piece: string) => {
      text += piece;
    };
    expect(await runDemo({ write, prepare })).toBe(false);
    expect(process.env).toEqual(before);
    for (const one of said) expect(text).toMatch(one);
    expect(text).not.toContain("All 9 steps");
    expect(leftovers(process.pid)).toEqual([]);
  });
});

type Prepare = NonNullable<Parameters<typeof runDemo>[0]["prepare"]>;

/** Folders that a demo of this process has left. */
function leftovers(pid: number | undefined): string[] {
  return readdirSync(cache).filter((name) => name.startsWith(`demo-${pid}-`));
}
