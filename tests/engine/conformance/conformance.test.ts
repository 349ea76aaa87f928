import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import type { Version } from "../../engine-model/deployment/resource";
import { fc, runsOr, seed } from "../../support/random";
import { compare } from "./compare";
import { coverageOf } from "./coverage";
import { playReal } from "./play";
import type { Played } from "./played";
import { sequences } from "./sequences";

/** So many sequences meet every option, every pair and every answer. */
const WHOLE = 500;

/** The seed where no number of runs is asked for. */
const FIXED = 7;

const numRuns = runsOr(12);
const drawnBy = process.env.PGCOMPUTE_RUNS === undefined ? FIXED : seed;

it(`plays what the engine does (PGCOMPUTE_SEED=${drawnBy})`, { timeout: 120_000 + numRuns * 60_000 }, async () => {
  const left = fc.sample(sequences, { numRuns, seed: drawnBy }).entries();
  const differences: string[] = [];
  const all: Played[] = [];
  // Two at a time: an engine waits for its plugin half of the time.
  const worker = async () => {
    for (const [at, sequence] of left) {
      const played = await playReal(sequence);
      all.push(...played);
      for (const one of await compare(played, versionOf())) differences.push(`sequence ${at}, ${one}`);
    }
  };
  await Promise.all([worker(), worker()]);
  const { text, empty } = coverageOf(all);
  if (numRuns >= WHOLE) process.stdout.write(`${text}\n`);
  expect(differences.join("\n\n")).toBe("");
  expect(numRuns >= WHOLE ? empty : []).toEqual([]);
});

function versionOf(): Version {
  const pulumi = join(inject("engineBin"), "pulumi");
  const [, minor = "0"] = /v3\.(\d+)/.exec(execFileSync(pulumi, ["version"], { encoding: "utf8" })) ?? [];
  return Number(minor) >= 276 ? "3.276" : "3.259";
}
