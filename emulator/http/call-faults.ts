import { once } from "node:events";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallEffect } from "../faults/fault";
import { ApiError } from "../lib/errors";
import { retryAfterValue } from "../lib/rate-limit";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import type { Call } from "./call";
import { errorBody } from "./request-id";
import type { Runtime } from "./runtime";

/** A call with faults. */
interface Struck {
  runtime: Runtime;
  request: FastifyRequest;
  reply: FastifyReply;
  call: Call;
}

type StatusEffect = Extract<CallEffect, { kind: "status" }>;

const ENUM_FIELDS = ["status", "action", "current_state", "pending_state"];
const HUGE_BYTES = 100 * 1024 * 1024;

/** Applies a call's faults before its work. Returns true if the call ended: answered or cut. */
export async function strikeBefore(struck: Struck): Promise<boolean> {
  const { runtime, call } = struck;
  const { method, route, path } = call.entry;
  const effects = runtime.faults.strikeCall({ method, route, path });
  call.entry.faults.push(...effects.map((effect) => effect.kind));

  for (const effect of effects) {
    if (strikesAfter(effect)) call.after.push(effect);
    else if (await strike(struck, effect)) return true;
  }
  return false;
}

/** Applies faults to an answer. Returns the body to send. */
export async function strikeAfter(struck: Struck, payload: unknown): Promise<unknown> {
  let body = payload;
  for (const effect of struck.call.after) {
    if (effect.kind === "delay") await hold(struck, effect.ms);
    else if (effect.kind === "reset") cut(struck);
    else if (effect.kind === "stall-headers") await stall(struck);
    else body = replaceAnswer(struck, effect, body);
    if (struck.call.cut) break;
  }
  return body;
}

function strikesAfter(effect: CallEffect): boolean {
  switch (effect.kind) {
    case "stall-body":
    case "truncate-body":
    case "json":
    case "unknown-enum":
    case "huge-body":
      return true;
    case "html":
      return effect.when !== "before";
    case "reset":
    case "stall-headers":
    case "status":
    case "delay":
      return effect.when === "after";
    default:
      return false;
  }
}

async function strike(struck: Struck, effect: CallEffect): Promise<boolean> {
  const { runtime, request, reply, call } = struck;
  switch (effect.kind) {
    case "delay":
      await hold(struck, effect.ms);
      break;
    case "stale-list":
      call.listAt = effect.at ?? runtime.clock.now() - (effect.ageMs ?? 60_000);
      break;
    case "drop-endpoint":
      dropNamed(struck, effect.endpointId);
      break;
    case "reset":
      cut(struck);
      break;
    case "stall-headers":
      await stall(struck);
      break;
    case "html":
      reply.send(replaceAnswer(struck, effect, ""));
      return true;
    case "redirect":
      reply
        .code(effect.status ?? 307)
        .header("location", effect.location)
        .send();
      return true;
    case "status": {
      const headers = statusHeaders(runtime, effect);
      if (!effect.html) throw new ApiError(effect.status, effect.code ?? "", statusMessage(request, effect), headers);
      reply.send(replaceAnswer(struck, effect, ""));
      return true;
    }
  }

  if (call.cut) reply.hijack();
  return call.cut;
}

async function hold(struck: Struck, ms: number): Promise<void> {
  const { clock, platform, stopSignal: stop } = struck.runtime;
  await clock.sleep(ms, stop);
  if (stop.aborted) cut(struck);
  // Events that fell due during the delay run before the work.
  else platform.runDue();
}

function cut({ request, call }: Struck): void {
  call.cut = true;
  request.raw.socket.destroy();
}

async function stall(struck: Struck): Promise<void> {
  const { runtime, request } = struck;
  runtime.stalledCalls += 1;
  const { socket } = request.raw;
  // Until the client has gone, or the emulator stops held calls.
  if (!socket.destroyed) await once(socket, "close", { signal: runtime.stopSignal }).catch(() => undefined);
  runtime.stalledCalls -= 1;
  cut(struck);
}

function dropNamed({ runtime, request }: Struck, named: string | undefined): void {
  const params = request.params as { endpoint_id?: string };
  const id = named ?? params.endpoint_id;
  for (const project of runtime.platform.projects.values()) {
    const endpoint = id === undefined ? undefined : project.endpoints.get(id);
    if (endpoint) dropEndpoint(runtime.platform, project, endpoint);
  }
}

function statusMessage(request: FastifyRequest, effect: StatusEffect): string {
  const message = effect.message ?? `injected: ${effect.status}`;
  return effect.echo ? `${message} (authorization: ${request.headers.authorization ?? "none"})` : message;
}

function statusHeaders(runtime: Runtime, effect: StatusEffect): Record<string, string> {
  if (!effect.retryAfter) return {};
  const { form, seconds } = effect.retryAfter;
  const value = retryAfterValue(form, seconds * 1000, runtime.clock.now());
  return value === undefined ? {} : { "retry-after": value };
}

/** Replaces an answer's body, status and headers by the effect's. */
function replaceAnswer({ runtime, request, reply }: Struck, effect: CallEffect, payload: unknown): unknown {
  const text = typeof payload === "string" ? payload : "";
  switch (effect.kind) {
    case "status": {
      reply.code(effect.status).headers(statusHeaders(runtime, effect));
      if (effect.html) return html(reply, effect.status);
      const message = statusMessage(request, effect);
      return json(reply, JSON.stringify(errorBody(runtime, request, { code: effect.code ?? "", message })));
    }
    case "html":
      reply.code(effect.status ?? 200);
      return html(reply, effect.status ?? 200);
    case "json":
      return json(reply, JSON.stringify(effect.body === undefined ? { unexpected: true } : effect.body));
    case "unknown-enum":
      // An earlier rule may have replaced the JSON by a page.
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

/** The error page of a proxy in front of the platform. */
function html(reply: FastifyReply, status: number): string {
  reply.type("text/html");
  return `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>`;
}

function json<T>(reply: FastifyReply, body: T): T {
  reply.type("application/json; charset=utf-8");
  reply.removeHeader("content-length");
  return body;
}

// Announces the full length, so that the client notices the missing half. With a runtime the rest is held until the
// runtime stops held calls; else the connection is cut.
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
        // One turn later, when the half is on the wire.
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
