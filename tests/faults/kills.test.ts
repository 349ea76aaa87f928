import { expect, it } from "vitest";
import { useBench } from "../support/bench";
import { type Change, playStrike } from "./support/history";
import type { Declared } from "./support/world";

const writer: Declared = { branch: 0, type: "read_write", sizeCu: 1 };
const reader: Declared = { ...writer, type: "read_only" };
/** The branch that has a stranger's read-write endpoint. */
const TAKEN = 2;

const changes: Record<string, Change> = {
  "create, read-write": { after: writer },
  "create, read-only": { after: reader },
  "create by taking over": { after: { ...writer, branch: TAKEN, adoptExisting: true } },
  update: { before: writer, after: { ...writer, sizeCu: 2 } },
  restart: { before: writer, after: { ...writer, restartTrigger: "now" } },
  move: { before: writer, after: { ...writer, branch: 1 } },
  "move of a replica": { before: reader, after: { ...reader, branch: 1 } },
  "replace, delete first": { before: writer, after: reader },
  "replace, create first": { before: reader, after: { ...reader, branch: TAKEN } },
  delete: { before: writer },
};

it.each(Object.entries(changes))("%s, of a process that is killed or interrupted at any call", async (_, change) => {
  const bench = await useBench({ logLimit: 10 });
  const calls = await playStrike(bench, change, {});
  expect(calls).toBeGreaterThan(1);
  for (let call = 1; call <= calls; call += 1) {
    for (const moment of ["before", "after"] as const) await playStrike(bench, change, { death: { call, moment } });
    await playStrike(bench, change, { interruptAt: call });
  }
});
