import { rm } from "node:fs/promises";
import { type Endpoint, isRunning } from "../model/endpoint";
import type { Platform } from "../model/platform";
import type { Project } from "../model/project";
import { makeStandby } from "./branch-data";
import type { Branches, BranchPlace } from "./branches";
import { checkConfig, Server, type ServerHost } from "./server";
import { configOf, type ServerConfig, standbyConfig } from "./server-config";

/** An endpoint's server, from before its start to its end. */
export interface Running {
  readonly endpoint: Endpoint;
  readonly project: Project;
  readonly place: BranchPlace;
  readonly replica: boolean;
  readonly server: Server;
  up: boolean;
  /** True while the platform, not the clients, ends the connections. */
  stopping: boolean;
}

/** The options of `Servers`. */
export interface ServersOptions {
  host: ServerHost;
  platform: Platform;
  branches: Branches;
  /** Maximum number of running servers. */
  maxRunning: number;
  /** Called after a stop, to end the remaining sessions. */
  onStopped: (running: Running) => Promise<void>;
  /** Called when a server ended by itself, with the reason. */
  onLost: (running: Running, how: string) => void;
}

/** The running servers: one per running endpoint, and at most one writer per branch. */
export class Servers {
  readonly #options: ServersOptions;
  readonly #running = new Map<Endpoint, Running>();
  /** Each branch's last read-write address, for its replicas. */
  readonly #addresses = new Map<string, Server["address"]>();
  #closed = false;

  constructor(options: ServersOptions) {
    this.#options = options;
  }

  of(endpoint: Endpoint): Running | undefined {
    return this.#running.get(endpoint);
  }

  all(): Running[] {
    return [...this.#running.values()];
  }

  /** The server that writes to a branch. */
  writerOf(key: string): Running | undefined {
    return this.all().find((one) => one.place.key === key && !one.replica && one.up);
  }

  /** Starts an endpoint's server on its branch, if needed. Rejects with the reason. */
  start(project: Project, endpoint: Endpoint): Promise<Running> {
    const { branches } = this.#options;
    const place = branches.place({ id: endpoint.record.branch_id, project_id: project.record.id });
    return branches.inTurn(place.key, async () => {
      if (this.#closed) throw new Error("the emulator ends, or was reset");
      const present = this.#running.get(endpoint);
      if (present?.up && present.place.key === place.key) return present;
      if (present) await this.#end(present);
      await this.#clear(place, endpoint);
      const running = this.#admit(project, endpoint, place);

      try {
        await (running.replica ? this.#startReplica(running) : this.#startWriter(running));
        running.up = true;
        void running.server.ended.then((how) => this.#lose(running, how));
        return running;
      } catch (error) {
        await running.server.stop();
        this.#running.delete(endpoint);
        throw error;
      }
    });
  }

  /** Stops an endpoint's server and drops its connections. */
  async stop(endpoint: Endpoint): Promise<void> {
    const running = this.#running.get(endpoint);
    if (!running) return;
    await this.#options.branches.inTurn(running.place.key, async () => {
      if (this.#running.get(endpoint) === running) await this.#end(running);
    });
  }

  /**
   * Applies an endpoint's settings without dropping connections. Rejects with Postgres's message, then changes nothing.
   */
  async apply(endpoint: Endpoint): Promise<void> {
    const { branches, host } = this.#options;
    const config = configOf(endpoint.record, this.#options.platform.settings);
    await checkConfig(host, await branches.template(), config);
    const running = this.#running.get(endpoint);
    // A moving or disabled compute is about to stop.
    if (!running?.up || running.place.key.split("/")[1] !== endpoint.record.branch_id) return;

    await branches.inTurn(running.place.key, async () => {
      if (running.up) await running.server.reload(running.replica ? this.#following(running, config) : config);
    });
  }

  /** Stops every server, those still starting too, and starts no more. */
  async stopAll(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.all().map(({ endpoint }) => this.stop(endpoint)));
  }

  // Stops a server that no longer owns the branch's data: its endpoint moved or was removed.
  async #clear(place: BranchPlace, endpoint: Endpoint): Promise<void> {
    if (endpoint.record.type === "read_only") return;
    const others = this.all().filter((one) => one.place.key === place.key && !one.replica && one.endpoint !== endpoint);
    for (const other of others) await this.#end(other);
  }

  #admit(project: Project, endpoint: Endpoint, place: BranchPlace): Running {
    const { host, branches, maxRunning } = this.#options;
    if (this.#running.size >= maxRunning) {
      throw new Error(`${this.#running.size} servers run, and no more may at once (--max-running ${maxRunning})`);
    }

    const replica = endpoint.record.type === "read_only";
    const folder = replica ? branches.replicaFolder(place, endpoint.record.id) : place.folder;
    const own = configOf(endpoint.record, this.#options.platform.settings);
    const config = replica ? this.#following({ place }, own) : own;
    const server = new Server(host, folder, config);
    const running = { endpoint, project, place, replica, server, up: false, stopping: false };
    this.#running.set(endpoint, running);
    return running;
  }

  async #startWriter({ place, server }: Running): Promise<void> {
    const { branches, host } = this.#options;
    await checkConfig(host, await branches.template(), server.config);
    await branches.dataOf(place);
    await server.start();
    this.#addresses.set(place.key, server.address);

    for (const replica of this.all().filter((one) => one.place.key === place.key && one.replica && one.up)) {
      await replica.server.reload(
        this.#following(replica, configOf(replica.endpoint.record, this.#options.platform.settings)),
      );
    }
  }

  async #startReplica({ place, server }: Running): Promise<void> {
    const { branches, host } = this.#options;
    await checkConfig(host, await branches.template(), server.config);
    await branches.copyForReplica(place, server.folder);
    await makeStandby(server.folder);
    await server.start();
  }

  /** A replica's configuration for the branch's current read-write server. */
  #following({ place }: Pick<Running, "place">, own: ServerConfig): ServerConfig {
    const { passfile, install } = this.#options.host;
    const address = this.#addresses.get(place.key);
    return {
      ...standbyConfig(own),
      follows: address && { ...address, passfile, insists: install.version >= 16 },
    };
  }

  // Handles a server that crashed or was killed.
  #lose(running: Running, how: string): void {
    if (!running.up || running.stopping) return;
    running.up = false;
    this.#running.delete(running.endpoint);
    this.#options.onLost(running, how);
  }

  async #end(running: Running): Promise<void> {
    running.stopping = true;
    running.up = false;
    await running.server.stop();
    await this.#options.onStopped(running);
    if (running.replica) await rm(running.server.folder, { recursive: true, force: true });
    if (this.#running.get(running.endpoint) === running) this.#running.delete(running.endpoint);
  }
}

/** True for a server whose endpoint was removed or stopped without an operation. */
export function isStray(platform: Platform, { endpoint, project, up }: Running): boolean {
  const { id } = endpoint.record;
  if (!up || project.open.has(id)) return false;
  const present = platform.projects.get(project.record.id)?.endpoints.get(id) === endpoint;
  return !present || !isRunning(endpoint.record);
}
