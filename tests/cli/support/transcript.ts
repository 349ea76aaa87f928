/**
 * Compares the commands' whole output and exit codes with a recording; `vitest -u` records anew, for review as a diff.
 */
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../../tools/root.mjs";
import type { Bench } from "../../support/bench";
import { runAlone, runCommand, type ShellOptions } from "./open-shell";

/** A command line with its further settings; a title if the line does not show its subject. */
export type Line = string | [string, ShellOptions & { title?: string }];

const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");

/** The lines' output: errors after a mark, and exit codes of failures. An opened account is shown by its address. */
export async function transcriptOf(lines: readonly Line[], bench?: Bench): Promise<string> {
  const told: string[] = [];
  for (const each of lines) {
    const [line, options] = typeof each === "string" ? [each] : each;
    const { code, out, err, settings } = await (bench
      ? runCommand(bench, wordsOf(line), options)
      : runAlone(wordsOf(line), options));
    const env = Object.entries(options?.env ?? {}).map(([name, value]) => `${name}=${value} `);
    const { input, title, terminal, columns } = options ?? {};
    const piped = input === undefined ? "" : ` < ${input.length < 60 ? JSON.stringify(input) : "a file"}`;
    const wide = columns === undefined ? "" : ` of ${columns} columns`;
    told.push(
      ...(title === undefined ? [] : [`# ${title}`]),
      `$ ${env.join("")}pgcompute ${line}${piped}${terminal ? `   # at a terminal${wide}` : ""}`,
      ...settings.map(({ baseUrl }) => `@ ${baseUrl.href}`),
      ...out.split("\n").slice(0, -1),
      ...err.split("\n").flatMap((text) => (text === "" ? [] : [`! ${text}`])),
      ...(code === 0 ? [] : [`= ${code}`]),
    );
  }
  return `${told.join("\n")}\n`
    .replaceAll(root, "/clone")
    .replace(/127\.0\.0\.1:\d+\/api/g, "127.0.0.1:4010/api")
    .replace(/(?<=\[request )[-0-9a-f]+/g, "ID");
}

/** What was answered, without what was asked. */
export const answersIn = (text: string) => text.replace(/^\$.*$/gm, "");

/** Holds a transcript against the recorded one. */
export async function expectTold(name: string, text: string): Promise<void> {
  await expect(text).toMatchFileSnapshot(join(root, "tests/cli/transcripts", `${name}.txt`));
}
