/** Does what a plan says, members side by side: one's failure stops nobody else; what concerns all stops what has not begun. */

import { skippedStartsMessage } from "../endpoint/change";
import { type Context, waitTimeoutMs } from "../endpoint/context";
import { adopt } from "../endpoint/create";
import { remove } from "../endpoint/delete";
import { formatId, idOfState } from "../endpoint/identity";
import type { EndpointInputs } from "../endpoint/properties";
import { bookkeepingOf } from "../endpoint/state";
import type { StoredEndpoint } from "../endpoint/stored";
import { update } from "../endpoint/update";
import { onAbort } from "../lib/clock";
import { ownerName } from "../lib/owner";
import { quoted } from "../lib/wording";
import type { PlaceStep } from "../plan/steps";
import {
  asOwnError,
  CancelledError,
  isKind,
  OutcomeUnknownError,
  PartialError,
  PgComputeError,
} from "../platform/errors";
import { formatAway, isOpen, platformNow } from "../platform/project/outcome";
import type { OperationRecord } from "../platform/records";
import type { FleetPlan, MemberPlan } from "./plan";
import type { FleetContext } from "./prepare";
import { Waves } from "./rollout";
import { memberOf, type StoredMember } from "./state";

/** A plan to be done, and what its host adds to it. */
export interface ApplyRequest {
  plan: FleetPlan;
  oldInputs?: ((key: string) => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** Runs a member's change with its inputs, all of them known; without any where it leaves. What it throws is that member's failure. */
  around(member: MemberPlan, work: (inputs?: EndpointInputs) => Promise<void>): Promise<void>;
  create(member: MemberPlan, inputs: EndpointInputs, part: Pick<Context, "onStartSkipped">): Promise<StoredEndpoint>;
  onKept?(member: MemberPlan, state: StoredEndpoint["state"]): void;
}

/** What became of a fleet. */
export interface Applied {
  members: Map<string, StoredMember>;
  /** Members that are not as the program wants them, and why. */
  failures: { key: string; error: PgComputeError }[];
  notBegun: string[];
  heldBack?: string | undefined;
  stop?: PgComputeError | undefined;
}

/** How many members are worked on at a time; the account's rate limit is the pace. */
const AT_ONCE = 1_000;

/** Says how far it is this often, in milliseconds. */
const STATUS_MS = 1_000;

/** Does what the plan says; never throws for what happens to members. */
export async function apply(context: FleetContext, request: ApplyRequest): Promise<Applied> {
  return new Work(context, request).run();
}

class Work {
  readonly #members = new Map<string, StoredMember>();
  readonly #failures = new Map<string, PgComputeError>();
  readonly #notBegun = new Set<string>();
  /** The steps that have begun, by when they ended: true where that was well. */
  readonly #begun = new Map<PlaceStep, Promise<boolean>>();
  /** Steps of each member that have not ended. */
  readonly #open = new Map<string, number>();
  /** Members that a replacement has deleted and not created yet. */
  readonly #gone = new Set<string>();
  readonly #waves: Waves | undefined;
  readonly #slots = new Slots(AT_ONCE);
  readonly #blocked = new Set<string>();
  readonly #away: number[] = [];
  #skippedStarts = 0;
  #stop: PgComputeError | undefined;
  #done = 0;

  constructor(
    private readonly context: FleetContext,
    private readonly request: ApplyRequest,
  ) {
    const { rollout } = request.plan;
    if (rollout && rollout.units.length > 0) this.#waves = new Waves(rollout);
  }

