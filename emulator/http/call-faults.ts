import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CallEffect } from "../faults/fault";
import { ApiError } from "../lib/errors";
import { retryAfterValue } from "../lib/rate-limit";
import { dropEndpoint } from "../lifecycle/delete-endpoint";
import type { Call } from "./call";
import type { Runtime } from "./runtime";
import { htmlPage, spoilAnswer } from "./spoiled-answer";

/**
 * Strikes a call before its work, and leaves the effects that need an answer for later. Returns true when the call ends
 * here: it was answered, or its connection was cut.
 */
export async function strikeBefore(
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
): Promise<boolean> {
  const { method, route, path } = call.entry;
  const effects = runtime.faults.strikeCall({ method, route, path });
  call.entry.faults.push(...effects.map((effect) => effect.kind));
  for (const effect of effects) {
    if (strikesAfter(effect)) call.after.push(effect);
    else if (await strike(runtime, request, reply, call, effect)) return true;
  }
  return false;
}

/** Strikes an answer on its way out. Returns the body to send instead. */
export async function strikeAfter(
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  payload: unknown,
): Promise<unknown> {
  let body = payload;
  for (const effect of call.after) {
    if (effect.kind === "delay") await hold(runtime, request, call, effect.ms);
    else if (effect.kind === "reset") cut(request, call);
    else if (effect.kind === "stall-headers") await stall(runtime, request, call);
    else {
      const headers = statusHeaders(runtime, effect);
      body = spoilAnswer(reply, effect, body, headers, errorBody(request, effect), runtime);
    }
    if (call.cut) break;
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

async function strike(
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  effect: CallEffect,
): Promise<boolean> {
  switch (effect.kind) {
    case "delay":
      await hold(runtime, request, call, effect.ms);
      break;
    case "stale-list":
      call.listAt = effect.at ?? runtime.clock.now() - (effect.ageMs ?? 60_000);
      break;
    case "drop-endpoint":
      dropNamed(runtime, request, effect.endpointId);
      break;
    case "reset":
      cut(request, call);
      break;
    case "stall-headers":
      await stall(runtime, request, call);
      break;
    case "html":
      reply
        .code(effect.status ?? 200)
        .type("text/html")
        .send(htmlPage(effect.status ?? 200));
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
      reply.code(effect.status).headers(headers).type("text/html").send(htmlPage(effect.status));
      return true;
    }
  }
  if (call.cut) reply.hijack();
  return call.cut;
}

async function hold(runtime: Runtime, request: FastifyRequest, call: Call, ms: number): Promise<void> {
  const stop = runtime.stopSignal;
  await runtime.clock.sleep(ms, stop);
  if (stop.aborted) cut(request, call);
  // Time has passed: what fell due meanwhile happens before the work.
  else runtime.platform.runDue();
}

function cut(request: FastifyRequest, call: Call): void {
  call.cut = true;
  request.raw.socket.destroy();
}

async function stall(runtime: Runtime, request: FastifyRequest, call: Call): Promise<void> {
  runtime.stalledCalls += 1;
  await untilClosed(request.raw.socket, runtime.stopSignal);
  runtime.stalledCalls -= 1;
  cut(request, call);
}

/** Resolves when the other side has gone, or at once when the signal is aborted. */
function untilClosed(socket: Socket, stop: AbortSignal): Promise<void> {
  if (socket.destroyed || stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      socket.off("close", end);
      stop.removeEventListener("abort", end);
      resolve();
    };
    socket.once("close", end);
    stop.addEventListener("abort", end, { once: true });
  });
}

function dropNamed(runtime: Runtime, request: FastifyRequest, named: string | undefined): void {
  const params = request.params as { endpoint_id?: string };
  const id = named ?? params.endpoint_id;
  for (const project of runtime.platform.projects.values()) {
    const endpoint = id === undefined ? undefined : project.endpoints.get(id);
    if (endpoint) dropEndpoint(runtime.platform, project, endpoint);
  }
}

function statusMessage(request: FastifyRequest, effect: Extract<CallEffect, { kind: "status" }>): string {
  const message = effect.message ?? `injected: ${effect.status}`;
  return effect.echo ? `${message} (authorization: ${request.headers.authorization ?? "none"})` : message;
}

function errorBody(request: FastifyRequest, effect: CallEffect): object {
  if (effect.kind !== "status") return {};
  return { code: effect.code ?? "", message: statusMessage(request, effect), request_id: request.id };
}

function statusHeaders(runtime: Runtime, effect: CallEffect): Record<string, string> {
  if (effect.kind !== "status" || !effect.retryAfter) return {};
  const { form, seconds } = effect.retryAfter;
  const value = retryAfterValue(form, seconds * 1000, runtime.clock.now());
  return value === undefined ? {} : { "retry-after": value };
}
