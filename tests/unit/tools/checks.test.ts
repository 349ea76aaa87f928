import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkCommands } from "../../../tools/check/commands.mjs";
import { checkExports } from "../../../tools/check/exports.mjs";
import { checkHeads } from "../../../tools/check/heads.mjs";
import { checkImports } from "../../../tools/check/imports.mjs";
import { checkNames } from "../../../tools/check/names.mjs";
import { mistakesIn } from "../../../tools/check/packages.mjs";
import { mistakesInText } from "../../../tools/check/prose.mjs";
import { packNpm } from "../../../tools/pack/npm-tarball.mjs";

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
  const target = { "provider/platform/api.ts": "export const a = 1; export type T = 1;" };

  it.each([
    [
      "lib -> platform",
      "provider/lib/a.ts",
      'import { a } from "../platform/api"; export default a;',
      /lib may import nothing/,
    ],
    ["a type counts", "provider/lib/a.ts", 'export type { T } from "../platform/api";', /lib may import nothing/],
    ["api -> @pulumi", "provider/platform/b.ts", 'import "@pulumi/pulumi";', /only provider\/pulumi and the SDK/],
    ["endpoint -> grpc", "provider/endpoint/b.ts", 'import "@grpc/grpc-js";', /only provider\/pulumi and the SDK/],
    [
      "emulator -> provider",
      "emulator/a.ts",
      'import "../provider/platform/api";',
      /emulator and its tests never import the provider/,
    ],
    [
      "emulator's test -> provider",
      "emulator/tests/a.ts",
      'import "../../provider/platform/api";',
      /and its tests never/,
    ],
    ["emulator -> its tests", "emulator/b.ts", 'import "./tests/a";', /emulator never imports tests or tools/],
    ["emulator -> cli", "emulator/a.ts", 'import "../cli/a";', /emulator and its tests never import/],
    ["main -> platform", "provider/main.ts", 'import "./platform/api";', /starts the plugin and nothing else/],
    ["sdk -> platform", "sdk/index.ts", 'import "../provider/platform/api";', /what it does belongs to the provider/],
    ["cli -> dynamic", "cli/a.ts", 'import "../provider/pulumi/dynamic/index";', /beside provider\/pulumi/],
    ["cli -> @pulumi", "cli/a.ts", 'import "@pulumi/pulumi";', /only provider\/pulumi and the SDK/],
    ["lib -> cli", "provider/lib/a.ts", 'import "../../cli/a";', /nothing imports it/],
    ["a new folder", "provider/helpers/a.ts", 'import "../platform/api";', /has no place in tools\/check/],
    ["provider -> tests", "provider/platform/b.ts", 'import "../../tests/a";', /never import the emulator, tests/],
    ["a circle", "provider/platform/b.ts", 'import "./c";', /one module or three/],
    ["model -> routes", "emulator/model/a.ts", 'export type { B } from "../routes/b";', /emulator\/model may import/],
    ["admin -> routes", "emulator/admin/a.ts", 'import "../routes/b";', /emulator\/admin may import/],
    ["a new folder of the emulator", "emulator/other/a.ts", 'import "../routes/b";', /no place in tools\/check/],
    ["a circle of the emulator's types", "emulator/model/b.ts", 'export type { B } from "./c";', /one file or three/],
  ])("refuses %s", async (_, path, text, reason) => {
    const more = {
      "tests/a.ts": "",
      "cli/a.ts": "",
      "emulator/tests/a.ts": "",
      "provider/pulumi/dynamic/index.ts": "",
      "provider/platform/c.ts": 'import "./b";',
      "emulator/routes/b.ts": "export type B = 1;",
      "emulator/model/c.ts": 'export type { B } from "./b";',
    };
    const lines = await checkImports(plant({ ...target, ...more, [path]: text }));
    expect(lines.join("\n")).toMatch(reason);
    expect(lines.join("\n")).toContain(`${path} -> `);
  });

  it.each([
    ["endpoint -> platform", "provider/endpoint/a.ts", 'import "../platform/api";'],
    ["dynamic -> @pulumi", "provider/pulumi/dynamic/a.ts", 'import "@pulumi/pulumi";'],
    ["cli -> endpoint", "cli/a.ts", 'import "../provider/endpoint/rules/b";'],
    ["routes -> model", "emulator/routes/a.ts", 'import "../model/b";'],
    ["emulator -> routes", "emulator/index.ts", 'import "./routes/b";'],
    ["a test of the emulator's -> tools", "emulator/tests/a.ts", 'import "../../tools/a"; import "../model/b";'],
    ["a type in the SDK", "sdk/index.ts", 'import type { T } from "../provider/platform/api"; export type U = T;'],
  ])("allows %s", async (_, path, text) => {
    const emulator = {
      "tools/a.ts": "",
      "emulator/routes/b.ts": "export const b = 1;",
      "emulator/model/b.ts": "export const b = 1;",
    };
    expect(await checkImports(plant({ ...target, ...emulator, [path]: text }))).toEqual([]);
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
    const files = ["provider/lib/a.ts", "sdk/a.ts", "cli/a.ts"];
    const lines = checkNames(plant(Object.fromEntries(files.map((file) => [file, text]))));
    expect(lines).toEqual(files.map((file) => `${file}:1: branch_id is a wire name`));
  });

  it("allows them where they are translated, and as values", () => {
    const text = "export const a = { branch_id: 1 };";
    const values =
      'export const a = ["branch_id"]; export type A = "read_write"; export const __PGCOMPUTE_VERSION__ = 1;';
    const files = {
      "provider/platform/wire/a.ts": text,
      "provider/lib/a.ts": values,
      "provider/platform/errors.ts": "export const errorCatalog = {\n  not_found: {\n  },\n};",
      "cli/a.ts": "export const a = { not_found: 1 };",
    };
    expect(checkNames(plant(files))).toEqual([]);
  });
});

