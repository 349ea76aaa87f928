import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "../../../../provider/platform/http/http-errors";

const NOW = Date.parse("Wed, 01 Jan 2025 00:00:00 GMT");

describe("parseRetryAfter", () => {
  it.each([
    ["0", undefined, 0],
    ["1", undefined, 1_000],
    [" 30 ", undefined, 30_000],
    ["1.5", undefined, 1_500],
    ["Wed, 01 Jan 2025 00:00:07 GMT", undefined, 7_000],
    // The platform's clock is two hours ahead, which its own Date shows.
    ["Wed, 01 Jan 2025 02:00:07 GMT", "Wed, 01 Jan 2025 02:00:00 GMT", 7_000],
    // Its Date is that of another clock, such as a proxy's.
    ["Wed, 01 Jan 2025 00:00:07 GMT", "Sun, 01 Dec 2024 00:00:00 GMT", 7_000],
    // In the past: at once.
    ["Tue, 31 Dec 2024 23:59:59 GMT", undefined, 0],
    ["Wed, 01 Jan 2003 00:00:00 GMT", undefined, undefined],
    ["soon", undefined, undefined],
    ["", undefined, undefined],
    ["-5", undefined, undefined],
    ["12 apples", undefined, undefined],
    ["2025", undefined, 2_025_000],
    [undefined, undefined, undefined],
  ])("%s, sent at %s: %s ms", (value, date, expected) => {
    expect(parseRetryAfter(value, NOW, date)).toBe(expected);
  });
});
