/** The messages of Postgres's protocol, version 3, that the door reads and writes ("Message Formats"). */

/** An error in Postgres's terms: SQLSTATE, message and hint. */
export interface Refusal {
  code: string;
  message: string;
  hint?: string;
}

/** A client's first message. */
export type Opening =
  | { kind: "ssl" }
  | { kind: "gss" }
  | { kind: "cancel"; key: string }
  | { kind: "startup"; version: number; parameters: Map<string, string> }
  | { kind: "unknown" };

const CANCEL = 80_877_102;
const SSL = 80_877_103;
const GSS = 80_877_104;

/** Parses a first message without its length. */
export function readOpening(body: Buffer): Opening {
  if (body.length < 4) return { kind: "unknown" };
  const code = body.readUInt32BE(0);
  if (code === SSL) return { kind: "ssl" };
  if (code === GSS) return { kind: "gss" };
  if (code === CANCEL) return { kind: "cancel", key: body.subarray(4).toString("hex") };
  if (code >>> 16 !== 3) return { kind: "unknown" };

  const parameters = new Map<string, string>();
  const texts = body.subarray(4).toString("utf8").split("\0");
  for (let index = 0; index + 1 < texts.length && texts[index] !== ""; index += 2) {
    parameters.set(texts[index] ?? "", texts[index + 1] ?? "");
  }
  return { kind: "startup", version: code, parameters };
}

/** Builds a startup message. */
export function startupMessage(version: number, parameters: ReadonlyMap<string, string>): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(version);
  const texts = [...parameters].flat();
  return framed("", Buffer.concat([head, Buffer.from(`${texts.map((text) => `${text}\0`).join("")}\0`)]));
}

/** Builds a cancel request for the session with this key, in hexadecimal digits. */
export function cancelMessage(key: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(CANCEL);
  return framed("", Buffer.concat([head, Buffer.from(key, "hex")]));
}

/** Builds an error that ends the connection. */
export function fatalMessage({ code, message, hint }: Refusal): Buffer {
  return framed("E", fields({ S: "FATAL", V: "FATAL", C: code, M: message, ...(hint !== undefined && { H: hint }) }));
}

/** Parses an authentication request: its code and its text. */
export function readAuthentication(body: Buffer): { code: number; text: string } {
  return { code: body.length < 4 ? -1 : body.readUInt32BE(0), text: body.subarray(4).toString("latin1") };
}

/** Builds an authentication request. */
export function authenticationMessage(code: number, text: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(code);
  return framed("R", Buffer.concat([head, Buffer.from(text, "latin1")]));
}

/** Parses a client's first authentication message: its mechanism and text. */
export function readFirstResponse(body: Buffer): { mechanism: string; text: string } {
  const end = body.indexOf(0);
  return { mechanism: body.subarray(0, end).toString("latin1"), text: body.subarray(end + 5).toString("latin1") };
}

/** Builds a client's authentication response; the first one has the mechanism. */
export function responseMessage(text: string, mechanism?: string): Buffer {
  const data = Buffer.from(text, "latin1");
  if (mechanism === undefined) return framed("p", data);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return framed("p", Buffer.concat([Buffer.from(`${mechanism}\0`), length, data]));
}

/** Builds a notice. */
export function noticeMessage(message: string): Buffer {
  return framed("N", fields({ S: "NOTICE", V: "NOTICE", C: "00000", M: message }));
}

function fields(texts: Record<string, string>): Buffer {
  const all = Object.entries(texts).map(([field, text]) => `${field}${text}\0`);
  return Buffer.from(`${all.join("")}\0`);
}

function framed(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** Finds messages of some types in a server's stream, however the stream is split. */
export class MessageReader {
  readonly #types: string;
  readonly #head = Buffer.alloc(5);
  #filled = 0;
  #left = 0;
  #body: Buffer[] = [];

  /** `types` are the letters of the messages to show; others pass unread. */
  constructor(types: string) {
    this.#types = types;
  }

  /**
   * Processes one piece of the stream; calls `show` for each complete message of the chosen types, with its end in the
   * piece.
   */
  read(piece: Buffer, show: (type: string, body: Buffer, end: number) => void): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#filled < 5) {
        const taken = Math.min(5 - this.#filled, piece.length - at);
        piece.copy(this.#head, this.#filled, at, at + taken);
        this.#filled += taken;
        at += taken;
        if (this.#filled < 5) return;
        this.#left = Math.max(0, this.#head.readUInt32BE(1) - 4);
      }

      const type = String.fromCharCode(this.#head[0] ?? 0);
      const taken = Math.min(this.#left, piece.length - at);
      if (this.#types.includes(type)) this.#body.push(piece.subarray(at, at + taken));
      this.#left -= taken;
      at += taken;
      if (this.#left > 0) return;
      this.#filled = 0;

      if (this.#types.includes(type)) {
        const body = Buffer.concat(this.#body);
        this.#body = [];
        show(type, body, at);
      }
    }
  }
}
