/** A limit on the account's calls: token buckets that start full and refill evenly. A refused call takes no token. */
export interface RateLimit {
  /** Size of the bucket that refills within a minute. */
  perMinute?: number;
  /** Size of the bucket that refills within a second. */
  perSecond?: number;
  /** The form of `Retry-After` in refusals. Default `none`. */
  retryAfter?: RetryAfterForm;
  /** Buckets shared by all calls, or separate for each route. Default `account`. */
  scope?: "account" | "route";
}

/** The forms of a Retry-After header: none, whole seconds, or an HTTP date. */
export type RetryAfterForm = "none" | "seconds" | "date";

interface Bucket {
  capacity: number;
  perMs: number;
  tokens: number;
  filledAt: number;
}

/** Counts calls against a `RateLimit`. Times are milliseconds on the emulator's clock. */
export class RateLimiter {
  readonly limit: RateLimit;
  #buckets = new Map<string, Bucket[]>();

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** Takes a call's tokens and returns 0; without enough tokens returns the milliseconds until there are. */
  take(route: string, now: number): number {
    const key = this.limit.scope === "route" ? route : "";
    let buckets = this.#buckets.get(key);
    if (!buckets) {
      buckets = [...bucket(this.limit.perMinute, 60_000, now), ...bucket(this.limit.perSecond, 1000, now)];
      this.#buckets.set(key, buckets);
    }

    let waitMs = 0;
    for (const entry of buckets) {
      entry.tokens = Math.min(entry.capacity, entry.tokens + Math.max(0, now - entry.filledAt) * entry.perMs);
      entry.filledAt = now;
      // Sums of fractions come out slightly low: 0.9999999 is a token.
      if (entry.tokens < 1 - 1e-6) waitMs = Math.max(waitMs, (1 - entry.tokens) / entry.perMs);
    }

    if (waitMs === 0) for (const entry of buckets) entry.tokens -= 1;
    return Math.ceil(waitMs);
  }
}

/** A Retry-After value for `waitMs` from now, rounded up to seconds; `undefined` for `none`. */
export function retryAfterValue(form: RetryAfterForm, waitMs: number, now: number): string | undefined {
  if (form === "none") return undefined;
  if (form === "seconds") return String(Math.ceil(waitMs / 1000));
  return new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString();
}

function bucket(capacity: number | undefined, refillMs: number, now: number): Bucket[] {
  return capacity === undefined ? [] : [{ capacity, perMs: capacity / refillMs, tokens: capacity, filledAt: now }];
}
