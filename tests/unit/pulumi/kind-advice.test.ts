import { describe, expect, it } from "vitest";
import {
  CancelledError,
  HttpError,
  OperationError,
  PartialError,
  PgComputeError,
} from "../../../provider/platform/errors";
import { kindAdvice, messageFor } from "../../../provider/pulumi/messages/errors";

const request = { method: "GET", path: "/projects/p", status: 401, code: "", apiMessage: "" };
const operation = { id: "op-1", status: "running", failuresCount: 0 };

describe("the advice for an error", () => {
  it.each([
    ["configuration" as const, /pgcompute:apiKey.*--run-program/],
    ["environment" as const, /PGCOMPUTE_API_KEY: set a valid one/],
    [undefined, /Set a valid key/],
  ])("says how to mend a key from the %s", (keySource, words) => {
    expect(messageFor(new HttpError("unauthorized", "refused", { ...request, keySource }))).toMatch(words);
  });

  it("is that of the kind where the error comes from the platform, also within one that knows an endpoint", () => {
    const late = new OperationError("operation_timeout", "was still running", operation);
    expect(messageFor(late)).toBe(`was still running. ${kindAdvice.operation_timeout}`);
    expect(messageFor(new PartialError("p/ep-1", {}, late))).toMatch(
      /^endpoint p\/ep-1: was still running\. Run `pulumi up`/,
    );
    expect(messageFor(new CancelledError())).toContain(kindAdvice.cancelled);
  });

  it("is the base address where that is wrong, and not the id", () => {
    const lost = new PgComputeError("not_found", "answered 404", { remedy: { kind: "wrong_address" } });
    expect(messageFor(lost)).toMatch(/^answered 404\. Correct the base address \(pgcompute:baseUrl/);
  });

  it("is the error's own where it has one, and none where the message says it all", () => {
    const own = new PgComputeError("conflict", "taken", { advice: "Take another." });
    expect(messageFor(own)).toBe("taken. Take another.");
    expect(messageFor(new PartialError("p/ep-1", {}, own))).toBe("endpoint p/ep-1: taken. Take another.");
    expect(messageFor(new PgComputeError("refused", "ways on: a, b"))).toBe("ways on: a, b");
  });
});
