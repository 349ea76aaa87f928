/** The command line as a module: its executable calls `main`, and tests run what is built with a shell of their own. */
import { run } from "./run";
import { processShell } from "./shell";

export { openConfigured } from "../provider/config/open";
export { run };

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  // Not process.exit: what is written to a pipe has to arrive.
  process.exitCode = await run(processShell());
}
