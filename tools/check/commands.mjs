/**
 * Checks that commands and settings of Pulumi stay in provider/pulumi: no text of the layers below says `pulumi ...` or
 * `pgcompute:...`, since they serve the command line as well, which has others. Comments may.
 */
import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";
import { root } from "../root.mjs";
import { sourcesUnder } from "./names.mjs";

const belowPulumi = /^provider\/(?!pulumi\/)[^/]+\//;
const ofPulumi = /\bpulumi [a-z-]|\bpgcompute:/;

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {string[]} a line for each text with one in it
 */
export function checkCommands(folder = root) {
  return sourcesUnder(join(folder, "provider"))
    .map((file) => ({ path: relative(folder, file).split(sep).join("/"), text: readFileSync(file, "utf8") }))
    .filter(({ path, text }) => belowPulumi.test(path) && ofPulumi.test(text))
    .flatMap(({ path, text }) => linesWith(text).map((line) => `${path}:${line}: a command or setting of Pulumi`));
}

/**
 * The lines of texts with one in them, also of templates.
 *
 * @param {string} text
 */
function linesWith(text) {
  const source = ts.createSourceFile("", text, ts.ScriptTarget.Latest, true);
  /** @type {number[]} */
  const lines = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && ofPulumi.test(node.text)) {
      lines.push(source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}
