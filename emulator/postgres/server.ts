import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { environment, runCommand, wordsOf } from "./command";
import type { Install } from "./install";
import { markServer, type Watch } from "./orphans";
import { accessText, configText, fixedOptions, type ServerConfig } from "./server-config";

/** The common facilities of an emulator's servers. */
export interface ServerHost {
  install: Install;
  /** True if writes must survive a power failure. */
  durable: boolean;
  /** The private folder of the servers' sockets. */
  sockets: string;
  /** The file with the standbys' password. */
  passfile: string;
  watch: Watch;
}

const LOG = "server.log";
const PID_FILE = "postmaster.pid";
const START_MS = 60_000;
const LOOK_MS = 20;
/** How servers are stopped, each way with its time limit: fast, immediate, killed. */
const ENDS = [
  ["SIGINT", 60_000],
  ["SIGQUIT", 60_000],
  ["SIGKILL", 60_000],
] as const;

let sockets = 0;

/** One Postgres server on a data directory. */
export class Server {
  readonly folder: string;
  /** The number in the socket's name. Postgres calls it a port, but opens none. */
  readonly port = (sockets++ % 65_535) + 1;
  readonly #host: ServerHost;
  #config: ServerConfig;
  #process: ChildProcess | undefined;
  #ended: Promise<string> = Promise.resolve("");

  constructor(host: ServerHost, folder: string, config: ServerConfig) {
    this.#host = host;
    this.folder = folder;
    this.#config = config;
  }

  get config(): ServerConfig {
    return this.#config;
  }

  /** The server's socket. */
  get socket(): string {
    return join(this.#host.sockets, `.s.PGSQL.${this.port}`);
  }

  /** The address for libpq clients. */
  get address(): { host: string; port: number } {
    return { host: this.#host.sockets, port: this.port };
  }

  /** Resolves at the process's end, with its signal or exit code. */
  get ended(): Promise<string> {
    return this.#ended;
  }

  /** Starts the server. Rejects with the server's own message. */
  async start(config: ServerConfig = this.#config): Promise<void> {
    this.#config = config;
    await this.#write(config);
    const log = join(this.folder, LOG);
    await rm(log, { force: true });
    this.#spawn(log);

    for (const until = Date.now() + START_MS; ; await pause(LOOK_MS)) {
      if (await this.#isReady()) return;
      const late = Date.now() > until;
      if (late) await this.stop();

      if (this.#process === undefined) {
        const words = wordsOf(await readFile(log, "utf8").catch(() => ""));
        // Backends of a killed server outlive it briefly.
        if (!late && /shared memory block .* is still in use/.test(words)) {
          await rm(log, { force: true });
          this.#spawn(log);
          continue;
        }
        throw new Error(words || (late ? "the server was not ready in 60 s" : "the server ended"));
      }
    }
  }

  /** Stops the server, which reports to open connections and cuts them. Does nothing if it does not run. */
  async stop(): Promise<void> {
    // This process must stay alive until then.
    this.#process?.ref();
    for (const [signal, ms] of ENDS) {
      if (!this.#process?.kill(signal)) break;
      await Promise.race([this.#ended, pause(ms, undefined, { ref: false })]);
    }
  }

  /** Applies another configuration to the running server; values that need a restart apply at the next start. */
  async reload(config: ServerConfig): Promise<void> {
    const sized = { ...config, maxConnections: this.#config.maxConnections };
    await this.#write(sized);
    this.#config = sized;
    this.#process?.kill("SIGHUP");
  }

  #spawn(log: string): void {
    const { install, durable, sockets, watch } = this.#host;
    const output = openSync(log, "a", 0o600);
    const child = spawn(
      install.postgres,
      ["-D", this.folder, ...fixedOptions({ port: this.port, sockets, durable }, this.#config)],
      // In its own group: the emulator handles Ctrl-C and stops it.
      { cwd: this.folder, env: environment, stdio: ["ignore", output, output], detached: true },
    );

    closeSync(output);
    // The emulator's listeners keep this process alive. If it ends without a stop, the watchdog ends the server.
    child.unref();
    this.#process = child;

    this.#ended = new Promise((resolve) => {
      const end = (how: string) => {
        if (this.#process === child) this.#process = undefined;
        resolve(how);
      };
      child.once("exit", (code, signal) => end(signal ?? `code ${code}`));
      child.once("error", (error) => end(error.message));
    });

    if (child.pid === undefined) return;
    watch.tell(child.pid);
    markServer(this.folder, child.pid);
  }

  /** True if the server accepts connections, by the eighth line of its pid file. */
  async #isReady(): Promise<boolean> {
    const lines = (await readFile(join(this.folder, PID_FILE), "utf8").catch(() => "")).split("\n");
    return Number(lines[0]) === this.#process?.pid && /^(ready|standby) *$/.test(lines[7] ?? "");
  }

  async #write(config: ServerConfig): Promise<void> {
    await this.#put("postgresql.conf", configText(config));
    // The file of ALTER SYSTEM, which a foreign folder may contain.
    await this.#put("postgresql.auto.conf", "");
    await this.#put("pg_hba.conf", accessText(config));
  }

  async #put(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text, { mode: 0o600 });
  }
}

/**
 * Checks settings with Postgres itself, without starting a server. Rejects with Postgres's message. Only reads the data
 * directory `folder`.
 */
export async function checkConfig(host: ServerHost, folder: string, config: ServerConfig): Promise<void> {
  const file = join(folder, `check-${Math.random().toString(36).slice(2)}.conf`);
  await writeFile(file, configText(config), { mode: 0o600 });
  try {
    const args = ["-D", folder, "-c", `config_file=${file}`, "-c", "log_line_prefix=", "-C", "max_connections"];
    await runCommand(host.install.postgres, args, { cwd: folder });
  } finally {
    await rm(file, { force: true });
  }
}
