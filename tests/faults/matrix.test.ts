import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, openBench } from "../support/bench";
import { applies, type Outcome, platformsFor, playCell } from "./support/cell";
import { keyOf, PAGE, pageOf } from "./support/report";
import { columns, rows } from "./support/rows";
import { type Subject, subjects } from "./support/subjects";

// Several cells at once, each on an emulator of its own: one computes while another waits for its calls.
const BENCHES = 5;
const free: Bench[] = [];
const outcomes = new Map<string, Outcome>();

beforeAll(async () => {
  for (let index = 0; index < BENCHES; index += 1) free.push(await openBench());
});

afterAll(async () => {
  for (const bench of free) await bench.close();
});

describe.concurrent.each(subjects.map((subject) => [subject.title, subject] as const))("%s", (_, subject) => {
  it.concurrent.each(rows.map((row) => [row.title, row] as const))("under: %s", async (_title, row) => {
    const bench = free.pop();
    if (!bench) throw new Error("more cells at once than emulators");
    try {
      for (const column of columns) {
        if (!applies(subject, row, column)) continue;
        for (const keepsNames of platformsFor(subject)) {
          const outcome = await playCell(bench, subject, row, column, keepsNames);
          outcomes.set(keyOf(subject, row, column, keepsNames), outcome);
          const which = `${column}, ${keepsNames ? "with" : "without"} names`;
          expect(outcome.faults, `${which}; it ended with: ${outcome.error?.message ?? "success"}`).toEqual([]);
        }
      }
    } finally {
      free.push(bench);
    }
  });
});

// After the cells, and only where all of them were played.
it("are all in matrix.md", async ({ skip }) => {
  skip(outcomes.size < cellCount(), "not all cells were played");
  await expect(pageOf(outcomes)).toMatchFileSnapshot(PAGE);
});

function cellCount(): number {
  const cellsOf = (subject: Subject) =>
    rows.flatMap((row) => columns.filter((column) => applies(subject, row, column))).length;
  return subjects.reduce((sum, subject) => sum + cellsOf(subject) * platformsFor(subject).length, 0);
}
