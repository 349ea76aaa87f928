/** The command as a process of its own whose output nobody reads any more, as in `pgcompute ... | head -1`. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
import { root } from "../../tools/root.mjs";

const AT_MOST = { timeout: 60_000 };

let emulator: Emulator;
beforeEach(async () => {
  emulator = await createEmulator({ clock: "manual", startAt: Date.now() });
});
afterEach(() => emulator.close());

/** Starts the command with these of its outputs closed. */
function start(args: string[], closed: ("stdout" | "stderr")[]) {
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

/** Waits by the command for an operation, which ends only after it has been seen under way. */
async function waitForOperation(...closed: ("stdout" | "stderr")[]) {
  const { projectId, branchId, admin } = emulator;
  const { id } = admin.startOperation({ projectId, action: "apply_config", branchId });
  const waiting = start(["operations", "wait", id, "--json"], closed);
  await vi.waitFor(() => expect(admin.counts().total).toBeGreaterThan(1), AT_MOST);
  admin.advance(60_000);
  return waiting;
}

describe("a command whose output nobody reads", () => {
  it("goes on without its progress, and tells how it ended", async () => {
    const { code, out } = await waitForOperation("stderr");
    expect(out).toContain('"outcome": "succeeded"');
    expect(code).toBe(0);
  });

  it("ends with the exit code of what was under way", async () => {
    emulator.admin.addFault({
      on: "operation",
      action: "apply_config",
      effect: { kind: "fail", error: "out of disk" },
    });
    expect((await waitForOperation("stdout", "stderr")).code).toBe(1);
  });

  it("ends as by Ctrl-C where it would go on for ever", async () => {
    expect((await start(["operations", "--follow"], ["stdout"])).code).toBe(0);
  });
});
