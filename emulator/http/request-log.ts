/** One call to the API as it came in and as it was answered. Never holds a header, or a body but for the reason of a refusal. */
export interface RequestLogEntry {
  /** Position in the log, from 1. */
  sequence: number;
  /** When it came in, in milliseconds on the emulator's clock. */
  at: number;
  method: string;
  /** Name of the route, such as `endpoints.create`; `unknown` when there is none. */
  route: string;
  /** Path and query as sent. */
  path: string;
  /** Status of the answer; 0 while there is none, and for ever when the connection was cut instead. */
  status: number;
  /** Milliseconds on the machine's clock from the first byte in to the answer. */
  durationMs: number;
  /** Bytes of the request's body. */
  requestBytes: number;
  /** Bytes of the answer's body; 0 for a streamed one. */
  answerBytes: number;
  /** Kinds of the faults that were injected into this call. */
  faults: string[];
  /** Why the call was refused, as the answer said; of good answers none. */
  reason?: string;
  /** The emulator's own mistake, when it made one. */
  crash?: string;
}

/** Number of calls since the last reset or clearing. */
export interface RequestCounts {
  total: number;
  /** By route name. */
  byRoute: Record<string, number>;
  /** By status; `0` are the calls without an answer so far. */
  byStatus: Record<string, number>;
}

/** A choice of log entries; an absent field chooses all. */
export interface RequestLogFilter {
  method?: string;
  route?: string;
  status?: number;
  /** Only entries after this sequence number. */
  after?: number;
}

/** Longest path that is kept, in characters: calls are logged before they have shown a key. */
const MAX_PATH = 1_000;
/** Characters that the paths of all entries may have together, for each entry that the log keeps. */
const PATH_ROOM = 256;

/** The last calls and the counts of all of them. Long paths are cut, and push out older calls. */
export class RequestLog {
  #entries: RequestLogEntry[] = [];
  #total = 0;
  #pathLength = 0;
  #byRoute = new Map<string, number>();
  #byStatus = new Map<number, number>();
  // A call that was under way when the log was cleared must not be counted afterwards.
  #counted = new WeakSet<RequestLogEntry>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a call without an answer; its `status` is set by `answer`. */
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

  /** Records the answer of a call. */
  answer(entry: RequestLogEntry, status: number): void {
    if (this.#counted.has(entry)) {
      increase(this.#byStatus, entry.status, -1);
      increase(this.#byStatus, status, 1);
    }
    entry.status = status;
  }

  /** The entries that the filter chooses, oldest first, as copies. */
  list(filter: RequestLogFilter = {}): RequestLogEntry[] {
    return this.#entries
      .slice(-this.#limit)
      .filter(
        (entry) =>
          (filter.method === undefined || entry.method === filter.method.toUpperCase()) &&
          (filter.route === undefined || entry.route === filter.route) &&
          (filter.status === undefined || entry.status === filter.status) &&
          (filter.after === undefined || entry.sequence > filter.after),
      )
      .map((entry) => ({ ...entry, faults: [...entry.faults] }));
  }

  /** The last entries, most recent first. They are the log's own, to be read at once. */
  latest(count: number): readonly Readonly<RequestLogEntry>[] {
    return this.#entries.slice(-Math.min(count, this.#limit)).reverse();
  }

  counts(): RequestCounts {
    const positive = [...this.#byStatus].filter(([, count]) => count > 0);
    return { total: this.#total, byRoute: Object.fromEntries(this.#byRoute), byStatus: Object.fromEntries(positive) };
  }

  // Dropping in blocks keeps adding cheap: shifting one by one would move the whole array each time.
  #drop(): void {
    const room = this.#limit * PATH_ROOM;
    if (this.#entries.length <= this.#limit * 1.25 && this.#pathLength <= room * 1.25) return;
    let first = Math.max(0, this.#entries.length - this.#limit);
    let left = this.#entries.slice(first).reduce((sum, { path }) => sum + path.length, 0);
    // The last one stays, however long.
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

// A slice keeps the whole text alive that it is a piece of; this is a text of its own.
function shortened(path: string): string {
  return path.length > MAX_PATH ? `${Buffer.from(path.slice(0, MAX_PATH - 1)).toString()}…` : path;
}

function increase<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
