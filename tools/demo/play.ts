import { isDeepStrictEqual } from "node:util";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import type { EndpointState, OperationRecord } from "../../emulator";
import { type Changes, type Run, readRun } from "../../tests/engine/support/run";
import { type Screen, shortened, withoutProgress } from "./screen";
import type { Stage } from "./stage";

/** What the demo has the engine do. */
export type Verb = "preview" | "up" | "refresh" | "destroy";

/** A promise of the demo that was not kept. */
export class BrokenPromise extends Error {}

/** The demo under way: runs the engine on the stage, shows what it says, and holds each step to its promises. */
export class Play {
  #seen: string | undefined;

  constructor(
    readonly stage: Stage,
    readonly screen: Screen,
  ) {
    this.#seen = this.#operations()[0]?.id;
  }

  /**
   * Runs the engine, shows its own text, its messages and the operations that the platform ran for it, and gives what it
   * counted. Throws a `BrokenPromise` with the engine's errors where it fails, and where it comes back too early.
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

  /** Holds what was found against what was promised, and says so. */
  expect(promise: string, found: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(found, expected)) {
      throw new BrokenPromise(`${promise}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
    }
    this.screen.good(promise);
  }

  /** As `expect`, for what the engine counted; counts that are not given are to be zero. */
  expectChanges(promise: string, run: Run, expected: Partial<Changes>): void {
    this.expect(promise, run.changes, { create: 0, update: 0, replace: 0, delete: 0, same: 0, ...expected });
  }

  /** The endpoints on the program's branch, as the platform has them: the read-write one first. */
  endpoints(): EndpointState[] {
    const { emulator, branchId } = this.stage;
    const { endpoints } = emulator.admin.project(emulator.projectId);
    return endpoints.filter((one) => one.branch_id === branchId).sort((a, b) => b.type.localeCompare(a.type));
  }

  /** The calls of the last run that changed something, by route. */
  changingCalls(): string[] {
    const calls = this.stage.emulator.admin.log().filter(({ method }) => method !== "GET");
    return calls.map(({ route }) => route);
  }

  #operations(): OperationRecord[] {
    const { emulator } = this.stage;
    return emulator.admin.project(emulator.projectId).operations;
  }

  /** The operations since the last run, by the platform's own list; every one has to have ended well. */
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
