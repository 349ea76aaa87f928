import { describe, expect, it } from "vitest";
import { openProgress } from "../../../cli/terminal/progress";

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
