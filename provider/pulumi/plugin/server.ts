import { setFlagsFromString } from "node:v8";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { asOwnError } from "../../platform/errors";
import { host } from "../../platform/policy";
import { exitWithEngine } from "../engine";
import { Session } from "../session";
import { LOST_KEY, SAFE_KEY } from "../values";
import { createService } from "./service";

/** The engine's own bound on what it receives, in bytes. */
const MAX_SENT_BYTES = 400 * 1024 * 1024;
/** An update shows a resource three times (old state, old inputs, new ones), each of which may have 32 MiB. */
const MAX_RECEIVED_BYTES = 3 * 32 * 1024 * 1024;

/** The heap at most doubles between two collections: V8 alone lets a fleet's garbage pile up (docs/decisions/0012-heap-of-the-plugin.md). */
const heapFlags = ["--semi-space-growth-factor=1", "--heap-growing-percent=50"];

/** Without it V8 optimizes undici's parser for a third of a short run's processor time (docs/decisions/0016-kept-compilation.md). */
const parserFlag = "--liftoff-only";

/** Optimizes later: a fifth less processor time for a hundred endpoints (docs/decisions/0016-kept-compilation.md). */
const optimizerFlag = "--interrupt-budget=400000";

const definition = Object.fromEntries(
  Object.entries(ResourceProviderService).map(([name, method]) => [
    name,
    { ...method, requestDeserialize: (bytes: Buffer) => method.requestDeserialize(withEveryKey(bytes)) },
  ]),
) as unknown as typeof ResourceProviderService;

/** Serves on a loopback port and prints it. Ends on a signal, on an error that no call caught (exit code 1), and with the engine. */
export async function serve(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const engineAddress = argv.find((argument) => /^[^-].*:\d+$/.test(argument));
  const session = new Session("plugin", engineAddress, env);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leave(session, 0));
  // Nobody knows what an error outside of any call leaves behind: the open calls tell how far they got, and no more are taken.
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
  // Not before everything is loaded: loading is quicker with as much room as it takes, and compilations are kept without these flags.
  setV8Flags();
  if (engineAddress) exitWithEngine(engineAddress);
}

/** The server of a session's calls. It takes requests of up to 96 MiB, of one that is compressed as it is unpacked. */
export function createServer(session: Session): Server {
  const server = new Server({
    "grpc.max_receive_message_length": MAX_RECEIVED_BYTES,
    "grpc.max_send_message_length": MAX_SENT_BYTES,
  });
  server.addService(definition, createService(session));
  return server;
}

/** The bytes of a request, of which `decode` reads every name. */
function withEveryKey(bytes: Buffer): Buffer {
  // The key of a map's entry: field 1, a text of 9 bytes.
  const [lost, safe] = [`\n\t${LOST_KEY}`, `\n\t${SAFE_KEY}`];
  let at = bytes.indexOf(lost);
  if (at < 0) return bytes;
  const changed = Buffer.from(bytes);
  for (; at >= 0; at = changed.indexOf(lost, at)) changed.write(safe, at);
  return changed;
}

/** Leaves after a last answer: an engine that is being ended too may still store it. */
function leave(session: Session, code: number): void {
  setTimeout(() => process.exit(code), host.lastAnswersMs).unref();
  const flushMs = session.isIdle ? 0 : host.flushMs;
  session.cancel();
  void session.idle().then(() => setTimeout(() => process.exit(code), flushMs));
}

/** Has this process use less memory and less processor time from now on. A V8 without these flags says so on stderr and goes on. */
function setV8Flags(): void {
  for (const flag of [...heapFlags, parserFlag]) setFlagsFromString(flag);
  // Later versions have no such flag, and wait by themselves.
  if (process.versions.node.startsWith("20.")) setFlagsFromString(optimizerFlag);
}
