/**
 * Authentication that is bound to the channel (SCRAM-SHA-256-PLUS, RFC 5802, 7677 and 5929). TLS ends at the door, and so the server cannot
 * offer it: the door does, with what the server keeps of the password, and passes on what the client has proved.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A server's record of a role's password. */
export interface Verifier {
  /** In base64, as the messages have it. */
  salt: string;
  iterations: number;
  storedKey: Buffer;
  serverKey: Buffer;
}

/** The mechanism without binding. */
export const SCRAM = "SCRAM-SHA-256";

/** The mechanism with binding to the channel. */
export const SCRAM_PLUS = "SCRAM-SHA-256-PLUS";

const BINDING = "p=tls-server-end-point,,";

/** Reads `rolpassword`; `undefined` for a password that is kept in another way. */
export function readVerifier(text: string): Verifier | undefined {
  const [, iterations, salt, stored, server] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):(.+)$/.exec(text) ?? [];
  if (!iterations || !salt || !stored || !server) return undefined;
  const [storedKey, serverKey] = [Buffer.from(stored, "base64"), Buffer.from(server, "base64")];
  return { salt, iterations: Number(iterations), storedKey, serverKey };
}

/** One client's exchange, and the one with the server in its stead. */
export class BoundExchange {
  readonly #verifier: Verifier;
  readonly #binding: string;
  readonly #ownFirst = `n=,r=${randomBytes(18).toString("base64")}`;
  #clientFirst = "";
  #serverFirst = "";
  #authMessage = "";
  #clientKey: Buffer = Buffer.alloc(0);

  /** `certificate` is the SHA-256 of the one that the client was shown. */
  constructor(verifier: Verifier, certificate: Buffer) {
    this.#verifier = verifier;
    this.#binding = Buffer.concat([Buffer.from(BINDING), certificate]).toString("base64");
  }

  /** The door's first message to the server. */
  get toServerFirst(): string {
    return `n,,${this.#ownFirst}`;
  }

  /** Answers the client's first message; `undefined` for one that is not bound to a channel of this kind. */
  answerFirst(message: string): string | undefined {
    const nonce = /^[^,]*,r=([!-+--~]+)/.exec(message.slice(BINDING.length))?.[1];
    if (!message.startsWith(BINDING) || nonce === undefined) return undefined;
    this.#clientFirst = message.slice(BINDING.length);
    const { salt, iterations } = this.#verifier;
    this.#serverFirst = `r=${nonce}${randomBytes(18).toString("base64")},s=${salt},i=${iterations}`;
    return this.#serverFirst;
  }

  /** Checks the client's last message. False for a wrong password, or for one that was meant for another channel. */
  accept(message: string): boolean {
    const [, bare = "", proof = ""] = /^(.*),p=([^,]+)$/.exec(message) ?? [];
    this.#authMessage = `${this.#clientFirst},${this.#serverFirst},${bare}`;
    const nonce = this.#serverFirst.split(",", 1)[0];
    const { storedKey } = this.#verifier;
    this.#clientKey = xor(Buffer.from(proof, "base64"), hmac(storedKey, this.#authMessage));
    const found = createHash("sha256").update(this.#clientKey).digest();
    return bare === `c=${this.#binding},${nonce}` && timingSafeEqual(found, storedKey);
  }

  /** Answers the server's first message as the client would. */
  toServerFinal(serverFirst: string): string {
    const bare = `c=biws,${serverFirst.split(",", 1)[0]}`;
    const signature = hmac(this.#verifier.storedKey, `${this.#ownFirst},${serverFirst},${bare}`);
    return `${bare},p=${xor(this.#clientKey, signature).toString("base64")}`;
  }

  /** The last message to the client: that the server knows the password, too. */
  get toClientFinal(): string {
    return `v=${hmac(this.#verifier.serverKey, this.#authMessage).toString("base64")}`;
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function xor(one: Buffer, two: Buffer): Buffer {
  return Buffer.from(two.map((byte, index) => byte ^ (one[index] ?? 0)));
}
