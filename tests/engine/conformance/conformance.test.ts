import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import type { Version } from "../../engine-model/deployment/resource";
import { fc, runsOr, seed } from "../../support/random";
import { compare } from "./compare";
import { coverageOf } from "./coverage";
import { kept } from "./kept";
import { playReal } from "./play";
import type { Played } from "./played";
import { type Sequence, sequences } from "./sequences";

/** So many sequences meet every option, every pair and every answer. */
const WHOLE = 500;

/** The seed where no number of runs is asked for. */
const FIXED = 7;

/** So many sequences have one seed, and the next ones the next: each part can be played by itself. */
const PART = 100;

/** Where the real runs are kept, if anywhere: what is there already is held against the model, and not played again. */
const folder = process.env.PGCOMPUTE_RECORDS || undefined;

const numRuns = runsOr(12);
const drawnBy = process.env.PGCOMPUTE_RUNS === undefined ? FIXED : seed;

it(`plays what the engine does (PGCOMPUTE_SEED=${drawnBy})`, { timeout: 120_000 + numRuns * 60_000 }, async () => {
  const left = drawn().entries();
  const differences: string[] = [];
  const all: Played[][] = [];
  const version = versionOf();
  // Two at a time: an engine waits for its plugin half of the time.
  const worker = async () => {
    for (const [at, sequence] of left) {
      const played = await kept(folder, sequence, playReal);
      all.push(played);
      for (const one of await compare(played, version)) {
        differences.push(`sequence ${at % PART} of seed ${drawnBy + Math.floor(at / PART)}, ${one}`);
      }
    }
  };
  await Promise.all([worker(), worker()]);
  const { text, empty } = coverageOf(all);
  if (numRuns >= WHOLE) process.stdout.write(`${text}\n`);
  expect(differences.join("\n\n")).toBe("");
  expect(numRuns >= WHOLE ? empty : []).toEqual([]);
});

function drawn(): Sequence[] {
  const parts = Array.from({ length: Math.ceil(numRuns / PART) }, (_, at) => at);
  return parts.flatMap((at) => {
    const rest = Math.min(PART, numRuns - at * PART);
    return fc.sample(sequences, { numRuns: rest, seed: drawnBy + at });
  });
}

function versionOf(): Version {
  const pulumi = join(inject("engineBin"), "pulumi");
  const [, minor = "0"] = /v3\.(\d+)/.exec(execFileSync(pulumi, ["version"], { encoding: "utf8" })) ?? [];
  return Number(minor) >= 276 ? "3.276" : "3.259";
}
