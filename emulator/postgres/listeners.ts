import { createServer, type Server, type Socket } from "node:net";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";

interface Listener {
  server: Server;
  port: number;
}

const LOOPBACK = "127.0.0.1";

/**
 * The ports that clients come in by, all on loopback: one for all endpoints, and one for each. The emulator's own port is what keeps the
 * process alive, not these.
 */
export class Listeners {
  readonly #onClient: (socket: Socket, endpointId: string | undefined) => void;
  readonly #own = new Map<Endpoint, Listener>();
  #shared: Listener | undefined;

  constructor(onClient: (socket: Socket, endpointId: string | undefined) => void) {
    this.#onClient = onClient;
  }

  /** The port for all endpoints. */
  get port(): number {
    return this.#shared?.port ?? 0;
  }

  /** An endpoint's own port; 0 until it listens. */
  portOf(endpoint: Endpoint): number {
    return this.#own.get(endpoint)?.port ?? 0;
  }

  /** Listens for all endpoints. Rejects when the port is taken. */
  async open(port: number): Promise<void> {
    const shared = { server: createServer((socket) => this.#onClient(socket, undefined)), port };
    await new Promise<void>((resolve, reject) => {
      shared.server.once("error", reject);
      shared.server.listen(port, LOOPBACK, resolve).unref();
    });
    shared.port = portIn(shared.server);
    this.#shared = shared;
  }

  /** Gives each endpoint of the platform a port, and takes those back of endpoints that are gone. */
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
    // Without a port of its own, an endpoint is still reached by the shared one.
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
