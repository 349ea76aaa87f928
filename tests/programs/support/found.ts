import { expect, it } from "vitest";
import { type Case, plain } from "./cases";
import { type End, play } from "./play";
import { usePlatform } from "./world";

/** A test for each program that chance has found: its first preview and up come to this end. */
export function itEnds(end: End, programs: Record<string, Partial<Case>>): void {
  it.each(Object.entries(programs))("%s", async (_, program) => {
    const { bench, api } = await usePlatform();
    expect(await play(bench, api, { ...plain, ...program })).toBe(end);
  });
}
