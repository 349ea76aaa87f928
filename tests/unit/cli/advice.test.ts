import { join } from "node:path";
import { expect, it } from "vitest";
import { messageOf } from "../../../cli/advice";
import {
  AnswerError,
  CancelledError,
  HttpError,
  OperationError,
  OutcomeUnknownError,
  PgComputeError,
  type Remedy,
} from "../../../provider/platform/errors";
import { root } from "../../../tools/root.mjs";

const http = [
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "not_ready",
  "locked",
  "rate_limited",
  "invalid_request",
  "server",
] as const;
const answers = [
  "unreachable",
  "answer_lost",
  "bad_answer",
  "answer_too_large",
  "redirect_refused",
  "timeout",
] as const;
const operations = ["operation_failed", "operation_timeout", "operation_vanished"] as const;
const remedies = ["gone", "unknown_project", "wrong_address", "root_branch", "not_applied", "maybe_created"] as const;
const late = new OperationError("operation_timeout", "late", { id: "op-1", status: "running", failuresCount: 0 });

const errors: Record<string, PgComputeError> = {
  ...Object.fromEntries(http.map((kind) => [kind, new HttpError(kind, "no", { path: "/projects/p", status: 400 })])),
  ...Object.fromEntries(answers.map((kind) => [kind, new AnswerError(kind, "no")])),
  ...Object.fromEntries(
    operations.map((kind) => [
      kind,
      new OperationError(kind, "no", { id: "op-1", status: "running", failuresCount: 0 }),
    ]),
  ),
  ...Object.fromEntries(
    remedies.map((kind) => [`remedy ${kind}`, new PgComputeError("not_found", "no", { remedy: { kind } as Remedy })]),
  ),
  "an outcome that nobody knows": new OutcomeUnknownError(new AnswerError("answer_lost", "lost")),
  "one that names an endpoint": new PgComputeError("operation_timeout", "endpoint p/ep-1: late", { cause: late }),
  "one with advice of its own": new PgComputeError("conflict", "taken", { advice: "Take another." }),
  "one that says it all": new PgComputeError("not_found", "there is none"),
  "an interruption": new CancelledError("stopped"),
};

it("what the command line advises about errors: as it was, and never a command of Pulumi", async () => {
  const text = Object.entries(errors).map(([name, error]) => `${name}: ${messageOf(error)}\n`);
  await expect(text.join("")).toMatchFileSnapshot(join(root, "tests/unit/cli/samples/printed/advice.txt"));
  expect(text.join("")).not.toMatch(/pulumi/i);
});
