import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, inject, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { startPlugin } from "./support/plugin-process";

const folder = mkdtempSync(join(inject("engineRunFolder"), "kept-"));
const kept = join(folder, "dist/plugin.cjs.compiled");

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "dist"), { recursive: true });
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(root, "dist/plugin.cjs"), join(folder, "dist/plugin.cjs"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the copy, which must serve and say nothing. */
async function start(): Promise<void> {
  const plugin = await startPlugin({ command: [join(folder, "bin/pulumi-resource-pgcompute")] });
  plugin.close();
  expect(plugin.stderr()).toBe("");
}

describe("what V8 made of the bundle", () => {
  it("is kept at the first start, and left as it is by the next", async () => {
    await start();
    const { ino, mtimeMs } = statSync(kept);
    await start();
    expect(statSync(kept)).toMatchObject({ ino, mtimeMs });
  });

  it.each([
    ["damaged", (bytes: Buffer) => bytes.fill(0, bytes.length >> 1)],
    ["cut", (bytes: Buffer) => bytes.subarray(0, 100)],
    ["empty", () => Buffer.alloc(0)],
    ["of another bundle", (bytes: Buffer) => Buffer.concat([Buffer.alloc(32), bytes.subarray(32)])],
  ])("is not used, but made anew, where it is %s", async (_, spoil) => {
    await start();
    const bad = spoil(readFileSync(kept));
    writeFileSync(kept, bad);
    await start();
    expect(readFileSync(kept).equals(bad)).toBe(false);
  });

  it("is not needed where it cannot be kept", async () => {
    mkdirSync(join(kept, "in the way"), { recursive: true });
    await start();
    expect(existsSync(join(kept, "in the way"))).toBe(true);
  });
});
