import { describe, expect, it } from "vitest";
import { messageOf } from "../../../cli/advice";
import {
  AnswerError,
  CancelledError,
  HttpError,
  OperationError,
  OutcomeUnknownError,
  PgComputeError,
} from "../../../provider/platform/errors";

const request = { method: "GET", path: "/projects/p" };
const http = (kind: HttpError["kind"]) =>
  new HttpError(kind, "the platform says no", { ...request, status: 400, code: "", apiMessage: "" });
const operation = { id: "op-1", status: "running", failuresCount: 0 };

describe("the command line's advice", () => {
  it.each([
    ["a key", http("unauthorized"), /PGCOMPUTE_API_KEY/],
    ["a locked project", http("locked"), /pgcompute operations.*--timeout/],
    ["an address", new AnswerError("unreachable", "no way there", request), /--base-url/],
    ["a lost answer", new OutcomeUnknownError(new AnswerError("answer_lost", "lost", request)), /endpoints list/],
    ["an operation that goes on", new OperationError("operation_timeout", "late", operation), /operations wait op-1$/],
    ["an operation that failed", new OperationError("operation_failed", "bad", operation), /Run it again/],
    ["what is gone", new PgComputeError("not_found", "no such", { remedy: { kind: "gone" } }), /endpoints list/],
    ["a root branch", new PgComputeError("refused", "no", { remedy: { kind: "root_branch" } }), /its branch/],
  ])("says what to do about %s, and never a command of Pulumi", (_, error, advice) => {
    const message = messageOf(error);
    expect(message.startsWith(`${error.summary}. `)).toBe(true);
    expect(message.slice(error.summary.length)).toMatch(advice);
    expect(message).not.toMatch(/pulumi/i);
  });

  it("is that of the platform's error behind one that names an endpoint", () => {
    const cause = new OperationError("operation_timeout", "late", operation);
    const error = new PgComputeError("operation_timeout", "endpoint p/ep-1: late", { cause });
    expect(messageOf(error)).toBe(messageOf(cause).replace("late", "endpoint p/ep-1: late"));
  });

  it("is the error's own where it has one, and none where the message says it all", () => {
    expect(messageOf(new PgComputeError("conflict", "taken", { advice: "Take another." }))).toBe(
      "taken. Take another.",
    );
    expect(messageOf(new PgComputeError("not_found", "there is none"))).toBe("there is none");
    expect(messageOf(new CancelledError("stopped"))).toBe("stopped");
  });
});
