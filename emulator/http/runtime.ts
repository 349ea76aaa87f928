import { setMaxListeners } from "node:events";
import { FaultRules } from "../faults/fault-rules";
import { EmulatorClock } from "../lib/clock";
import { RateLimiter } from "../lib/rate-limit";
import { Platform } from "../model/platform";
import { type ResolvedOptions, resolveOptions, type StartOptions } from "../settings/options";
import { RequestLog } from "./request-log";

/** Everything that one emulator keeps in memory, shared by the API's routes, the admin calls and the faults. */
export class Runtime {
  readonly options: ResolvedOptions;
  readonly clock: EmulatorClock;
  readonly faults: FaultRules;
  readonly log: RequestLog;
  readonly platform: Platform;
  /** Calls that a fault keeps from ending, until their client gives up. */
  stalledCalls = 0;
  readonly #startAt: number;
  #limiter: RateLimiter | undefined;
  #stop = newStop();

  /** With Postgres servers, `token` is asked for by the admin calls and the console, which give out passwords. */
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

  /** Aborted when calls that are held back have to give up: at a reset and at the end. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The rate limit in force; a changed setting starts with full buckets. */
  limiter(): RateLimiter | undefined {
    const limit = this.platform.settings.rateLimit;
    if (this.#limiter?.limit !== limit) this.#limiter = limit && new RateLimiter(limit);
    return this.#limiter;
  }

  /** Ends every call that is held back: its connection is cut. */
  stopHeldCalls(): void {
    this.#stop.abort();
    this.#stop = newStop();
  }

  /** Back to an empty platform with the settings and the clock of the start. */
  reset(): void {
    this.stopHeldCalls();
    // A clock that follows the machine's goes back to following it; any other to where it started.
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
  // Every call that is held back listens, and Node takes more than ten for a leak.
  setMaxListeners(0, stop.signal);
  return stop;
}
