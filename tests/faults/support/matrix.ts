/** The test of a page of the matrix: it plays every cell, and holds the page to what became of each. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, openBench } from "../../support/bench";
import { applies, type Outcome, platformsFor, playCell } from "./cell";
import { keyOf, pageOf } from "./report";
import { columns, rows } from "./rows";
import type { Subject } from "./subjects";

// Several cells at once, each on an emulator of its own: one computes while another waits for its calls.
const BENCHES = 5;

/** Declares the tests of these subjects, and the one of the page of this name. */
export function holdMatrix(name: string, subjects: readonly Subject[]): void {
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
        for (const [key, outcome] of await playRow(bench, subject, row)) outcomes.set(key, outcome);
      } finally {
        free.push(bench);
      }
    });
  });

  // After the cells, and only where all of them were played.
  it("are all on the page", async ({ skip }) => {
    skip(outcomes.size < cellCount(subjects), "not all cells were played");
    const page = join(import.meta.dirname, `../matrix/${name}.md`);
    await expect(pageOf(name, subjects, outcomes)).toMatchFileSnapshot(page);
  });
}

async function playRow(bench: Bench, subject: Subject, row: (typeof rows)[number]): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const column of columns) {
    if (!applies(subject, row, column)) continue;
    for (const keepsNames of platformsFor(subject)) {
      const outcome = await playCell(bench, subject, row, column, keepsNames);
      outcomes.set(keyOf(subject, row, column, keepsNames), outcome);
      const which = `${column}, ${keepsNames ? "with" : "without"} names`;
      expect(outcome.faults, `${which}; it ended with: ${outcome.error?.message ?? "success"}`).toEqual([]);
    }
  }
  return outcomes;
}

function cellCount(subjects: readonly Subject[]): number {
  const cellsOf = (subject: Subject) =>
    rows.flatMap((row) => columns.filter((column) => applies(subject, row, column))).length;
  return subjects.reduce((sum, subject) => sum + cellsOf(subject) * platformsFor(subject).length, 0);
}
