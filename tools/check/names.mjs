/**
 * Checks that wire names (snake_case) stay where they are translated, in provider/platform/wire. Elsewhere in the provider and in the
 * SDK no identifier and no property key may be one.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";
import { root } from "../root.mjs";

const translators = [/^provider\/platform\/wire\//];
/** Tables of the kinds of errors, whose names look like the wire's. */
const kindTables = [/^provider\/platform\/errors\.ts$/, /^provider\/pulumi\/kind-advice\.ts$/];
const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

/** Values that a table may have as keys. They are Postgres's and the resource's own words, not fields of the wire. */
const valuesAsKeys = new Set(["read_write", "read_only", "shared_buffers", "max_connections"]);

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {string[]} a line for each wire name that is out of place
 */
export function checkNames(folder = root) {
  return ["provider", "sdk"]
    .flatMap((name) => sourcesUnder(join(folder, name)))
    .map((file) => ({ file, path: relative(folder, file).split(sep).join("/") }))
    .filter(({ path }) => ![...translators, ...kindTables].some((pattern) => pattern.test(path)))
    .flatMap(({ file, path }) => wireNamesIn(file).map(({ line, name }) => `${path}:${line}: ${name} is a wire name`));
}

/** @param {string} folder */
function sourcesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file));
}

/** @param {string} file */
function wireNamesIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  /** @type {{ line: number, name: string }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const name = nameOf(node);
    if (name !== undefined && snakeCase.test(name) && !valuesAsKeys.has(name)) {
      found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, name });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * An identifier, or a text that names a property: `{ "branch_id": 1 }`, `{ ["branch_id"]: 1 }`, `body["branch_id"]`.
 *
 * @param {ts.Node} node
 */
function nameOf(node) {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) return node.text;
  if (!ts.isStringLiteralLike(node)) return undefined;
  const { parent } = node;
  const isKey = ("name" in parent && parent.name === node) || ts.isComputedPropertyName(parent);
  return isKey || (ts.isElementAccessExpression(parent) && parent.argumentExpression === node) ? node.text : undefined;
}
