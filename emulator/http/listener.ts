/** The emulator's listening socket, which can be shut and opened again. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";

const TRY_AGAIN_MS = 100;

/** The door of the emulator: it can be shut and opened again at the same port, so that connections are refused. */
export class Listener {
  readonly #host: string;
  #server: Server | undefined;
  #port: number;
  #reopening: NodeJS.Timeout | undefined;
  #isUnref = false;
  readonly #sockets = new Set<Socket>();

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  /** The port; of a listener on port 0, known once it is open. */
  get port(): number {
    return this.#port;
  }

  /** Starts to listen for a server. Rejects when the port is taken. */
  async serve(server: Server): Promise<void> {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      if (this.#isUnref) socket.unref();
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await this.open();
  }

  /** Lets the process end while this listens, and while clients keep their connections. */
  unref(): void {
    this.#isUnref = true;
    for (const one of [this.#server, this.#reopening, ...this.#sockets]) one?.unref();
  }

  /** Starts to listen, at the same port as before. */
  async open(): Promise<void> {
    const server = this.#server;
    if (!server || server.listening) return;
    server.listen(this.#port, this.#host);
    await once(server, "listening");
    clearTimeout(this.#reopening);
    const address = server.address();
    if (typeof address === "object" && address) this.#port = address.port;
  }

  /** Stops to listen and cuts every connection at once. */
  async shut(): Promise<void> {
    clearTimeout(this.#reopening);
    this.#reopening = undefined;
    const server = this.#server;
    if (!server?.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  /** Shuts the door and opens it again `ms` milliseconds later. */
  shutFor(ms: number): void {
    void this.shut();
    this.#openIn(ms);
  }

  // Another process may hold the port for now: tries again until it is free.
  #openIn(ms: number): void {
    const timer = setTimeout(() => {
      this.open().catch(() => {
        if (this.#reopening === timer) this.#openIn(TRY_AGAIN_MS);
      });
    }, ms);
    this.#reopening = this.#isUnref ? timer.unref() : timer;
  }
}

/** The address part of a URL for a host to listen on: an address of all interfaces is reached through loopback. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
