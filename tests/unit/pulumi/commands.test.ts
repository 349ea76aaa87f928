import { expect, test } from "vitest";
import { commandLines } from "../../../provider/lib/wording";
import { DEFAULT_BASE_URL } from "../../../provider/platform/http/base-url";
import {
  type AskedAccount,
  COMMAND,
  deleteCommand,
  forgettingCommand,
  withAccount,
} from "../../../provider/pulumi/messages/commands";

const OWN = "https://pg.example.com/api/v2";
const usual: AskedAccount = {
  baseUrl: DEFAULT_BASE_URL,
  keySource: "environment",
  isStacks: true,
  ofEnvironment: undefined,
};

const remove = `${COMMAND} endpoints delete p/ep-1`;
const key = 'PGCOMPUTE_API_KEY="$(pulumi config get pgcompute:apiKey)"';
const note = "    (set PGCOMPUTE_API_KEY to the provider's own apiKey for it)";

/** The lines of a message with the delete command, but for the first. */
function printed(asked: Partial<AskedAccount>, command = deleteCommand("p/ep-1"), system: NodeJS.Platform = "linux") {
  const text = `to delete it, run:${commandLines(command)}\n  - or run:${commandLines("pulumi up")}`;
  const [first, ...lines] = withAccount(text, { ...usual, ...asked }, system).split("\n");
  expect(first).toBe("to delete it, run:");
  expect(lines.splice(-2)).toEqual(["  - or run:", "      pulumi up"]);
  return lines.map((line) => line.replace(/^ {6}/, ""));
}

test.each<[string, Partial<AskedAccount>, string[]]>([
  ["of the public platform with the environment's key is as it is", {}, [remove]],
  ["names another address", { baseUrl: OWN }, [`${remove} --base-url ${OWN}`]],
  [
    "names another address that the environment has: the next shell may not have it",
    { baseUrl: OWN, ofEnvironment: OWN },
    [`${remove} --base-url ${OWN}`],
  ],
  [
    "names the public address where the environment has another",
    { ofEnvironment: OWN },
    [`${remove} --base-url ${DEFAULT_BASE_URL}`],
  ],
  ["takes a configured key from the configuration", { keySource: "configuration" }, [`${key} ${remove}`]],
  [
    "takes a configured key to the configured address",
    { keySource: "configuration", baseUrl: OWN },
    [`${key} ${remove} --base-url ${OWN}`],
  ],
  [
    "says whose key it is where a provider of the program has it",
    { keySource: "configuration", baseUrl: OWN, isStacks: false },
    [`${remove} --base-url ${OWN}`, note],
  ],
  ["of a program's provider with the environment's key is as it is", { isStacks: false }, [remove]],
])("a command %s", (_, asked, lines) => expect(printed(asked)).toEqual(lines));

test("on Windows the variable is set before the line, and taken away", () => {
  expect(printed({ keySource: "configuration", baseUrl: OWN }, deleteCommand("p/ep-1"), "win32")).toEqual([
    `$env:PGCOMPUTE_API_KEY = pulumi config get pgcompute:apiKey; ${remove} --base-url ${OWN}; ` +
      "Remove-Item Env:PGCOMPUTE_API_KEY",
  ]);
});

test("a command that asks nobody is as it is", () => {
  expect(printed({ keySource: "configuration", baseUrl: OWN }, forgettingCommand("p/ep-1"))).toEqual([
    forgettingCommand("p/ep-1"),
  ]);
});

test("several commands in a row are followed by one note", () => {
  const text = `run one of these:${commandLines(deleteCommand("p/ep-1"), deleteCommand("p/ep-2"))}`;
  const lines = withAccount(text, { ...usual, keySource: "configuration", isStacks: false }).split("\n");
  expect(lines.filter((line) => line === note)).toHaveLength(1);
  expect(lines.at(-1)).toBe(note);
});

test("what other lines say of the command stays", () => {
  const text = `see ${COMMAND} branches for it`;
  expect(withAccount(text, { ...usual, baseUrl: OWN })).toBe(text);
});
