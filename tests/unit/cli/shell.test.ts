import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { ask } from "../../../cli/shell";

/** A terminal at which somebody types this once they are asked. */
async function answerOf(typed: string) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.once("data", () => input.write(typed));
  return ask("Delete? ", { input, output });
}

it.each([
  ["yes\r", "yes"],
  ["\r", ""],
  ["\u0004", undefined],
])("a question is answered with what was typed: %j", async (typed, answer) => {
  expect(await answerOf(typed)).toBe(answer);
});

it("Ctrl-C at a question interrupts the command", async () => {
  await expect(answerOf("\u0003")).rejects.toMatchObject({
    exitCode: 130,
    message: "interrupted, and nothing was done",
  });
});
