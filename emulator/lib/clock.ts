/** `real` follows the machine's clock, `manual` stands still until it is advanced. */
export type ClockMode = "real" | "manual";

// A longer timer would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Sleeper {
  dueAt: number;
  wake: () => void;
}

/**
 * The time of the emulator in milliseconds since the epoch. Every delay, autosuspend and rate limit reads it, so that a
 * test steers all of them at once; nothing here leaves a timer behind after its sleepers were aborted.
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

  /** Switches the mode. Without `at` (milliseconds since the epoch) the time goes on from where it is. */
  set(mode: ClockMode, at: number = this.now()): void {
    this.#mode = mode;
    this.#frozenAt = at;
    this.#offsetMs = at - Date.now();
    this.#wakeDue();
  }

  /** Moves the time by `ms`: a manual clock is advanced, a real one runs on from the shifted time. */
  advance(ms: number): void {
    if (this.#mode === "manual") this.#frozenAt += ms;
    else this.#offsetMs += ms;
    this.#wakeDue();
  }

  /** Resolves once `ms` have passed on this clock, or as soon as the signal is aborted. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = { dueAt: this.now() + ms, wake: () => undefined };
      const timer =
        this.#mode === "real" ? setTimeout(() => sleeper.wake(), Math.min(ms, LONGEST_TIMER_MS)) : undefined;
      sleeper.wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", sleeper.wake);
        this.#sleepers.delete(sleeper);
        resolve();
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", sleeper.wake, { once: true });
    });
  }

  #wakeDue(): void {
    const now = this.now();
    for (const sleeper of [...this.#sleepers]) if (sleeper.dueAt <= now) sleeper.wake();
  }
}
