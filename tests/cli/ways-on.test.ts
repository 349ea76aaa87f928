import { beforeEach, expect, it } from "vitest";
import { messageOf } from "../../cli/advice";
import { AnswerError, HttpError, OperationError, PgComputeError } from "../../provider/platform/errors";
import { type Bench, useBench } from "../support/bench";
import { runCommand } from "./support/open-shell";

let bench: Bench;
beforeEach(async () => {
  bench = await useBench();
});

const request = { method: "GET", path: "/projects/p" };
const http = (kind: HttpError["kind"]) =>
  new HttpError(kind, "no", { ...request, status: 400, code: "", apiMessage: "" });
const seen = (kind: "gone" | "maybeCreated") => {
  const place = { projectId: "p", branchId: "br", name: "n", candidates: [] };
  return new PgComputeError("not_found", "no", { remedy: { kind, ...place } as never });
};

it.each([
  ["what is there", http("conflict"), "endpointId"],
  ["what is under way", http("not_ready"), "branchId"],
  ["what is locked", http("locked"), "branchId"],
  ["the projects of a key", http("not_found"), "projectId"],
  ["what a failed call has changed", http("server"), "endpointId"],
  ["what a lost call has changed", new AnswerError("answer_lost", "no", request), "endpointId"],
  [
    "what became of an operation",
    new OperationError("operation_vanished", "no", { id: "op-1", status: "running", failuresCount: 0 }),
    "endpointId",
  ],
  ["what is left", seen("gone"), "endpointId"],
  ["what was created", seen("maybeCreated"), "endpointId"],
] as const)("a command that a message names lists what it says: %s", async (_, error, what) => {
  const { admin, projectId, endpointId, branchId } = bench.emulator;
  admin.startOperation({ projectId, action: "apply_config", branchId });
  const [, command = ""] = messageOf(error).match(/`pgcompute ([^`]+)`/) ?? [];
  const { code, out } = await runCommand(bench, command.split(" "));
  expect(code).toBe(0);
  expect(out).toContain({ projectId, endpointId, branchId }[what]);
});

it("a command that a message names waits for the operation that went on", async () => {
  const { admin, projectId, branchId } = bench.emulator;
  const { id } = admin.startOperation({ projectId, action: "apply_config", branchId });
  const error = new OperationError("operation_timeout", "late", { id, status: "running", failuresCount: 0 });
  const [, command = ""] = messageOf(error).match(/wait for it: pgcompute (.+)$/) ?? [];
  expect(await runCommand(bench, command.split(" "))).toMatchObject({ code: 0 });
});
