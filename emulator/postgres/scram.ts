/**
 * Authentication with channel binding (SCRAM-SHA-256-PLUS, RFC 5802, 7677 and 5929), done by the door, where TLS ends.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** A server's stored verifier of a role's password. */
export interface Verifier {
  /** In base64, as in the messages. */
  salt: string;
  iterations: number;
  storedKey: Buffer;
  serverKey: Buffer;
}

/** The mechanism without channel binding. */
export const SCRAM = "SCRAM-SHA-256";

/** The mechanism with channel binding. */
export const SCRAM_PLUS = "SCRAM-SHA-256-PLUS";

const BINDING = "p=tls-server-end-point,,";

/** Parses `rolpassword`; `undefined` for another form of password. */
export function readVerifier(text: string): Verifier | undefined {
  const [, iterations, salt, stored, server] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):(.+)$/.exec(text) ?? [];
  if (!iterations || !salt || !stored || !server) return undefined;
  const [storedKey, serverKey] = [Buffer.from(stored, "base64"), Buffer.from(server, "base64")];
  return { salt, iterations: Number(iterations), storedKey, serverKey };
}

/** One client's exchange, and the exchange with the server on its behalf. */
export class BoundExchange {
  readonly #verifier: Verifier;
  readonly #binding: string;
  readonly #ownFirst = `n=,r=${randomBytes(18).toString("base64")}`;
  #clientFirst = "";
  #serverFirst = "";
  #authMessage = "";
  #clientKey: Buffer = Buffer.alloc(0);

  /** `certificate`: the SHA-256 hash of the certificate that the client got. */
  constructor(verifier: Verifier, certificate: Buffer) {
    this.#verifier = verifier;
    this.#binding = Buffer.concat([Buffer.from(BINDING), certificate]).toString("base64");
  }

  /** The door's first message to the server. */
  get toServerFirst(): string {
    return `n,,${this.#ownFirst}`;
  }

  /** Answers the client's first message; `undefined` if it is not bound to this kind of channel. */
  answerFirst(message: string): string | undefined {
    const nonce = /^[^,]*,r=([!-+--~]+)/.exec(message.slice(BINDING.length))?.[1];
    if (!message.startsWith(BINDING) || nonce === undefined) return undefined;
    this.#clientFirst = message.slice(BINDING.length);
    const { salt, iterations } = this.#verifier;
    this.#serverFirst = `r=${nonce}${randomBytes(18).toString("base64")},s=${salt},i=${iterations}`;
    return this.#serverFirst;
  }

  /** Checks the client's final message. False for a wrong password, or another channel. */
  accept(message: string): boolean {
    const [, bare = "", proof = ""] = /^(.*),p=([^,]+)$/.exec(message) ?? [];
    this.#authMessage = `${this.#clientFirst},${this.#serverFirst},${bare}`;
    const nonce = this.#serverFirst.split(",", 1)[0];
    const { storedKey } = this.#verifier;
    this.#clientKey = xor(Buffer.from(proof, "base64"), hmac(storedKey, this.#authMessage));
    const found = createHash("sha256").update(this.#clientKey).digest();
    return bare === `c=${this.#binding},${nonce}` && timingSafeEqual(found, storedKey);
  }

  /** Answers the server's first message on the client's behalf. */
  toServerFinal(serverFirst: string): string {
    const bare = `c=biws,${serverFirst.split(",", 1)[0]}`;
    const signature = hmac(this.#verifier.storedKey, `${this.#ownFirst},${serverFirst},${bare}`);
    return `${bare},p=${xor(this.#clientKey, signature).toString("base64")}`;
  }

  /** The final message to the client, which proves that the server knows the password. */
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
