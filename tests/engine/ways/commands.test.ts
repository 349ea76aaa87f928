import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { root } from "../../../tools/root.mjs";

/** Every `pulumi COMMAND [SUBCOMMAND] [--flag]` in what people are told, as the samples of messages have it. */
const samples = ["tests/unit/pulumi/samples", "tests/cli/transcripts"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => readFileSync(join(root, folder, name), "utf8")),
);
const named = new Set(
  samples.flatMap((text) =>
    [...text.matchAll(/\bpulumi ([a-z-]+)(?: ([a-z]+(?:-[a-z]+)*))?((?: --[a-z-]+)*)/g)].map(
      ([, command = "", next = "", flags = ""]) => [command, next, flags.trim()].join("|"),
    ),
  ),
);

const pulumi = (...args: string[]) => execFileSync(join(inject("engineBin"), "pulumi"), args, { encoding: "utf8" });

// Pulumi writes a page on each command at once.
const folder = mkdtempSync(join(inject("engineRunFolder"), "commands-"));
pulumi("gen-markdown", folder);
const pages = readdirSync(folder);

/** What Pulumi says of a command. Another name of one has no page. */
function help(...words: string[]): string {
  const page = `pulumi_${words.join("_")}.md`;
  return pages.includes(page) ? readFileSync(join(folder, page), "utf8") : pulumi(...words, "--help");
}

it.each([...named].map((one) => one.split("|") as [string, string, string]))(
  "Pulumi has what a message names: pulumi %s %s %s",
  (command, next, flags) => {
    const text = help(command);
    expect(text).toMatch(new RegExp(`^pulumi ${command}\\b`, "m"));
    // A word after a command without commands of its own is prose.
    const isGroup = next !== "" && pages.some((page) => page.startsWith(`pulumi_${command}_`));
    const own = isGroup ? help(command, next) : text;
    if (isGroup) expect(own).toMatch(new RegExp(`^pulumi ${command} ${next}\\b|^Aliases:\\n.*\\b${next}\\b`, "m"));
    for (const flag of flags.split(" ").filter(Boolean)) expect(own).toContain(flag);
  },
);
