import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Account } from "./account";
import { runCommand, wordsOf } from "./command";
import { own } from "./copy-folder";
import type { Install } from "./install";
import { accessText, configText, fixedOptions, type ServerConfig } from "./server-config";

/** What every server of an emulator has in common. */
export interface ServerHost {
  install: Install;
  account: Account | undefined;
  /** Whether what is written has to outlive the machine's power, too. */
  durable: boolean;
}

const LOG = "server.log";
const ATTEMPTS = 3;
/** Until it is done, up to 60 s. */
const WAIT = ["-w", "-t", "60"];

/** One Postgres server on a data directory. */
export class Server {
  readonly folder: string;
  readonly #host: ServerHost;
  #config: ServerConfig;
  #port = 0;

  constructor(host: ServerHost, folder: string, config: ServerConfig) {
    this.#host = host;
    this.folder = folder;
    this.#config = config;
  }

  get config(): ServerConfig {
    return this.#config;
  }

  /** The port that it listens on, on loopback. */
  get port(): number {
    return this.#port;
  }

  /** Starts, at `port` where that is still free. Rejects with the server's words. */
  async start(port?: number, config: ServerConfig = this.#config): Promise<void> {
    this.#config = config;
    await this.#write(this.#config);
    for (let attempt = 1; ; attempt++) {
      this.#port = (attempt === 1 && port) || (await freePort());
      const log = join(this.folder, LOG);
      await rm(log, { force: true });
      const options = fixedOptions(this.#port, this.#config, this.#host.durable);
      try {
        await this.#control("start", ...WAIT, "-l", log, "-o", options);
        return;
      } catch (error) {
        const text = await readFile(log, "utf8").catch(() => "");
        // Somebody else has taken the port since it was found free.
        if (/could not bind/.test(text) && attempt < ATTEMPTS) continue;
        throw new Error(wordsOf(text) || (error instanceof Error ? error.message : String(error)));
      }
    }
  }

  /** Ends it: open connections are told so, and cut. Does nothing where it does not run. */
  async stop(): Promise<void> {
    await this.#control("stop", ...WAIT, "-m", "fast")
      .catch(() => this.#control("stop", ...WAIT, "-m", "immediate"))
      .catch(() => undefined);
  }

  /**
   * Puts another configuration in force, as far as a running server can: what asks for a restart counts from the next start.
   */
  async reload(config: ServerConfig): Promise<void> {
    const sized = { ...config, maxConnections: this.#config.maxConnections };
    await this.#write(sized);
    this.#config = sized;
    await this.#control("reload");
  }

  async #write(config: ServerConfig): Promise<void> {
    await this.#put("postgresql.conf", configText(config));
    await this.#put("pg_hba.conf", accessText(config));
  }

  async #put(name: string, text: string): Promise<void> {
    const file = join(this.folder, name);
    await writeFile(file, text, { mode: 0o600 });
    await own(file, this.#host.account);
  }

  #control(verb: string, ...args: string[]) {
    const { install, account } = this.#host;
    return runCommand(install.pgCtl, [verb, "-D", this.folder, "-s", ...args], { account, cwd: this.folder });
  }
}

/**
 * Holds settings against Postgres itself, without a server. Rejects with Postgres's words for what it would not take. The
 * data directory `folder` is only read.
 */
export async function checkConfig(host: ServerHost, folder: string, config: ServerConfig): Promise<void> {
  const file = join(folder, `check-${Math.random().toString(36).slice(2)}.conf`);
  await writeFile(file, configText(config), { mode: 0o600 });
  await own(file, host.account);
  try {
    const args = ["-D", folder, "-c", `config_file=${file}`, "-c", "log_line_prefix=", "-C", "max_connections"];
    await runCommand(host.install.postgres, args, { account: host.account, cwd: folder });
  } finally {
    await rm(file, { force: true });
  }
}

/** A port of loopback that nobody listens on. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
