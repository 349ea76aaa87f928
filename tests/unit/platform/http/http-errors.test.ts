import { describe, expect, it } from "vitest";
import { isAnswerLost, isTransient } from "../../../../provider/platform/errors";
import {
  parseRetryAfter,
  toAnswerError,
  toHttpError,
  toTurnError,
} from "../../../../provider/platform/http/http-errors";
import type { Answer, ApiRequest } from "../../../../provider/platform/http/request";

// Specification, sections 5 and 7.

const KEY = "napi_topsecret";

const call: ApiRequest = {
  method: "POST",
  path: "/projects/p-1/endpoints",
  purpose: "create an endpoint in project p-1",
};

const context = { secret: KEY, nowMs: 0 };

const NOW = Date.parse("Wed, 01 Jan 2025 00:00:00 GMT");

it.each([
  ["invalid_request", [400, 406, 418]],
  ["unauthorized", [401]],
  ["forbidden", [403]],
  ["not_found", [404]],
  ["conflict", [409]],
  ["not_ready", [422]],
  ["locked", [423]],
  ["rate_limited", [429]],
  ["server", [408, 425, 500, 502, 503, 504, 599]],
])("%s is the kind of %j", (kind, statuses) => {
  for (const status of statuses) expect(toHttpError(call, answerOf(status, {}), context).kind).toBe(kind);
});

describe("limits and quotas of the platform", () => {
  it.each([
    [402, "", "upgrade"],
    [400, "PLAN_LIMIT", "the free plan has 2 CU"],
    [422, "COMPUTE_QUOTA_USED_UP", ""],
    [423, "NON_PRIMARY_BRANCH_COMPUTE_TIME_EXCEEDED", ""],
    [423, "", "the project's compute time quota is used up"],
    [423, "PLAN_RESTRICTED", "read replicas are for paid plans"],
    [400, "PLAN_RESTRICTED", ""],
    [423, "BRANCH_ARCHIVED", "the branch is archived"],
    [422, "", "you exceeded the limit of concurrently active endpoints. Please suspend some endpoints and try again"],
    [403, "", "autoscaling is not available on your plan"],
  ])("are neither a lock nor a bug: %s %s %s", (status, code, message) => {
    const error = toHttpError(call, answerOf(status, { code, message }), context);
    expect(error).toMatchObject({ kind: "over_limit", code });
    expect(isTransient(error)).toBe(false);
  });

  it.each([
    [423, "RUNNING_OPERATIONS", "running conflicting operations", "locked"],
    [423, "", "endpoint is in some transitive state, could not suspend", "locked"],
    [423, "", "", "locked"],
    [423, "", "not now", "locked"],
    [423, "TRY_LATER", "project already has running conflicting operations, new ones are refused", "locked"],
    [423, "ENDPOINT_BUSY", "operation op-1 (start_compute) is running; wait until it has ended", "locked"],
    [423, "ENDPOINT_STATE", "endpoint is in some transitive state, could not suspend", "locked"],
    [422, "", "branch not ready yet", "not_ready"],
    [429, "", "you exceeded the limit of requests", "rate_limited"],
    [400, "", "limit: must be 1 to 1000", "invalid_request"],
    [403, "", "no access to the project", "forbidden"],
  ])("are not seen in %s %s %s", (status, code, message, kind) => {
    expect(toHttpError(call, answerOf(status, { code, message }), context).kind).toBe(kind);
  });
});

describe("toHttpError", () => {
  it("says what failed, on which id, and why", () => {
    const body = { code: "ENDPOINTS_LIMIT_EXCEEDED", message: "read_write endpoint already exists", request_id: "r-1" };
    const error = toHttpError(call, answerOf(409, body), context);
    expect(error.message).toBe(
      "could not create an endpoint in project p-1: the platform answered 409 ENDPOINTS_LIMIT_EXCEEDED: " +
        "read_write endpoint already exists [request r-1]",
    );
    expect(error).toMatchObject({
      kind: "conflict",
      status: 409,
      requestId: "r-1",
      path: "/projects/p-1/endpoints",
      retryAfterMs: undefined,
    });
  });

  it.each([
    ["", ""],
    ["<html><h1>502 Bad Gateway</h1></html>", ""],
    ["null", ""],
    ['{"message": 5, "code": {}}', ""],
    ['{"code": "", "message": "m"}', "m"],
    ['{"message": "cut of', ""],
  ])("tolerates the body %j", (text, message) => {
    const { summary } = toHttpError(call, { status: 500, headers: {}, text }, context);
    expect(summary.split("the platform answered 500")[1]).toBe(message && `: ${message}`);
  });

  it("keeps the platform's words to one short line without escapes", () => {
    const message = `${String.fromCharCode(27)}[31mline one\nline two ${"x".repeat(1_000)}`;
    const error = toHttpError(call, answerOf(400, { message }), context);
    expect(error.summary).toMatch(/ 400: line one line two x{281}…$/);
  });

  it.each([
    ["its own header", { "x-neon-ret-request-id": "n-1" }, "n-1"],
    ["its own header before others", { "x-request-id": "h-1", "x-neon-ret-request-id": ["n-1", "n-2"] }, "n-1"],
    ["another header", { "x-neon-ret-request-id": " ", "x-request-id": "h-1" }, "h-1"],
    ["no header", {}, undefined],
  ])("takes the request id from %s where the body has none", (_, headers, id) => {
    const error = toHttpError(call, { status: 500, headers, text: "" }, context);
    expect(error.requestId).toBe(id);
    expect(error.summary.includes("[request ")).toBe(id !== undefined);
    if (id !== undefined) expect(error.summary).toMatch(new RegExp(`500 \\[request ${id}\\]$`));
  });
});

it.each([
  [toHttpError(call, answerOf(500, {}), context), true],
  [toHttpError(call, answerOf(502, {}), context), true],
  [toHttpError(call, answerOf(503, {}), context), false],
  [toHttpError(call, answerOf(429, {}), context), false],
  [toHttpError(call, answerOf(409, {}), context), false],
  [toTurnError(call, { kind: "rate_limited", why: "no turn" }), false],
  [toTurnError(call, { kind: "timeout", why: "no turn" }), false],
  [toAnswerError("unreachable", call, "x"), false],
  [toAnswerError("redirect_refused", call, "x"), false],
  [toAnswerError("answer_lost", call, "x"), true],
  [toAnswerError("bad_answer", call, "x"), true],
  [toAnswerError("answer_too_large", call, "x"), true],
])("isAnswerLost %o: %s", (error, expected) => {
  expect(isAnswerLost(error)).toBe(expected);
});

function answerOf(status: number, body: unknown): Answer {
  return { status, headers: {}, text: JSON.stringify(body) };
}

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
])("parseRetryAfter %s, sent at %s: %s ms", (value, date, expected) => {
  expect(parseRetryAfter(value, NOW, date)).toBe(expected);
});
