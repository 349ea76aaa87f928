const CALM_MS = 1000;
const BUSY_MS = 300;
const LONGEST_MS = 5000;

/**
 * Asks again and again, sooner while something is under way, later while there is no answer, and not at all while
 * nobody looks.
 *
 * @param {{ look: (signal: AbortSignal) => Promise<{ busy: boolean }>, lost: (error: unknown) => boolean }} how `look`
 *   asks once; `lost` is told why that failed, and says whether to go on asking
 */
export function keepLooking({ look, lost }) {
  let failures = 0;
  let timer = 0;
  let asking = new AbortController();

  async function ask() {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const { busy } = await look(signal);
      if (signal.aborted) return;
      failures = 0;
      timer = window.setTimeout(ask, busy ? BUSY_MS : CALM_MS);
    } catch (error) {
      if (signal.aborted || !lost(error)) return;
      failures++;
      timer = window.setTimeout(ask, Math.min(LONGEST_MS, CALM_MS * failures));
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return void ask();
    clearTimeout(timer);
    asking.abort();
  });
  if (!document.hidden) void ask();
  return { now: () => void ask() };
}
