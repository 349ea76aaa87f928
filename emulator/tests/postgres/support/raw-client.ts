/** A client of the Postgres door by hand, which can be sent, cut and left at any byte. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { Duplex } from "node:stream";
import tls from "node:tls";
import type { Emulator } from "pgcompute-emulator";
import { expect, onTestFinished } from "vitest";
import { readAuthentication, responseMessage, startupMessage } from "../../../postgres/messages";
import { SCRAM, SCRAM_PLUS } from "../../../postgres/scram";

/** A message of the server. */
export interface ServerMessage {
  type: string;
  body: Buffer;
}

/** Sends the bytes of an opening message. */
export type Send = (stream: Duplex, bytes: Buffer, name: string) => Promise<void>;

/** What a whole login is made with. */
export interface Login {
  emulator: Emulator;
  endpointId: string;
  mechanism: typeof SCRAM | typeof SCRAM_PLUS;
  send: Send;
  password?: string;
}

/** Version 3.0 of the protocol. */
export const V3 = 196_608;

/** An opening message that is no more than a code. */
export function request(code: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(8);
  bytes.writeUInt32BE(code, 4);
  return bytes;
}

/** Asks for TLS. */
export const SSL_REQUEST = request(80_877_103);

/** Asks for encryption of another kind. */
export const GSS_REQUEST = request(80_877_104);

/** Begins a session at an endpoint. */
export function startup(endpointId: string, user = "postgres"): Buffer {
  const parameters = { user, database: "postgres", options: `endpoint=${endpointId}` };
  return startupMessage(V3, new Map(Object.entries(parameters)));
}

/** A connection to the door, without a word. Closed after the test. */
export async function dial(emulator: Emulator): Promise<net.Socket> {
  const socket = net.connect(emulator.postgres?.port ?? 0, "127.0.0.1").setNoDelay(true);
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/**
 * Logs in by hand and returns the last message's type: `Z` for a session, `E` for a refusal, empty for a closed
 * connection.
 */
export async function logIn({ emulator, endpointId, mechanism, send, ...given }: Login): Promise<string> {
  const socket = await dial(emulator);
  let stream: Duplex = socket;
  let certificate: Buffer = Buffer.alloc(0);
  if (mechanism === SCRAM_PLUS) {
    const secured = await secure(socket, send);
    certificate = createHash("sha256").update(secured.getPeerCertificate().raw).digest();
    stream = secured;
  }
  const messages = serverMessages(stream);
  const next = async (): Promise<ServerMessage> => (await messages.next()).value ?? { type: "", body: Buffer.alloc(0) };
  await send(stream, startup(endpointId), "startup");
  const asked = await next();
  if (asked.type !== "R" || readAuthentication(asked.body).code !== 10) return asked.type;

  const password = given.password ?? emulator.postgres?.password ?? "";
  const header = mechanism === SCRAM ? "n,," : "p=tls-server-end-point,,";
  const binding = Buffer.concat([Buffer.from(header), mechanism === SCRAM ? Buffer.alloc(0) : certificate]);
  const first = `n=,r=${randomBytes(18).toString("base64")}`;
  await send(stream, responseMessage(`${header}${first}`, mechanism), "SASL");
  const challenge = await next();
  if (challenge.type !== "R") return challenge.type;

  const { text } = readAuthentication(challenge.body);
  const bare = `c=${binding.toString("base64")},${text.split(",", 1)[0]}`;
  const proof = proofOf(password, text, `${first},${text},${bare}`);
  await send(stream, responseMessage(`${bare},p=${proof}`), "SCRAM");
  let last = await next();
  while (!["Z", "E", ""].includes(last.type)) last = await next();
  socket.destroy();
  return last.type;
}

/** Asks for the one encryption that there is not, then for TLS, and begins with it. */
export async function secure(socket: net.Socket, send: Send = written): Promise<tls.TLSSocket> {
  await send(socket, GSS_REQUEST, "GSS");
  expect(await answerOf(socket)).toBe("N");
  await send(socket, SSL_REQUEST, "SSL");
  expect(await answerOf(socket)).toBe("S");
  const secured = tls.connect({ socket: sentBy(send, socket), rejectUnauthorized: false });
  secured.on("error", () => undefined);
  await once(secured, "secureConnect");
  return secured;
}

/** Sends each message whole, except that it cuts the named one at an offset and calls `between` between the pieces. */
export function cutting(name: string, offset: number, between: () => Promise<unknown>): Send {
  return async (stream, bytes, of) => {
    if (of !== name || offset >= bytes.length) {
      stream.write(bytes);
      return;
    }
    await written(stream, bytes.subarray(0, offset));
    await between();
    stream.write(bytes.subarray(offset));
  };
}

/** Writes bytes, and resolves when the system has them. */
export function written(stream: Duplex, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => stream.write(bytes, () => resolve()));
}

/** A connection whose first bytes, a client's hello of TLS, are sent in a way of their own. */
function sentBy(send: Send, socket: net.Socket): Duplex {
  let isFirst = true;
  const between = new Duplex({
    read: () => void socket.resume(),
    write: (bytes: Buffer, _encoding, done) => {
      if (isFirst) void send(socket, bytes, "TLS").then(() => done(), done);
      else socket.write(bytes, () => done());
      isFirst = false;
    },
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (piece) => between.push(piece));
  socket.once("end", () => between.push(null));
  socket.once("close", () => between.destroy());
  return between;
}

/** The first byte that the server answers; empty for a connection that it closed. */
export async function answerOf(socket: net.Socket): Promise<string> {
  if (socket.closed) return "";
  const answered = Promise.race([once(socket, "data"), once(socket, "close")]);
  socket.resume();
  const [first] = (await answered) as unknown[];
  socket.pause();
  return Buffer.isBuffer(first) ? first.toString("latin1", 0, 1) : "";
}

/** The messages of a server, as they come. */
async function* serverMessages(stream: Duplex): AsyncGenerator<ServerMessage, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1;
      yield { type: rest.subarray(0, 1).toString("latin1"), body: rest.subarray(5, end) };
      rest = rest.subarray(end);
    }
  }
  return undefined;
}

function proofOf(password: string, challenge: string, message: string): string {
  const fields = new Map(challenge.split(",").map((field) => [field[0], field.slice(2)]));
  const salt = Buffer.from(fields.get("s") ?? "", "base64");
  const salted = pbkdf2Sync(password, salt, Number(fields.get("i")), 32, "sha256");
  const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const clientKey = hmac(salted, "Client Key");
  const signature = hmac(createHash("sha256").update(clientKey).digest(), message);
  return Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))).toString("base64");
}
