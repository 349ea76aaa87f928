/** A longer pause than this is taken for a mistake of a clock, in milliseconds. */
const PLAUSIBLE_MS = 24 * 60 * 60 * 1_000;

/**
 * Milliseconds to wait from `nowMs` on, as a `Retry-After` header asks, in seconds or as a date. Undefined where there
 * is none or it makes no sense. `dateHeader` is the answer's own `Date`, which helps where the two clocks disagree.
 */
export function parseRetryAfter(
  value: string | undefined,
  nowMs: number,
  dateHeader?: string | undefined,
): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  // Dates begin with the name of a day; anything else that Date.parse accepts is no HTTP date.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(text);
  const sentAt = Date.parse(dateHeader ?? "");
  // Both views are kept and the shorter one wins: asking too early costs one refusal, too late may cost minutes.
  const waits = [at - nowMs, at - sentAt].filter((wait) => Math.abs(wait) <= PLAUSIBLE_MS);
  return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
}
