/**
 * Applies a fleet's plan, members in parallel. A member's failure stops that member; a failure of the whole fleet stops
 * the rest.
 */

import { type Context, waitTimeoutMs } from "../endpoint/context";
import { idOf, idOfState, parseId } from "../endpoint/identity";
import { begunSince } from "../endpoint/recovery";
import { bookkeepingOf } from "../endpoint/state";
import type { DoneStep, StoredEndpoint } from "../endpoint/stored";
import { onAbort } from "../lib/clock";
import { quoted } from "../lib/wording";
import type { PlaceStep } from "../places/steps";
import {
  asOwnError,
  CancelledError,
  isKind,
  OutcomeUnknownError,
  PartialError,
  PgComputeError,
} from "../platform/errors";
import { shown } from "../platform/policy";
import { isOpen, isSkippedStart, restartsIn } from "../platform/project/outcome";
import type { OperationRecord } from "../platform/records";
import type { FleetPlan, MemberPlan } from "./plan";
import type { FleetContext } from "./prepare";
import { Waves } from "./rollout";
import { memberOf, type StoredMember } from "./state";

/** A plan to apply, and how to make a step. */
export interface ApplyRequest {
  plan: FleetPlan;
  /**
   * Makes a member's step. Resolves to what the member has then; to undefined if it has nothing any more. A throw is that
   * member's failure.
   */
  make(member: MemberPlan, part: PlaceStep["part"], slot: StepSlot): Promise<DoneStep | undefined>;
}

/** The gate of a rollout's waves, which a step gives back while it waits; empty without a rollout. */
export type StepSlot = Pick<Context, "hold">;

/** The result of applying a plan. */
export interface Applied {
  members: Map<string, StoredMember>;
  /** Members that differ from the program after the apply, with the reason. */
  failures: { key: string; error: PgComputeError }[];
  notBegun: string[];
  heldBack?: string | undefined;
  stop?: PgComputeError | undefined;
  /** How long each restarted endpoint was away, in milliseconds. */
  awayMs: readonly number[];
  /** How many endpoints the platform has not started, for its limit on active computes. */
  skippedStarts: number;
}

/** Maximum number of members in progress. The account's rate limit sets the pace. */
const AT_ONCE = 1_000;

/** Applies a plan. Returns failures of members instead of throwing them. */
export async function apply(context: FleetContext, request: ApplyRequest): Promise<Applied> {
  return new Work(context, request).run();
}

class Work {
  readonly #members = new Map<string, StoredMember>();
  readonly #failures = new Map<string, PgComputeError>();
  readonly #notBegun = new Set<string>();
  /** Each begun step, with a promise of its success. */
  readonly #begun = new Map<PlaceStep, Promise<boolean>>();
  /** The last step of each member. */
  readonly #last: ReadonlyMap<string, PlaceStep>;
  readonly #waves: Waves | undefined;
  readonly #slots = new Slots(AT_ONCE);
  readonly #away: number[] = [];
  #skippedStarts = 0;
  #stop: PgComputeError | undefined;
  #done = 0;

  constructor(
    private readonly context: FleetContext,
    private readonly request: ApplyRequest,
  ) {
    const { rollout, members, steps } = request.plan;
    if (rollout && rollout.units.length > 0) this.#waves = new Waves(rollout);
    for (const { key, stored } of members.values()) if (stored) this.#members.set(key, stored);
    this.#last = new Map(steps.map((step) => [step.key, step]));
  }

