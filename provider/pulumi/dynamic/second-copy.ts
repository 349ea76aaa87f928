/** Detects a second `@pulumi/pulumi`: the engine's client in one copy refuses the messages of the other. */
import { join, sep } from "node:path";
import { RunError, runtime } from "@pulumi/pulumi";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { shellWord } from "../../lib/wording";

/** This package's folder; the bundle is one folder deep in it. */
const packageFolder = join(__dirname, "..");

/** Writes it to the program's .npmrc: as an option it would hold for one install. */
const copying = "npm config set install-links=true --location=project";

const SECOND =
  "there are two copies of @pulumi/pulumi: the program runs by one, and pulumi-pgcompute has found another, whose resources the first cannot register";

/** Throws if the program runs on another copy of `@pulumi/pulumi` than this package, as with a linked package. */
export function assertOneCopy(): void {
  const client: unknown = runtime.getMonitor();
  // Mocks are not a client of the engine.
  if (!isGrpcClient(client) || client instanceof ResourceMonitorClient) return;
  // The engine shows a RunError without a stack trace.
  throw new RunError(`${SECOND}. ${remedyFor(packageFolder)}`);
}

function isGrpcClient(client: unknown): boolean {
  return typeof client === "object" && client !== null && "makeUnaryRequest" in client;
}

function remedyFor(folder: string): string {
  const isLinked = !folder.split(sep).includes("node_modules");
  return isLinked
    ? `A linked folder brings its own. Have npm copy folders, in later installs too:\n\n  ${copying}\n  npm install ${shellWord(folder)}`
    : "Whichever library brings it is to have both as peer dependencies, pulumi-pgcompute and `@pulumi/pulumi`. Then run:\n\n  npm dedupe";
}
