import { seconds, type Table } from "../tables";
import { createWaiting, OPERATION_MS, PARALLEL } from "./waiting";

/** How resources are split over stacks, how many of those run at once, and whether every step is saved. */
interface Case {
  stacks: number;
  size: number;
  atOnce: number;
  saved: boolean;
}

const cases: readonly Case[] = [
  { stacks: 1, size: 100, atOnce: 1, saved: true },
  { stacks: 1, size: 100, atOnce: 1, saved: false },
  { stacks: 1, size: 1_000, atOnce: 1, saved: true },
  { stacks: 1, size: 1_000, atOnce: 1, saved: false },
  { stacks: 10, size: 100, atOnce: 1, saved: true },
  { stacks: 10, size: 100, atOnce: 2, saved: true },
];

/** What the engine itself takes for small and large stacks, with and without checkpoints, and for a large one split up. */
export async function measureSizes(say: (line: string) => void): Promise<Table> {
  const rows = [];
  for (const one of cases) {
    const { stacks, size, atOnce, saved } = one;
    const { wallMs, kilobytes } = await createSplit(one, say);
    const floorMs = (Math.ceil(size / PARALLEL) * OPERATION_MS * stacks) / atOnce;
    const each = Math.round(wallMs / (stacks * size));
    const checkpoints = saved ? "saved" : "skipped";
    rows.push([`${stacks} of ${size}`, atOnce, checkpoints, seconds(wallMs), seconds(floorMs), each, kilobytes]);
  }
  const heads = ["stacks", "at once", "checkpoints", "seconds", "floor", "ms a resource", "state, KB"];
  return { heads, rows };
}

async function createSplit({ stacks, size, atOnce, saved }: Case, say: (line: string) => void) {
  const env: Record<string, string> = saved ? {} : { PULUMI_SKIP_CHECKPOINTS: "true" };
  const waiting = Array.from({ length: stacks }, (_, index) => index + 1);
  let kilobytes = 0;
  const started = performance.now();
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const stack = await createWaiting(size, env, (line) => say(`stack ${next} of ${stacks}: ${line}`));
      kilobytes = Math.round(stack.kilobytes);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { wallMs: performance.now() - started, kilobytes };
}
