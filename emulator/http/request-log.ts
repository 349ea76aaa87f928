/** One call to the API and its answer. Contains no header, and of bodies only the reason of a refusal. */
export interface RequestLogEntry {
  /** Position in the log, from 1. */
  sequence: number;
  /** Arrival time, in milliseconds on the emulator's clock. */
  at: number;
  method: string;
  /** The route's name, such as `endpoints.create`; `unknown` without a route. */
  route: string;
  /** Path and query as sent. */
  path: string;
  /** The answer's status; 0 before it, and for a cut connection. */
  status: number;
  /** Milliseconds on the machine's clock from the first byte to the answer. */
  durationMs: number;
  /** Bytes of the request body. */
  requestBytes: number;
  /** Bytes of the answer body; 0 for a streamed one. */
  answerBytes: number;
  /** The kinds of the injected faults. */
  faults: string[];
  /** The reason of a refusal, from the answer's body. */
  reason?: string;
  /** The emulator's own error, if any. */
  crash?: string;
}

/** Numbers of calls since the last reset or clear. */
export interface RequestCounts {
  total: number;
  /** By route name. */
  byRoute: Record<string, number>;
  /** By status; `0` counts calls without an answer. */
  byStatus: Record<string, number>;
}

/** A filter for log entries; absent fields match all. */
export interface RequestLogFilter {
  method?: string;
  route?: string;
  status?: number;
  /** Only entries after this sequence number. */
  after?: number;
  /** Only so many entries, the oldest that match. */
  limit?: number;
}

/** Maximum length of a logged path, in characters: calls without a key are logged too. */
const MAX_PATH = 1_000;
/** Average path length that the log has room for, per entry. */
const PATH_ROOM = 256;

/** The latest calls, and counts of all. Long paths are cut, and displace older calls. */
export class RequestLog {
  #entries: RequestLogEntry[] = [];
  #total = 0;
  #pathLength = 0;
  #byRoute = new Map<string, number>();
  #byStatus = new Map<number, number>();
  // Counted calls: one that was running when the log was cleared must not be counted later.
  #counted = new WeakSet<RequestLogEntry>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a call without an answer; `answer` sets its `status`. */
  add(call: Pick<RequestLogEntry, "at" | "method" | "route" | "path">): RequestLogEntry {
    const entry: RequestLogEntry = {
      sequence: ++this.#total,
      ...call,
      path: shortened(call.path),
      status: 0,
      durationMs: 0,
      requestBytes: 0,
      answerBytes: 0,
      faults: [],
    };

    this.#entries.push(entry);
    this.#counted.add(entry);
    this.#pathLength += entry.path.length;
    this.#drop();
    increase(this.#byRoute, entry.route, 1);
    increase(this.#byStatus, 0, 1);
    return entry;
  }

  /** Records a call's answer. */
  answer(entry: RequestLogEntry, status: number): void {
    if (this.#counted.has(entry)) {
      increase(this.#byStatus, entry.status, -1);
      increase(this.#byStatus, status, 1);
    }
    entry.status = status;
  }

  /** The matching entries, oldest first, as copies. */
  list({ method, route, status, after = 0, limit = this.#limit }: RequestLogFilter = {}): RequestLogEntry[] {
    const found: RequestLogEntry[] = [];
    for (let index = this.#indexAfter(after); index < this.#entries.length && found.length < limit; index++) {
      const entry = this.#entries[index] as RequestLogEntry;
      const isWanted =
        (method === undefined || entry.method === method.toUpperCase()) &&
        (route === undefined || entry.route === route) &&
        (status === undefined || entry.status === status);
      if (isWanted) found.push({ ...entry, faults: [...entry.faults] });
    }
    return found;
  }

  // Sequences have no gaps.
  #indexAfter(sequence: number): number {
    const first = Math.max(0, this.#entries.length - this.#limit);
    const [oldest] = this.#entries;
    return oldest === undefined ? 0 : Math.max(first, sequence + 1 - oldest.sequence);
  }

  /** The latest entries, newest first; the log's own objects, to be read at once. */
  latest(count: number): readonly Readonly<RequestLogEntry>[] {
    return this.#entries.slice(-Math.min(count, this.#limit)).reverse();
  }

  counts(): RequestCounts {
    const positive = [...this.#byStatus].filter(([, count]) => count > 0);
    return { total: this.#total, byRoute: Object.fromEntries(this.#byRoute), byStatus: Object.fromEntries(positive) };
  }

  // Dropping in blocks is cheap; shifting one by one would move the whole array each time.
  #drop(): void {
    const room = this.#limit * PATH_ROOM;
    if (this.#entries.length <= this.#limit * 1.25 && this.#pathLength <= room * 1.25) return;
    let first = Math.max(0, this.#entries.length - this.#limit);
    let left = this.#entries.slice(first).reduce((sum, { path }) => sum + path.length, 0);
    // The latest entry stays, however long.
    for (; left > room && first < this.#entries.length - 1; first++) left -= this.#entries[first]?.path.length ?? 0;
    this.#entries.splice(0, first);
    this.#pathLength = left;
  }

  clear(): void {
    this.#entries = [];
    this.#pathLength = 0;
    this.#total = 0;
    this.#byRoute.clear();
    this.#byStatus.clear();
    this.#counted = new WeakSet();
  }
}

// A copy, since a slice would keep the whole path in memory.
function shortened(path: string): string {
  return path.length > MAX_PATH ? `${Buffer.from(path.slice(0, MAX_PATH - 1)).toString()}…` : path;
}

function increase<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
