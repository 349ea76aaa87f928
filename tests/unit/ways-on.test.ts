import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { describe, expect, it } from "vitest";
import { sourcesIn } from "../../tools/check/sources.mjs";
import { root } from "../../tools/root.mjs";
import { followed } from "../support/followed";
import { messagesOf } from "../support/source-messages";

/** A command to run, or an option to set. */
const way =
  /\bpulumi (?:up|refresh|destroy|import|config|state|stack|preview)\b|\{\w*(?:Command|COMMAND)\b|pgcompute (?:endpoints|operations|projects|branches|state|review)\b|PGCOMPUTE_\w+=|take (?:its )?importId out|\b(?:dependsOn|aliases|maxDeletions|adoptExisting|deleteBeforeReplace)\b|`(?:protect|retainOnDelete|importId)\b/;

/** Texts that explain a setting or a command: they give no way on from anything, but for a few refusals beside them. */
const explains =
  /^(?:provider\/(?:config\/model|main|pulumi\/messages\/commands)|cli\/(?:init\/\w+|(?!endpoints\/)[\w-]+\/command))\.ts$/;

const messages = sourcesIn(root, ["provider", "cli"])
  .map(({ file }) => ({ path: relative(root, file), text: readFileSync(file, "utf8") }))
  .flatMap(({ path, text }) => messagesOf(text).map((message) => ({ path, message })))
  .filter(({ message }) => / /.test(message) && way.test(message));

describe("a message that names a command or an option", () => {
  it("is followed by a test", () => {
    const ways = messages.filter(({ path }) => !explains.test(path));
    expect(ways.filter(({ message }) => !followed.some(([words]) => message.includes(words)))).toEqual([]);
  });

  it.each(followed)("is there, and so is its test: %s", (words, file, name) => {
    expect(messages.some(({ message }) => message.includes(words))).toBe(true);
    expect(readFileSync(`${root}/tests/${file}`, "utf8")).toContain(name);
  });
});
