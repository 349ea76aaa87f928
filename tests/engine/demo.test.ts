import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { cache, root } from "../../tools/root.mjs";

// Specification, section 3.1.

const run = promisify(execFile);

it("make demo takes the example through its life, in plain text where nobody watches, and leaves nothing", async () => {
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
  expect(readdirSync(cache).filter((name) => name.startsWith(`demo-${demo.pid}-`))).toEqual([]);
});
