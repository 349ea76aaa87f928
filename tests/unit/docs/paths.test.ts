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
    const named = [...pathsInText(text), ...linksOf(text, page)];
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("and the pages name many", () => {
    const table = readFileSync(join(root, "docs/traceability.md"), "utf8");
    expect(new Set(pathsInText(table)).size).toBeGreaterThan(60);
    expect(pathsInText(readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8")).length).toBeGreaterThan(30);
  });
});

/** Paths in code, of the tree or of the folder that heads a table's column, such as `provider/`. */
function pathsInText(text: string): string[] {
  return text.split(/\n(?!\|)/).flatMap((block) => {
    const [head = "", ...rows] = block.split("\n").filter((line) => line.startsWith("|"));
    const folders = cellsOf(head).map((cell) => folderHead.exec(cell)?.[1]);
    if (!folders.some(Boolean)) return spansIn(block).filter((span) => inTree.test(span) && !placeholder.test(span));
    return rows.flatMap((row) =>
      cellsOf(row).flatMap((cell, at) =>
        folders[at] ? spansIn(cell).map((span) => join(folders[at] ?? "", span)) : [],
      ),
    );
  });
}

function spansIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}

/** Targets of links within the tree, as paths from its root. */
function linksOf(text: string, page: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target.replace(/#.*$/, ""));
  const local = targets.filter((target) => target !== "" && !/^[a-z]+:/.test(target));
  return local.map((target) => join(dirname(page), target));
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
