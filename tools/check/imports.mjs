/** Checks every import against import-rules.mjs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cruise } from "dependency-cruiser";
import { root } from "../root.mjs";
import { importRules, modelFolders } from "./import-rules.mjs";

/**
 * @param {string} [folder] the clone, or a tree like it
 * @returns {Promise<string[]>} a line for each import that breaks a rule
 */
export async function checkImports(folder = root) {
  const sources = ["provider", "sdk", "emulator", "cli", ...modelFolders].filter((name) =>
    existsSync(join(folder, name)),
  );
  const { output } = await cruise(sources, {
    baseDir: folder,
    validate: true,
    ruleSet: /** @type {any} */ ({ forbidden: importRules }),
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^emulator/dist/" },
    // Type imports too: a type couples one part to another's shape.
    tsPreCompilationDeps: true,
  });
  if (typeof output === "string") throw new Error(`dependency-cruiser answered text: ${output}`);
  return output.summary.violations.map(({ from, to, rule, cycle }) => {
    const target = cycle ? cycle.map(({ name }) => name).join(" -> ") : to;
    const comment = importRules.find(({ name }) => name === rule.name)?.comment ?? rule.name;
    return `${from} -> ${target}: ${comment}`;
  });
}
