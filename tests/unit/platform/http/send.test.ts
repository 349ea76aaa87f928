import { describe, expect, it } from "vitest";
import { CancelledError, HttpError, isKind, PgComputeError } from "../../../../provider/platform/errors";
import { toAnswerError, toHttpError } from "../../../../provider/platform/http/http-errors";
import type { Answer, ApiRequest } from "../../../../provider/platform/http/request";
import { RequestQueue } from "../../../../provider/platform/http/request-queue";
import { createSender, type RequestEvent } from "../../../../provider/platform/http/send";
import { repeatDelay } from "../../../../provider/platform/policy";
import { createVirtualClock } from "../../../support/virtual-clock";

const get: ApiRequest = { method: "GET", path: "/x", purpose: "read x" };
const post: ApiRequest = { method: "POST", path: "/x", purpose: "change x" };
const idle = new AbortController().signal;

/** What the transport does in one attempt. */
type Step = Answer | "unreachable" | "answer_lost";

describe("a call", () => {
  it.each<[string, ApiRequest, Step[], number | undefined, string | undefined]>([
    ["a GET after a page for browsers", get, [html(), html(), ok()], 3, undefined],
    ["a GET that gets only those", get, [html(), html(), html()], 3, "bad_answer"],
    ["a POST after 503", post, [status(503), ok()], 2, undefined],
    ["a POST after 429", post, [status(429), status(429), ok()], 3, undefined],
    ["a create after a 503, which is looked at first", { ...post, makesNew: true }, [status(503)], 1, "server"],
    ["a POST after 503, then a lost answer", post, [status(503), "answer_lost"], 2, "answer_lost"],
    ["a GET that fails for ever", get, Array.from({ length: 9 }, () => status(500)), 5, "server"],
    ["a POST that never gets through", post, Array.from({ length: 9 }, (): Step => "unreachable"), 5, "unreachable"],
    ["a GET with a byte order mark", get, [text('\uFEFF{"a":1}', 200)], 1, undefined],
  ])("%s", async (_, call, steps, attempts, kind) => {
    const { clock, send, events } = setUp(steps);
    const error = await clock.run(send(call, { signal: idle }).then(() => undefined, caught));
    expect(events).toHaveLength(attempts ?? 0);
    expect(kind === undefined ? error : isKind(error, kind as "server")).toBe(kind === undefined ? undefined : true);
    expect(clock.sleeping()).toBe(0);
  });

  it("goes on through a rate limit for ten minutes, then says so", async () => {
    const { clock, send } = setUp(Array.from({ length: 500 }, () => status(429)));
    const startMs = clock.now();
    const error = await clock.run(send(get, { signal: idle }).catch(caught));
    expect(error).toMatchObject({ kind: "rate_limited", status: 429 });
    expect(clock.now() - startMs).toBeGreaterThan(400_000);
    expect(clock.now() - startMs).toBeLessThanOrEqual(600_000);
  });

  it("repeats what had to wait long for its turn as it does what had not", async () => {
    const { clock, send, events } = setUp([status(429, { "retry-after": "150" }), ok(), status(503), ok()]);
    const first = send(get, { signal: idle });
    await clock.run(new Promise<void>((resolve) => setImmediate(resolve)));
    await clock.run(Promise.all([first, send(post, { signal: idle })]));
    expect(events.map(({ status }) => status)).toEqual([429, 200, 503, 200]);
  });

  it("does not send what waited for its turn while the key was refused, and asks anew afterwards", async () => {
    const { clock, send, events } = setUp([...Array.from({ length: 40 }, () => status(401)), ok()]);
    const all = Array.from({ length: 100 }, () => send(post, { signal: idle }).catch(caught));
    const errors = await clock.run(Promise.all(all));
    expect(errors.map((error) => (error as HttpError).kind)).toEqual(Array.from({ length: 100 }, () => "unauthorized"));
    expect(new Set(errors).size).toBe(100);
    expect(events.length).toBeLessThanOrEqual(40);
    const sent = events.length;
    await clock.run(send(post, { signal: idle }).catch(caught));
    expect(events).toHaveLength(sent + 1);
  });

  it.each<[string, Step]>([
    ["a pause between attempts", status(500)],
    ["the pause of a rate limit", status(429)],
  ])("is interrupted at once in %s", async (_, step) => {
    const { clock, send } = setUp([step]);
    const controller = new AbortController();
    const work = send(get, { signal: controller.signal }).catch(caught);
    while (clock.sleeping() === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const error = await work;
    expect(error).toBeInstanceOf(CancelledError);
    expect(String(error)).toContain("could not read x: interrupted");
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.sleeping()).toBe(0);
  });

  it.each<[string, ApiRequest, Step]>([
    ["a pause that the platform asks for", get, status(503, { "retry-after": "20" })],
    ["a rate limit", post, status(429, { "retry-after": "20" })],
  ])("ends at once where %s would last beyond the deadline", async (_, request, step) => {
    const { clock, send } = setUp([step, ok()]);
    const startMs = clock.now();
    const bounds = { signal: idle, deadlineMs: startMs + 4_000 };
    expect(await clock.run(send(request, bounds).catch(caught))).toBeInstanceOf(HttpError);
    expect(clock.now()).toBe(startMs);
  });

  it("learns the platform's time from a refusal too", async () => {
    const { clock, send, platformTime } = setUp([status(404, { date: "Thu, 01 Jan 2032 00:00:00 GMT" })]);
    await clock.run(send(get, { signal: idle }).catch(caught));
    expect(platformTime()).toBe(Date.UTC(2032, 0, 1));
  });

  it("says that it waits, and for what", async () => {
    const { clock, send } = setUp([status(503, { "retry-after": "20" }), ok()]);
    const said: string[] = [];
    await clock.run(send(get, { signal: idle, onWait: (message) => said.push(message) }));
    expect(said).toEqual([expect.stringMatching(/^waiting 20 s: could not read x: the platform answered 503/)]);
  });
});

