/**
 * A limit on the account's calls, as token buckets on the emulator's clock: each starts full and refills evenly, so that
 * `perMinute: 60` lets 60 calls through at once and then one a second. A refused call takes nothing from either bucket.
 */
export interface RateLimit {
  /** Size of the bucket that refills in a minute. */
  perMinute?: number;
  /** Size of the bucket that refills in a second. */
  perSecond?: number;
  /** The form of `Retry-After` in a refusal: none, whole seconds, or an HTTP date. Default `none`. */
  retryAfter?: RetryAfterForm;
  /** One pair of buckets for all calls, or one for each route. Default `account`. */
  scope?: "account" | "route";
}

/** The forms of a Retry-After header, and none. */
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

  /** Takes a call's tokens. Returns the milliseconds until they would be there when they are not, else 0. */
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
      // Sums of fractions end a hair below the whole number: 0.9999999 is a token.
      if (entry.tokens < 1 - 1e-6) waitMs = Math.max(waitMs, (1 - entry.tokens) / entry.perMs);
    }
    if (waitMs === 0) for (const entry of buckets) entry.tokens -= 1;
    return Math.ceil(waitMs);
  }
}

/** The value of a Retry-After header that points `waitMs` ahead, rounded up to whole seconds; `undefined` for `none`. */
export function retryAfterValue(form: RetryAfterForm, waitMs: number, now: number): string | undefined {
  if (form === "none") return undefined;
  if (form === "seconds") return String(Math.ceil(waitMs / 1000));
  return new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString();
}

function bucket(capacity: number | undefined, refillMs: number, now: number): Bucket[] {
  return capacity === undefined ? [] : [{ capacity, perMs: capacity / refillMs, tokens: capacity, filledAt: now }];
}
