import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { Session } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import type { Project } from "../model/project";
import { takeMessage } from "./greeting";
import {
  authenticationMessage,
  fatalMessage,
  MessageReader,
  noticeMessage,
  type Refusal,
  readAuthentication,
  readFirstResponse,
  responseMessage,
  startupMessage,
} from "./messages";
import { BoundExchange, SCRAM, SCRAM_PLUS, type Verifier } from "./scram";

/** A client and its target. */
export interface ClientFacts {
  project: Project;
  endpoint: Endpoint;
  pooled: boolean;
  version: number;
  parameters: ReadonlyMap<string, string>;
  /** The client's address and port. */
  client: string;
  /** Start of the connection, in milliseconds on the emulator's clock. */
  since: number;
}

/** Events of a session for its list. */
export interface SessionEvents {
  /** Called on data from the client or its server. */
  onActivity(): void;
  onCancelKey(key: string): void;
  /** Called at the end of the session; `byServer` if the server ended it. */
  onEnd(byServer: boolean): void;
}

/** From "Message Formats": the steps of an authentication. */
const [SASL, SASL_CONTINUE, SASL_FINAL] = [10, 11, 12];

const LAST_WORDS_MS = 1000;
const POOLED_NOTICE = "this is the endpoint's pooled host name, and the emulator serves it without pooling";
const states: Readonly<Record<string, string>> = {
  I: "idle",
  T: "idle in transaction",
  E: "idle in transaction (aborted)",
};

/** A client's connection: it waits for its endpoint, then relays data to and from the server. */
export class ClientSession {
  readonly facts: ClientFacts;
  /** Resolves at the end of the session. */
  readonly ended: Promise<void>;
  /** Resolves when the client is authenticated. */
  readonly known: Promise<void>;
  readonly #stream: Duplex;
  readonly #events: SessionEvents;
  #server: Socket | undefined;
  #resolveEnded: () => void = () => undefined;
  #resolveKnown: () => void = () => undefined;
  #isEnded = false;
  #isKnown = false;
  #state = "waiting";

