/**
 * Does what a plan says: members side by side, each after those that it waits for. One member's failure stops nobody else and
 * loses nothing; what concerns all of them stops what has not begun.
 */
import { adopt } from "../endpoint/adopt";
import { remove } from "../endpoint/delete";
import { formatId, idOfState } from "../endpoint/identity";
import type { EndpointInputs } from "../endpoint/properties";
import { bookkeepingOf } from "../endpoint/state";
import type { StoredEndpoint } from "../endpoint/stored";
import { update } from "../endpoint/update";
import { quoted } from "../lib/wording";
import { asOwnError, CancelledError, isKind, PartialError, PgComputeError } from "../platform/errors";
import type { FleetContext } from "./context";
import type { PlaceStep } from "./place-steps";
import type { FleetPlan, MemberPlan } from "./plan";
import { memberOf, type StoredMember } from "./state";

/** A plan to be done, and what its host adds to it. */
export interface ApplyRequest {
  plan: FleetPlan;
  /** A member's inputs of the last run, where the host has them. */
  oldInputs?: ((key: string) => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** Runs a member's change with its inputs, all of them known; without any where it leaves. What it throws is that member's failure. */
  around(member: MemberPlan, work: (inputs?: EndpointInputs) => Promise<void>): Promise<void>;
  /** Creates a member's endpoint, under a name by which it is found again. */
  create(member: MemberPlan, inputs: EndpointInputs): Promise<StoredEndpoint>;
  /** Hears of each endpoint that a member has, as soon as it is known. */
  onKept?(member: MemberPlan, state: StoredEndpoint["state"]): void;
}

/** A member that is not as the program wants it, and why. */
export interface MemberFailure {
  key: string;
  error: PgComputeError;
}

/** What became of a fleet. */
export interface Applied {
  /** Every member that has an endpoint, whatever happened to it. */
  members: Map<string, StoredMember>;
  failures: MemberFailure[];
  /** The members whose change was not begun, because of `stop`. */
  notBegun: string[];
  /** What concerns all members. */
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
  #stop: PgComputeError | undefined;
  #done = 0;
  #saidMs = 0;

  constructor(
    private readonly context: FleetContext,
    private readonly request: ApplyRequest,
  ) {}

  async run(): Promise<Applied> {
    const { plan } = this.request;
    for (const { key, stored } of plan.members.values()) if (stored) this.#members.set(key, stored);
    const waiting = plan.steps.values();
    const worker = async () => {
      for (const step of waiting) {
        const ended = this.#step(step);
        this.#begun.set(step, ended);
        await ended;
      }
    };
    // Steps come in order, so that whatever one waits for has begun before it.
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const inOrder = [...plan.members.keys()].flatMap((key) => {
      const member = this.#members.get(key);
      return member ? [[key, member] as const] : [];
    });
    return {
      members: new Map(inOrder),
      failures: [...this.#failures].map(([key, error]) => ({ key, error })),
      notBegun: [...this.#notBegun],
      stop: this.#stop,
    };
  }

  async #step(step: PlaceStep): Promise<boolean> {
    const { key } = step;
    const member = this.request.plan.members.get(key) as MemberPlan;
    for (const before of step.after) {
      if (await this.#begun.get(before)) continue;
      if (this.#notBegun.has(before.key)) this.#notBegun.add(key);
      else if (before.key !== key) this.#fail(key, blockedBy(before.key));
      return false;
    }
    if (this.#stop || this.context.signal.aborted) {
      this.#stop ??= new CancelledError();
      this.#notBegun.add(key);
      return false;
    }
    try {
      await this.request.around(member, (inputs) => this.#do(step, member, inputs));
      this.#count();
      return true;
    } catch (error) {
      this.#fail(key, asOwnError(error));
      if (error instanceof PartialError) this.#keep(member, error.state);
      if (isKind(error, "unauthorized", "configuration", "cancelled", "timeout")) this.#stop ??= error;
      return false;
    }
  }

  async #do({ part, key }: PlaceStep, member: MemberPlan, inputs?: EndpointInputs): Promise<void> {
    if (part === "go" || !inputs) return this.#letGo(member);
    const context = this.context.member(key);
    const { stored, found, change } = member;
    if (change === "take" && found) {
      return this.#keep(member, (await adopt(context, { ...found, inputs, adopted: found.as === "adopted" })).state);
    }
    if (part === "change" && stored) {
      const oldInputs = this.request.oldInputs?.(key);
      const request = {
        id: idOfState(stored.state),
        state: stored.state,
        inputs,
        oldInputs,
        ignoreChanges: member.ignored,
      };
      return this.#keep(member, (await update(context, request)).state);
    }
    this.#keep(member, (await this.request.create(member, inputs)).state);
  }

  /** Deletes a member's endpoint, or releases it: then it stays, and the fleet knows nothing of it any more. */
  async #letGo({ key, isKept, stored, found }: MemberPlan): Promise<void> {
    const context = this.context.member(key);
    const { projectId, endpointId, branchId, type } = found
      ? { ...found.record, endpointId: found.record.id }
      : (stored?.state ?? {});
    const id = { projectId: String(projectId), endpointId: String(endpointId) };
    const owner = this.context.otherOwnerOf(id.endpointId);
    const why = releaseReason(stored, owner);
    // Where all of a fleet goes to another, its own row has said so.
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
    // What went wrong first says more than what could not be done for it.
    if (!this.#failures.has(key)) this.#failures.set(key, error);
  }

  #count(): void {
    this.#done += 1;
    const nowMs = this.context.account.clock.now();
    const { steps } = this.request.plan;
    if (nowMs - this.#saidMs < STATUS_MS || steps.length < 2) return;
    this.#saidMs = nowMs;
    this.context.reporter.status(`${this.#done} of ${steps.length} changes are made`);
  }
}

/** Why an endpoint that a member lets go stays on the platform. */
function releaseReason(stored: StoredMember | undefined, owner: string | undefined): string | undefined {
  if (stored && bookkeepingOf(stored.state).adopted) return "it was taken over, so it is not deleted";
  if (stored?.retainOnDelete) return "it is to be kept (retainOnDelete), so it is not deleted";
  return owner && `it is not deleted, because ${owner} has it by now`;
}

function blockedBy(key: string): PgComputeError {
  return new PgComputeError("refused", `not begun, because it has to wait for member ${quoted(key)}, which failed`);
}
