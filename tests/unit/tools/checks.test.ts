import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkCommands } from "../../../tools/check/commands.mjs";
import { checkExports } from "../../../tools/check/exports.mjs";
import { missingNamesIn } from "../../../tools/check/files.mjs";
import { checkHeads } from "../../../tools/check/heads.mjs";
import { checkImports } from "../../../tools/check/imports.mjs";
import { checkNames } from "../../../tools/check/names.mjs";
import { mistakesIn } from "../../../tools/check/packages.mjs";
import { checkPasted, unpastableIn } from "../../../tools/check/pasted.mjs";
import { mistakesInText } from "../../../tools/check/prose.mjs";
import { packNpm } from "../../../tools/pack/npm-tarball.mjs";
import { root } from "../../../tools/root.mjs";
import { temporaryFolder } from "../../support/temporary-folder";

function plant(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Files of which each imports what it may not. */
const forbidden = {
  "provider/lib/a.ts": 'import { a } from "../platform/api"; export default a;',
  "provider/lib/type.ts": 'export type { T } from "../platform/api";',
  "provider/lib/command.ts": 'import "../../cli/fine";',
  "provider/platform/engine.ts": 'import "@pulumi/pulumi";',
  "provider/endpoint/engine.ts": 'import "@grpc/grpc-js";',
  "emulator/provider.ts": 'import "../provider/platform/api";',
  "emulator/command.ts": 'import "../cli/fine";',
  "emulator/tests/provider.ts": 'import "../../provider/platform/api";',
  "emulator/test.ts": 'import "./tests/fine";',
  "provider/main.ts": 'import "./platform/api";',
  "sdk/index.ts": 'import "../provider/platform/api";',
  "cli/dynamic.ts": 'import "../provider/pulumi/dynamic/fine";',
  "cli/engine.ts": 'import "@pulumi/pulumi";',
  "provider/helpers/new.ts": 'import "../platform/api";',
  "provider/platform/test.ts": 'import "../../tests/fine";',
  "provider/platform/one.ts": 'import "./other";',
  "provider/platform/other.ts": 'import "./one";',
  "emulator/model/routes.ts": 'export type { B } from "../routes/fine";',
  "emulator/admin/routes.ts": 'import "../routes/fine";',
  "emulator/other/new.ts": 'import "../routes/fine";',
  "emulator/model/one.ts": 'export type { B } from "./other";',
  "emulator/model/other.ts": 'export type { B } from "./one";',
  "tests/engine-model/inner.ts": 'export type { T } from "../../provider/endpoint/fine";',
  "tests/programs/inner.ts": 'import "../../provider/endpoint/fine";',
  "tests/faults/context.ts": 'import "../support/call-context";',
};
const allowed = {
  "provider/platform/api.ts": "export const a = 1; export type T = 1;",
  "provider/endpoint/fine.ts": 'import "../platform/api";',
  "provider/pulumi/dynamic/fine.ts": 'import "@pulumi/pulumi";',
  "cli/fine.ts": 'import "../provider/endpoint/fine";',
  "tests/fine.ts": "",
  "tests/engine-model/fine.ts": 'import "../../provider/platform/api";',
  "tests/support/call-context.ts": 'import "../../provider/endpoint/fine";',
  "tools/fine.ts": "",
  "emulator/routes/fine.ts": 'import "../model/fine"; export type B = 1;',
  "emulator/model/fine.ts": "export const b = 1;",
  "emulator/index.ts": 'import "./routes/fine";',
  "emulator/tests/fine.ts": 'import "../../tools/fine"; import "../model/fine";',
  "sdk/types.ts": 'import type { T } from "../provider/platform/api"; export type U = T;',
};

it("the check of imports says of each that it may not, and of no other", async () => {
  expect(await checkImports(plant(allowed))).toEqual([]);
  const lines = await checkImports(plant({ ...allowed, ...forbidden }));
  await expect(`${lines.sort().join("\n")}\n`).toMatchFileSnapshot(join(root, "tests/unit/tools/samples/imports.txt"));
});

const named = [
  "export const a = { branch_id: 1 };",
  'export const a = { "branch_id": 1 };',
  'export const a = { ["branch_id"]: 1 };',
  "export const f = (a: any) => a.branch_id;",
  'export const f = (a: any) => a["branch_id"];',
  "export interface A { branch_id: string }",
  "export const branch_id = 1;",
];
const said = [
  'export const a = "run `pulumi up` again";',
  "export const a = 'set pgcompute:apiKey';",
  `export const a = (name: string) => \`\${name}: run pulumi up\`;`,
];
const three = "export const a = 1;\nexport function b() {}\nexport class C {}\n";
const further = "export const a = 1;\nexport async function b() {}\nexport abstract class C {}\n";
const good = "const SIZE = 1;\n/** B. */\nexport function b() {}\nconst help = () => SIZE;\n";
const kinds = ["interface A {}", "type A = 1", "const a = 1", "function a() {}", "class A {}"];

/** Each of the texts in each of the folders. */
const spread = (texts: readonly string[], ...folders: string[]) =>
  Object.fromEntries(texts.flatMap((text, at) => folders.map((folder) => [`${folder}/${at}.ts`, text])));
const wire = {
  ...spread(named, "provider/lib", "sdk", "cli"),
  // Where the kinds of errors stand, which may be written so.
  "provider/platform/errors.ts": 'export interface A { branch_id: string }\nexport type B = { kind: "not_found" };',
  "provider/places/refusal.ts": "export interface A { branch_id: string }",
};
const low = spread(said, "provider/endpoint/rules", "provider/lib");
const bare = Object.fromEntries(kinds.map((kind, at) => [`cli/a${at}.ts`, `${good}export ${kind}\n`]));
const told = (files: object, what: string) => Object.keys(files).map((file) => `${file}:${what}`);

// That they find nothing else is held by the tree itself, on which they run.
it.each<[string, (root: string) => string[], Record<string, string>, string[]]>([
  ["wire names wherever they are written", checkNames, wire, told(wire, "1: branch_id is a wire name")],
  ["Pulumi's commands below provider/pulumi", checkCommands, low, told(low, "1: a command or setting of Pulumi")],
  [
    "files of three exports without a head",
    checkHeads,
    { "provider/lib/a.ts": three, "tools/b.ts": further },
    ["provider/lib/a.ts", "tools/b.ts"].map((file) => `${file}: begins without a sentence on its subject`),
  ],
  ["exports without a sentence", checkExports, bare, told(bare, "5: an export without a sentence on it")],
  [
    "constants below the functions that are exported",
    checkExports,
    { "provider/lib/a.ts": `${good}const MAX = 2;\n`, "cli/b.ts": "/** B. */\nexport class B {}\nconst MAX = 2;\n" },
    ["cli/b.ts:3", "provider/lib/a.ts:5"].map((place) => `${place}: a constant below the functions that are exported`),
  ],
])("the checks find %s", (_, check, files, lines) => {
  expect(check(plant(files)).sort()).toEqual(lines.sort());
});

// Where nothing is wrong it says nothing of the packages themselves, else `make check` would fail.
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
    [
      "a file is missing, and node finds no types",
      { ...forBoth, default: { types: "./types/a.d.ts", default: "./c.cjs" } },
      { "types/a.d.ts": 'export { a } from "./c";' },
      [/c\.cjs/, /InternalResolutionError/],
    ],
    ["a require gets a module", { ...forBoth, default: "./a.mjs" }, {}, [/CJSResolvesToESM/]],
  ])("says where %s", async (_, entry, files, expected) => {
    const manifest = { name: "planted", version: "1.0.0", type: "commonjs", main: "./a.cjs", types: "./types/a.d.ts" };
    const folder = plant({
      ...good,
      ...files,
      "package.json": JSON.stringify({ ...manifest, license: "MIT", exports: { ".": entry } }),
    });
    const found = await mistakesIn(packNpm(folder, folder));
    for (const one of expected) expect(found.join("\n")).toMatch(one);
    expect(found.every((line) => line.startsWith("planted-1.0.0.tgz: "))).toBe(true);
  });
});

