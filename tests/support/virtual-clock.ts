import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { Emulator } from "../../emulator";
import { type Clock, onAbort } from "../../provider/lib/clock";
import type { SetTimer } from "../../provider/platform/http/transport";

/**
 * A clock without real waits: when nothing else can happen, time jumps to the next sleeper. A provider and an emulator
 * can share it: calls between them are real, and no time passes during one that is not stalled on purpose.
 */
export type VirtualClock = ReturnType<typeof createVirtualClock>;

interface ClockOptions {
  /** Whose time it is, too: its own clock has to be `manual`. No time passes while a call to it is under way. */
  emulator?: Emulator;
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
/** On a busy machine, what the system brings (a file, the end of a connection) takes any number of turns. */
const STUCK_MS = 1_000;

/** Opens a virtual clock. */
export function createVirtualClock({ emulator, startAt = Date.UTC(2025, 0, 1) }: ClockOptions = {}) {
  const time = emulator?.admin ?? ownTime(startAt);
  const startMs = time.now();
  const calls = emulator ? countCalls(new URL(emulator.url).origin) : noCalls;
  const quietTurns = emulator ? QUIET_TURNS : QUIET_TURNS_ALONE;
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
  /** Gives whether there was a call to wait for. */
  const quiet = async (isDone: () => boolean): Promise<boolean> => {
    let hadCalls = false;
    for (let turns = 0; turns < quietTurns && !isDone(); ) {
      await turn();
      // A stalled call whose timer is the machine's is waited for.
      const stalled = timers.size > 0 ? (emulator?.admin.stalledCalls() ?? 0) : 0;
      const isCalling = calls.open() > stalled;
      hadCalls ||= isCalling;
      turns = isCalling ? 0 : turns + 1;
    }
    return hadCalls;
  };

  /** What time passes for, and whoever lets it pass. */
  const running = new Set<Promise<unknown>>();
  let driven: Promise<void> | undefined;
  const isOver = () => running.size === 0;
  const drive = async () => {
    let busyMs = performance.now();
    for (let idle = 0; !isOver(); idle++) {
      const hadCalls = await quiet(isOver);
      if (isOver()) return;
      if (wakeFirst(Number.POSITIVE_INFINITY) || hadCalls) {
        idle = 0;
        busyMs = performance.now();
      }
      if (idle <= STUCK_TURNS || performance.now() - busyMs <= STUCK_MS) continue;
      running.clear();
      throw new Error("the work waits for what no clock and no call will bring");
    }
  };

  return {
    now: () => time.now(),
    /** Milliseconds since the clock was made. */
    elapsedMs: () => time.now() - startMs,
    /** Timers of calls on this clock: a call stalled on purpose costs no real time, and a slow one never ends early. */
    setTimer: ((fire, ms) => {
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
        timer.atMs = time.now() + ms;
        sleepers.add(timer);
        timers.add(timer);
      };
      refresh();
      return { refresh, close };
    }) satisfies SetTimer,
    /** Sleepers that have not woken. */
    sleeping: () => sleepers.size,
    /** Calls that have begun and not ended. */
    calling: calls.open,
    /** Connections for calls that the client has not seen end. */
    connections: calls.connections,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          atMs: time.now() + Math.max(0, ms),
          wake: () => {
            release();
            resolve();
          },
        };
        const release = onAbort(signal, stop);
        sleepers.add(sleeper);
      }),
    /**
     * Lets time pass until the work, and all that runs beside it, is done. Rejects if no clock or call will ever end a
     * wait.
     */
    async run<T>(work: Promise<T>): Promise<T> {
      const end = () => void running.delete(work);
      running.add(work);
      work.then(end, end);
      while (running.has(work)) {
        driven ??= drive().finally(() => {
          driven = undefined;
        });
        await Promise.race([work, driven]);
      }
      return work;
    },
    /** Lets so many milliseconds pass, waking everybody in between. */
    async pass(ms: number) {
      const untilMs = time.now() + ms;
      do await quiet(() => false);
      while (wakeFirst(untilMs));
      jump(untilMs);
    },
    /** Stops counting calls. */
    close: calls.close,
  };
}

const noCalls = { open: () => 0, connections: () => 0, close: () => {} };

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

/** Counts the open calls to one origin and their connections, from the HTTP client's events. */
function countCalls(origin: string): { open(): number; connections(): number; close(): void } {
  const open = new Set<unknown>();
  const sockets = new Set<Socket>();
  const connect = (message: unknown) => {
    const { connectParams, socket } = message as { connectParams: { host: string }; socket: Socket };
    if (connectParams.host !== new URL(origin).host) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const begin = (message: unknown) => {
    const { request } = message as { request: { origin?: string | URL } };
    if (String(request.origin).replace(/\/$/, "") === origin) open.add(request);
  };
  const end = (message: unknown) => {
    open.delete((message as { request: unknown }).request);
  };
  const heard = [
    ["undici:client:connected", connect],
    ["undici:request:create", begin],
    ["undici:request:trailers", end],
    ["undici:request:error", end],
  ] as const;
  for (const [name, hear] of heard) subscribe(name, hear);
  return {
    open: () => open.size,
    connections: () => sockets.size,
    close: () => {
      for (const [name, hear] of heard) unsubscribe(name, hear);
    },
  };
}

/** Lets everything that is ready happen, the network included. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
