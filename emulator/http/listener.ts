/** The emulator's listening socket, which can close and reopen. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";

const TRY_AGAIN_MS = 100;

/** The emulator's listener. Closed, it refuses connections; it reopens on the same port. */
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

  /** The port; with port 0, known once open. */
  get port(): number {
    return this.#port;
  }

  /** Listens for a server. Rejects if the port is taken. */
  async serve(server: Server): Promise<void> {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      if (this.#isUnref) socket.unref();
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await this.open();
  }

  /** Lets the process end despite this listener and its connections. */
  unref(): void {
    this.#isUnref = true;
    for (const one of [this.#server, this.#reopening, ...this.#sockets]) one?.unref();
  }

  /** Listens, on the same port as before. */
  async open(): Promise<void> {
    const server = this.#server;
    if (!server || server.listening) return;
    server.listen(this.#port, this.#host);
    await once(server, "listening");
    clearTimeout(this.#reopening);
    const address = server.address();
    if (typeof address === "object" && address) this.#port = address.port;
  }

  /** Stops listening and cuts every connection. */
  async shut(): Promise<void> {
    clearTimeout(this.#reopening);
    this.#reopening = undefined;
    const server = this.#server;
    if (!server?.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  /** Stops listening for `ms` milliseconds. */
  shutFor(ms: number): void {
    void this.shut();
    this.#openIn(ms);
  }

  // Retries while another process holds the port.
  #openIn(ms: number): void {
    const timer = setTimeout(() => {
      this.open().catch(() => {
        if (this.#reopening === timer) this.#openIn(TRY_AGAIN_MS);
      });
    }, ms);
    this.#reopening = this.#isUnref ? timer.unref() : timer;
  }
}

/** The host for a URL: an all-interfaces address becomes loopback. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
