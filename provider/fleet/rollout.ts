/** Waves: the limit on members that are unavailable at a time (gone, or with open operations), and their order. */
import type { Hold } from "../endpoint/context";
import { possibleEffects } from "../endpoint/impact/impact";
import { isKnown } from "../lib/unknown";
import type { Refused } from "../places/refusal";
import type { PlaceStep } from "../places/steps";
import { PgComputeError } from "../platform/errors";
import { PERCENT } from "./model";
import type { RolloutInputs } from "./parse-fleet";
import type { MemberPlan, Rollout, Unit } from "./plan";

/** The default of Kubernetes. */
const MAX_UNAVAILABLE = "25%";
const MAX_FAILURES = 1;

/** The limit of unavailable members. A percentage is rounded down, to at least one. */
function limitOf(maxUnavailable: number | string, members: number): number {
  const [, percent] = PERCENT.exec(String(maxUnavailable)) ?? [];
  return percent === undefined ? Number(maxUnavailable) : Math.max(1, Math.floor((members * Number(percent)) / 100));
}

/** True if a member's change may cut connections. Creates and final deletes do not count. */
function mayDisrupt({ change, diff }: Pick<MemberPlan, "change" | "diff">): boolean {
  if (change === "replace") return true;
  if (change !== "update" && change !== "adopt") return false;
  if (diff?.repair !== undefined) return true;
  if (!diff?.impact) return false;
  const { waitsForIdle, restartNotStated } = diff.impact;
  const mayHappen = Object.values(possibleEffects(diff.impact)).includes(true);
  return mayHappen || waitsForIdle === true || restartNotStated !== undefined;
}

/** The part of a plan that decides its waves. */
interface Planned {
  members: ReadonlyMap<string, Pick<MemberPlan, "change" | "diff" | "member">>;
  steps: readonly PlaceStep[];
  gone?: readonly string[];
}

/** A plan's units in their order, canaries first. Members whose steps wait for each other form one unit. */
export function unitsOf({ members, steps, gone = [] }: Planned, canary: readonly string[]): Unit[] {
  const disrupting = new Set([...gone, ...[...members].filter(([, member]) => mayDisrupt(member)).map(([key]) => key)]);
  const unit = new Map<string, string[]>();
  // By step, the nearest earlier members that are unavailable meanwhile.
  const nearest = new Map<PlaceStep, ReadonlySet<string>>();

  for (const step of steps) {
    const before = new Set(step.after.flatMap((one) => [...(nearest.get(one) ?? [])]));
    nearest.set(step, disrupting.has(step.key) ? new Set([step.key]) : before);
    if (!disrupting.has(step.key)) continue;
    const joined = new Set([step.key, ...before].flatMap((key) => unit.get(key) ?? [key]));
    const keys = [...joined];
    for (const key of keys) unit.set(key, keys);
  }

  const first = new Set(canary);
  const units = [...new Set(unit.values())].map((keys) => ({ keys, isCanary: keys.some((key) => first.has(key)) }));
  return [...units.filter(({ isCanary }) => isCanary), ...units.filter(({ isCanary }) => !isCanary)];
}

/** The waves of a plan and their refusals. Undefined without `rollout`, or while its settings are unknown. */
export function planRollout(
  inputs: RolloutInputs | undefined,
  plan: Planned & Pick<Rollout, "gone">,
): { rollout?: Rollout; refusals: Refused[] } {
  if (!inputs) return { refusals: [] };
  const { maxUnavailable = MAX_UNAVAILABLE, canary = [], maxFailures = MAX_FAILURES } = inputs;
  if (!isKnown(maxUnavailable) || !isKnown(canary) || !isKnown(maxFailures)) return { refusals: [] };

  const count = [...plan.members.values()].filter(({ member }) => member !== undefined).length;
  const limit = limitOf(maxUnavailable, count);
  const units = unitsOf(plan, canary);
  const refusals = units
    .filter(({ keys }) => keys.length > limit)
    .map(({ keys }): Refused => ({ about: [], refusal: { kind: "too_many_away", keys, limit } }));
  return { rollout: { limit, maxFailures, units, gone: plan.gone }, refusals };
}

/** The members of a rollout: the canaries, the others, and the number of waves that the others take. */
export function wavesOf({ units, limit }: Pick<Rollout, "units" | "limit">) {
  const keysOf = (isCanary: boolean) => units.filter((unit) => unit.isCanary === isCanary).flatMap(({ keys }) => keys);
  const others = keysOf(false);
  return { canaries: keysOf(true), others, waves: Math.ceil(others.length / limit) };
}

interface OpenUnit {
  isCanary: boolean;
  left: Set<string>;
  /** Members of the unit that wait for an idle moment. */
  idle: Set<string>;
  /** Slots that the unit holds. */
  held: number;
  entering?: Promise<void> | undefined;
}

interface Waiter {
  unit: OpenUnit;
  admit(): void;
  refuse(error: PgComputeError): void;
}

/**
 * Admits members in waves. After `maxFailures` failures, a canary's among them, only changes that may disrupt are held
 * back. A member that waits for an idle moment holds no slot.
 */
