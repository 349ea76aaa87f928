import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { page, table } from "./reference/markdown";

/** The folders whose citations count, one column each. */
const folders = ["provider", "emulator", "cli", "tests"] as const;

/**
 * Matches `section 2.4`, `sections 4.3 to 4.7`, `sections 2.1, 3.1, 4.1 and 4.2`, and a model's `section: "2.4, 8"`.
 */
const number = String.raw`\d(?:\.\d)?(?![\d.]*\d)`;
const citation = new RegExp(
  String.raw`\bsections?:? "?(${number}(?:(?:, | and | to |, section | and section )${number})*)`,
  "gi",
);

/**
 * docs/traceability.md: for each section of docs/specification.md the files that cite it. Throws for a citation of an
 * unknown section.
 */
export function traceabilityPage(): string {
  const sections = sectionsOf(readFileSync("docs/specification.md", "utf8"));
  const cited = folders.map((folder) => filesBySection(folder, [...sections.keys()]));
  const rows = [...sections].map(([section, title]) => [
    `${section} ${title}`,
    ...cited.map((files) => (files.get(section) ?? []).map((file) => `\`${file}\``).join(", ")),
  ]);
  return page(
    "Traceability",
    [
      "Which files cite which section of the [specification](specification.md), in a comment, a model or a test. Paths are relative to",
      "the folder that heads their column.",
    ].join("\n"),
    table(["section", ...folders.map((folder) => `\`${folder}/\``)], rows),
  );
}

/** Section titles by number. */
function sectionsOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^##+ (\d(?:\.\d)?)\.? (.+)$/gm)].map(([, section = "", title = ""]) => [section, title]),
  );
}

function filesBySection(folder: string, known: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of filesUnder(folder)) {
    for (const section of new Set(citationsIn(readFileSync(join(folder, file), "utf8"), known))) {
      if (!known.includes(section)) throw new Error(`${folder}/${file} cites section ${section}, which is not there`);
      found.set(section, [...(found.get(section) ?? []), file]);
    }
  }
  return found;
}

/** The sections that a text cites; a range covers the known ones. Comments are read across line ends. */
export function citationsIn(text: string, known: readonly string[]): string[] {
  const flat = text.replace(/\n\s*(?:\*|\/\/) ?/g, " ");
  return [...flat.matchAll(citation)].flatMap(([, list = ""]) => {
    const parts = list.split(/(, | and | to )(?:section )?/);
    return parts.flatMap((part, at) => {
      if (part === " to ") return between(parts[at - 1] ?? "", parts[at + 1] ?? "", known);
      return /^\d/.test(part) ? [part] : [];
    });
  });
}

function between(first: string, last: string, known: readonly string[]): string[] {
  return known.slice(known.indexOf(first), known.indexOf(last) + 1);
}

function filesUnder(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(ts|js|session)$/.test(file),
  );
  // Tests of the tools quote citations without making any; dist/ and node_modules/ are in the emulator's package.
  const paths = files.map((file) => file.replaceAll(sep, "/"));
  return paths.filter((file) => !/^(unit\/tools|dist|node_modules)\//.test(file)).sort();
}