  async run(): Promise<Applied> {
    const { plan } = this.request;
    for (const { key, stored } of plan.members.values()) if (stored) this.#members.set(key, stored);
    for (const { key } of plan.steps) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    if (this.#waves) await awaitEarlier(this.context, plan, this.#waves);
    const release = onAbort(this.context.signal, () => this.#waves?.close(new CancelledError()));
    const ended = new AbortController();
    const reporting = this.#reportProgress(ended.signal);
    // Steps come in order, so that whatever one waits for has begun before it.
    for (const step of plan.steps) this.#begun.set(step, this.#step(step));
    await Promise.all(this.#begun.values()).finally(release);
    ended.abort("ended");
    await reporting;
    this.#reportAway();
    const inOrder = [...plan.members.keys()].flatMap((key) => {
      const member = this.#members.get(key);
      return member ? [[key, member] as const] : [];
    });
    return {
      members: new Map(inOrder),
      failures: [...this.#failures].map(([key, error]) => ({ key, error })),
      notBegun: [...plan.members.keys()].filter((key) => this.#notBegun.has(key)),
      heldBack: this.#waves?.closedBecause?.summary,
      stop: this.#stop,
    };
  }

  async #step(step: PlaceStep): Promise<boolean> {
    const { key } = step;
    const isDone = await this.#try(step);
    const left = (this.#open.get(key) ?? 0) - 1;
    this.#open.set(key, left);
    if (left === 0) this.#leaveWaves(key);
    return isDone;
  }

  /** A member keeps its place in the waves while its endpoint is away, which one with open operations may be. */
  #leaveWaves(key: string): void {
    const error = this.#failures.get(key);
    const isOwn = error !== undefined && !isKind(error, "in_use") && !this.#blocked.has(key);
    const { api, clock } = this.context.account;
    const { operations = [] } = error instanceof PartialError ? bookkeepingOf(error.state) : {};
    const isUnknown = error instanceof OutcomeUnknownError || error?.cause instanceof OutcomeUnknownError;
    const isAway = this.#gone.has(key) || isUnknown || operations.some((one) => isOpen(one, platformNow(api, clock)));
    this.#waves?.ended(key, { failed: isOwn, isAway });
  }

  async #try(step: PlaceStep): Promise<boolean> {
    const { key } = step;
    const member = this.request.plan.members.get(key) as MemberPlan;
    for (const before of step.after) {
      if (await this.#begun.get(before)) continue;
      if (this.#notBegun.has(before.key)) this.#notBegun.add(key);
      else if (before.key !== key) {
        this.#blocked.add(key);
        this.#fail(key, blockedBy(before.key));
      }
      return false;
    }
    const isIdle = member.member?.parsed.restartWhen === "idle" && member.change !== "replace";
    try {
      if (this.#waves?.holds(key) && !isIdle) await this.#waves.enter(key);
    } catch {
      this.#notBegun.add(key);
      return false;
    }
    // A member that waits for an idle moment takes no slot: others go on meanwhile.
    const release = isIdle ? undefined : await this.#slots.take();
    try {
      if (this.#stop || this.context.signal.aborted) {
        this.#stop ??= new CancelledError();
        this.#notBegun.add(key);
        return false;
      }
      await this.request.around(member, (inputs) => this.#do(step, member, inputs));
      this.#done += 1;
      return true;
    } catch (thrown) {
      const error = asOwnError(thrown);
      if (error instanceof PartialError) this.#keep(member, error.state);
      if (this.#waves?.isHeldBack(error)) this.#notBegun.add(key);
      else this.#fail(key, error);
      if (isKind(error, "unauthorized", "configuration", "cancelled", "timeout")) {
        this.#stop ??= error;
        this.#waves?.close(error);
      }
      return false;
    } finally {
      release?.();
    }
  }

  async #do({ part, key }: PlaceStep, member: MemberPlan, inputs?: EndpointInputs): Promise<void> {
    if (part === "go" || !inputs) {
      await this.#letGo(member);
      if (member.change === "replace") this.#gone.add(key);
      return;
    }
    const onAway = (ms: number) => void this.#away.push(ms);
    const onStartSkipped = () => {
      this.#skippedStarts += 1;
    };
    const context = { ...this.context.member(key), hold: this.#waves?.holdOf(key), onAway, onStartSkipped };
    const { stored, found, change } = member;
    if (change === "adopt" && found) {
      return this.#keep(member, (await adopt(context, { ...found, inputs, adopted: found.as === "adopted" })).state);
    }
    if (part === "change" && stored) {
      const oldInputs = this.request.oldInputs?.(key);
      const request = {
        id: idOfState(stored.state),
        state: stored.state,
        inputs,
        oldInputs,
        ignoreChanges: member.member?.ignored,
      };
      return this.#keep(member, (await update(context, request)).state);
    }
    this.#keep(member, (await this.request.create(member, inputs, { onStartSkipped })).state);
    this.#gone.delete(key);
  }

  /** Deletes a member's endpoint, or releases it: then it stays, and the fleet knows nothing of it any more. */
  async #letGo({ key, isKept, stored, found }: MemberPlan): Promise<void> {
    const context = this.context.member(key);
    const { projectId, endpointId, branchId, type } = found
      ? { ...found.record, endpointId: found.record.id }
      : (stored?.state ?? {});
    const id = { projectId: String(projectId), endpointId: String(endpointId) };
    const owner = this.context.world().otherOwnerOf(id.endpointId);
    const why = releaseReason(stored, owner && ownerName(owner));
    // If another fleet took all of them over, the fleet's own row has said so.
    if (isKept && why !== undefined) context.reporter.info(`releases endpoint ${formatId(id)}: ${why}`);
    else if (!isKept) {
      const known = (value: unknown) => (typeof value === "string" ? value : undefined);
      await remove(context, { ...id, branchId: known(branchId), type: known(type) });
    }
    this.#members.delete(key);
  }

  #keep(planned: MemberPlan, state: StoredEndpoint["state"]): void {
    this.#members.set(planned.key, memberOf(state, planned.member?.options));
    this.request.onKept?.(planned, state);
  }

  #fail(key: string, error: PgComputeError): void {
    // The first error is the cause of later ones.
    if (!this.#failures.has(key)) this.#failures.set(key, error);
  }

  #reportAway(): void {
    if (this.#skippedStarts > 0) this.context.reporter.info(skippedStartsMessage(this.context, this.#skippedStarts));
    const times = this.#away.sort((a, b) => a - b);
    const [about, most] = [times[Math.floor(times.length / 2)], times.at(-1)];
    if (about === undefined || most === undefined) return;
    const what = times.length === 1 ? "restart: away for" : "restarts: away for about";
    const slowest = times.length === 1 ? "" : `, the slowest ${formatAway(most)}`;
    this.context.reporter.info(`${times.length} ${what} ${formatAway(about)}${slowest}`);
  }

  async #reportProgress(signal: AbortSignal): Promise<void> {
    const { account, reporter } = this.context;
    const all = this.request.plan.steps.length;
    if (all < 2) return;
    const beganMs = account.clock.now();
    const say = () => {
      const seconds = (account.clock.now() - beganMs) / 1_000;
      const rate = this.#done / seconds;
      const pace = this.#done === 0 || seconds < 1 ? [] : [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`];
      const cause = this.#done < all ? account.api.waitingFor() : undefined;
      reporter.status(
        [
          this.#waves?.progress ?? `${this.#done} of ${all} done`,
          ...pace,
          ...(cause ? [`waiting for ${cause}`] : []),
        ].join(", "),
      );
    };
    while (!signal.aborted) {
      say();
      await account.clock.sleep(STATUS_MS, signal).catch(() => {});
    }
    say();
  }
}

/** Operations that an earlier run left open count as members away, until they end. */
async function awaitEarlier(context: FleetContext, plan: FleetPlan, waves: Waves): Promise<void> {
  const { account, signal } = context;
  const members = new Map<unknown, string>();
  for (const { key, stored, found } of plan.members.values())
    members.set(found?.record.id ?? stored?.state.endpointId, key);
  const projects = new Set([...plan.members.values()].flatMap(({ stored }) => stored?.state.projectId ?? []));
  const looks = [...projects].map(async (projectId) => {
    const { operations, waiter } = account.project(String(projectId));
    const seen = await operations.look({ branchIds: [] }, signal);
    const nowMs = platformNow(account.api, account.clock);
    const open = new Map<string, OperationRecord[]>();
    for (const one of seen) {
      const { endpointId = "", action } = one;
      if (!members.has(endpointId) || action === "check_availability" || !isOpen(one, nowMs)) continue;
      open.set(endpointId, [...(open.get(endpointId) ?? []), one]);
    }
    for (const left of open.values()) {
      const ended = waiter.wait(left, { timeoutMs: waitTimeoutMs(context), signal });
      waves.awaits(ended.then(({ kept }) => !kept.some((one) => isOpen(one, platformNow(account.api, account.clock)))));
    }
  });
  await Promise.all(looks);
}

/** So many things at a time, in the order in which they come. */
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

function releaseReason(stored: StoredMember | undefined, owner: string | undefined): string | undefined {
  if (stored && bookkeepingOf(stored.state).adopted) return "it was taken over, so it is not deleted";
  if (stored?.retainOnDelete) return "it is to be kept (retainOnDelete), so it is not deleted";
  return owner && `it is not deleted, because ${owner} has it by now`;
}

function blockedBy(key: string): PgComputeError {
  return new PgComputeError("refused", `not begun, because it has to wait for member ${quoted(key)}, which failed`);
}
