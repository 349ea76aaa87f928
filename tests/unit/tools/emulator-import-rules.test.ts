import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkImports } from "../../../tools/check/imports.mjs";

function plant(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-emulator-rules-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const target = {
  "emulator/model/b.ts": "export type B = 1;",
  "emulator/routes/b.ts": "export type B = 1;",
  "emulator/other/b.ts": "",
};

it.each([
  ["upwards", "emulator/model/a.ts", 'export type { B } from "../routes/b";', /emulator\/model may import/],
  ["beside itself", "emulator/admin/a.ts", 'import "../routes/b";', /emulator\/admin may import/],
  ["from a folder without a place", "emulator/other/a.ts", 'import "../model/b";', /no place in tools\/check/],
  ["in a circle of types", "emulator/model/b.ts", 'export type { B } from "./b2";', /are one file or three/],
])("the emulator imports nothing %s", async (_, path, text, reason) => {
  const circle = { "emulator/model/b2.ts": 'export type { B } from "./b";' };
  expect((await checkImports(plant({ ...target, ...circle, [path]: text }))).join("\n")).toMatch(reason);
});

it("the emulator imports downwards", async () => {
  const files = { "emulator/routes/a.ts": 'import "../model/b";', "emulator/index.ts": 'import "./routes/b";' };
  expect(await checkImports(plant({ ...target, ...files }))).toEqual([]);
});
