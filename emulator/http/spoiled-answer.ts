import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { CallEffect } from "../faults/fault";
import type { Runtime } from "./runtime";

const ENUM_FIELDS = ["status", "action", "current_state", "pending_state"];
const HUGE_BYTES = 100 * 1024 * 1024;

/** The page that a proxy in front of the platform answers with. */
export function htmlPage(status: number): string {
  return `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>`;
}

/** Puts what the effect asks for in the place of an answer's body, with its status and headers. */
export function spoilAnswer(
  reply: FastifyReply,
  effect: CallEffect,
  payload: unknown,
  headers: Readonly<Record<string, string>>,
  errorBody: object,
  runtime: Runtime,
): unknown {
  const text = typeof payload === "string" ? payload : "";
  switch (effect.kind) {
    case "status":
      reply.code(effect.status).headers(headers);
      if (effect.html) return html(reply, effect.status);
      return json(reply, JSON.stringify(errorBody));
    case "html":
      reply.code(effect.status ?? 200);
      return html(reply, effect.status ?? 200);
    case "json":
      return json(reply, JSON.stringify(effect.body === undefined ? { unexpected: true } : effect.body));
    case "unknown-enum":
      // An earlier rule may have put a page in the answer's place.
      return isJson(reply) && text ? renameEnums(text, new Set(effect.fields ?? ENUM_FIELDS)) : payload;
    case "huge-body":
      return json(reply, Readable.from(hugeBody(effect.bytes ?? HUGE_BYTES), { objectMode: false }));
    case "stall-body":
      return half(reply, text, runtime);
    case "truncate-body":
      return half(reply, text);
    default:
      return payload;
  }
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader("content-type") ?? "").startsWith("application/json");
}

function html(reply: FastifyReply, status: number): string {
  reply.type("text/html");
  return htmlPage(status);
}

function json<T>(reply: FastifyReply, body: T): T {
  reply.type("application/json; charset=utf-8");
  reply.removeHeader("content-length");
  return body;
}

// The length of the whole body is announced, so that the client can tell that something is missing. With a runtime the
// rest stays away until that stops its calls, else the connection is cut at once.
function half(reply: FastifyReply, text: string, runtime?: Runtime): Readable {
  const stop = runtime?.stopSignal;
  const body = Buffer.from(text || " ".repeat(64));
  reply.header("content-length", body.length);
  let sent = false;
  let stalled = false;
  const cut = () => stream.destroy(new Error("cut on purpose"));
  const stream = new Readable({
    read() {
      if (!sent) {
        sent = true;
        this.push(body.subarray(0, Math.floor(body.length / 2)));
      } else if (!runtime) {
        // A turn later: the half has to be on the wire before the connection is cut.
        setImmediate(cut);
      } else if (!stalled) {
        stalled = true;
        runtime.stalledCalls += 1;
      }
    },
    destroy(error, done) {
      stop?.removeEventListener("abort", cut);
      if (runtime && stalled) runtime.stalledCalls -= 1;
      done(error);
    },
  });
  stop?.addEventListener("abort", cut, { once: true });
  return stream;
}

function renameEnums(text: string, fields: ReadonlySet<string>): string {
  const parsed: unknown = JSON.parse(text);
  return JSON.stringify(parsed, (key, value: unknown) =>
    fields.has(key) && typeof value === "string" ? `${value}_v9` : value,
  );
}

function* hugeBody(bytes: number): Generator<Buffer> {
  const head = Buffer.from('{"padding":"');
  const tail = Buffer.from('"}');
  const block = Buffer.alloc(64 * 1024, "a");
  yield head;
  for (let left = bytes - head.length - tail.length; left > 0; left -= block.length) {
    yield left < block.length ? block.subarray(0, left) : block;
  }
  yield tail;
}
