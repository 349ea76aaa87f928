/** `make demo`: shows the whole life of an endpoint on the real engine. Exits 1 if a step fails. */
import { runDemo } from "./demo";

const interrupted = new AbortController();
// Ctrl-C also ends the engine's run; then the demo cleans up. A second one ends it at once. The listener stays: without
// another listener, a library that starts the engine would end this process.
process.on("SIGINT", () => {
  if (interrupted.signal.aborted) process.exit(130);
  interrupted.abort();
});

async function main(): Promise<void> {
  const good = await runDemo({
    write: (text) => process.stdout.write(text),
    colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
    signal: interrupted.signal,
  });
  process.exitCode = good ? 0 : 1;
}

main();
