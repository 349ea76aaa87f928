/**
 * Checks that Pulumi's commands and settings stay in provider/pulumi: no text of the layers below contains `pulumi ...`
 * or `pgcompute:...`, since the command line, which has others, uses them too. Comments may.
 */
import ts from "typescript";
import { root } from "../root.mjs";
import { lineOf, sourcesIn, syntaxOf } from "./sources.mjs";

const belowPulumi = /^provider\/(?!pulumi\/)[^/]+\//;
const ofPulumi = /\bpulumi [a-z-]|\bpgcompute:/;

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {string[]} a line for each text with one in it
 */
export function checkCommands(folder = root) {
  return sourcesIn(folder, ["provider"])
    .filter(({ path }) => belowPulumi.test(path))
    .flatMap(({ file, path }) =>
      linesWith(syntaxOf(file)).map((line) => `${path}:${line}: a command or setting of Pulumi`),
    );
}

/**
 * The lines of texts with one in them, also of templates.
 *
 * @param {ts.SourceFile} source
 */
function linesWith(source) {
  /** @type {number[]} */
  const lines = [];
  if (!ofPulumi.test(source.text)) return lines;
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && ofPulumi.test(node.text)) lines.push(lineOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}
