/** The way to the engine: the lines that it shows, and whether it is still there. */

import { fstatSync } from "node:fs";
import { connect } from "node:net";
import { credentials, Metadata } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../endpoint/context";
import { host as policy } from "../platform/policy";

/** The level of a line; a later line replaces a `status`. */
export type LogLevel = "info" | "warning" | "error" | "status";

/** Puts lines on a resource's own row of the engine's display, and into its diagnostics. */
export interface EngineLog {
  /** Never throws and never waits: a lost line must not fail a change. */
  log(level: LogLevel, message: string, urn?: string | undefined): void;
  flush(): Promise<void>;
  close(): void;
}

const severities = {
  info: LogSeverity.INFO,
  status: LogSeverity.INFO,
  warning: LogSeverity.WARNING,
  error: LogSeverity.ERROR,
} as const;

/** Connects to the engine's log at its address, as `host:port`; without one, lines go nowhere. */
export function connectEngineLog(address: string | undefined): EngineLog {
  if (!address) return { log: () => {}, flush: async () => {}, close: () => {} };
  const client = new EngineClient(address, credentials.createInsecure());
  const sending = new Set<Promise<void>>();
  let last = Promise.resolve();
  return {
    log(level, message, urn) {
      const request = new LogRequest();
      request.setSeverity(severities[level]);
      request.setMessage(message);
      request.setUrn(urn ?? "");
      request.setStreamid(0);
      request.setEphemeral(level === "status");
      const send = () =>
        new Promise<void>((resolve) =>
          client.log(request, new Metadata(), { deadline: Date.now() + policy.heardMs }, () => resolve()),
        );
      // What stays is sent one after another, since calls side by side may arrive in any order.
      const sent = (level === "status" ? send() : last.then(send)).finally(() => sending.delete(sent));
      if (level !== "status") last = sent;
      sending.add(sent);
    },
    flush: async () => {
      await Promise.all(sending);
    },
    close: () => client.close(),
  };
}

/** A reporter that puts a resource's lines on its own row, as `redact` leaves them; the same line is said once in a run. */
export function engineReporter(
  log: EngineLog,
  urn: string | undefined,
  { said, redact }: { said: Set<string>; redact(text: string): string },
): Reporter {
  const once = (level: "info" | "warning", message: string) => {
    const text = redact(message);
    const line = `${urn}\n${text}`;
    if (said.has(line)) return;
    said.add(line);
    log.log(level, text, urn);
  };
  return {
    info: (message) => once("info", message),
    warn: (message) => once("warning", message),
    status: (message) => log.log("status", redact(message), urn),
  };
}

/** Ends this process when the engine at `host:port` goes away: work that went on without it would be known to no state. */
export function exitWithEngine(engineAddress: string): void {
  // Under a language host standard input may be nothing at all, which says nothing about the engine.
  if (isPipe())
    process.stdin
      .on("end", () => process.exit(0))
      .on("error", () => process.exit(0))
      .resume();
  const colon = engineAddress.lastIndexOf(":");
  const host = engineAddress.slice(0, colon);
  const port = Number(engineAddress.slice(colon + 1));
  let refusals = 0;
  const timer = setInterval(() => {
    const socket = connect({ host, port });
    socket.on("connect", () => {
      refusals = 0;
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // Anything else, such as too many open files, is trouble of this process and says nothing about the engine.
      refusals = error.code === "ECONNREFUSED" ? refusals + 1 : 0;
      if (refusals === policy.refusals) process.exit(0);
    });
  }, policy.lookMs);
  timer.unref();
}

function isPipe(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
