import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";

const parts = ["provider", "sdk", "emulator", "cli", "tests", "tools", "examples", "docs", "bin"];
// A path in code: of a part of the tree, not a pattern and not a placeholder.
const inTree = new RegExp(`^(?:${parts.join("|")})(?:/[\\w.-]+)*/?$`);
const placeholder = /(?:^|\/)[A-Z]+(?:\/|$)/;
const folderHead = /^`([\w-]+)\/`$/;

const pages = [
  "README.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...markdownUnder("docs"),
  ...markdownUnder("examples"),
];

describe("every path that a page names is there", () => {
  it.each(pages)("%s", (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const named = [...pathsInText(text), ...linksOf(text, page), ...pathsInTables(text)];
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("and the pages name many", () => {
    const table = readFileSync(join(root, "docs/traceability.md"), "utf8");
    expect(new Set(pathsInTables(table)).size).toBeGreaterThan(60);
    expect(pathsInText(readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8")).length).toBeGreaterThan(30);
  });
});

/** Paths in code; those of tables with folders for headings are relative to those, and are read with them. */
function pathsInText(text: string): string[] {
  const relativeRows = new Set(
    tables(text)
      .filter(({ heads }) => heads.some((head) => folderHead.test(head)))
      .flatMap(({ lines }) => lines),
  );
  const rest = text.split("\n").filter((line) => !relativeRows.has(line));
  const spans = [...rest.join("\n").matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return spans.filter((span) => inTree.test(span) && !placeholder.test(span));
}

/** Targets of links within the tree, as paths from its root. */
function linksOf(text: string, page: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target.replace(/#.*$/, ""));
  const local = targets.filter((target) => target !== "" && !/^[a-z]+:/.test(target));
  return local.map((target) => join(dirname(page), target));
}

/** Paths in columns whose heading is a folder, such as `provider/`: they are relative to it. */
function pathsInTables(text: string): string[] {
  return tables(text).flatMap(({ heads, cells }) =>
    heads.flatMap((head, column) => {
      const folder = folderHead.exec(head)?.[1];
      if (folder === undefined) return [];
      const spans = cells.flatMap((row) => [...(row[column] ?? "").matchAll(/`([^`]+)`/g)]);
      return spans.map(([, span = ""]) => join(folder, span));
    }),
  );
}

function tables(text: string): { heads: string[]; cells: string[][]; lines: string[] }[] {
  const blocks = text.split(/\n(?!\|)/).map((block) => block.split("\n").filter((line) => line.startsWith("|")));
  return blocks
    .filter((lines) => lines.length > 2)
    .map(([head = "", rule = "", ...rest]) => ({
      heads: cellsOf(head),
      cells: rest.map(cellsOf),
      lines: [head, rule, ...rest],
    }));
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function markdownUnder(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
    .map((file) => relative(root, join(root, folder, file)));
}
