import { channel } from "node:diagnostics_channel";
import type { Emulator } from "../../emulator";
import type { Clock } from "../../provider/lib/clock";
import type { SetTimer } from "../../provider/platform/http/transport";

/**
 * A clock on which nobody ever really waits: when nothing else can happen, its time jumps to the next one who sleeps. It may
 * be that of the provider and an emulator together; then real calls go between them, and no time passes while one is under way
 * that is not stalled on purpose.
 */
export interface VirtualClock extends Clock {
  /** The timers of calls, on this clock: a call that is stalled on purpose costs no real time, and one that is slow never ends early. */
  readonly setTimer: SetTimer;
  /** Sleepers that have not woken. */
  sleeping(): number;
  /** Lengths of all sleeps that were asked for, in milliseconds and in order. */
  readonly slept: readonly number[];
  /** Calls that have begun and not ended. */
  calling(): number;
  /** Milliseconds since the clock was made. */
  elapsedMs(): number;
  /** Lets time pass until the work is done. Rejects where the work waits for what no clock and no call will bring. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets so many milliseconds pass, waking everybody in between. */
  pass(ms: number): Promise<void>;
  /** Stops counting calls. */
  close(): void;
}

interface ClockOptions {
  /** Whose time it is, too: its own clock has to be `manual`. */
  emulator?: Emulator;
  /** Address to which calls go: no time passes while one is under way. Default the emulator's, or none. */
  callsTo?: string;
  /** When a clock without an emulator begins, in milliseconds since the epoch. */
  startAt?: number;
}

interface Sleeper {
  atMs: number;
  wake(): void;
}

// Turns of the event loop after which nothing more happens by itself: where there are calls, and where there are none.
const QUIET_TURNS = 3;
const QUIET_TURNS_ALONE = 1;
const STUCK_TURNS = 2_000;

/** Opens a virtual clock. */
export function createVirtualClock({
  emulator,
  callsTo = emulator?.url,
  startAt = Date.UTC(2025, 0, 1),
}: ClockOptions = {}): VirtualClock {
  const time = emulator?.admin ?? ownTime(startAt);
  const startMs = time.now();
  const calls = callsTo === undefined ? noCalls : countCalls(new URL(callsTo).origin);
  const quietTurns = callsTo !== undefined ? QUIET_TURNS : QUIET_TURNS_ALONE;
  const slept: number[] = [];
  const sleepers = new Set<Sleeper>();
  /** Those of calls. */
  const timers = new Set<Sleeper>();

  const jump = (toMs: number) => {
    const ms = toMs - time.now();
    if (ms > 0) time.advance(ms);
  };
  const wakeFirst = (untilMs: number): boolean => {
    let first: Sleeper | undefined;
    for (const each of sleepers) if (first === undefined || each.atMs < first.atMs) first = each;
    if (first === undefined || first.atMs > untilMs) return false;
    sleepers.delete(first);
    jump(first.atMs);
    first.wake();
    return true;
  };
  const quiet = async (isDone: () => boolean) => {
    for (let turns = 0; turns < quietTurns && !isDone(); ) {
      await turn();
      // A stalled call whose timer is the machine's is waited for.
      const stalled = timers.size > 0 ? (emulator?.admin.stalledCalls() ?? 0) : 0;
      turns = calls.open() <= stalled ? turns + 1 : 0;
    }
  };

  const clock: VirtualClock = {
    now: () => time.now(),
    slept,
    elapsedMs: () => time.now() - startMs,
    setTimer: (fire, ms) => {
      const close = () => {
        sleepers.delete(timer);
        timers.delete(timer);
      };
      const timer = {
        atMs: 0,
        wake: () => {
          close();
          fire();
        },
      };
      const refresh = () => {
        timer.atMs = clock.now() + ms;
        sleepers.add(timer);
        timers.add(timer);
      };
      refresh();
      return { refresh, close };
    },
    sleeping: () => sleepers.size,
    calling: calls.open,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        slept.push(ms);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          atMs: clock.now() + Math.max(0, ms),
          wake: () => {
            signal?.removeEventListener("abort", stop);
            resolve();
          },
        };
        signal?.addEventListener("abort", stop, { once: true });
        sleepers.add(sleeper);
      }),
    async run(work) {
      let done = false;
      const mark = () => {
        done = true;
      };
      work.then(mark, mark);
      for (let idle = 0; !done; ) {
        await quiet(() => done);
        if (done) break;
        idle = wakeFirst(Number.POSITIVE_INFINITY) || usesFiles() ? 0 : idle + 1;
        if (idle > STUCK_TURNS) throw new Error("the work waits for what no clock and no call will bring");
      }
      return work;
    },
    async pass(ms) {
      const untilMs = clock.now() + ms;
      do await quiet(() => false);
      while (wakeFirst(untilMs));
      jump(untilMs);
    },
    close: calls.close,
  };
  return clock;
}

const noCalls = { open: () => 0, close: () => {} };

/** True while a file is read or written, which on a busy machine takes any number of turns. */
function usesFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

function ownTime(startAt: number): Pick<Emulator["admin"], "now" | "advance"> {
  let nowMs = startAt;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** The clock of a machine that is wrong by so many milliseconds. */
export function aheadOf(clock: Clock, aheadMs: number): Clock {
  return { now: () => clock.now() + aheadMs, sleep: (ms, signal) => clock.sleep(ms, signal) };
}

/** Counts the calls to one origin that are under way, by what the HTTP client tells of each. */
function countCalls(origin: string): { open(): number; close(): void } {
  const open = new Set<unknown>();
  const begin = (message: unknown) => {
    const { request } = message as { request: { origin?: string | URL } };
    if (String(request.origin).replace(/\/$/, "") === origin) open.add(request);
  };
  const end = (message: unknown) => {
    open.delete((message as { request: unknown }).request);
  };
  const begins = channel("undici:request:create");
  const ends = [channel("undici:request:trailers"), channel("undici:request:error")];
  begins.subscribe(begin);
  for (const one of ends) one.subscribe(end);
  return {
    open: () => open.size,
    close: () => {
      begins.unsubscribe(begin);
      for (const one of ends) one.unsubscribe(end);
    },
  };
}

/** Lets everything that is ready happen, the network included. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
