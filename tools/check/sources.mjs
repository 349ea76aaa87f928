/** The sources that the checks read, each parsed once. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";

/** @type {Map<string, ts.SourceFile>} */
const parsed = new Map();

/**
 * The TypeScript files in these parts of a tree, with paths from its root; none for a missing part.
 *
 * @param {string} folder
 * @param {readonly string[]} parts
 * @returns {{ file: string, path: string }[]}
 */
export function sourcesIn(folder, parts) {
  return parts.flatMap((part) => {
    const from = join(folder, part);
    if (!existsSync(from)) return [];
    return readdirSync(from, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/^(dist|node_modules)[\\/]/.test(name))
      .map((name) => join(from, name))
      .map((file) => ({ file, path: relative(folder, file).split(sep).join("/") }));
  });
}

/**
 * A file's syntax tree.
 *
 * @param {string} file
 */
export function syntaxOf(file) {
  const source =
    parsed.get(file) ?? ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  parsed.set(file, source);
  return source;
}

/**
 * The number of the line on which a node begins.
 *
 * @param {ts.Node} node
 */
export function lineOf(node) {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}
