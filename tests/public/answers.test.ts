/** Answers as people have posted or recorded them, made anew in their shape: what an error of the platform comes to, and what a record is read as. */
import { describe, expect, it } from "vitest";
import { toState } from "../../provider/endpoint/mapping";
import { toHttpError } from "../../provider/platform/http/http-errors";
import type { Answer } from "../../provider/platform/http/request";
import { decode, endpointAnswer } from "../../provider/platform/wire/answers";
import { wireEndpoint } from "../support/samples";

const call = { method: "POST", path: "/projects/p-1/endpoints", purpose: "create an endpoint in project p-1" } as const;

function answered(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return { status, headers, text: JSON.stringify(body) };
}

interface Failed {
  /** Tracker and number, or whose recording. */
  from: string;
  what: string;
  answer: Answer;
  kind: string;
  requestId?: string;
}

const failures: Failed[] = [
  {
    from: "recordings of the Free plan",
    what: "a delay where the plan fixes it",
    answer: answered(412, { code: "", message: "changing the delay is not allowed on this plan" }),
    kind: "over_limit",
  },
  {
    from: "recordings of a start",
    what: "more computes at once than the platform runs",
    answer: answered(402, { code: "ACTIVE_ENDPOINTS_LIMIT_EXCEEDED", message: "too many active endpoints" }),
    kind: "over_limit",
  },
  {
    from: "recordings of a quota",
    what: "the month's compute time is used up",
    answer: answered(422, { code: "COMPUTE_TIME_QUOTA_EXCEEDED", message: "no compute time left" }),
    kind: "over_limit",
  },
  {
    from: "neon#5162",
    what: "a quota that comes as a lock is no lock to wait for",
    answer: answered(423, { code: "COMPUTE_TIME_QUOTA_EXCEEDED", message: "the project is over its compute time" }),
    kind: "over_limit",
  },
  {
    from: "electric#2756",
    what: "another change of the project is under way",
    answer: answered(423, { code: "", message: "project has running operations, no new ones go in" }),
    kind: "locked",
  },
  {
    from: "neon-api-python, recordings",
    what: "the id of the request, which the body has and the head lacks",
    answer: answered(404, { code: "", message: "no such endpoint", request_id: "4f7d-1" }),
    kind: "not_found",
    requestId: "4f7d-1",
  },
  {
    from: "neon-api-python, recordings",
    what: "the id of the request in the platform's own header",
    answer: answered(404, { message: "no such endpoint" }, { "x-neon-ret-request-id": "4f7d-2" }),
    kind: "not_found",
    requestId: "4f7d-2",
  },
];

describe("an error that the platform has answered", () => {
  it.each(failures)("$from: $what", ({ answer, kind, requestId }) => {
    const error = toHttpError(call, answer, { secret: "key-of-a-test", nowMs: 0 });
    expect(error.kind).toBe(kind);
    if (requestId !== undefined) expect(error.requestId).toBe(requestId);
  });
});

interface Recorded {
  from: string;
  what: string;
  fields: object;
  state: object;
}

const records: Recorded[] = [
  {
    from: "neonctl#379",
    what: "optional fields that are null count as left out",
    fields: { last_active: null, suspended_at: null, name: null },
    state: { endpointId: "ep-calm-sea-1" },
  },
  {
    from: "neonctl#379",
    what: "a setting that is a number is read as its text",
    fields: { settings: { pg_settings: { max_parallel_workers: 4 } } },
    state: { pgSettings: { max_parallel_workers: "4" } },
  },
  {
    from: "samples of the API reference",
    what: "a time of use from before there was a platform stands for none",
    fields: { last_active: "2000-01-01T00:00:00Z" },
    state: { lastActive: undefined },
  },
  {
    from: "neon-pkgs, recordings",
    what: "fields that nobody described are left alone",
    fields: { provisioner: "k8s-neonvm", creation_source: "console", disabled: false },
    state: { disabled: false },
  },
];

describe("a record that was recorded", () => {
  it.each(records)("$from: $what", ({ fields, state }) => {
    const read = decode(endpointAnswer, { endpoint: { ...wireEndpoint(), ...fields } });
    if (!read.ok) throw new Error("it is to be read");
    const shown = { ...toState(read.value), lastActive: read.value.lastActive };
    for (const [name, value] of Object.entries(state)) expect(shown).toHaveProperty([name], value);
  });
});
