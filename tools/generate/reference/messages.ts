import { parseId } from "../../../provider/endpoint/identity";
import { connectionMessage } from "../../../provider/platform/http/exchange";
import { toAnswerError, toHttpError, toRateLimitError } from "../../../provider/platform/http/http-errors";
import { createRoutes, idSegment } from "../../../provider/platform/routes";
import { branchesAnswer, decode, endpointAnswer } from "../../../provider/platform/wire/answers";
import { messageFor } from "../../../provider/pulumi/kind-advice";
import { place } from "./refusals";

const { projectId, branchId } = place;
const routes = createRoutes();
const ORIGIN = "https://api.example.com";
const ENDPOINT = "ep-cool-rain-87654321";
const list = routes.listEndpoints(projectId);
const create = routes.createEndpoint(projectId, { branchId });
const read = routes.getEndpoint(projectId, ENDPOINT);
const oddEndpoint = {
  ...{ id: "../x", project_id: projectId, branch_id: branchId, type: "read_write", host: "h" },
  ...{ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1, created_at: "now", updated_at: "now" },
  settings: { pg_settings: { work_mem: {} } },
};
const patch = routes.updateEndpoint(projectId, ENDPOINT, {});

/** Codes of failed connections that have words of their own; the last two have none. */
const codes = {
  unreachable: [
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_ABORTED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "EPROTO",
    undefined,
  ],
  answer_lost: ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"],
} as const;

/** What a call can be about, as its message begins. */
export function purposes(): string[] {
  const calls = [
    routes.getProject(projectId),
    routes.listBranches(projectId),
    routes.getBranch(projectId, branchId),
    list,
    routes.listBranchEndpoints(projectId, branchId),
    read,
    create,
    patch,
    routes.deleteEndpoint(projectId, ENDPOINT),
    routes.suspendEndpoint(projectId, ENDPOINT),
    routes.startEndpoint(projectId, ENDPOINT),
    routes.getOperation(projectId, "0f3b6d1e-5c2a-4b7d-9e8f-1a2b3c4d5e6f"),
    routes.listOperations(projectId, undefined, undefined),
  ];
  return calls.map(({ purpose }) => `could not ${purpose}`);
}

/** Why a call fails, as its message goes on: rows of kind and words, for calls without a usable answer and refused ones. */
export function callRows(): string[][] {
  const faults = [
    ...codes.unreachable.map((code) => toAnswerError("unreachable", list, connectionMessage({ code }, false, ORIGIN))),
    toAnswerError("unreachable", list, `no connection to ${ORIGIN} was made within 10 s`),
    ...codes.answer_lost.map((code) => toAnswerError("answer_lost", patch, connectionMessage({ code }, true, ORIGIN))),
    toAnswerError("answer_lost", create, "the platform did not begin to answer within 30 s"),
    toAnswerError("answer_lost", patch, "the rest of the answer did not arrive within 30 s"),
    toAnswerError("answer_lost", patch, "it did not end within 120 s, in spite of signs of life"),
    toAnswerError("bad_answer", list, "the answer (200) is empty"),
    toAnswerError("bad_answer", list, "the answer (200) is not JSON"),
    toAnswerError(
      "bad_answer",
      list,
      "the answer (200) is a page for browsers, not JSON: something else than the platform's API answered",
    ),
    toAnswerError("bad_answer", list, promised(branchesAnswer, {})),
    toAnswerError("bad_answer", read, promised(endpointAnswer, { endpoint: oddEndpoint })),
    toAnswerError("answer_too_large", list, "the answer is larger than 33554432 bytes"),
    toAnswerError("redirect_refused", list, "the platform answered with a redirect (307)"),
    toRateLimitError(list, 600_000),
    ...[400, 401, 403, 404, 409, 422, 423, 429, 500].map((status) => answered(status)),
  ];
  const whys = new Set(faults.map(({ kind, summary }) => `${kind}\n${summary.slice(summary.indexOf(": ") + 2)}`));
  const keys = (["configuration", "environment"] as const).map((source) => {
    const message = messageFor(answered(401, source));
    return ["`unauthorized`", message.slice(message.indexOf(": ") + 2)];
  });
  return [...[...whys].map((one) => one.split("\n")).map(([kind, why = ""]) => [`\`${kind}\``, why]), ...keys];
}

/** What is said of ids and pages that no call is made with. */
export function argumentMessages(): string[] {
  const errors = [
    ...["../x", "", 7].flatMap((id) => [
      caught(() => idSegment("endpoint", id as string)),
      caught(() => idSegment("operation", id as string)),
    ]),
    caught(() => routes.listOperations(projectId, 5_000, undefined)),
    caught(() => parseId(ENDPOINT)),
  ];
  return errors.map(({ message }) => message);
}

function answered(status: number, keySource?: "configuration" | "environment") {
  const text = JSON.stringify({ code: "", message: "the platform's own words", request_id: "a1b2" });
  return toHttpError(patch, { status, headers: {}, text }, { secret: "a-key", keySource, nowMs: 0 });
}

function promised(schema: Parameters<typeof decode>[0], json: unknown): string {
  const result = decode(schema, json);
  if (result.ok) throw new Error("this answer is a good one");
  return `the answer is not what the specification promises (${result.reason})`;
}

/** The error that a call throws. */
export function caught(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it was to throw an error");
}
