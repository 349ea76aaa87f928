import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../tools/root.mjs";
import { fixedChoices, settingChoices } from "../../settings/choices";
import { defaultSettings } from "../../settings/settings";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

it("the page of the emulator has every setting with its default, in the order of the table", () => {
  const rows = [...readme.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|/gm)]
    .map(([, names = "", values = ""]) => [words(names), values] as const)
    .filter(([[first = ""]]) => Object.hasOwn(settingChoices, first));
  expect(rows.flatMap(([names]) => names)).toEqual(Object.keys(settingChoices));
  for (const [names, values] of rows) {
    const defaults = names.map((name) => defaultSettings[name as keyof typeof defaultSettings]);
    const texts = defaults.flatMap((value) => (typeof value === "object" ? Object.values(value) : [value ?? "none"]));
    expect(words(values), names.join()).toEqual(texts.filter((text) => text !== "none").map(String));
  }
});

it("and everything that is fixed at the start", () => {
  const paragraph = /^Fixed when it starts:.*?\n\n/ms.exec(readme)?.[0] ?? "";
  for (const name of Object.keys(fixedChoices)) expect(paragraph).toContain(`\`${name}\``);
});

it("leads out of the package only by whole addresses, of what the repository has", () => {
  const inRepository =
    /^https:\/\/(?:raw\.githubusercontent|github)\.com\/pulumi-pgcompute\/pulumi-pgcompute(?:\/blob)?\/main\//;
  const targets = [...readme.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !target.startsWith("https://"))).toEqual([]);
  const paths = targets.filter((target) => inRepository.test(target)).map((target) => target.replace(inRepository, ""));
  expect(paths).toContain("docs/postgres.md");
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** What stands in backticks. */
function words(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