export class Waves {
  /** The reason why no further member may begin. */
  closed: PgComputeError | undefined;
  readonly #units = new Map<string, OpenUnit>();
  readonly #queue: Waiter[] = [];
  readonly #planned: ReadonlySet<string>;
  /** Slots of members that stay unavailable. */
  #lost = 0;
  /** Slots held by earlier runs' operations. */
  #foreign = 0;
  #done = 0;
  #failures = 0;

  constructor(private readonly rollout: Rollout) {
    for (const { keys, isCanary } of rollout.units) this.#open(keys, isCanary);
    this.#planned = new Set(this.#units.keys());
    for (const key of rollout.gone) {
      const unit = this.#unitOf(key);
      unit.held = unit.left.size;
    }
  }

  /** True for a member whose change may cut connections. */
  holds(key: string): boolean {
    return this.#planned.has(key);
  }

  holdOf(key: string): Hold {
    return { enter: () => this.enter(key), waits: () => this.#waits(key) };
  }

  /** Resolves when the member may become unavailable. Throws `refused` once no member may. */
  async enter(key: string): Promise<void> {
    const unit = this.#unitOf(key);
    unit.idle.delete(key);
    if (unit.held > 0) return;
    if (this.closed) throw this.closed;

    unit.entering ??= new Promise<void>((admit, refuse) => {
      this.#queue.push({ unit, admit, refuse });
      this.#admit();
    }).finally(() => {
      unit.entering = undefined;
    });
    await unit.entering;
  }

  /** Counts an endpoint as unavailable until an earlier run's operations end; for good if `ended` resolves to false. */
  awaits(ended: Promise<boolean>): void {
    this.#foreign += 1;
    void ended.then((isBack) => {
      this.#foreign -= 1;
      if (!isBack) this.#lost += 1;
      this.#admit();
    });
  }

  /** Records a finished member. Only changes that may cut connections count, also for `maxFailures`. */
  ended(key: string, { failed = false, isAway = false } = {}): void {
    const unit = this.#units.get(key);
    if (!unit) return;

    this.#units.delete(key);
    unit.left.delete(key);
    if (failed) this.#failures += 1;
    if (this.#planned.has(key)) this.#done += 1;
    if (isAway && unit.held > 0) {
      unit.held -= 1;
      this.#lost += 1;
    }

    this.#release(unit);
    const { maxFailures } = this.rollout;

    if (this.#failures >= maxFailures) {
      const count = `${this.#failures} member${this.#failures === 1 ? "" : "s"} failed`;
      this.close(
        new PgComputeError("refused", `no more of them begin, since ${count} (rollout.maxFailures is ${maxFailures})`),
      );
    }
    this.#admit();
  }

  close(error: PgComputeError): void {
    this.closed ??= error;
    for (const { refuse } of this.#queue.splice(0)) refuse(this.closed);
  }

  get progress(): string {
    const { canaries, others, waves } = wavesOf(this.rollout);
    const done = `${this.#done} of ${this.#planned.size} done`;
    if (canaries.some((key) => this.#units.has(key))) return `canary, ${done}`;

    const left = others.filter((key) => this.#units.has(key)).length;
    const wave = Math.floor((others.length - left) / this.rollout.limit) + 1;
    return waves === 0 ? done : `wave ${Math.min(waves, wave)} of ${waves}, ${done}`;
  }

  #unitOf(key: string): OpenUnit {
    return this.#units.get(key) ?? this.#open([key], false);
  }

  #open(keys: readonly string[], isCanary: boolean): OpenUnit {
    const unit = { isCanary, left: new Set(keys), idle: new Set<string>(), held: 0 };
    for (const key of keys) this.#units.set(key, unit);
    return unit;
  }

  #waits(key: string): void {
    const unit = this.#unitOf(key);
    if (this.closed && unit.held === 0) throw this.closed;
    unit.idle.add(key);
    this.#release(unit);
    this.#admit();
  }

  /** Frees a unit's slots once its remaining members all wait for idle moments, or none remain. */
  #release(unit: OpenUnit): void {
    if ([...unit.left].every((key) => unit.idle.has(key))) unit.held = 0;
  }

  #admit(): void {
    const open = [...new Set(this.#units.values())];
    const areCanariesOpen = open.some(({ isCanary }) => isCanary);
    let held = open.reduce((sum, unit) => sum + unit.held, 0);

    for (;;) {
      const at = this.#queue.findIndex(({ unit }) => unit.isCanary || !areCanariesOpen);
      const next = this.#queue[at];
      if (!next) return;
      const needed = next.unit.left.size;

      if (held + this.#foreign + this.#lost + needed > this.rollout.limit) {
        // No member is left that would free a slot.
        if (held + this.#foreign === 0) this.close(new PgComputeError("refused", this.#stuckReason(needed)));
        return;
      }

      this.#queue.splice(at, 1);
      held += needed;
      next.unit.held = needed;
      next.admit();
    }
  }

  #stuckReason(needed: number): string {
    const { limit } = this.rollout;
    return (
      `no more of them begin, since ${this.#lost} of the ${limit} that may be away (rollout.maxUnavailable) have not come back, ` +
      `and this needs ${needed}`
    );
  }
}
