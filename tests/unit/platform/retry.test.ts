import { describe, expect, it } from "vitest";
import { PgComputeError } from "../../../provider/platform/errors";
import { toAnswerError, toHttpError } from "../../../provider/platform/http/http-errors";
import type { ApiRequest } from "../../../provider/platform/http/transport";
import { repeatDelay } from "../../../provider/platform/retry";

const call: ApiRequest = { method: "GET", path: "/x", purpose: "try" };
const first = { attempts: 1, elapsedMs: 0 };

describe("repeatDelay", () => {
  const noAnswer = (kind: Parameters<typeof toAnswerError>[0]) => toAnswerError(kind, call, "x");

  it.each([
    ["whatever the call, what was certainly not done", [status(503), noAnswer("unreachable")], true, true],
    ["of what reads, an outage", [500, 502, 504, 408, 423].map((code) => status(code)), true, false],
    ["of what reads, a lost answer", [noAnswer("answer_lost"), noAnswer("bad_answer")], true, false],
    ["no refusal", [400, 401, 404, 409, 422].map((code) => status(code)), false, false],
    ["no answer that will not change", [noAnswer("answer_too_large"), noAnswer("redirect_refused")], false, false],
    ["no other error", [new PgComputeError("cancelled", "x"), new TypeError("x")], false, false],
  ])("repeats %s", (_, errors, reading, changing) => {
    for (const error of errors) {
      const isRepeated = (method: ApiRequest["method"]) =>
        repeatDelay(error, { method }, first, () => 0.5) !== undefined;
      expect(isRepeated("GET"), String(error)).toBe(reading);
      for (const method of ["POST", "PATCH", "DELETE"] as const)
        expect(isRepeated(method), String(error)).toBe(changing);
    }
  });

  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, undefined],
  ])("after attempt %i waits up to %s ms", (attempts, longest) => {
    const delay = (random: number) => repeatDelay(status(500), call, { attempts, elapsedMs: 0 }, () => random);
    expect(delay(1)).toBe(longest);
    if (longest !== undefined) expect(delay(0)).toBe(0);
  });

  it("waits as long as the platform asks", () => {
    expect(repeatDelay(status(503, "7"), call, first, () => 0)).toBe(7_000);
  });

  it("gives up where the pause would end after the bound", () => {
    expect(repeatDelay(status(503, "121"), call, first, () => 0)).toBeUndefined();
    const late = { attempts: 2, elapsedMs: 119_999 };
    expect(repeatDelay(status(500), call, late, () => 1)).toBeUndefined();
  });

  it("reads a page for browsers three times at most", () => {
    const bad = toAnswerError("bad_answer", call, "x");
    const delay = (attempts: number) => repeatDelay(bad, call, { attempts, elapsedMs: 0 }, () => 0);
    expect([delay(1), delay(2), delay(3)]).toEqual([0, 0, undefined]);
  });
});

function status(code: number, retryAfter?: string) {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return toHttpError(call, { status: code, headers, text: "" }, { secret: "a-key", nowMs: 0 });
}