  constructor(stream: Duplex, facts: ClientFacts, events: SessionEvents) {
    this.facts = facts;
    this.#stream = stream;
    this.#events = events;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });

    this.known = new Promise((resolve) => {
      this.#resolveKnown = resolve;
    });
    stream.on("error", () => this.#end(false));
    stream.on("close", () => this.#end(false));
    stream.on("end", () => this.#end(false));

    // A socket reports a client's end only while it is read. A waiting client sends nothing.
    stream.resume();
  }

  get user(): string {
    return this.facts.parameters.get("user") ?? "";
  }

  /** The session's data for people. */
  get shown(): Session {
    const { parameters, client, pooled, since } = this.facts;
    const { user } = this;
    const database = parameters.get("database") ?? user;
    const application = parameters.get("application_name") ?? "";
    return { user, database, application, client, pooled, since, state: this.#state };
  }

  /** True if the client uses TLS. */
  get secure(): boolean {
    return this.#stream instanceof TLSSocket;
  }

  get isWaiting(): boolean {
    return this.#state === "waiting";
  }

  /** True if the client is authenticated. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Resolves when an ended session's server has closed it, or shortly after. */
  get gone(): Promise<void> {
    const server = this.#server;
    if (!server || server.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      server.once("close", () => resolve());
      setTimeout(resolve, LAST_WORDS_MS).unref();
    });
  }

  /** Connects the client to the server at a socket; `binding` allows channel binding. */
  open(path: string, binding?: { verifier: Verifier; certificate: Buffer }): void {
    if (this.#isEnded) return;
    this.#state = "active";
    this.#stream.pause();
    const server = connect(path).unref();
    this.#server = server;

    server.on("error", () => {
      if (server.bytesRead === 0) {
        this.refuse({ code: "57P03", message: "the server has just ended; the next connection starts it anew" });
      }
      this.#end(true);
    });

    server.on("close", () => this.#end(true));
    server.on("end", () => this.#end(true));
    server.write(startupMessage(this.facts.version, this.facts.parameters));
    const bound = binding && this.#bind(server, new BoundExchange(binding.verifier, binding.certificate));
    if (!bound) {
      this.#relay(server);
      return;
    }

    bound.then(
      (goesOn) => goesOn && this.#relay(server),
      () => this.#end(false),
    );
  }

  /** Offers authentication with channel binding if the server asks for any. False if that ended the session. */
  async #bind(server: Socket, exchange: BoundExchange): Promise<boolean> {
    const asked = await takeMessage(server);
    if (!asked) return this.#unreadable();
    const { code, text } = readAuthentication(asked.body);
    if (asked.type !== "R" || code !== SASL || !text.split("\0").includes(SCRAM)) {
      server.unshift(asked.whole);
      return true;
    }

    this.#stream.write(authenticationMessage(SASL, `${SCRAM_PLUS}\0${SCRAM}\0\0`));
    const first = await takeMessage(this.#stream);
    if (!first) return this.#unreadable();
    const response = readFirstResponse(first.body);
    if (response.mechanism === SCRAM) {
      server.write(first.whole);
      return true;
    }

    const answer = exchange.answerFirst(response.text);
    if (answer === undefined) return this.#unreadable();

    server.write(responseMessage(exchange.toServerFirst, SCRAM));
    this.#stream.write(authenticationMessage(SASL_CONTINUE, answer));
    const final = await takeMessage(this.#stream);
    const step = await takeMessage(server);
    if (!final || !step) return this.#unreadable();
    if (!exchange.accept(final.body.toString("latin1"))) {
      return this.#reject("28P01", `password authentication failed for user "${this.user}"`);
    }

    server.write(responseMessage(exchange.toServerFinal(readAuthentication(step.body).text)));
    const done = await takeMessage(server);
    if (!done) return this.#unreadable();
    const isFinal = done.type === "R" && readAuthentication(done.body).code === SASL_FINAL;
    this.#stream.write(isFinal ? authenticationMessage(SASL_FINAL, exchange.toClientFinal) : done.whole);
    return true;
  }

  #unreadable(): false {
    return this.#reject("08P01", "the authentication cannot be read");
  }

  #reject(code: string, message: string): false {
    this.refuse({ code, message });
    return false;
  }

  #relay(server: Socket): void {
    const reader = new MessageReader("KZ");
    let greeted = !this.facts.pooled;

    relay(server, this.#stream, (piece) => {
      let noticeAt: number | undefined;
      reader.read(piece, (type, body, end) => {
        if (type === "K") this.#events.onCancelKey(body.toString("hex"));
        else {
          this.#state = states[body.toString("latin1")] ?? "idle";
          this.#isKnown = true;
          this.#resolveKnown();
          if (!greeted) noticeAt = end;
          greeted = true;
        }
      });

      this.#events.onActivity();
      if (noticeAt === undefined) return [piece];
      return [piece.subarray(0, noticeAt), noticeMessage(POOLED_NOTICE), piece.subarray(noticeAt)];
    });

    relay(this.#stream, server, (piece) => {
      this.#state = "active";
      this.#events.onActivity();
      return [piece];
    });
  }

  /** Ends the session with a readable reason. */
  refuse(refusal: Refusal): void {
    if (this.#isEnded) return;
    this.#stream.write(fatalMessage(refusal));
    this.#end(false);
  }

  /** Ends the session; `byServer` if the server is the cause. */
  drop(byServer: boolean): void {
    this.#end(byServer);
  }

  #end(byServer: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#state = "ended";
    // A socket reports its close only while it is read. The data are discarded.
    this.#server?.resume().end();

    // Sends pending data first. A client that does not read is cut after a short wait.
    const cut = () => this.#stream.destroy();
    this.#stream.end(cut);
    setTimeout(cut, LAST_WORDS_MS).unref();
    this.#events.onEnd(byServer);
    this.#resolveEnded();
  }
}

function relay(from: Duplex, to: Duplex, look: (piece: Buffer) => Buffer[]): void {
  from.on("data", (piece: Buffer) => {
    for (const part of look(piece)) {
      if (part.length > 0 && to.writable && !to.write(part)) from.pause();
    }
  });
  to.on("drain", () => from.resume());
  from.resume();
}