describe("the reader's check", () => {
  const long = `Word${" word".repeat(40)}`;

  it.each([
    ["a long sentence", "a.md", `# Title\n\nShort. ${long}.`, ["a.md:3: a sentence of 41 words"]],
    ["one in a table", "a.md", `| a |\n| - |\n| ${long} |`, ["a.md:3: a sentence of 41 words"]],
    ["a long message", "a.ts", `const a = "${long}";`, ["a.ts:1: a sentence of 41 words"]],
    ["one with a value in it", "a.ts", `\nconst a = \`${long} \${x}\`;`, ["a.ts:2: a sentence of 41 words"]],
    ["a phrase in two lines", "a.ts", "// It means\n// nothing.", ['a.ts:1: "means nothing": better is ignored']],
    ["an adverb", "a.md", "This is so besides.", ['a.md:1: "besides": better also, before it']],
  ])("finds %s", (_, path, text, mistakes) => {
    expect(mistakesInText(path, text)).toEqual(mistakes.map((one) => expect.stringContaining(one)));
  });
});

it("the check of lines to paste finds comments behind commands and a login with a menu, and none in other languages", () => {
  const linesIn = (page: string) => unpastableIn(page).map(({ line }) => line);
  const block = (language: string) => `\`\`\`${language}\n# Alone.\npulumi up   # Behind.\necho a#b\n\`\`\`\n`;
  expect(linesIn(`a # b\n${block("")}`)).toEqual([4]);
  expect(linesIn(`${block("bash")}${block("yaml")}`)).toEqual([3]);
  expect(
    linesIn("`pulumi login`\n```\npulumi login --local && a\npulumi login --local --non-interactive\n```"),
  ).toEqual([3]);
});

