/** The connection to the engine: its log, and whether it is alive. */

import { fstatSync } from "node:fs";
import { connect } from "node:net";
import { credentials, Metadata } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../endpoint/context";
import { host as policy } from "../platform/policy";

/** The level of a log line; the next `status` replaces the last. */
export type LogLevel = "info" | "warning" | "error" | "status";

/** Logs lines to a resource's row in the engine's display and to its diagnostics. */
export interface EngineLog {
  /** Logs a line without waiting or throwing: a lost line must not fail a change. */
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

/** Connects to the engine's log at `host:port`; without an address, drops all lines. */
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

      // Lasting lines go one after another, since parallel calls may arrive in any order.
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

/** A reporter that logs redacted lines on a resource's row, each line once in a run. */
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

/** Ends this process when the engine at `host:port` is gone: no state would record further changes. */
export function exitWithEngine(engineAddress: string): void {
  // Under a language host standard input may be closed from the start.
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
      // Other errors, such as too many open files, are this process's own.
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
