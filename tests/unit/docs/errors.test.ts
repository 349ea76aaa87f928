import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { errorCatalog } from "../../../provider/api/errors";

const root = join(import.meta.dirname, "../../..");
const page = flat(readFileSync(join(root, "docs/reference/errors.md"), "utf8").replaceAll("\\|", "|"));

/** Sources of the provider whose sentences are no errors: models and their descriptions, and what a change does. */
const silent = [
  /\/model\.ts$/,
  /\/rules\/impact/,
  /\/planned-impact\.ts$/,
  /\/replaced-unasked\.ts$/,
  /\/endpoint\/diff\.ts$/,
  /\/schema\.ts$/,
];

/** Calls whose arguments are no errors: what goes on, and what never reaches anybody. */
const silentCalls = new Set(["info", "status", "abort", "describe"]);

/** Rules are complete in themselves; what is no finite number is refused for its type before they are asked. */
const unreachable = ["is not a number of seconds", "is not a compute size: give a number from"];

/** Errors of the command lines and the SDK. */
const thrown = new Set(["CommandError", "RangeError", "PgComputeError", "Error"]);

describe("the reference of errors", () => {
  it.each(Object.entries(errorCatalog))("has the kind %s, its meaning and the way on", (kind, { meaning, action }) => {
    expect(page).toContain(`| \`${kind}\` | ${flat(meaning)} | ${flat(action)} |`);
  });

  const ofProvider = sources("provider").filter((file) => !silent.some((pattern) => pattern.test(file)));
  it.each(ofProvider)("has every sentence of %s", (file) => {
    expect(sentencesIn(file, () => true).filter((sentence) => !page.includes(sentence))).toEqual([]);
  });

  const ofOthers = [...sources("cli"), ...sources("sdk"), "emulator/cli.ts", "emulator/settings/options.ts"];
  it.each(ofOthers)("has what %s throws", (file) => {
    const sentences = sentencesIn(file, (node) => isThrown(node));
    expect(sentences.filter((sentence) => !page.includes(sentence))).toEqual([]);
  });

  it("is held to many sentences", () => {
    expect(ofProvider.flatMap((file) => sentencesIn(file, () => true)).length).toBeGreaterThan(150);
  });
});

function sources(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const paths = names.map((name) => `${folder}/${name.replaceAll(sep, "/")}`);
  return paths.filter((path) => path.endsWith(".ts")).sort();
}

/** The parts of texts in a file that are three words and more, from the nodes that are looked into. */
function sentencesIn(file: string, isWanted: (node: ts.Node) => boolean): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(relative(root, file), text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node, wanted: boolean) => {
    if (isSilent(node)) return;
    const inside = wanted || isWanted(node);
    if (inside && (ts.isStringLiteralLike(node) || isTemplatePart(node))) found.push(flat(node.text));
    node.forEachChild((child) => visit(child, inside));
  };
  visit(source, false);
  return found.filter((one) => /\p{L}+ \p{L}+ \p{L}+/u.test(one) && !unreachable.includes(one));
}

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

function isThrown(node: ts.Node): boolean {
  return ts.isNewExpression(node) && ts.isIdentifier(node.expression) && thrown.has(node.expression.text);
}

function isSilent(node: ts.Node): boolean {
  if (!ts.isCallExpression(node)) return false;
  const { expression } = node;
  return ts.isPropertyAccessExpression(expression) && silentCalls.has(expression.name.text);
}

/** One line, as a cell of a table has it. */
function flat(text: string): string {
  return text.replaceAll("<br>", " ").replace(/\s+/g, " ").trim();
}
