/** A pool of connections that can be paused, as PgBouncer's PAUSE and RESUME do it. It is a part of the app, not of the Pulumi program. */
import { createServer, type Server } from "node:http";
import { Pool, type PoolConfig } from "pg";

/** Whoever paused it may have been killed: after so long it goes on by itself. */
const LONGEST_PAUSE_MS = 60_000;

export class PausablePool {
  #pool: Pool;
  #running = 0;
  /** Settles when the pause is over. */
  #resumed: Promise<void> = Promise.resolve();
  #resume: (() => void) | undefined;
  #pausing: Promise<void> | undefined;
  #drained: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly config: PoolConfig) {
    this.#pool = this.#open();
  }

  /** Runs one query; while the pool is paused it waits. */
  async query(text: string, values?: unknown[]): Promise<unknown[]> {
    await this.#resumed;
    this.#running++;
    try {
      return (await this.#pool.query(text, values)).rows;
    } finally {
      this.#running--;
      if (this.#running === 0) this.#drained?.();
    }
  }

  /**
   * Lets the queries that run end, closes every connection, and has new queries wait. Throws where the pause was over before they had
   * ended: then the pool goes on as it was.
   */
  async pause(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.resume(), LONGEST_PAUSE_MS);
    this.#timer.unref();
    this.#pausing ??= this.#drain();
    await this.#pausing;
  }

  async #drain(): Promise<void> {
    let resume = () => {};
    this.#resumed = new Promise((resolve) => {
      resume = resolve;
    });
    this.#resume = resume;
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    if (this.#resume !== resume) throw new Error("the queries took longer than the pause");
    // What comes after the pause has the new one.
    const old = this.#pool;
    this.#pool = this.#open();
    await old.end();
  }

  /** Lets the queries go on, on connections of their own. */
  resume(): void {
    clearTimeout(this.#timer);
    this.#pausing = undefined;
    this.#resume?.();
    this.#resume = undefined;
    this.#drained?.();
    this.#drained = undefined;
  }

  /** Answers `POST /pause` once no query runs, and `POST /resume`; on loopback only, since it asks for no key. */
  listen(port: number): Server {
    const server = createServer(async ({ method, url }, response) => {
      const isKnown = method === "POST" && (url === "/pause" || url === "/resume");
      try {
        if (url === "/pause" && isKnown) await this.pause();
        if (url === "/resume" && isKnown) this.resume();
        response.writeHead(isKnown ? 204 : 404).end();
      } catch (error) {
        response.writeHead(503).end(String(error));
      }
    });
    return server.listen(port, "127.0.0.1");
  }

  async end(): Promise<void> {
    this.resume();
    await this.#pool.end();
  }

  #open(): Pool {
    const pool = new Pool(this.config);
    // A connection that breaks while nobody uses it is replaced by the next query.
    pool.on("error", () => {});
    return pool;
  }
}
