import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { followOperations } from "../../../cli/operations/command";
import { ask } from "../../../cli/shell";
import { openProgress } from "../../../cli/terminal/progress";
import type { OperationRecord } from "../../../provider/platform/records";
import { nowMs, operation } from "./support/live";

function screen(isTerminal: boolean, columns?: number) {
  let text = "";
  const sink = {
    isTerminal,
    columns: () => columns,
    write: (more: string) => {
      text += more;
    },
  };
  return { progress: openProgress(sink), text: () => text };
}

const CLEAR = "\r\u001b[K";

describe("progress", () => {
  it.each([
    [undefined, 78],
    [0, 78],
    [120, 118],
    [20, 18],
    [1, 1],
  ])("fits a terminal of %s columns", (columns, length) => {
    const { progress, text } = screen(true, columns);
    progress.tick("x".repeat(500));
    expect(text().slice(CLEAR.length)).toBe("…".padStart(length, "x"));
  });

  it("is one line that is written over, and goes", () => {
    const { progress, text } = screen(true);
    progress.show("a", "a: running", "1 s");
    progress.show("b", "b: running", "2 s");
    progress.end();
    progress.end();
    expect(text()).toBe(`${CLEAR}a: running, 1 s${CLEAR}b: running, 2 s, one of 2${CLEAR}`);
  });

  it("is a line for each news where there is no terminal", () => {
    const { progress, text } = screen(false);
    progress.show("a", "a: running", "1 s");
    progress.show("a", "a: running", "2 s");
    progress.tick("seconds pass");
    progress.show("a", "a: finished", "3 s");
    progress.end();
    expect(text()).toBe("a: running\na: finished\n");
  });

  it("lets nothing act on the terminal", () => {
    const { progress, text } = screen(true);
    progress.tick("a\u001b[2J\nb\u202e");
    expect(text()).toBe(`${CLEAR}a b`);
  });
});

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

/** The operations of a list that one look reads, whose first is the most recent and all of which are known. */
async function readBy(known: OperationRecord[]): Promise<string[]> {
  const read: string[] = [];
  const stop = new AbortController();
  const allOperations = async function* () {
    for (const one of known) {
      read.push(one.id);
      yield one;
    }
  };
  // The second look is one too many.
  const clock = { now: () => nowMs, sleep: async () => (read.length > 0 ? stop.abort() : undefined) };
  const shell = { clock, signal: stop.signal, err: { write: () => {}, isTerminal: false } };
  for await (const { id } of followOperations(shell, { allOperations }, "p-1", known)) read.push(`${id} changed`);
  return read;
}

const recent = operation("start_compute", "2026-01-31T11:00:00Z");
const failed = { ...operation("apply_config", "2026-01-31T10:00:00Z"), status: "failed" };
const oldest = operation("suspend_compute", "2026-01-31T09:00:00Z");

it.each([
  ["under way", { ...failed, status: "running" }, true],
  ["failed, and was tried again just now", { ...failed, retryAt: "2026-01-31T11:59:30Z" }, true],
  ["failed, and was tried again long ago", { ...failed, retryAt: "2026-01-31T10:01:00Z" }, false],
  ["failed", failed, false],
])("a look reads past an operation only while it can change: one that %s", async (_, old, isRead) => {
  expect(await readBy([recent, old, oldest])).toEqual([recent, old, ...(isRead ? [oldest] : [])].map(({ id }) => id));
});
