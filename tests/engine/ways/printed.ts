/** Reads refusals as people do: by their text, in the format of `provider/pulumi/messages/refusals.ts`. */
import { execFileSync } from "node:child_process";
import type { Run } from "../support/run";

/** A way on: its sentences, and the commands below them. */
export interface Way {
  sentences: string[];
  commands: string[];
}

/** A refusal: the resource, the key of its member, what is wrong, and the ways on. */
export interface Printed {
  name: string;
  key?: string | undefined;
  what: string;
  ways: Way[];
}

/** A printed command, as the shell takes it: its words after `pulumi`, and the variables before it. */
export interface Command {
  words: string[];
  env: Record<string, string>;
}

/** All refusals that a run printed, in their order. */
export function refusalsIn({ diagnostics }: Run): Printed[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .flatMap(({ name = "", message }) => {
      // A member's own row names it; the fleet's names its property.
      const [resource = "", key] = name.split("/");
      return read({ name: resource, key }, message.split("\n"));
    });
}

/** The words and variables of a command, by the shell itself. */
export function readCommand(line: string): Command {
  const show = 'pulumi() { env -0 | grep -z "^PGCOMPUTE_" || true; printf "\\0"; printf "%s\\0" "$@"; }';
  const env = { PATH: process.env.PATH ?? "" };
  const shown = execFileSync("/bin/bash", ["--norc", "-ec", `${show}\n${line}`], {
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [variables = "", words = ""] = shown.startsWith("\0") ? ["", shown.slice(1)] : shown.split("\0\0");
  const pairs = variables.split("\0").filter(Boolean);
  return {
    words: words.split("\0").filter(Boolean),
    env: Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])),
  };
}

function read({ name, key: own }: Pick<Printed, "name" | "key">, lines: readonly string[]): Printed[] {
  const found: Printed[] = [];
  for (const line of lines) {
    const [, what] = /^(.*)\. What you can do:$/.exec(line) ?? [];
    if (what !== undefined) {
      const [, key = own] = /endpoints\["([^"]+)"\]/.exec(what) ?? [];
      found.push({ name, key, what, ways: [] });
      continue;
    }

    const [, sentences] = /^ {2}- (.*)$/.exec(line) ?? [];
    const [, command] = /^ {6}(\S.*)$/.exec(line) ?? [];
    if (sentences !== undefined)
      found.at(-1)?.ways.push({ sentences: sentences.split(/(?<=[.:]) (?=[A-Z"])/), commands: [] });
    else if (command !== undefined) found.at(-1)?.ways.at(-1)?.commands.push(command);
  }
  return found;
}
