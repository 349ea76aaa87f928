import { fstatSync } from "node:fs";
import { connect } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { createService } from "./service";
import { Session } from "./session";

const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;
const ENGINE_CHECK_MS = 2_000;

/**
 * Serves the provider on a loopback port and prints it, which is what the engine waits for. Ends at once on SIGINT and
 * SIGTERM, and when the engine that started it goes away.
 */
export async function serve(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const engineAddress = argv.find((argument) => /^[^-].*:\d+$/.test(argument));
  // A fault in one call must not end the process that others are using.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      console.error(`pgcompute: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(0));

  const server = new Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  });
  server.addService(ResourceProviderService, createService(new Session(engineAddress, env)));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  process.stdout.write(`${port}\n`);
  if (engineAddress) exitWithEngine(engineAddress);
}

/** A killed engine cannot say goodbye: its pipe closes, or its port no longer takes connections. */
function exitWithEngine(engineAddress: string): void {
  // Under a language host standard input may be nothing at all, which says nothing about the engine.
  if (isPipe())
    process.stdin
      .on("end", () => process.exit(0))
      .on("error", () => process.exit(0))
      .resume();
  const colon = engineAddress.lastIndexOf(":");
  const host = engineAddress.slice(0, colon);
  const port = Number(engineAddress.slice(colon + 1));
  const timer = setInterval(() => {
    const socket = connect({ host, port });
    socket.on("connect", () => socket.destroy());
    socket.on("error", () => process.exit(0));
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
