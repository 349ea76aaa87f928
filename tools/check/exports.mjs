/** Checks that every export has a docstring, and that constants stand above a file's exported functions. */
import ts from "typescript";
import { root } from "../root.mjs";
import { lineOf, sourcesIn, syntaxOf } from "./sources.mjs";

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {string[]} a line for each export without a sentence, and for each constant below
 */
export function checkExports(folder = root) {
  return sourcesIn(folder, ["provider", "sdk", "cli", "emulator"])
    .filter(({ path }) => !path.endsWith(".gen.ts") && !path.startsWith("emulator/tests/"))
    .flatMap(({ file, path }) => mistakesIn(syntaxOf(file)).map(({ line, what }) => `${path}:${line}: ${what}`));
}

/** @param {ts.SourceFile} source */
function mistakesIn(source) {
  /** @type {{ line: number, what: string }[]} */
  const mistakes = [];
  let isBelow = false;
  for (const statement of source.statements) {
    const add = (/** @type {string} */ what) => mistakes.push({ line: lineOf(statement), what });
    const exported = isExported(statement);
    if (exported && ts.getJSDocCommentsAndTags(statement).length === 0) add("an export without a sentence on it");
    if (isBelow && !exported && isConstant(statement)) add("a constant below the functions that are exported");
    isBelow ||= exported && (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement));
  }
  return mistakes;
}

/**
 * True for an export declared here; a re-export has its docstring elsewhere.
 *
 * @param {ts.Statement} statement
 */
function isExported(statement) {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/**
 * A helper may be written as an arrow function.
 *
 * @param {ts.Statement} statement
 */
function isConstant(statement) {
  if (!ts.isVariableStatement(statement)) return false;
  return statement.declarationList.declarations.some(
    ({ initializer }) => initializer && !ts.isArrowFunction(initializer),
  );
}
