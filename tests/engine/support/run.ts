import type { EngineEvent, OpType, PropertyDiff } from "@pulumi/pulumi/automation";

/** What an engine process left behind when it ended. */
export interface Ended {
  /** The exit code, or -1 when a signal ended it. */
  code: number;
  stdout: string;
  stderr: string;
  /** Both streams, as they came. */
  text: string;
  durationMs: number;
}

/** One thing that the engine did, or in a preview would do, to a resource of the program. */
export interface Step {
  op: OpType;
  urn: string;
  /** The resource's own name: the last part of its URN. */
  name: string;
  type: string;
  /** False when it was tried and failed. */
  ok: boolean;
  /** The properties that ask for a replacement. */
  replaceKeys: string[];
  /** Property path to kind of change; only from a provider with a detailed diff. */
  detailedDiff: Record<string, PropertyDiff>;
}

/** A message that the engine shows to people. */
export interface Diagnostic {
  severity: "info" | "info#err" | "warning" | "error";
  message: string;
  /** The name of the resource it is about; undefined where it is about none. */
  name: string | undefined;
  /** True for a status line that is overwritten by the next. */
  ephemeral: boolean;
}

/** How many resources of the program met each fate; the stack and the providers are not counted. */
export type Changes = Record<"create" | "update" | "replace" | "delete" | "same", number>;

/** A preview, up, refresh or destroy that ended. */
export interface Run extends Ended {
  ok: boolean;
  /** Why it failed, all error messages together; empty when it did not. */
  failure: string;
  changes: Changes;
  /** In the order in which they ended. */
  steps: Step[];
  diagnostics: Diagnostic[];
  events: EngineEvent[];
}

/** Reads the engine's own account of a run. */
export function readRun(ended: Ended, events: EngineEvent[]): Run {
  const steps = events.flatMap(toStep).filter((step) => !step.type.startsWith("pulumi:"));
  const diagnostics = events.flatMap(toDiagnostic);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").map(({ message }) => message);
  const ok = ended.code === 0;
  return {
    ...ended,
    ok,
    failure: ok ? "" : errors.join("\n") || ended.text,
    changes: countChanges(steps),
    steps,
    diagnostics,
    events,
  };
}

function toStep(event: EngineEvent): Step[] {
  const ended = event.resOutputsEvent ?? event.resOpFailedEvent;
  if (!ended) return [];
  const { metadata } = ended;
  return [
    {
      op: metadata.op,
      urn: metadata.urn,
      name: nameOf(metadata.urn),
      type: metadata.type,
      ok: event.resOpFailedEvent === undefined,
      replaceKeys: metadata.keys ?? [],
      detailedDiff: metadata.detailedDiff ?? {},
    },
  ];
}

function toDiagnostic(event: EngineEvent): Diagnostic[] {
  const found = event.diagnosticEvent;
  if (!found || (found.severity as string) === "debug") return []; // the event log has it, people do not
  // Said of every provider that is started from PATH, as the tests start them all.
  if (/^(warning: )?using pulumi-resource-\S+ from \$PATH/.test(plain(found.message))) return [];
  return [
    {
      severity: found.severity,
      message: plain(found.message).trim(),
      name: found.urn ? nameOf(found.urn) : undefined,
      ephemeral: found.ephemeral ?? false,
    },
  ];
}

/** A replacement is several steps (create the new, replace, delete the old), and counts once. */
function countChanges(steps: Step[]): Changes {
  const replaced = new Set(steps.filter(({ op }) => /replac/.test(op)).map(({ urn }) => urn));
  const count = (...ops: OpType[]) =>
    new Set(steps.filter((step) => step.ok && ops.includes(step.op) && !replaced.has(step.urn)).map(({ urn }) => urn))
      .size;
  return {
    create: count("create", "import"),
    update: count("update"),
    replace: replaced.size,
    delete: count("delete"),
    same: count("same", "refresh", "read"),
  };
}

/** Without the engine's colour marks, such as `<{%fg 1%}>`. */
function plain(text: string): string {
  return text.replace(/<\{%.*?%\}>/g, "");
}

function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? urn;
}
