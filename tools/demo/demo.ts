import type { Emulator } from "../../emulator";
import { BrokenPromise, Play } from "./play";
import { createScreen } from "./screen";
import { setStage } from "./stage";
import { steps } from "./steps";

/** The options of the demo. */
export interface DemoOptions {
  write: (text: string) => void;
  /** Default false. */
  colours?: boolean;
  /** Called once before the first step; tests break the platform here. */
  prepare?: (emulator: Emulator) => void;
  /** Aborts the demo after the current run. */
  signal?: AbortSignal;
}

/**
 * Plays the example's whole life on the real engine, with an emulator. Returns true if every step kept its promises;
 * else the last output has the step and the reason. Leaves no process or folder.
 */
export async function runDemo({ write, colours = false, prepare, signal }: DemoOptions): Promise<boolean> {
  const screen = createScreen(write, colours);
  let where = "setting the stage";
  try {
    const stage = await setStage();
    try {
      prepare?.(stage.emulator);
      screen.title(`The life of examples/primary-and-replica, on Pulumi ${stage.engineVersion}`);
      screen.note(
        `platform ${stage.emulator.url} (an emulator), project ${stage.emulator.projectId}, branch ${stage.branchId}`,
      );
      const play = new Play(stage, screen);
      for (const [index, step] of steps.entries()) {
        where = `step ${index + 1} of ${steps.length}, "${step.title}"`;
        screen.title(`${index + 1}/${steps.length}  ${step.title}`);
        await step.run(play);
        if (signal?.aborted) throw new BrokenPromise("interrupted");
      }
    } finally {
      await stage.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    screen.failure(`The demo failed at ${where}:\n${reason}`);
    if (error instanceof Error && !(error instanceof BrokenPromise)) write(`${error.stack ?? ""}\n`);
    return false;
  }
  screen.title(`All ${steps.length} steps did what they say; nothing is left.`);
  return true;
}
