/** Reads refusals as people do: by their text, in the format of `provider/pulumi/messages/refusals.ts`. */
import { execFileSync } from "node:child_process";

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

/** All refusals that a run's errors have, in their order. A row `fleet/a` is a member's own. */
export function refusalsIn(errors: readonly { name: string; message: string }[]): Printed[] {
  return errors.flatMap(({ name, message }) => {
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

/** The sentence of a way that holds: of those that begin with `If` the first that is met. Undefined where the way does not fit. */
export function sentenceOf({ sentences }: Way, holds: (condition: string) => boolean): string | undefined {
  const conditional = sentences.flatMap((sentence) => {
    const [, condition, say] = /^If (.+?), (.+)$/.exec(sentence) ?? [];
    return condition && say ? [{ holds: holds(condition), say, sentence }] : [];
  });
  const met = conditional.find((one) => one.holds);
  if (met) return met.say;
  return conditional[0]?.sentence === sentences[0] ? undefined : sentences[0];
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
