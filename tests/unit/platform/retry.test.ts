import { describe, expect, it } from "vitest";
import { PgComputeError } from "../../../provider/platform/errors";
import { toAnswerError, toHttpError } from "../../../provider/platform/http/http-errors";
import type { ApiRequest } from "../../../provider/platform/http/transport";
import { repeatDelay } from "../../../provider/platform/retry";

const call: ApiRequest = { method: "GET", path: "/x", purpose: "try" };
const first = { attempts: 1, elapsedMs: 0 };

describe("repeatDelay", () => {
  it.each([
    ["500", status(500), true, false],
    ["502", status(502), true, false],
    ["503", status(503), true, true],
    ["504", status(504), true, false],
    ["400", status(400), false, false],
    ["408", status(408), true, false],
    ["401", status(401), false, false],
    ["404", status(404), false, false],
    ["409", status(409), false, false],
    ["422", status(422), false, false],
    ["423", status(423), true, false],
    ["unreachable", toAnswerError("unreachable", call, "x"), true, true],
    ["answer_lost", toAnswerError("answer_lost", call, "x"), true, false],
    ["bad_answer", toAnswerError("bad_answer", call, "x"), true, false],
    ["answer_too_large", toAnswerError("answer_too_large", call, "x"), false, false],
    ["redirect_refused", toAnswerError("redirect_refused", call, "x"), false, false],
    ["another error of ours", new PgComputeError("cancelled", "x"), false, false],
    ["a programming error", new TypeError("x"), false, false],
  ])("%s", (_, error, reading, changing) => {
    const delayOf = (method: ApiRequest["method"]) => repeatDelay(error, { method }, first, () => 0.5);
    expect(delayOf("GET") !== undefined).toBe(reading);
    for (const method of ["POST", "PATCH", "DELETE"] as const) expect(delayOf(method) !== undefined).toBe(changing);
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
