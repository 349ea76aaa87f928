/**
 * Checks that files named in comments and pages exist, with the folders and links of pages. A name matches any path that
 * ends in it, so pages may leave out leading folders; a link's target is relative to its page.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../root.mjs";

const isRead = /\.([mc]?[jt]s|md|ya?ml)$|(^|\/)Makefile$|^\.ci\/run$/;

/** Recorded texts name foreign files, and the changelog former ones. */
const isLeftOut = /(^|\/)(samples|transcripts)\/|(^|\/)CHANGELOG\.md$/;

const isComment = /^\s*(\/\/|\/?\*|#)/;

/** Folders whose files are built or installed. */
const isMade = /(^|\/)(dist|out|node_modules)(\/|$)/;

const fileName =
  /(?<![\w./@$~{}<>*:-])(?:\.{1,2}\/)*((?:[\w.-]*\w[\w.-]*\/)+[\w.-]+\.(?:[mc]?[jt]s|md|ya?ml|json|html|csv|png|svg|mod|py|go))(?![\w/])/g;

/** A folder of the tree in code, by its whole path; placeholders are in capitals. */
const folderName =
  /`((?:provider|sdk|emulator|cli|tests|tools|examples|docs|bin|templates)(?:\/(?![A-Z]+(?:\/|`))[\w-]+)*)\/?`/g;

const link = /\]\((?![a-z]+:)([^)\s#]+)/g;

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
  const all = [...paths, ...new Set(paths.flatMap(foldersOf))];
  const known = new Set(all.flatMap(endsOf));

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
    const linked = isPage ? [...line.matchAll(link)] : [];
    const words = isPage ? line.replaceAll(link, "](") : line;
    const named = [...words.matchAll(fileName), ...(isPage ? words.matchAll(folderName) : [])];

    const names = named.map(([, name = ""]) => name);
    const targets = linked.map(([, target = ""]) => posix.join("/", posix.dirname(path), target));
    return [...names, ...targets]
      .filter((name) => !known.has(name) && !isMade.test(name))
      .map((name) => `${path}:${index + 1}: there is no file ${name}`);
  });
}

/** The folders of a file. @param {string} path */
function foldersOf(path) {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** A path from the clone's `/`, and the same without its first folders. @param {string} path */
function endsOf(path) {
  const parts = ["", ...path.split("/")];
  return parts.map((_, index) => parts.slice(index).join("/"));
}
