/**
 * Tests answers in the shapes that people have posted or recorded: the errors that they become, and the parsed records.
 */
import { expect, it } from "vitest";
import { toState } from "../../provider/endpoint/mapping";
import { toHttpError } from "../../provider/platform/http/http-errors";
import { decode, endpointAnswer } from "../../provider/platform/wire/answers";
import { wireEndpoint } from "../support/samples";

const call = { method: "POST", path: "/projects/p-1/endpoints", purpose: "create an endpoint in project p-1" } as const;
const python = "neon-api-python, recordings";

/** Each with its tracker and number, or whose recording it is; its answer; and what the error has. */
it.each<[from: string, what: string, status: number, body: object, error: object, headers?: Record<string, string>]>([
  [
    "recordings of the Free plan",
    "a delay where the plan fixes it",
    412,
    { code: "", message: "changing the delay is not allowed on this plan" },
    { kind: "over_limit" },
  ],
  [
    "recordings of a start",
    "more computes at once than the platform runs",
    402,
    { code: "ACTIVE_ENDPOINTS_LIMIT_EXCEEDED", message: "too many active endpoints" },
    { kind: "over_limit" },
  ],
  [
    "recordings of a quota",
    "the month's compute time is used up",
    422,
    { code: "COMPUTE_TIME_QUOTA_EXCEEDED", message: "no compute time left" },
    { kind: "over_limit" },
  ],
  [
    "neon#5162",
    "a quota that comes as a lock is no lock to wait for",
    423,
    { code: "COMPUTE_TIME_QUOTA_EXCEEDED", message: "the project is over its compute time" },
    { kind: "over_limit" },
  ],
  [
    "recordings of a lock",
    "operations that conflict, with their code",
    423,
    { code: "RUNNING_OPERATIONS", message: "running conflicting operations" },
    { kind: "locked" },
  ],
  [
    "electric#2756",
    "another change of the project is under way",
    423,
    { code: "", message: "project has running operations, no new ones go in" },
    { kind: "locked" },
  ],
  [
    python,
    "the id of the request, which the body has and the head lacks",
    404,
    { code: "", message: "no such endpoint", request_id: "4f7d-1" },
    { kind: "not_found", requestId: "4f7d-1" },
  ],
  [
    python,
    "the id of the request in the platform's own header",
    404,
    { message: "no such endpoint" },
    { kind: "not_found", requestId: "4f7d-2" },
    { "x-neon-ret-request-id": "4f7d-2" },
  ],
])("%s: %s", (_from, _what, status, body, expected, headers = {}) => {
  const answer = { status, headers, text: JSON.stringify(body) };
  expect(toHttpError(call, answer, { secret: "key-of-a-test", nowMs: 0 })).toMatchObject(expected);
});

/** Each with fields of a record, and what the state has of them. */
it.each<[from: string, what: string, fields: object, state: object]>([
  [
    "neonctl#379",
    "optional fields that are null count as left out",
    { last_active: null, suspended_at: null, name: null },
    { endpointId: "ep-calm-sea-1" },
  ],
  [
    "neonctl#379",
    "a setting that is a number is read as its text",
    { settings: { pg_settings: { max_parallel_workers: 4 } } },
    { pgSettings: { max_parallel_workers: "4" } },
  ],
  [
    "samples of the API reference",
    "a time of use from before there was a platform stands for none",
    { last_active: "2000-01-01T00:00:00Z" },
    { lastActive: undefined },
  ],
  [
    "neon-pkgs, recordings",
    "fields that nobody described are left alone",
    { provisioner: "k8s-neonvm", creation_source: "console", disabled: false },
    { disabled: false },
  ],
])("%s: %s", (_from, _what, fields, state) => {
  const read = decode(endpointAnswer, { endpoint: { ...wireEndpoint(), ...fields } });
  if (!read.ok) throw new Error("it is to be read");
  expect({ ...toState(read.value), lastActive: read.value.lastActive }).toMatchObject(state);
});
