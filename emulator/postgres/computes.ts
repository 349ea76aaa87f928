import { loseCompute } from "../lifecycle/compute";
import type { Computes, ConnectionStrings, OperationWork, Session } from "../model/computes";
import type { Endpoint } from "../model/endpoint";
import type { Platform } from "../model/platform";
import { DEFAULT_LOGIN, type Login } from "../model/project";
import { asAdmin } from "./branch-data";
import { Branches } from "./branches";
import { connectionStrings } from "./connection-strings";
import type { Door, ServerSource } from "./door";
import { readVerifier, type Verifier } from "./scram";
import type { ServerHost } from "./server";
import type { Passwords } from "./server-config";
import { isStray, type Running, Servers } from "./servers";

/** Dependencies of the real computes. */
export interface ComputesOptions {
  host: ServerHost;
  platform: Platform;
  passwords: Passwords;
  maxRunning: number;
  /** The folder of the branches' data; `anew` asks for an empty one, after a reset. */
  folder: (anew: boolean) => string;
}

/** Real computes: a branch is a data directory, with its read-write endpoint as the server. */
export class PostgresComputes implements Computes, ServerSource {
  readonly #options: ComputesOptions;
  #door: Door | undefined;
  #branches: Branches;
  #servers: Servers;
  /** Servers from before a reset that are still ending. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: ComputesOptions) {
    this.#options = options;
    ({ branches: this.#branches, servers: this.#servers } = this.#begin(false));
  }

  /** The listener for clients. Must be set before any operation runs. */
  set door(door: Door) {
    this.#door = door;
  }

  get branches(): Branches {
    return this.#branches;
  }

  get password(): string {
    return this.#options.passwords.client;
  }

  async run({ action, project, branchId, endpoint }: OperationWork): Promise<void> {
    if (action === "start_compute" && endpoint) await this.ensure(project, endpoint);
    else if (action === "suspend_compute" && endpoint) await this.#servers.stop(endpoint);
    else if (action === "apply_config" && endpoint) await this.#servers.apply(endpoint);
    else if (action === "create_branch" || action === "create_timeline") {
      const branch = project.branches.get(branchId);
      if (branch) await this.#branches.grow(branch);
    } else if (action === "delete_timeline" || action === "delete_tenant")
      await this.#clear(project.record.id, branchId);
  }

  /** An endpoint's server, started if needed. Rejects with the reason. */
  ensure(project: OperationWork["project"], endpoint: Endpoint): Promise<Running> {
    this.reconcile();
    return this.#servers.start(project, endpoint);
  }

  /** An endpoint's server, if it runs. */
  serverOf(endpoint: Endpoint): Running | undefined {
    return this.#servers.of(endpoint);
  }

  /** The stored verifier of a role's password; `undefined` without a password or SCRAM verifier. */
  async verifierOf({ server }: Running, role: string): Promise<Verifier | undefined> {
    if (server.config.passwordless) return undefined;
    const sql = "SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = $1";
    const { rows } = await asAdmin(server, this.#options.passwords.admin, (client) =>
      client.query<{ rolpassword: string | null }>(sql, [role]),
    );
    return readVerifier(rows[0]?.rolpassword ?? "");
  }

  isBusy(endpoint: Endpoint): boolean {
    return this.sessions(endpoint).some(({ state }) => state === "active" || state.includes("transaction"));
  }

  sessions(endpoint: Endpoint): Session[] {
    return this.#door?.sessions(endpoint).map(({ shown }) => shown) ?? [];
  }

  disconnect(endpoint: Endpoint, count?: number): void {
    this.#door?.disconnect(endpoint, count);
  }

  connectionStrings(endpoint: Endpoint): ConnectionStrings {
    const ports = { door: this.#door?.port ?? 0, own: this.#door?.portOf(endpoint) ?? 0 };
    return connectionStrings(endpoint.record, ports, {
      ...this.#loginOf(endpoint.record.project_id),
      password: this.password,
    });
  }

  /** Applies changes made without an operation: seeded branches, and objects removed outside the API. */
  reconcile(): void {
    const { platform } = this.#options;
    for (const running of this.#servers.all()) {
      if (isStray(platform, running))
        void tell(`endpoint ${running.endpoint.record.id}`, this.#servers.stop(running.endpoint));
    }

    for (const project of platform.projects.values()) {
      for (const branch of project.branches.values()) {
        if (branch.current_state === "ready" && !this.#branches.isKnown(branch)) {
          void tell(`branch ${branch.id}`, this.#branches.grow(branch));
        }
      }
    }
    for (const place of this.#branches.gone(platform)) void tell(`branch ${place.key}`, this.#branches.remove(place));
  }

  reset(): void {
    this.#ending = Promise.all([this.#ending, tell("reset", this.#discard(this.#servers, this.#branches))]);
    ({ branches: this.#branches, servers: this.#servers } = this.#begin(true));
  }

  /** Ends every server. */
  async close(): Promise<void> {
    await Promise.all([this.#ending, this.#servers.stopAll()]);
    await this.#branches.settled();
  }

  #loginOf(projectId: string): Login {
    return this.#options.platform.projects.get(projectId)?.login ?? DEFAULT_LOGIN;
  }

  async #discard(servers: Servers, branches: Branches): Promise<void> {
    await servers.stopAll();
    await branches.removeAll();
  }

  #begin(anew: boolean) {
    const { host, platform, passwords, maxRunning, folder } = this.#options;
    const onStopped = async ({ endpoint }: Running) => this.#door?.dropAll(endpoint);
    const onLost = ({ project, endpoint }: Running, how: string) => {
      loseCompute(platform, project, endpoint, `the Postgres server ended by itself (${how})`);
      void this.#door?.dropAll(endpoint);
    };

    const branches: Branches = new Branches(host, folder(anew), passwords, {
      loginOf: (projectId) => this.#loginOf(projectId),
      writerOf: (key) => servers.writerOf(key)?.server,
    });
    const servers: Servers = new Servers({ host, platform, branches, maxRunning, onStopped, onLost });
    return { branches, servers };
  }

  // Removes all branches of a project, or one.
  async #clear(projectId: string, branchId: string): Promise<void> {
    const { platform } = this.#options;
    const deleting = platform.projects.get(projectId)?.deleting ?? false;
    const gone = this.#servers
      .all()
      .filter(({ place }) =>
        deleting ? place.key.startsWith(`${projectId}/`) : place.key === `${projectId}/${branchId}`,
      );

    await Promise.all(gone.map(({ endpoint }) => this.#servers.stop(endpoint)));
    if (!deleting) await this.#branches.remove(this.#branches.place({ id: branchId, project_id: projectId }));
  }
}

/** Reports failed background work on stderr; the emulator goes on. */
function tell(what: string, work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: Error) => console.error(`${what}: ${error.message}`));
}
