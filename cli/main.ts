import { run } from "./run";
import { processShell } from "./shell";

// Not process.exit: what is written to a pipe has to arrive.
void run(processShell()).then((code) => {
  process.exitCode = code;
});
