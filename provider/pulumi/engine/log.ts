import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

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

/** Connects to the engine's log at its address, as `host:port`; without one, lines go nowhere. */
export function connectEngineLog(address: string | undefined): EngineLog {
  if (!address) return { log: () => {}, flush: async () => {}, close: () => {} };
  const client = new EngineClient(address, credentials.createInsecure());
  const sending = new Set<Promise<void>>();
  return {
    log(level, message, urn) {
      const request = new LogRequest();
      request.setSeverity(severities[level]);
      request.setMessage(message);
      request.setUrn(urn ?? "");
      request.setStreamid(0);
      request.setEphemeral(level === "status");
      const sent = new Promise<void>((resolve) => client.log(request, () => resolve())).finally(() =>
        sending.delete(sent),
      );
      sending.add(sent);
    },
    flush: async () => {
      await Promise.all(sending);
    },
    close: () => client.close(),
  };
}