  async run(): Promise<Applied> {
    const { plan } = this.request;
    if (this.#waves) await awaitEarlier(this.context, plan, this.#waves);
    const release = onAbort(this.context.signal, () => this.#waves?.close(new CancelledError()));
    const ended = new AbortController();
    const reporting = this.#reportProgress(ended.signal);
    // In this order every step begins after those it waits for.
    for (const step of plan.steps) this.#begun.set(step, this.#step(step));

    await Promise.all(this.#begun.values()).finally(release);
    ended.abort("ended");
    await reporting;

    const inOrder = [...plan.members.keys()].flatMap((key) => {
      const member = this.#members.get(key);
      return member ? [[key, member] as const] : [];
    });

    return {
      members: new Map(inOrder),
      failures: [...this.#failures].map(([key, error]) => ({ key, error })),
      notBegun: [...plan.members.keys()].filter((key) => this.#notBegun.has(key)),
      heldBack: this.#waves?.closed?.summary,
      stop: this.#stop,
      awayMs: this.#away,
      skippedStarts: this.#skippedStarts,
    };
  }

  async #step(step: PlaceStep): Promise<boolean> {
    const { key } = step;
    const member = this.request.plan.members.get(key) as MemberPlan;
    const isDone = await this.#try(step, member);
    if (this.#last.get(key) === step) this.#leaveWaves(member);
    return isDone;
  }

  /** Frees a member's slot in the waves, unless its endpoint may still be unavailable or has open operations. */
  #leaveWaves({ key, change }: MemberPlan): void {
    const error = this.#failures.get(key);
    const failed = error !== undefined && !(error instanceof BlockedError) && !isKind(error, "in_use");
    const { api } = this.context.account;
    const { operations = [] } = error instanceof PartialError ? bookkeepingOf(error.state) : {};
    const isUnknown = error instanceof OutcomeUnknownError || error?.cause instanceof OutcomeUnknownError;
    const isGone = change === "replace" && !this.#members.has(key);
    const isAway = isGone || isUnknown || operations.some((one) => isOpen(one, api.platformNow()));
    this.#waves?.ended(key, { failed, isAway });
  }

  /** Makes one step of a member, in its turn. Resolves to false if it was not made. */
  async #try(step: PlaceStep, member: MemberPlan): Promise<boolean> {
    const { key } = step;
    if (!(await this.#isUnblocked(step))) return false;

    const isIdle = member.member?.parsed.restartWhen === "idle" && member.change !== "replace";
    try {
      if (this.#waves?.holds(key) && !isIdle) await this.#waves.enter(key);
    } catch {
      this.#notBegun.add(key);
      return false;
    }

    // A wait for an idle moment takes no slot, so that others proceed.
    const release = isIdle ? undefined : await this.#slots.take();
    try {
      if (this.#stop || this.context.signal.aborted) {
        this.#stop ??= new CancelledError();
        this.#notBegun.add(key);
        return false;
      }
      await this.#make(step, member);
      this.#done += 1;
      return true;
    } catch (error) {
      this.#noteFailure(member, error);
      return false;
    } finally {
      release?.();
    }
  }

  /** Waits for the steps that come before this one. Resolves to false if one of them was not made. */
  async #isUnblocked({ key, after }: PlaceStep): Promise<boolean> {
    for (const before of after) {
      if (await this.#begun.get(before)) continue;
      if (this.#notBegun.has(before.key)) this.#notBegun.add(key);
      else if (before.key !== key) this.#fail(key, new BlockedError(before.key));
      return false;
    }
    return true;
  }

  /** Keeps what a failed step has changed. An error that concerns all members stops the steps that have not begun. */
  #noteFailure(member: MemberPlan, thrown: unknown): void {
    const { key } = member;
    const error = asOwnError(thrown);
    if (error instanceof PartialError) this.#keep(member, error.state);

    const closed = this.#waves?.closed;
    if (closed && (error === closed || error.cause === closed)) this.#notBegun.add(key);
    else this.#fail(key, error);

    if (isKind(error, "unauthorized", "configuration", "cancelled", "timeout")) {
      this.#stop ??= error;
      this.#waves?.close(error);
    }
  }

  async #make({ part, key }: PlaceStep, member: MemberPlan): Promise<void> {
    const done = await this.request.make(member, part, this.#waves ? { hold: this.#waves.holdOf(key) } : {});
    if (!done) return void this.#members.delete(key);

    this.#keep(member, done.state);
    this.#away.push(...restartsIn(done.seen));
    if (done.seen.some(isSkippedStart)) this.#skippedStarts += 1;
  }

  #keep(planned: MemberPlan, state: StoredEndpoint["state"]): void {
    this.#members.set(planned.key, memberOf(state, planned.member?.options));
  }

  #fail(key: string, error: PgComputeError): void {
    // The first error is the cause of later ones.
    if (!this.#failures.has(key)) this.#failures.set(key, error);
  }

  async #reportProgress(signal: AbortSignal): Promise<void> {
    const { account, reporter } = this.context;
    const all = this.request.plan.steps.length;
    if (all < 2) return;
    const beganMs = account.clock.now();

    for (;;) {
      const seconds = (account.clock.now() - beganMs) / 1_000;
      const rate = this.#done / seconds;
      const pace = this.#done === 0 || seconds < 1 ? [] : [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`];
      const cause = this.#done < all ? account.api.waitingFor() : undefined;
      const progress = this.#waves?.progress ?? `${this.#done} of ${all} done`;
      reporter.status([progress, ...pace, ...(cause ? [`waiting for ${cause}`] : [])].join(", "));
      if (signal.aborted) return;
      await account.clock.sleep(shown.progressMs, signal).catch(() => {});
    }
  }
}

/** Open operations of an earlier run count as unavailable members until they end. */
async function awaitEarlier(context: FleetContext, plan: FleetPlan, waves: Waves): Promise<void> {
  const { account, signal } = context;
  const stillOpen = (operations: readonly OperationRecord[]) =>
    operations.filter((one) => isOpen(one, account.api.platformNow()));

  const looks = [...plan.members.values()].map(async ({ stored, found }) => {
    const id = found ? idOf(found.record) : stored && idOfState(stored.state);
    if (id === undefined) return;

    const identity = parseId(id);
    const begun = await begunSince(context, identity, undefined);
    const open = stillOpen(begun).filter(({ action }) => action !== "check_availability");
    if (open.length === 0) return;
    const { waiter } = account.project(identity.projectId);
    const ended = waiter.wait(open, { timeoutMs: waitTimeoutMs(context), signal });
    waves.awaits(ended.then(({ seen }) => stillOpen(seen).length === 0));
  });
  await Promise.all(looks);
}

/** A limited number of slots, granted first come, first served. */
class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((admit) => this.#waiting.push(admit));
    return () => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.free += 1;
    };
  }
}

class BlockedError extends PgComputeError {
  constructor(readonly before: string) {
    super("refused", `not begun, because it has to wait for member ${quoted(before)}, which failed`);
  }
}
