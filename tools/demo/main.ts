/** `make demo`: the whole life of an endpoint on the real engine, for people to watch. Exits 1 when a step fails. */
import { runDemo } from "./demo";

const interrupted = new AbortController();
// Ctrl-C reaches the engine too, which ends its run; then the demo clears up. A second one ends it on the spot. The
// listener stays: a library that starts the engine ends this process on a signal that nobody else listens to.
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
