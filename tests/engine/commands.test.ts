import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { sourcesIn } from "../../tools/check/sources.mjs";
import { root } from "../../tools/root.mjs";

/** Every `pulumi COMMAND [SUBCOMMAND] [--flag]` that a text of the provider or of the command line names. */
const named = new Set(
  sourcesIn(root, ["provider/pulumi", "cli"]).flatMap(({ file }) =>
    [...readFileSync(file, "utf8").matchAll(/\bpulumi ([a-z-]+)(?: ([a-z]+(?:-[a-z]+)*))?((?: --[a-z-]+)*)/g)].map(
      ([, command = "", next = "", flags = ""]) => [command, next, flags.trim()].join("|"),
    ),
  ),
);

const asked = new Map<string, string>();

/** What Pulumi says of a command; it is asked once. */
function help(...words: string[]): string {
  const key = words.join(" ");
  const text =
    asked.get(key) ?? spawnSync(join(inject("engineBin"), "pulumi"), [...words, "--help"], { encoding: "utf8" }).stdout;
  asked.set(key, text);
  return text;
}

it.each([...named].map((one) => one.split("|") as [string, string, string]))(
  "Pulumi has what a message names: pulumi %s %s %s",
  (command, next, flags) => {
    const text = help(command);
    expect(text).toMatch(new RegExp(`^  pulumi ${command}\\b`, "m"));
    const isGroup = /^ {2}pulumi \S+ \[command\]/m.test(text) && next !== "";
    const own = isGroup ? help(command, next) : text;
    // A word after a command without commands of its own is prose.
    if (isGroup) expect(own).toMatch(new RegExp(`^  pulumi ${command} ${next}\\b|^Aliases:\\n.*\\b${next}\\b`, "m"));
    for (const flag of flags.split(" ").filter(Boolean)) expect(own).toContain(flag);
  },
);
