/** At most so many calls in any span of so many milliseconds. */
export interface Limit {
  calls: number;
  perMs: number;
}

/** The times of the latest events of one sort, in the order in which they happened. */
export interface EventLog {
  add(atMs: number): void;
  /** Events after `fromMs` and up to `toMs`; those that the log has forgotten are not counted. */
  count(fromMs: number, toMs: number): number;
  /** The first event after `fromMs`, or 0. */
  firstAfter(fromMs: number): number;
  /**
   * When one more event keeps to the limit: a time in the past or 0 when it does at once. Events before `fromMs` do not
   * count.
   */
  freeAt(limit: Limit, nowMs: number, fromMs?: number): number;
}

/** Events remembered; a limit of more calls than this in one span is kept as one of this many. */
const CAPACITY = 8_192;

/** Opens an empty log. It holds a bounded number of times, whatever is added. */
export function createEventLog(): EventLog {
  let times: number[] = [];
  return {
    add(atMs) {
      times.push(atMs);
      // Dropped in large pieces, so that adding stays cheap.
      if (times.length >= CAPACITY * 2) times = times.slice(-CAPACITY);
    },
    count: (fromMs, toMs) => indexAfter(times, toMs) - indexAfter(times, fromMs),
    firstAfter: (fromMs) => times[indexAfter(times, fromMs)] ?? 0,
    freeAt(limit, nowMs, fromMs = 0) {
      const oldest = times[times.length - Math.min(limit.calls, CAPACITY)];
      // A machine's clock may be set back; a time that has not come yet says nothing.
      return oldest === undefined || oldest > nowMs || oldest < fromMs ? 0 : oldest + limit.perMs;
    },
  };
}

function indexAfter(times: number[], atMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) > atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
