/** The provider's text, evaluated in programs' folders as npm, npm with nested packages, pnpm and Yarn lay them out. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { providerText } from "../../../sdk/provider-text";
import { temporaryFolder } from "../../support/temporary-folder";

const LONGEST_SHORT = 200;

/** What a program has: packages by their folder, each with what it depends on, and links. */
interface Layout {
  packages: Record<string, string[]>;
  links?: Record<string, string>;
  /** Plug'n'Play's answers: each folder, with where its dependencies are. */
  plugAndPlay?: Record<string, Record<string, string>>;
  /** Where the package lies that is found; absent where none is. */
  found?: string;
  ofProgram?: object;
}

const ofLibrary = { dependencies: { "@acme/databases": "1" } };
const store = "node_modules/.pnpm";

const layouts: Record<string, Layout> = {
  "npm, which hoists": {
    packages: { "node_modules/@acme/databases": ["pulumi-pgcompute"], "node_modules/pulumi-pgcompute": [] },
    found: "node_modules/pulumi-pgcompute",
  },
  "npm with nested packages": {
    packages: {
      "node_modules/@acme/databases": ["pulumi-pgcompute"],
      "node_modules/@acme/databases/node_modules/pulumi-pgcompute": [],
    },
    found: "node_modules/@acme/databases/node_modules/pulumi-pgcompute",
  },
  pnpm: {
    packages: {
      [`${store}/databases@1/node_modules/@acme/databases`]: ["pulumi-pgcompute"],
      [`${store}/pulumi-pgcompute@1/node_modules/pulumi-pgcompute`]: [],
    },
    links: {
      "node_modules/@acme/databases": `${store}/databases@1/node_modules/@acme/databases`,
      [`${store}/databases@1/node_modules/pulumi-pgcompute`]: `${store}/pulumi-pgcompute@1/node_modules/pulumi-pgcompute`,
    },
    found: `${store}/pulumi-pgcompute@1/node_modules/pulumi-pgcompute`,
  },
  "a library of a library, which depend on each other": {
    packages: {
      "node_modules/@acme/databases": ["inner", "not-installed"],
      "node_modules/@acme/databases/node_modules/inner": ["@acme/databases", "pulumi-pgcompute"],
      "node_modules/@acme/databases/node_modules/inner/node_modules/pulumi-pgcompute": [],
    },
    found: "node_modules/@acme/databases/node_modules/inner/node_modules/pulumi-pgcompute",
  },
  "a development dependency": {
    packages: { "node_modules/tools": [], "node_modules/tools/node_modules/pulumi-pgcompute": [] },
    ofProgram: { devDependencies: { tools: "1" } },
    found: "node_modules/tools/node_modules/pulumi-pgcompute",
  },
  "Yarn's Plug'n'Play": {
    packages: {
      "cache/@acme/databases": ["not-installed", "pulumi-pgcompute"],
      "cache/pulumi-pgcompute": [],
    },
    plugAndPlay: {
      ".": { "@acme/databases": "cache/@acme/databases" },
      "cache/@acme/databases": { "pulumi-pgcompute": "cache/pulumi-pgcompute" },
    },
    found: "cache/pulumi-pgcompute",
  },
  "none at all": { packages: { "node_modules/@acme/databases": [] } },
};

/** Lays out a program and stands in its folder. */
function standIn({ packages, links = {}, ofProgram = ofLibrary }: Layout): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify(ofProgram));
  for (const [place, needs] of Object.entries(packages)) {
    mkdirSync(join(folder, place), { recursive: true });
    const dependencies = Object.fromEntries(needs.map((name) => [name, "1"]));
    writeFileSync(join(folder, place, "package.json"), JSON.stringify({ dependencies }));
    const code = 'exports.provider = __dirname; exports.fleetProvider = __dirname + ", of fleets";';
    if (place.endsWith("pulumi-pgcompute")) writeFileSync(join(folder, place, "dynamic.js"), code);
  }
  for (const [link, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, link)), { recursive: true });
    symlinkSync(join(folder, target), join(folder, link));
  }
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  onTestFinished(() => void vi.restoreAllMocks());
  return folder;
}

/** Stands for `.pnp.cjs`: packages are found by the table alone, and scripts may ask for it. */
function plugAndPlay(folder: string, table: Layout["plugAndPlay"]): string {
  return `
    process.versions.pnp = "3";
    const Module = require("module"), path = require("path"), table = ${JSON.stringify(table)};
    const resolveToUnqualified = (name, issuer) => {
      const found = table[path.relative(${JSON.stringify(folder)}, path.dirname(issuer)) || "."]?.[name];
      if (found === undefined) throw new Error(name + " is no dependency");
      return path.join(${JSON.stringify(folder)}, found);
    };
    const [resolve, load] = [Module._resolveFilename, Module._load];
    Module._load = (name, ...others) => (name === "pnpapi" ? { resolveToUnqualified } : load(name, ...others));
    Module._resolveFilename = (name, parent, ...others) => {
      if (path.isAbsolute(name) || Module.isBuiltin(name)) return resolve(name, parent, ...others);
      return resolveToUnqualified(path.dirname(name), parent.filename) + "/" + path.basename(name) + ".js";
    };`;
}

/** What a text gives in a folder, as the launcher evaluates it there. */
function evaluatedIn(folder: string, text: string, table?: Layout["plugAndPlay"]): string {
  const code = `
    ${table ? plugAndPlay(folder, table) : ""}
    const exports = {};
    new Function("exports", "require", ${JSON.stringify(text)})(exports, require);
    try { console.log(exports.handler()); } catch (error) { console.log(error.message + "|" + error.stack); }`;
  return execFileSync(process.execPath, ["-e", code], { cwd: folder, encoding: "utf8" }).trim();
}

it.each(Object.entries(layouts))("%s", (name, layout) => {
  const folder = standIn(layout);
  const texts = [providerText("provider"), providerText("fleetProvider")] as const;
  expect(texts[0].length < LONGEST_SHORT).toBe(name === "npm, which hoists");
  expect(texts[0]).not.toContain(folder);
  if (layout.found === undefined) {
    expect(evaluatedIn(folder, texts[0])).toMatch(/^pulumi-pgcompute is neither among .* as a peer dependency\|$/);
    return;
  }
  const place = join(folder, layout.found);
  expect(texts.map((text) => evaluatedIn(folder, text, layout.plugAndPlay))).toEqual([place, `${place}, of fleets`]);
});

it("the text of a program that has lost the package says what to do, without a stack", () => {
  standIn(layouts["npm, which hoists"] as Layout);
  const text = providerText("provider");
  const without = standIn({ packages: {} });
  expect(evaluatedIn(without, text)).toBe("to go on, install pulumi-pgcompute in the program again|");
});

it("a text of a program whose library owned the package finds it in the program, too", () => {
  standIn(layouts.pnpm as Layout);
  const text = providerText("provider");
  const mended = standIn(layouts["npm, which hoists"] as Layout);
  expect(evaluatedIn(mended, text)).toBe(join(mended, "node_modules/pulumi-pgcompute"));
});
