import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
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

/** What stands in backticks. */
function words(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}
