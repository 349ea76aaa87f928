import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { ApiError } from "../lib/errors";
import { isPresent } from "../lifecycle/change";
import { connect, isMoving, leave, limitOf } from "../lifecycle/connection";
import type { Endpoint } from "../model/endpoint";
import { isSuccess, type Operation } from "../model/operation";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import type { Certificate } from "./certificate";
import { ClientSession } from "./client-session";
import { type Greeting, greet, routeOf } from "./greeting";
import { cancelMessage, fatalMessage, type Refusal } from "./messages";
import type { Verifier } from "./scram";
import { ADMIN_ROLE, REPLICATION_ROLE } from "./server-config";
import type { Running } from "./servers";

/** Finds an endpoint's server for a client. */
export interface ServerSource {
  /** An endpoint's server, started if needed. Rejects with the reason. */
  ensure(project: Project, endpoint: Endpoint): Promise<Running>;
  /** An endpoint's server, if it runs. */
  serverOf(endpoint: Endpoint): Running | undefined;
  /** The stored verifier of a role's password; `undefined` without a password or SCRAM verifier. */
  verifierOf(running: Running, role: string): Promise<Verifier | undefined>;
}

/** A session's entry in the platform's counts. */
interface Entry {
  /** Resolves when the session that was closed to make room has left its server. */
  room: Promise<void>;
  project: Project;
  endpoint: Endpoint;
  counts: "waiting" | "open" | "not";
  /** The start that the session waits for. */
  start: Operation | undefined;
  cancelKeys: string[];
}

interface Listener {
  server: Server;
  port: number;
}

/** Time for a server's last messages to reach its clients, in milliseconds. */
const LAST_WORDS_MS = 1000;

/** Time limit for a client's startup message, and for its authentication, in milliseconds of the emulator's clock. */
const INTRODUCTION_MS = 10_000;

/** Maximum number of clients without a startup message. */
const MOST_STRANGERS = 500;

const LOOPBACK = "127.0.0.1";

// From "PostgreSQL Error Codes". Default: the server rejected the connection.
const codes: Readonly<Record<number, string>> = { 404: "08004", 406: "57P03", 423: "57P03" };

/**
 * The listener for Postgres clients: starts a client's endpoint, holds the client until it is active, then relays all
 * data.
 */
