/** `real` follows the machine's clock; `manual` changes only by `advance`. */
export type ClockMode = "real" | "manual";

// Node runs longer timers at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Sleeper {
  dueAt: number;
  wake: () => void;
  /** Set for a real clock only. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * The emulator's clock, in milliseconds since the epoch, for all delays and limits. Aborted sleepers leave no timer.
 */
export class EmulatorClock {
  #mode: ClockMode;
  #offsetMs = 0;
  #frozenAt: number;
  #sleepers = new Set<Sleeper>();

  constructor(mode: ClockMode = "real", startAt?: number) {
    this.#mode = mode;
    this.#frozenAt = startAt ?? Date.now();
    if (mode === "real" && startAt !== undefined) this.#offsetMs = startAt - Date.now();
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#mode === "manual" ? this.#frozenAt : Date.now() + this.#offsetMs;
  }

  /** Switches the mode. Without `at` (milliseconds since the epoch) the time continues. */
  set(mode: ClockMode, at: number = this.now()): void {
    this.#mode = mode;
    this.#frozenAt = at;
    this.#offsetMs = at - Date.now();
    this.#attend();
  }

  /** Moves the time by `ms`; a real clock then runs on from there. */
  advance(ms: number): void {
    if (this.#mode === "manual") this.#frozenAt += ms;
    else this.#offsetMs += ms;
    this.#attend();
  }

  /**
   * Resolves once `ms` have passed on this clock, or as soon as the signal is aborted. Never rejects.
   *
   * @internal
   */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(sleeper.timer);
        signal.removeEventListener("abort", wake);
        this.#sleepers.delete(sleeper);
        resolve();
      };

      const sleeper: Sleeper = { dueAt: this.now() + ms, wake, timer: undefined };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", wake, { once: true });
      this.#time(sleeper);
    });
  }

  /** Wakes the sleepers that are due; the others keep waiting. */
  #attend(): void {
    const now = this.now();
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.dueAt <= now) sleeper.wake();
      else this.#time(sleeper);
    }
  }

  #time(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    const leftMs = Math.min(sleeper.dueAt - this.now(), LONGEST_TIMER_MS);
    sleeper.timer = this.#mode === "real" ? setTimeout(sleeper.wake, leftMs).unref() : undefined;
  }
}
