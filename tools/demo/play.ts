import { isDeepStrictEqual } from "node:util";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import type { EndpointState, OperationRecord } from "../../emulator";
import { type Changes, type Run, readRun } from "../../tests/engine/support/run";
import { type Screen, shortened, withoutProgress } from "./screen";
import type { Stage } from "./stage";

/** The engine's commands in the demo. */
export type Verb = "preview" | "up" | "refresh" | "destroy";

/** A broken promise of the demo. */
export class BrokenPromise extends Error {}

/** The running demo: runs the engine, shows its output, and checks each step's promises. */
export class Play {
  #seen: string | undefined;

  constructor(
    readonly stage: Stage,
    readonly screen: Screen,
  ) {
    this.#seen = this.#operations()[0]?.id;
  }

  /**
   * Runs the engine, shows its output and the platform's operations, and returns the counts. Throws a `BrokenPromise`
   * with the engine's errors if the run fails, or ends too early.
   */
  async run(verb: Verb): Promise<Run> {
    const { stack, emulator } = this.stage;
    emulator.admin.clearLog();
    let text = "";
    const events: EngineEvent[] = [];
    const options = {
      color: "never" as const,
      onOutput: (piece: string) => {
        text += piece;
      },
      onEvent: (event: EngineEvent) => events.push(event),
    };
    const failed = await (verb === "preview" ? stack.preview({ ...options, diff: true }) : stack[verb](options)).then(
      () => undefined,
      (error: unknown) => error,
    );
    const ended = { code: failed ? 1 : 0, stdout: text, stderr: "", text, durationMs: 0 };
    const run = readRun(ended, events);
    this.screen.engine(verb === "preview" ? shortened(text) : withoutProgress(text));
    for (const { name, severity, message, ephemeral } of run.diagnostics) {
      if (ephemeral) continue;
      this.screen.engine([`${severity === "warning" ? "warning: " : ""}${name ?? "stack"}: ${message}`.trimEnd()]);
    }
    if (failed) throw new BrokenPromise(`the engine's ${verb} failed: ${run.failure || String(failed)}`);
    this.#showOperations(verb);
    return run;
  }

  /** Compares the finding with the promise, and prints it. */
  expect(promise: string, found: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(found, expected)) {
      throw new BrokenPromise(`${promise}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
    }
    this.screen.good(promise);
  }

  /** Like `expect`, for the engine's counts; missing counts are expected to be zero. */
  expectChanges(promise: string, run: Run, expected: Partial<Changes>): void {
    this.expect(promise, run.changes, { create: 0, update: 0, replace: 0, delete: 0, same: 0, ...expected });
  }

  /** The endpoints on the program's branch, from the platform: the read-write one first. */
  endpoints(): EndpointState[] {
    const { emulator, branchId } = this.stage;
    const { endpoints } = emulator.admin.project(emulator.projectId);
    return endpoints.filter((one) => one.branch_id === branchId).sort((a, b) => b.type.localeCompare(a.type));
  }

  /** The last run's calls that changed something, by route. */
  changingCalls(): string[] {
    const calls = this.stage.emulator.admin.log().filter(({ method }) => method !== "GET");
    return calls.map(({ route }) => route);
  }

  #operations(): OperationRecord[] {
    const { emulator } = this.stage;
    return emulator.admin.project(emulator.projectId).operations;
  }

  /** Shows the platform's operations since the last run, each of which must have succeeded. */
  #showOperations(verb: Verb): void {
    const all = this.#operations();
    const known = all.findIndex(({ id }) => id === this.#seen);
    const fresh = all.slice(0, known < 0 ? all.length : known).reverse();
    this.#seen = all[0]?.id;
    for (const { action, endpoint_id, status, total_duration_ms = 0 } of fresh) {
      this.screen.note(
        `operation ${action.padEnd(15)} ${endpoint_id ?? ""}  ${status} after ${(total_duration_ms / 1000).toFixed(1)} s`,
      );
    }
    const early = fresh.filter(({ status }) => status !== "finished").map(({ id, status }) => `${id} is ${status}`);
    if (fresh.length > 0) this.expect(`${verb} waited for ${fresh.length} operations`, early, []);
    const { total, byRoute } = this.stage.emulator.admin.counts();
    const calls = Object.entries(byRoute).map(([route, count]) => `${count} ${route}`);
    this.screen.note(
      `${total} ${total === 1 ? "call" : "calls"} to the platform${total > 0 ? `: ${calls.join(", ")}` : ""}`,
    );
  }
}