function setUp(steps: Step[]) {
  const clock = createVirtualClock();
  const random = () => 0.5;
  const events: RequestEvent[] = [];
  const left = [...steps];
  const transport = {
    send: async (call: ApiRequest) => {
      const step = left.shift();
      if (step === undefined) throw new Error("one attempt too many");
      if (typeof step === "string") throw toAnswerError(step, call, "it did not work");
      return step;
    },
    close: async () => {},
  };
  const queue = new RequestQueue({ clock, random });
  const onRequest = (event: RequestEvent) => events.push(event);
  const { send, platformTime } = createSender({ transport, queue, clock, random, secret: "a-key", onRequest });
  return { clock, send, events, platformTime };
}

function ok(): Answer {
  return text("{}", 200);
}

function html(): Answer {
  return text("<html>sign in</html>", 200);
}

function status(code: number, headers: Record<string, string> = {}): Answer {
  return { status: code, headers, text: '{"code":"","message":"words"}' };
}

function text(body: string, code: number): Answer {
  return { status: code, headers: {}, text: body };
}

function caught(error: unknown): unknown {
  return error;
}

const first = { attempts: 1, elapsedMs: 0 };

describe("repeatDelay", () => {
  const noAnswer = (kind: Parameters<typeof toAnswerError>[0]) => toAnswerError(kind, get, "x");

  it.each([
    ["whatever the get, what was certainly not done", [refusal(503), noAnswer("unreachable")], true, true],
    ["of what reads, an outage", [500, 502, 504, 408, 423].map((code) => refusal(code)), true, false],
    ["of what reads, a lost answer", [noAnswer("answer_lost"), noAnswer("bad_answer")], true, false],
    ["no refusal", [400, 401, 404, 409, 422].map((code) => refusal(code)), false, false],
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
    const delay = (random: number) => repeatDelay(refusal(500), get, { attempts, elapsedMs: 0 }, () => random);
    expect(delay(1)).toBe(longest);
    if (longest !== undefined) expect(delay(0)).toBe(0);
  });

  it("waits as long as the platform asks", () => {
    expect(repeatDelay(refusal(503, "7"), get, first, () => 0)).toBe(7_000);
  });

  it("gives up where the pause would end after the bound", () => {
    expect(repeatDelay(refusal(503, "121"), get, first, () => 0)).toBeUndefined();
    const late = { attempts: 2, elapsedMs: 119_999 };
    expect(repeatDelay(refusal(500), get, late, () => 1)).toBeUndefined();
  });
});

function refusal(code: number, retryAfter?: string) {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return toHttpError(get, { status: code, headers, text: "" }, { secret: "a-key", nowMs: 0 });
}
