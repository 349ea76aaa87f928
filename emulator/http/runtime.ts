import { setMaxListeners } from "node:events";
import { FaultRules } from "../faults/fault-rules";
import { EmulatorClock } from "../lib/clock";
import { RateLimiter } from "../lib/rate-limit";
import { Platform } from "../model/platform";
import { type ResolvedOptions, resolveOptions, type StartOptions } from "../settings/options";
import { RequestLog } from "./request-log";

/** The whole state of one emulator, shared by the API, the admin calls and the faults. */
export class Runtime {
  readonly options: ResolvedOptions;
  readonly clock: EmulatorClock;
  readonly faults: FaultRules;
  readonly log: RequestLog;
  readonly platform: Platform;
  /** Number of calls that a fault holds and whose client still waits. */
  stalledCalls = 0;
  readonly #startAt: number;
  #limiter: RateLimiter | undefined;
  #stop = newStop();

  /** With Postgres servers the admin calls and the console, which show passwords, require `token`. */
  constructor(
    options: StartOptions,
    readonly token?: string,
  ) {
    this.options = resolveOptions(options);
    this.#startAt = this.options.startAt ?? Date.now();
    this.clock = new EmulatorClock(this.options.clock, this.options.startAt);
    this.faults = new FaultRules(this.options.seed);
    this.log = new RequestLog(this.options.logLimit);
    this.platform = new Platform(this.options, this.clock, this.faults);
  }

  /** Aborts when held calls must end: at a reset and at the end. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The current rate limiter; a changed limit starts with full buckets. */
  limiter(): RateLimiter | undefined {
    const limit = this.platform.settings.rateLimit;
    if (this.#limiter?.limit !== limit) this.#limiter = limit && new RateLimiter(limit);
    return this.#limiter;
  }

  /** Cuts every held call. */
  stopHeldCalls(): void {
    this.#stop.abort();
    this.#stop = newStop();
  }

  /** Returns to an empty platform with the initial settings and clock. */
  reset(): void {
    this.stopHeldCalls();
    // A real clock follows the machine's again; any other restarts at its start.
    const follows = this.options.clock === "real" && this.options.startAt === undefined;
    this.clock.set(this.options.clock, follows ? Date.now() : this.#startAt);
    this.faults.reset();
    this.log.clear();
    this.platform.reset();
    this.#limiter = undefined;
  }
}

function newStop(): AbortController {
  const stop = new AbortController();
  // Every held call listens, and Node reports more than ten listeners as a leak.
  setMaxListeners(0, stop.signal);
  return stop;
}
