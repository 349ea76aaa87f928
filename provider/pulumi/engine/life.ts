import { fstatSync } from "node:fs";
import { connect } from "node:net";

const ENGINE_CHECK_MS = 1_000;
/** Refused connections in a row that mean that nobody listens any more. */
const REFUSALS = 2;

/**
 * Ends this process when the engine at the address (`host:port`) goes away. A killed engine cannot say goodbye: its
 * pipe closes, or its port no longer takes connections. Work that went on without it would be known to no state.
 */
export function exitWithEngine(engineAddress: string): void {
  // Under a language host standard input may be nothing at all, which says nothing about the engine.
  if (isPipe())
    process.stdin
      .on("end", () => process.exit(0))
      .on("error", () => process.exit(0))
      .resume();
  const colon = engineAddress.lastIndexOf(":");
  const host = engineAddress.slice(0, colon);
  const port = Number(engineAddress.slice(colon + 1));
  let refusals = 0;
  const timer = setInterval(() => {
    const socket = connect({ host, port });
    socket.on("connect", () => {
      refusals = 0;
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // Anything else, such as too many open files, is trouble of this process and says nothing about the engine.
      refusals = error.code === "ECONNREFUSED" ? refusals + 1 : 0;
      if (refusals === REFUSALS) process.exit(0);
    });
  }, ENGINE_CHECK_MS);
  timer.unref();
}

function isPipe(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
