import { credentials, Metadata } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Reporter } from "../../endpoint/context";

/** How a line is shown: once, as something to look at, or as a status that a later line replaces. */
export type LogLevel = "info" | "warning" | "error" | "status";

/** Puts lines on a resource's own row of the engine's display, and into its diagnostics. */
export interface EngineLog {
  /** Never throws and never waits: a lost line must not fail a change. */
  log(level: LogLevel, message: string, urn?: string | undefined): void;
  /** Resolves when the lines so far have arrived, or could not. */
  flush(): Promise<void>;
  close(): void;
}

const severities = {
  info: LogSeverity.INFO,
  status: LogSeverity.INFO,
  warning: LogSeverity.WARNING,
  error: LogSeverity.ERROR,
} as const;

/** How long the engine may take to hear a line, in milliseconds. */
const TIMEOUT_MS = 10_000;

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
          client.log(request, new Metadata(), { deadline: Date.now() + TIMEOUT_MS }, () => resolve()),
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

/** A reporter that puts a resource's lines on its own row; the same line is said once in a run. */
export function engineReporter(log: EngineLog, urn: string | undefined, said: Set<string>): Reporter {
  const once = (level: "info" | "warning", message: string) => {
    const line = `${urn}\n${message}`;
    if (said.has(line)) return;
    said.add(line);
    log.log(level, message, urn);
  };
  return {
    info: (message) => once("info", message),
    warn: (message) => once("warning", message),
    status: (message) => log.log("status", message, urn),
  };
}
