/** What commands print, whole, and how they end, held against what was printed before; `vitest -u` writes that anew, to be read as a difference. */
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../../tools/root.mjs";
import type { Bench } from "../../support/bench";
import { runAlone, runCommand, type ShellOptions } from "./open-shell";

/** A line as a person writes it, and what else the command is run with; a title where the line does not tell what is in it. */
export type Line = string | [string, ShellOptions & { title?: string }];

const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");

/** What the lines print: errors after a mark, and the exit code of what does not end well. What opens an account is told by its address. */
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
