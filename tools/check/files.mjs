/**
 * Checks that files named in comments and pages exist. A name matches any file whose path ends in it, so pages may
 * leave out leading folders.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.mjs";

const isRead = /\.([mc]?[jt]s|md|ya?ml)$|(^|\/)Makefile$|^\.ci\/run$/;

/** Recorded texts name foreign files, and the changelog former ones. */
const isLeftOut = /(^|\/)(samples|transcripts)\/|(^|\/)CHANGELOG\.md$/;

const isComment = /^\s*(\/\/|\/?\*|#)/;

/** Folders whose files are built or installed. */
const isMade = /(^|\/)(dist|out|node_modules)\//;

const fileName =
  /(?<![\w./@$~{}<>*:-])(?:\.{1,2}\/)*((?:[\w.-]*\w[\w.-]*\/)+[\w.-]+\.(?:[mc]?[jt]s|md|ya?ml|json|html|csv|png|svg|mod|py|go))(?![\w/])/g;

/**
 * @param {string} [folder] the clone
 * @returns {string[]} a line for each name of a file that is not there
 */
export function checkFileNames(folder = root) {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: folder,
    encoding: "utf8",
  });
  const paths = listed.split("\0").filter((path) => path !== "");
  const known = new Set(paths.flatMap(endsOf));

  return paths
    .filter((path) => isRead.test(path) && !isLeftOut.test(path))
    .flatMap((path) => missingNamesIn(readFileSync(join(folder, path), "utf8"), path, known));
}

/**
 * @param {string} text
 * @param {string} path
 * @param {ReadonlySet<string>} known
 */
export function missingNamesIn(text, path, known) {
  const isPage = path.endsWith(".md");

  return text.split("\n").flatMap((line, index) => {
    if (!isPage && !isComment.test(line)) return [];
    return [...line.matchAll(fileName)]
      .map(([, name = ""]) => name)
      .filter((name) => !known.has(name) && !isMade.test(name))
      .map((name) => `${path}:${index + 1}: there is no file ${name}`);
  });
}

/** A path, and the same without its first folders. @param {string} path */
function endsOf(path) {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(index).join("/"));
}
