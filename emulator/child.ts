/** An emulator in a child process, so that a caller that is root stays root. A thread relays the synchronous calls. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { EmulatorAdmin } from "./admin/emulator-admin";
import { ApiError } from "./lib/errors";
import type { Emulator, EmulatorOptions, startEmulator } from "./start";

/** The properties of an emulator that are plain data. */
type Facts = Omit<Emulator, "admin" | "reset" | "close" | "unref" | typeof Symbol.asyncDispose>;

/** A request to the child: start, or call a method of `admin`. */
type Request = { start: EmulatorOptions } | { method: string; args: unknown[] };

type Reply = { value: unknown } | { error: { name: string; message: string; status?: number; code?: string } };

/** Environment variable that makes the command serve its parent instead of a terminal. */
const SERVES_PARENT = "PGCOMPUTE_EMULATOR_CHILD";

const ENDS = "the emulator's process has ended";

// Relays one request at a time, in order. The number wakes a caller that blocks.
const RELAY = `
const { workerData: { command, args, env, port, woken } } = require("node:worker_threads");
const { spawn } = require("node:child_process");
const child = spawn(command, args, { env, serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
let waits = 0;
const answer = (reply) => {
  if (waits === 0) return;
  waits--;
  port.postMessage(reply);
  Atomics.add(woken, 0, 1);
  Atomics.notify(woken, 0);
};
const refuse = () => {
  while (waits > 0) answer({ error: { name: "Error", message: "${ENDS}" } });
};
child.on("message", answer);
child.on("error", refuse);
child.on("exit", refuse);
port.on("message", (request) => {
  waits++;
  if (child.connected) child.send(request, (error) => error && refuse());
  else refuse();
});
`;

/** Starts an emulator in a child process of the account in `user`. Rejects like `createEmulator`. */
export async function startChild(options: EmulatorOptions): Promise<Emulator> {
  const { port1: port, port2 } = new MessageChannel();
  const woken = new Int32Array(new SharedArrayBuffer(4));
  const source = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(source ? "./cli.ts" : "./cli.cjs", import.meta.url));
  const loader = source ? ["--import", createRequire(import.meta.url).resolve("tsx")] : [];

  const relay = new Worker(RELAY, {
    eval: true,
    // The caller's own arguments may declare the text a module.
    execArgv: [],
    workerData: {
      command: process.execPath,
      args: [...loader, entry],
      env: { ...process.env, [SERVES_PARENT]: "1" },
      port: port2,
      woken,
    },
    transferList: [port2],
  });

  try {
    const facts = (await later(port, { start: options })) as Facts;
    let closed = false;
    const call = (method: string, ...args: unknown[]) => {
      if (closed) throw new Error(ENDS);
      return now(port, woken, { method, args });
    };

    const close = async () => {
      if (closed) return;
      closed = true;
      await later(port, { method: "close", args: [] }).catch(() => undefined);
      await relay.terminate();
    };

    const emulator: Emulator = {
      ...facts,
      admin: adminOf(call),
      reset: () => void call("reset"),
      close,
      [Symbol.asyncDispose]: close,
      unref: () => {
        relay.unref();
        return emulator;
      },
    };
    return emulator;
  } catch (error) {
    await relay.terminate();
    throw error;
  }
}

/** True if this process is a child of `startChild`. */
export function servesParent(): boolean {
  return process.send !== undefined && process.env[SERVES_PARENT] === "1";
}

/** Serves the parent process: starts an emulator with `start` on request, and exits with the parent. */
export function serveParent(start: (options: EmulatorOptions) => ReturnType<typeof startEmulator>): void {
  let emulator: Emulator | undefined;
  const end = async () => {
    await emulator?.close();
    process.exit();
  };

  // A terminal's signals also reach the parent, which ends this process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  process.on("disconnect", () => void end());
  process.on("message", async (request: Request) => {
    const reply = await answer(request).catch(toReply);
    process.send?.(reply, () => "method" in request && request.method === "close" && process.exit());
  });

  const answer = async (request: Request): Promise<Reply> => {
    if ("start" in request) {
      emulator = await start(request.start);
      const { admin: _, reset: __, close: ___, unref: ____, [Symbol.asyncDispose]: _____, ...facts } = emulator;
      return { value: facts };
    }

    if (!emulator) throw new Error(ENDS);
    if (request.method === "close") return { value: await emulator.close() };
    const methods = emulator.admin as unknown as Record<string, (...args: unknown[]) => unknown>;
    return { value: await methods[request.method]?.(...request.args) };
  };
}

/** An emulator's `admin`, with each method a call to another process. */
function adminOf(call: (method: string, ...args: unknown[]) => unknown): EmulatorAdmin {
  const later = new Set(["refuseConnections", "acceptConnections"]);
  return new Proxy({} as EmulatorAdmin, {
    get: (_, name) => {
      // A promise would have `then`.
      if (typeof name !== "string" || name === "then") return undefined;
      return later.has(name)
        ? async (...args: unknown[]) => call(name, ...args)
        : (...args: unknown[]) => call(name, ...args);
    },
  });
}

function later(port: MessagePort, request: Request): Promise<unknown> {
  return new Promise((resolve, reject) => {
    port.once("message", (reply: Reply) => settle(reply, resolve, reject));
    port.postMessage(request);
  });
}

function now(port: MessagePort, woken: Int32Array, request: Request): unknown {
  port.postMessage(request);
  let value: unknown;
  const take = (given: unknown) => {
    value = given;
  };
  const fail = (error: Error) => {
    throw error;
  };

  for (;;) {
    const before = Atomics.load(woken, 0);
    const reply: { message: Reply } | undefined = receiveMessageOnPort(port);
    if (reply) {
      settle(reply.message, take, fail);
      return value;
    }
    Atomics.wait(woken, 0, before);
  }
}

function toReply(error: unknown): Reply {
  if (!(error instanceof Error)) return { error: { name: "Error", message: String(error) } };
  // With the error's other fields, such as the taken port.
  return { error: { ...error, name: error.name, message: error.message } };
}

function settle(reply: Reply, resolve: (value: unknown) => void, reject: (error: Error) => void): void {
  if (!("error" in reply)) {
    resolve(reply.value);
    return;
  }
  const { name, message, status, ...others } = reply.error;
  if (status !== undefined) reject(new ApiError(status, others.code ?? "", message));
  else reject(Object.assign(new (name === "RangeError" ? RangeError : Error)(message), others));
}
