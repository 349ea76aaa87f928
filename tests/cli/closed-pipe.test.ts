/** The command as a process of its own whose output nobody reads any more, as in `pgcompute ... | head -1`. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
import { root } from "../../tools/root.mjs";

const AT_MOST = { timeout: 60_000 };

let emulator: Emulator;
beforeEach(async () => {
  emulator = await createEmulator({ clock: "manual", startAt: Date.now() });
});
afterEach(() => emulator.close());

/** Starts the command with these of its outputs closed. */
function start(args: string[], closed: readonly ("stdout" | "stderr")[]) {
  const child = spawn(process.execPath, [join(root, "bin/pgcompute.cjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PGCOMPUTE_API_KEY: emulator.apiKey,
      PGCOMPUTE_BASE_URL: emulator.url,
      PGCOMPUTE_PROJECT_ID: emulator.projectId,
    },
  });
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  for (const stream of closed) child[stream].destroy();
  return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out }));
  });
}

it.each([
  ["its progress: it tells how it ended", undefined, ["stderr"], 0],
  ["anything of it: it ends with the exit code of what was under way", "out of disk", ["stdout", "stderr"], 1],
] as const)("a command of which nobody reads %s", async (_, failure, closed, code) => {
  const { projectId, branchId, admin } = emulator;
  const action = "apply_config";
  if (failure) admin.addFault({ on: "operation", action, effect: { kind: "fail", error: failure } });
  const { id } = admin.startOperation({ projectId, action, branchId });
  const waiting = start(["operations", "wait", id, "--json"], closed);
  // The operation ends only after it has been seen under way.
  await vi.waitFor(() => expect(admin.counts().total).toBeGreaterThan(1), AT_MOST);
  admin.advance(60_000);
  const out = failure ? expect.anything() : expect.stringContaining('"outcome": "succeeded"');
  expect(await waiting).toEqual({ code, out });
});

it("a command that would go on for ever ends as by Ctrl-C where nobody reads its output", async () => {
  expect((await start(["operations", "--follow"], ["stdout"])).code).toBe(0);
});