export class Door {
  readonly #platform: Platform;
  readonly #servers: ServerSource;
  readonly #context: SecureContext;
  readonly #fingerprint: Buffer;
  readonly #listeners = new Listeners((socket, endpointId) => {
    this.#receive(socket, endpointId).catch(() => socket.destroy());
  });
  readonly #sockets = new Set<Socket>();
  /** Clients without a startup message, oldest first. */
  readonly #strangers = new Set<Socket>();
  readonly #entries = new Map<ClientSession, Entry>();
  /** The endpoint of each cancel key. */
  readonly #cancelKeys = new Map<string, Endpoint>();

  constructor(platform: Platform, servers: ServerSource, { cert, key }: Certificate) {
    this.#platform = platform;
    this.#servers = servers;
    this.#context = createSecureContext({ cert, key });
    this.#fingerprint = createHash("sha256").update(new X509Certificate(cert).raw).digest();
  }

  get port(): number {
    return this.#listeners.port;
  }

  portOf(endpoint: Endpoint): number {
    return this.#listeners.portOf(endpoint);
  }

  open(port: number): Promise<void> {
    return this.#listeners.open(port);
  }

  /** Stops accepting clients. */
  shut(): void {
    this.#listeners.close();
  }

  /** Cuts the remaining clients. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** An endpoint's sessions, oldest first. */
  sessions(endpoint: Endpoint): ClientSession[] {
    return [...this.#entries].flatMap(([session, entry]) => (entry.endpoint === endpoint ? [session] : []));
  }

  /** Closes an endpoint's oldest sessions, by default all, as an administrator would. */
  disconnect(endpoint: Endpoint, count = Number.POSITIVE_INFINITY): void {
    for (const session of this.sessions(endpoint).slice(0, count)) {
      // A computing server does not notice that its client has gone.
      for (const key of this.#entries.get(session)?.cancelKeys ?? []) this.#cancel(endpoint, cancelMessage(key));
      session.refuse({ code: "57P01", message: "terminating connection due to administrator command" });
    }
  }

  /** Ends the sessions of a stopped server, after its last messages have reached them. */
  async dropAll(endpoint: Endpoint): Promise<void> {
    const open = this.sessions(endpoint).filter((session) => !session.isWaiting);
    const late = setTimeout(() => {
      for (const session of open) session.drop(true);
    }, LAST_WORDS_MS);
    await Promise.all(open.map((session) => session.ended));
    clearTimeout(late);
  }

  /** Decides on waiting sessions, and gives new endpoints their ports. */
  look(): void {
    this.#listeners.keepUp(this.#platform);
    for (const [session, entry] of this.#entries) if (entry.counts === "waiting") this.#decide(session, entry);
  }

  async #receive(socket: Socket, endpointId: string | undefined): Promise<void> {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.setNoDelay(true).unref();
    const greeting = await this.#hear(socket);

    if (!greeting) socket.destroy();
    else if (greeting.opening.kind === "cancel") {
      const { key } = greeting.opening;
      const endpoint = this.#cancelKeys.get(key);
      // With TLS, an end without a closing message is an error to the client.
      const end = () => void greeting.stream.end();
      if (endpoint) this.#cancel(endpoint, cancelMessage(key), end);
      else end();
    } else this.#admit(greeting, `${socket.remoteAddress}:${socket.remotePort}`, endpointId);
  }

  /** Reads a client's startup message within the time limit; beyond the maximum the oldest such client is closed. */
  async #hear(socket: Socket): Promise<Greeting | undefined> {
    const [oldest] = this.#strangers;
    if (this.#strangers.size >= MOST_STRANGERS) oldest?.destroy();
    this.#strangers.add(socket);
    socket.once("close", () => this.#strangers.delete(socket));
    const over = this.#within(INTRODUCTION_MS, () => socket.destroy());

    try {
      return await greet(socket, this.#context);
    } finally {
      over();
      this.#strangers.delete(socket);
    }
  }

  /** Calls `act` after `ms` milliseconds, unless the returned function is called first. */
  #within(ms: number, act: () => void): () => void {
    const over = new AbortController();
    void this.#platform.clock.sleep(ms, over.signal).then(() => {
      if (!over.signal.aborted) act();
    });
    return () => over.abort();
  }

  /** Closes an endpoint's oldest unauthenticated session. Resolves when its server has room. */
  #makeRoom(endpoint: Endpoint): Promise<void> {
    const unproven = this.sessions(endpoint).find((session) => !session.isKnown);
    if (!unproven) return Promise.resolve();
    unproven.refuse({ code: "53300", message: "another client came, and this one has not proved who it is" });
    return unproven.gone;
  }

  /** Asks a server to cancel a query. The outcome is never reported ("Canceling Requests in Progress"). */
  #cancel(endpoint: Endpoint, message: Buffer, done: () => void = () => undefined): void {
    const running = this.#servers.serverOf(endpoint);
    if (!running) {
      done();
      return;
    }

    const line = dial(running.server.socket);
    line.on("error", () => undefined);
    line.on("close", done);
    line.end(message);
  }

  #admit({ stream, opening, serverName }: Greeting, client: string, portOf: string | undefined): void {
    const refuse = (refusal: Refusal) => void stream.end(fatalMessage(refusal));
    if (opening.kind !== "startup") return;
    const route = routeOf(opening, serverName, portOf);
    if ("code" in route) {
      refuse(route);
      return;
    }

    const user = route.parameters.get("user") ?? "";
    if (user === ADMIN_ROLE || user === REPLICATION_ROLE) {
      refuse({ code: "28000", message: `role "${user}" is the emulator's own, and no client's` });
      return;
    }

    const platform = this.#platform;
    try {
      platform.runDue();
      const { project, endpoint } = platform.findEndpoint(route.endpointId);
      const isFull = endpoint.connections + endpoint.waiting >= limitOf(platform, endpoint);
      const room = isFull ? this.#makeRoom(endpoint) : Promise.resolve();
      const before = endpoint.waiting;
      const { operation } = connect(platform, project, endpoint, { connections: 1, pooled: route.pooled });
      const waits = endpoint.waiting > before;
      const start = operation ?? [...(project.open.get(endpoint.record.id) ?? [])].find(isStart);
      const entry: Entry = { room, project, endpoint, counts: waits ? "waiting" : "open", start, cancelKeys: [] };
      const facts = { ...route, project, endpoint, client, since: platform.now() };

      const session: ClientSession = new ClientSession(stream, facts, {
        onActivity: () => {
          endpoint.lastActiveAt = platform.now();
        },
        onCancelKey: (key) => {
          entry.cancelKeys.push(key);
          this.#cancelKeys.set(key, endpoint);
        },
        onEnd: (byServer) => this.#forget(session, entry, byServer),
      });

      this.#entries.set(session, entry);
      if (!waits) void this.#letThrough(session, entry);
    } catch (error) {
      refuse(refusalOf(error));
    }
  }

  #decide(session: ClientSession, entry: Entry): void {
    const { project, endpoint } = entry;
    const { id, current_state: state, disabled } = endpoint.record;
    // A reset drops the project, whose operations then never end.
    const present = this.#platform.projects.get(project.record.id) === project && isPresent(project, endpoint);

    if (!present) session.refuse({ code: "08006", message: `endpoint ${id} is gone` });
    else if (isMoving(project, endpoint)) return;
    else if (state === "active") {
      // The end of the start has counted the waiting sessions as connected.
      entry.counts = "open";
      void this.#letThrough(session, entry);
    } else {
      const reason = disabled ? "it is disabled" : (entry.start?.error ?? `it is ${state} again`);
      session.refuse({ code: "57P03", message: `endpoint ${id} did not start: ${reason}` });
    }
  }

  async #letThrough(session: ClientSession, { project, endpoint, room }: Entry): Promise<void> {
    try {
      await room;
      const running = await this.#servers.ensure(project, endpoint);
      const verifier = session.secure ? await this.#servers.verifierOf(running, session.user) : undefined;
      const late = { code: "57014", message: "canceling authentication due to timeout" };
      const over = this.#within(INTRODUCTION_MS, () => session.refuse(late));
      void Promise.race([session.known, session.ended]).then(over);
      session.open(running.server.socket, verifier && { verifier, certificate: this.#fingerprint });
    } catch (error) {
      session.refuse({ code: "57P03", message: error instanceof Error ? error.message : String(error) });
    }
  }

  #forget(session: ClientSession, { project, endpoint, counts, start, cancelKeys }: Entry, byServer: boolean): void {
    this.#entries.delete(session);
    for (const key of cancelKeys) this.#cancelKeys.delete(key);
    const running = this.#servers.serverOf(endpoint);
    const dropped = byServer && (running?.stopping ?? true);
    // After the start the session counts as connected, even before the next `look`.
    const waited = counts === "waiting" && !(start && isSuccess(start.status));
    leave(this.#platform, project, endpoint, { waited, dropped });
  }
}

