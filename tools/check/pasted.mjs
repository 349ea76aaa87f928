/**
 * Checks the lines that people paste, in code blocks of pages and in texts of sources: none ends in a comment, which zsh takes for arguments. A
 * comment stands on a line of its own.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../root.mjs";
import { lineOf, sourcesIn, syntaxOf } from "./sources.mjs";

/** A block without a language, or of a shell, is for pasting. */
const fence = /^\s*(?:```|~~~)(\w*)/;
const shells = ["", "sh", "bash", "shell", "console", "zsh"];

const endsInComment = /\S\s+#\s+\S/;
const aComment = /^\s*#/;

/**
 * @param {string} [folder] the clone
 * @returns {string[]} a line for each command with a comment behind it
 */
export function checkPasted(folder = root) {
  const listed = execFileSync("git", ["ls-files", "-z", "*.md"], { cwd: folder, encoding: "utf8" });
  const pages = listed.split("\0").filter((path) => path !== "");
  const ofPages = pages.flatMap((path) =>
    commentedIn(readFileSync(join(folder, path), "utf8")).map((line) => `${path}:${line}`),
  );
  const ofSources = sourcesIn(folder, ["cli", "provider", "emulator"]).flatMap(({ file, path }) =>
    linesWith(syntaxOf(file)).map((line) => `${path}:${line}`),
  );
  return [...ofPages, ...ofSources].map(
    (place) => `${place}: a comment behind a command, which zsh takes for arguments`,
  );
}

/**
 * The numbers of a page's lines that are to be pasted and end in a comment.
 *
 * @param {string} page
 */
export function commentedIn(page) {
  /** @type {string | undefined} */
  let language;
  return page.split("\n").flatMap((line, index) => {
    const [mark, opened = ""] = fence.exec(line) ?? [];
    if (mark !== undefined) {
      language = language === undefined ? opened : undefined;
      return [];
    }
    const isPasted = language !== undefined && shells.includes(language);
    return isPasted && endsInComment.test(line) && !aComment.test(line) ? [index + 1] : [];
  });
}

/** The lines of texts that have a comment behind something. @param {ts.SourceFile} source */
function linesWith(source) {
  /** @type {number[]} */
  const lines = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    const isCommented =
      isText && node.text.split("\n").some((line) => endsInComment.test(line) && !aComment.test(line));
    if (isCommented) lines.push(lineOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines;
}
