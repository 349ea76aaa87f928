import type { Reporter } from "../../endpoint/context";
import type { EngineLog } from "./log";

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
