/**
 * Checks that wire names (snake_case) stay in provider/platform/wire. Elsewhere in the provider, the SDK and the
 * command no identifier or property key may be one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../root.mjs";
import { lineOf, sourcesIn, syntaxOf } from "./sources.mjs";

// Only this file reads a Terraform state, which has the platform's names.
const translators = [/^provider\/platform\/wire\//, /^cli\/import-file\/terraform\.ts$/];
const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

/**
 * Values that may be keys of a table: words of Postgres, the resource, the review and an exported stack, not fields of
 * the wire.
 */
const valuesAsKeys = new Set([
  "read_write",
  "read_only",
  "shared_buffers",
  "max_connections",
  "not_stated",
  "pending_operations",
]);

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {string[]} a line for each wire name that is out of place
 */
export function checkNames(folder = root) {
  const allowed = new Set([...valuesAsKeys, ...kindsIn(folder)]);
  return sourcesIn(folder, ["provider", "sdk", "cli"])
    .filter(({ path }) => !translators.some((translator) => translator.test(path)))
    .flatMap(({ file, path }) =>
      snakeNamesIn(file)
        .filter(({ name }) => !allowed.has(name))
        .map(({ line, name }) => `${path}:${line}: ${name} is a wire name`),
    );
}

/**
 * The kinds of errors, refusals and advice, which are keys of tables.
 *
 * @param {string} folder
 */
function kindsIn(folder) {
  const files = ["provider/platform/errors.ts", "provider/places/refusal.ts", "provider/lib/failure.ts"].map((path) =>
    join(folder, path),
  );
  return files
    .filter(existsSync)
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/kind: "([a-z_]+)"|^ {2}(?!kind:)([a-z_]+):(?= "| \{|$)/gm)].map(
        ([, error, kind]) => error ?? kind ?? "",
      ),
    );
}

/** @param {string} file */
function snakeNamesIn(file) {
  /** @type {{ line: number, name: string }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const name = nameOf(node);
    if (name !== undefined && snakeCase.test(name)) found.push({ line: lineOf(node), name });
    ts.forEachChild(node, visit);
  };
  visit(syntaxOf(file));
  return found;
}

/**
 * An identifier, or a text in place of one: `{ "branch_id": 1 }`, `{ ["branch_id"]: 1 }`, `body["branch_id"]`.
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
