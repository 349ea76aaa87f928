/**
 * Checks the lines to paste in pages and in texts of sources: no comment after a command, which zsh takes as arguments,
 * and no `pulumi login` with a menu, which swallows the next lines.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../root.mjs";
import { lineOf, sourcesIn, syntaxOf } from "./sources.mjs";

/** Blocks without a language, or with a shell's, are for pasting. */
const fence = /^\s*(?:```|~~~)(\w*)/;
const shells = ["", "sh", "bash", "shell", "console", "zsh"];

const aComment = /^\s*#/;
const endsInComment = /\S\s+#\s+\S/;
const opensMenu = /\bpulumi login\b(?!.*--non-interactive)/;

/**
 * @param {string} [folder] the clone
 * @returns {string[]} a line for each command that does not paste
 */
export function checkPasted(folder = root) {
  const listed = execFileSync("git", ["ls-files", "-z", "*.md"], { cwd: folder, encoding: "utf8" });
  const pages = listed.split("\0").filter((path) => path !== "");
  const ofPages = pages.flatMap((path) =>
    unpastableIn(readFileSync(join(folder, path), "utf8")).map(({ line, reason }) => `${path}:${line}: ${reason}`),
  );
  const ofSources = sourcesIn(folder, ["cli", "provider", "emulator"]).flatMap(({ file, path }) =>
    faultsOf(syntaxOf(file)).map(({ line, reason }) => `${path}:${line}: ${reason}`),
  );
  return [...ofPages, ...ofSources];
}

/** The reason why a line cannot be pasted, if any. @param {string} line */
function faultOf(line) {
  if (aComment.test(line)) return undefined;
  if (endsInComment.test(line)) return "a comment behind a command, which zsh takes for arguments";
  return opensMenu.test(line) ? "a new user's `pulumi login` opens a menu without --non-interactive" : undefined;
}

/**
 * The lines of a page that cannot be pasted, with the reason.
 *
 * @param {string} page
 */
export function unpastableIn(page) {
  /** @type {string | undefined} */
  let language;
  return page.split("\n").flatMap((line, index) => {
    const [mark, opened = ""] = fence.exec(line) ?? [];
    if (mark !== undefined) {
      language = language === undefined ? opened : undefined;
      return [];
    }
    const isPasted = language !== undefined && shells.includes(language);
    const reason = isPasted ? faultOf(line) : undefined;
    return reason === undefined ? [] : [{ line: index + 1, reason }];
  });
}

/** The texts of a source with a line that does not paste. @param {ts.SourceFile} source */
function faultsOf(source) {
  /** @type {{ line: number, reason: string }[]} */
  const faults = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    const reason = isText ? node.text.split("\n").map(faultOf).find(Boolean) : undefined;
    if (reason !== undefined) faults.push({ line: lineOf(node), reason });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}
