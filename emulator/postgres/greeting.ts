/** The start of a client's session: optional TLS, then the endpoint's name. */

import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type SecureContext, TLSSocket } from "node:tls";
import { type Opening, type Refusal, readOpening } from "./messages";

/** A client after its startup message. */
export interface Greeting {
  /** The stream to the client, encrypted if the client asked for TLS. */
  stream: Duplex;
  opening: Extract<Opening, { kind: "startup" | "cancel" }>;
  /** The server name of TLS, if any. */
  serverName: string | undefined;
}

/** A client's target: the endpoint, whether pooled, and the parameters for its server. */
export interface Route {
  endpointId: string;
  pooled: boolean;
  version: number;
  parameters: ReadonlyMap<string, string>;
}

const POOLED = "-pooler";
/** The first byte of TLS without a request for it. */
const TLS_HANDSHAKE = 0x16;
const LONGEST = 10_000;

/** Reads a client's startup; `undefined` for one that left or speaks another protocol. */
export async function greet(socket: Socket, context: SecureContext): Promise<Greeting | undefined> {
  let stream: Duplex = socket;
  let serverName: string | undefined;

  // Each of the two kinds of encryption is requested once at most.
  for (let round = 0; round < 3; round++) {
    const first = await take(stream, 1);
    if (!first) return undefined;

    if (first[0] === TLS_HANDSHAKE && stream === socket) {
      socket.unshift(first);
      const secured = await secure(socket, context);
      if (!secured) return undefined;
      ({ stream, serverName } = secured);
      continue;
    }

    const rest = await take(stream, 3);
    const length = rest ? Buffer.concat([first, rest]).readUInt32BE(0) : 0;
    const body = length >= 8 && length <= LONGEST ? await take(stream, length - 4) : undefined;
    const opening = body ? readOpening(body) : undefined;

    if (opening?.kind === "gss") stream.write("N");
    else if (opening?.kind === "ssl" && stream === socket) {
      // Plain data sent early would pass as encrypted.
      if (socket.readableLength > 0) return undefined;
      socket.write("S");
      const secured = await secure(socket, context);
      if (!secured) return undefined;
      ({ stream, serverName } = secured);
    } else if (opening?.kind === "startup" || opening?.kind === "cancel") return { stream, opening, serverName };
    else return undefined;
  }
  return undefined;
}

function secure(
  socket: Socket,
  secureContext: SecureContext,
): Promise<{ stream: TLSSocket; serverName: string | undefined } | undefined> {
  const stream = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["postgresql"] });
  return new Promise((resolve) => {
    stream.on("error", () => resolve(undefined));
    stream.once("close", () => resolve(undefined));
    stream.once("secure", () => {
      const { servername } = stream as TLSSocket & { servername?: string | false };
      resolve({ stream, serverName: servername || undefined });
    });
  });
}

/** The next message of a stream; `undefined` if the stream ends before, or the message is longer than any startup's. */
export async function takeMessage(stream: Duplex): Promise<{ type: string; body: Buffer; whole: Buffer } | undefined> {
  const head = await take(stream, 5);
  const length = head?.readUInt32BE(1) ?? 0;
  if (!head || length < 4 || length > LONGEST) return undefined;
  const body = length === 4 ? Buffer.alloc(0) : await take(stream, length - 4);
  return body && { type: String.fromCharCode(head[0] ?? 0), body, whole: Buffer.concat([head, body]) };
}

/** Finds a client's endpoint: by its own port, else by `options`, else by the first part of the TLS server name. */
export function routeOf(
  { version, parameters }: Extract<Greeting["opening"], { kind: "startup" }>,
  serverName: string | undefined,
  portOf: string | undefined,
): Route | Refusal {
  const words = (parameters.get("options") ?? "").split(/\s+/).filter(Boolean);
  const named = words.find((word) => word.startsWith("endpoint="))?.slice("endpoint=".length);
  const name = portOf ?? named ?? serverName?.split(".")[0];

  if (!name) {
    return {
      code: "08004",
      message: "the connection names no endpoint",
      hint: "Use TLS with the endpoint's host name (SNI), add \"endpoint=ID\" to options, or connect to the endpoint's own port.",
    };
  }

  const pooled = name.endsWith(POOLED);
  const kept = new Map(parameters);
  const options = words.filter((word) => !word.startsWith("endpoint=")).join(" ");
  if (options === "") kept.delete("options");
  else kept.set("options", options);
  return { endpointId: pooled ? name.slice(0, -POOLED.length) : name, pooled, version, parameters: kept };
}

/** Reads exactly `bytes` bytes of a stream; `undefined` if it ends before. Later bytes stay in it. */
async function take(stream: Duplex, bytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let missing = bytes;

  while (missing > 0) {
    // Read everything: Node recalls a reader that leaves data behind at once, and starves others.
    const piece: Buffer | null = stream.read();
    if (piece) {
      pieces.push(piece.subarray(0, missing));
      if (piece.length > missing) stream.unshift(piece.subarray(missing));
      missing -= Math.min(missing, piece.length);
    } else if (stream.readableEnded || stream.destroyed) return undefined;
    else await moreOf(stream);
  }
  return Buffer.concat(pieces);
}

/** Resolves when a stream has data, or has ended. */
function moreOf(stream: Duplex): Promise<void> {
  const events = ["readable", "end", "close"];
  return new Promise((resolve) => {
    const tell = () => {
      for (const event of events) stream.off(event, tell);
      resolve();
    };
    for (const event of events) stream.on(event, tell);
  });
}