it("the check of lines to paste reads the tree's pages, and each line of its texts", () => {
  const text = `export const a = (b: string) => \`# So:\npulumi up # Behind.\nof \${b}\`;`;
  const folder = plant({
    "docs/a.md": "```\npulumi up # Behind.\n```\n",
    "docs/b.md": "```\npulumi up\n```\n",
    "cli/a.ts": text,
    "provider/lib/a.ts": 'export const a = "run `pulumi login`";',
    "emulator/a.ts": text,
    "emulator/b.ts": "// pulumi login\nexport const a = 1;",
  });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet");
  git("add", ".");
  expect(checkPasted(folder).map((line) => line.replace(/: .*/, ""))).toEqual([
    "docs/a.md:2",
    "cli/a.ts:1",
    "provider/lib/a.ts:1",
    "emulator/a.ts:1",
  ]);
});

describe("the names of files in text", () => {
  const known = new Set(["/docs/a.md", "a.md", "provider/lib", "lib/clock.ts", "clock.ts"]);

  it.each([
    ["a page", "docs/b.md", "See provider/lib/cloc.ts.", ["docs/b.md:1: there is no file provider/lib/cloc.ts"]],
    ["a link", "docs/b.md", "\n[b](../docs/c.md#here)", ["docs/b.md:2: there is no file /docs/c.md"]],
    ["a link to a neighbour", "docs/b.md", "[b](c.md)", ["docs/b.md:1: there is no file /docs/c.md"]],
    [
      "a link from another folder",
      "docs/b/c.md",
      "[b](clock.ts)",
      ["docs/b/c.md:1: there is no file /docs/b/clock.ts"],
    ],
    ["a folder", "docs/b.md", "`provider/libs`, `provider/NAME`", ["docs/b.md:1: there is no file provider/libs"]],
    ["a comment", "cli/a.ts", " * as lib/watch.ts has it", ["cli/a.ts:1: there is no file lib/watch.ts"]],
    ["what is there", "docs/b.md", "`lib/clock.ts`, `provider/lib/`, [a](../docs/a.md), [b](a.md#b)", []],
    [
      "what is called as if it were built",
      "docs/b.md",
      "`lib/outcome.ts`",
      ["docs/b.md:1: there is no file lib/outcome.ts"],
    ],
    ["what is built", "docs/b.md", "`dist/sdk.mjs`", []],
    ["an address", "docs/b.md", "https://example.com/lib/no.ts", []],
    ["code", "cli/a.ts", 'const a = "lib/no.ts";', []],
  ])("are looked for in %s", (_, path, text, missing) => {
    expect(missingNamesIn(text, path, known)).toEqual(missing);
  });
});
