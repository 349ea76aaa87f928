/** Checks that a file which exports several functions or values begins with a sentence on its subject. */
import { readFileSync } from "node:fs";
import { root } from "../root.mjs";
import { sourcesIn } from "./sources.mjs";

const MOST_WITHOUT = 2;

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {string[]} a line for each file that begins without one
 */
export function checkHeads(folder = root) {
  return sourcesIn(folder, ["provider", "sdk", "cli", "emulator", "tools", "tests"])
    .filter(({ file }) => !/\.(?:test|gen)\.ts$/.test(file) && isHeadless(readFileSync(file, "utf8")))
    .map(({ path }) => `${path}: begins without a sentence on its subject`);
}

/** @param {string} text */
function isHeadless(text) {
  return (
    !text.startsWith("/**") &&
    (text.match(/^export (?:async |abstract )?(?:const|function|class) /gm) ?? []).length > MOST_WITHOUT
  );
}