describe("the check of Pulumi's commands", () => {
  it.each([
    ["a command", 'export const a = "run `pulumi up` again";'],
    ["a setting", "export const a = 'set pgcompute:apiKey';"],
    ["a template", `export const a = (name: string) => \`\${name}: run pulumi up\`;`],
  ])("refuses %s below provider/pulumi, and nowhere else", (_, text) => {
    const below = ["provider/endpoint/rules/a.ts", "provider/lib/a.ts"];
    const files = [...below, "provider/pulumi/a.ts", "provider/main.ts", "cli/a.ts"];
    const lines = checkCommands(plant(Object.fromEntries(files.map((file) => [file, text]))));
    expect(lines.sort()).toEqual(below.map((file) => `${file}:1: a command or setting of Pulumi`));
  });

  it("allows them in comments, and URNs", () => {
    const text = "// `pulumi up` reads pgcompute:apiKey\nexport const a = 'urn:pulumi:dev::shop';\n";
    expect(checkCommands(plant({ "provider/lib/a.ts": text }))).toEqual([]);
  });
});

describe("the check of heads", () => {
  it("wants one where three things are exported, and no sooner", () => {
    const two = "export const a = 1;\nexport function b() {}\n";
    const three = `${two}export class C {}\n`;
    const files = {
      "provider/lib/a.ts": three,
      "emulator/a.ts": two,
      "cli/a.ts": `/** A. */\n${three}`,
      "cli/a.test.ts": three,
    };
    expect(checkHeads(plant(files))).toEqual(["provider/lib/a.ts: begins without a sentence on its subject"]);
  });
});

describe("the check of exports", () => {
  const good = "const SIZE = 1;\n/** B. */\nexport function b() {}\nconst help = () => SIZE;\n";

  it("wants a sentence on each", () => {
    const kinds = ["interface A {}", "type A = 1", "const a = 1", "function a() {}", "class A {}"];
    const files = Object.fromEntries(kinds.map((kind, index) => [`cli/a${index}.ts`, `${good}export ${kind}\n`]));
    expect(checkExports(plant(files)).sort()).toEqual(
      kinds.map((_, index) => `cli/a${index}.ts:5: an export without a sentence on it`),
    );
  });

  it("wants constants above the functions that are exported", () => {
    const more = { "emulator/a.ts": good, "sdk/a.ts": 'export * from "./b";' };
    const files = { ...more, "provider/lib/a.ts": `${good}const MAX = 2;\n` };
    expect(checkExports(plant(files))).toEqual([
      "provider/lib/a.ts:5: a constant below the functions that are exported",
    ]);
  });
});

describe("the check of packages", () => {
  const good = {
    "a.cjs": "exports.a = 1;",
    "types/a.d.ts": 'export { a } from "./b.js";',
    "types/b.d.ts": "export declare const a = 1;",
    "a.mjs": 'import all from "./a.cjs";\nexport const { a } = all;',
    "a.d.mts": 'export * from "./types/a.js";',
  };
  const forBoth = {
    import: { types: "./a.d.mts", default: "./a.mjs" },
    default: { types: "./types/a.d.ts", default: "./a.cjs" },
  };

  it.each<[string, object, object, RegExp[]]>([
    ["nothing is wrong", forBoth, {}, []],
    ["a file is missing", { ...forBoth, default: { types: "./types/a.d.ts", default: "./c.cjs" } }, {}, [/c\.cjs/]],
    ["a require gets a module", { ...forBoth, default: "./a.mjs" }, {}, [/CJSResolvesToESM/]],
    ["node finds no types", forBoth, { "types/a.d.ts": 'export { a } from "./c";' }, [/InternalResolutionError/]],
  ])("says where %s", async (_, entry, files, expected) => {
    const manifest = { name: "planted", version: "1.0.0", type: "commonjs", main: "./a.cjs", types: "./types/a.d.ts" };
    const folder = plant({
      ...good,
      ...files,
      "package.json": JSON.stringify({ ...manifest, license: "MIT", exports: { ".": entry } }),
    });
    const found = await mistakesIn(packNpm(folder, folder));
    expect(found.length > 0).toBe(expected.length > 0);
    for (const one of expected) expect(found.join("\n")).toMatch(one);
    expect(found.every((line) => line.startsWith("planted-1.0.0.tgz: "))).toBe(true);
  });
});

describe("the reader's check", () => {
  const allowed = `Word${" word".repeat(39)}`;
  const long = `${allowed} word`;

  it.each([
    ["a long sentence", "a.md", `# Title\n\nShort. ${long}.`, ["a.md:3: a sentence of 41 words"]],
    ["one in a table", "a.md", `| a |\n| - |\n| ${long} |`, ["a.md:3: a sentence of 41 words"]],
    ["a long message", "a.ts", `const a = "${long}";`, ["a.ts:1: a sentence of 41 words"]],
    ["one with a value in it", "a.ts", `\nconst a = \`${long} \${x}\`;`, ["a.ts:2: a sentence of 41 words"]],
    ["code, which is no words", "a.md", `${"`a` ".repeat(41)}`, []],
    ["sentences of 40 words", "a.md", `${allowed}. ${allowed}.`, []],
    ["a phrase in two lines", "a.ts", "// It means\n// nothing.", ['a.ts:1: "means nothing": better is ignored']],
    ["an adverb", "a.md", "This is so besides.", ['a.md:1: "besides": better also, before it']],
    ["a preposition", "a.md", "Nothing besides this.", []],
  ])("finds %s", (_, path, text, mistakes) => {
    expect(mistakesInText(path, text)).toEqual(mistakes.map((one) => expect.stringContaining(one)));
  });
});