function isStart({ work }: Operation): boolean {
  return work === "start_compute";
}

/** Converts a refusal of the platform to a Postgres error. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError))
    return { code: "XX000", message: error instanceof Error ? error.message : String(error) };
  if (error.code === "TOO_MANY_CONNECTIONS") {
    return { code: "53300", message: "sorry, too many clients already", hint: error.message };
  }
  return { code: codes[error.status] ?? "08004", message: error.message };
}

/** The loopback ports for clients: one shared, and one per endpoint. They do not keep the process alive. */
class Listeners {
  readonly #onClient: (socket: Socket, endpointId: string | undefined) => void;
  readonly #own = new Map<Endpoint, Listener>();
  #shared: Listener | undefined;

  constructor(onClient: (socket: Socket, endpointId: string | undefined) => void) {
    this.#onClient = onClient;
  }

  /** The shared port. */
  get port(): number {
    return this.#shared?.port ?? 0;
  }

  /** An endpoint's own port; 0 until it listens. */
  portOf(endpoint: Endpoint): number {
    return this.#own.get(endpoint)?.port ?? 0;
  }

  /** Opens the shared port. Rejects if it is taken. */
  async open(port: number): Promise<void> {
    const shared = { server: createServer((socket) => this.#onClient(socket, undefined)), port };
    shared.server.listen(port, LOOPBACK).unref();
    await once(shared.server, "listening");
    // A client that could not be accepted retries; others are unaffected.
    shared.server.on("error", () => undefined);
    shared.port = portIn(shared.server);
    this.#shared = shared;
  }

  /** Opens a port for each endpoint, and closes those of removed ones. */
  keepUp(platform: Platform): void {
    const present = new Set<Endpoint>();
    for (const project of platform.projects.values()) {
      for (const endpoint of project.endpoints.values()) {
        present.add(endpoint);
        if (!this.#own.has(endpoint)) this.#listenFor(endpoint);
      }
    }
    for (const [endpoint, { server }] of this.#own) {
      if (present.has(endpoint)) continue;
      server.close();
      this.#own.delete(endpoint);
    }
  }

  close(): void {
    this.#shared?.server.close();
    for (const { server } of this.#own.values()) server.close();
    this.#own.clear();
  }

  #listenFor(endpoint: Endpoint): void {
    const server = createServer((socket) => this.#onClient(socket, endpoint.record.id));
    const own = { server, port: 0 };
    this.#own.set(endpoint, own);

    // Without its own port, an endpoint is still on the shared one.
    server.on("error", () => undefined);
    server.listen(0, LOOPBACK, () => {
      own.port = portIn(server);
    });
    server.unref();
  }
}

function portIn(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
