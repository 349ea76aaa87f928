import { setFlagsFromString } from "node:v8";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { asOwnError } from "../../platform/errors";
import { host } from "../../platform/policy";
import { exitWithEngine } from "../engine";
import { Session } from "../session";
import { LOST_KEY, SAFE_KEY } from "../values";
import { createService } from "./service";

/** The engine's receive limit, in bytes. */
const MAX_SENT_BYTES = 400 * 1024 * 1024;
/** An update sends a resource three times (old state, old inputs, new inputs), up to 32 MiB each. */
const MAX_RECEIVED_BYTES = 3 * 32 * 1024 * 1024;

/**
 * Lets the heap at most double between collections: by default a fleet's garbage piles up
 * (docs/decisions/0012-heap-of-the-plugin.md).
 */
const heapFlags = ["--semi-space-growth-factor=1", "--heap-growing-percent=50"];

/** Else V8 spends a third of a short run on optimizing undici's parser (docs/decisions/0016-kept-compilation.md). */
const parserFlag = "--liftoff-only";

/** Optimizes later: 20% less processor time at a hundred endpoints (docs/decisions/0016-kept-compilation.md). */
const optimizerFlag = "--interrupt-budget=400000";

const definition = Object.fromEntries(
  Object.entries(ResourceProviderService).map(([name, method]) => [
    name,
    { ...method, requestDeserialize: (bytes: Buffer) => method.requestDeserialize(withEveryKey(bytes)) },
  ]),
) as unknown as typeof ResourceProviderService;

/**
 * Serves on a loopback port and prints the port. Ends on a signal, an uncaught error (exit code 1), or the engine's
 * end.
 */
export async function serve(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const engineAddress = argv.find((argument) => /^[^-].*:\d+$/.test(argument));
  const session = new Session("plugin", engineAddress, env);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leave(session, 0));

  // An error outside any call leaves an unknown state: open calls report their progress, and no new call is taken.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.once(event, (error: unknown) => {
      console.error(`pgcompute: ${asOwnError(error).summary}`);
      leave(session, 1);
    });
  }

  const server = createServer(session);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });

  process.stdout.write(`${port}\n`);
  // After loading: loading is faster with a free heap, and the compilation cache is kept without these flags.
  setV8Flags();
  if (engineAddress) exitWithEngine(engineAddress);
}

/** The server of a session's calls. Accepts requests up to 96 MiB, unpacked. */
export function createServer(session: Session): Server {
  const server = new Server({
    "grpc.max_receive_message_length": MAX_RECEIVED_BYTES,
    "grpc.max_send_message_length": MAX_SENT_BYTES,
  });
  server.addService(definition, createService(session));
  return server;
}

/** A request's bytes with `LOST_KEY` renamed, so that `decode` sees every name. */
function withEveryKey(bytes: Buffer): Buffer {
  // A map entry's key: field 1, a text of 9 bytes.
  const [lost, safe] = [`\n\t${LOST_KEY}`, `\n\t${SAFE_KEY}`];
  let at = bytes.indexOf(lost);
  if (at < 0) return bytes;
  const changed = Buffer.from(bytes);
  for (; at >= 0; at = changed.indexOf(lost, at)) changed.write(safe, at);
  return changed;
}

/** Ends the process after its last answers: an engine that is ending may still store them. */
function leave(session: Session, code: number): void {
  setTimeout(() => process.exit(code), host.lastAnswersMs).unref();
  const flushMs = session.isIdle ? 0 : host.flushMs;
  session.cancel();
  void session.idle().then(() => setTimeout(() => process.exit(code), flushMs));
}

/** Sets flags that save memory and processor time. A V8 without one of them only prints so on stderr. */
function setV8Flags(): void {
  for (const flag of [...heapFlags, parserFlag]) setFlagsFromString(flag);
  // Later versions lack the flag and wait on their own.
  if (process.versions.node.startsWith("20.")) setFlagsFromString(optimizerFlag);
}
