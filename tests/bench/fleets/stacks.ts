import { createWaiting } from "./checkpoints";
import { seconds, type Table } from "./section";

const COUNT = 1_000;

/** How a thousand resources are split: over how many stacks, and how many of them run at once. */
const splits = [
  { stacks: 1, atOnce: 1 },
  { stacks: 10, atOnce: 1 },
  { stacks: 10, atOnce: 2 },
] as const;

/** The engine's own time for a thousand resources in one stack, and split over several. */
export async function measureStacks(say: (line: string) => void): Promise<Table> {
  const rows = [];
  let first: number | undefined;
  for (const { stacks, atOnce } of splits) {
    const waiting = Array.from({ length: stacks }, (_, index) => index + 1);
    const started = performance.now();
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const part = `stack ${next} of ${stacks}`;
        await createWaiting(COUNT / stacks, {}, (line) => say(`${part}: ${line}`));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const wallMs = performance.now() - started;
    first ??= wallMs;
    rows.push([`${stacks} of ${COUNT / stacks}`, atOnce, seconds(wallMs), (wallMs / first).toFixed(2)]);
  }
  return { heads: ["stacks", "at once", "seconds", "to one stack"], rows };
}
