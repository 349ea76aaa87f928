import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkImports } from "../../../tools/check/imports.mjs";
import { checkNames } from "../../../tools/check/names.mjs";

const folders: string[] = [];

function plant(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "pgcompute-planted-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("the check of imports", () => {
  const target = { "provider/api/api.ts": "export const a = 1; export type T = 1;" };

  it.each([
    [
      "rules -> api",
      "provider/rules/a.ts",
      'import { a } from "../api/api"; export default a;',
      /rules may import nothing/,
    ],
    ["a type counts", "provider/rules/a.ts", 'export type { T } from "../api/api";', /rules may import nothing/],
    ["api -> @pulumi", "provider/api/b.ts", 'import "@pulumi/pulumi";', /only the hosts and the SDK/],
    ["endpoint -> grpc", "provider/endpoint/b.ts", 'import "@grpc/grpc-js";', /only the hosts and the SDK/],
    ["emulator -> provider", "emulator/a.ts", 'import "../provider/api/api";', /emulator never imports the provider/],
    ["main -> api", "provider/main.ts", 'import "./api/api";', /starts the plugin and nothing else/],
    ["sdk -> api", "sdk/index.ts", 'import "../provider/api/api";', /what it does belongs to the provider/],
    ["cli -> dynamic", "cli/a.ts", 'import "../provider/dynamic/index";', /starts none/],
    ["cli -> @pulumi", "cli/a.ts", 'import "@pulumi/pulumi";', /only the hosts and the SDK/],
    ["rules -> cli", "provider/rules/a.ts", 'import "../../cli/a";', /nothing imports it/],
    ["a new folder", "provider/helpers/a.ts", 'import "../api/api";', /has no place in tools\/check/],
    ["provider -> tests", "provider/api/b.ts", 'import "../../tests/a";', /never import the emulator, tests/],
    ["a circle", "provider/api/b.ts", 'import "./c";', /one module or three/],
  ])("refuses %s", async (_, path, text, reason) => {
    const more = {
      "tests/a.ts": "",
      "cli/a.ts": "",
      "provider/dynamic/index.ts": "",
      "provider/api/c.ts": 'import "./b";',
    };
    const lines = await checkImports(plant({ ...target, ...more, [path]: text }));
    expect(lines.join("\n")).toMatch(reason);
    expect(lines.join("\n")).toContain(`${path} -> `);
  });

  it.each([
    ["operations -> api", "provider/operations/a.ts", 'import "../api/api";'],
    ["dynamic -> @pulumi", "provider/dynamic/a.ts", 'import "@pulumi/pulumi";'],
    ["cli -> rules", "cli/a.ts", 'import "../provider/rules/b";'],
    ["a type in the SDK", "sdk/index.ts", 'import type { T } from "../provider/api/api"; export type U = T;'],
  ])("allows %s", async (_, path, text) => {
    expect(await checkImports(plant({ ...target, [path]: text }))).toEqual([]);
  });
});

describe("the check of names", () => {
  it.each([
    ["a property", "export const a = { branch_id: 1 };"],
    ["a quoted key", 'export const a = { "branch_id": 1 };'],
    ["an access", "export const f = (a: any) => a.branch_id;"],
    ["an access by text", 'export const f = (a: any) => a["branch_id"];'],
    ["a type", "export interface A { branch_id: string }"],
    ["a variable", "export const branch_id = 1;"],
  ])("refuses %s", (_, text) => {
    const lines = checkNames(plant({ "provider/rules/a.ts": text, "sdk/a.ts": text }));
    expect(lines).toEqual(["provider/rules/a.ts:1: branch_id is a wire name", "sdk/a.ts:1: branch_id is a wire name"]);
  });

  it("allows them where they are translated, and as values", () => {
    const text = "export const a = { branch_id: 1 };";
    const values =
      'export const a = ["branch_id"]; export type A = "read_write"; export const __PGCOMPUTE_VERSION__ = 1;';
    const files = { "provider/api/a.ts": text, "provider/endpoint/mapping.ts": text, "provider/rules/a.ts": values };
    expect(checkNames(plant(files))).toEqual([]);
  });
});
