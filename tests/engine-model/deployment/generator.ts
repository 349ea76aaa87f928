/**
 * Decides what becomes of each resource: the part of Pulumi's engine that its source calls the step generator. One
 * registration after the other is checked and compared, and answered by a chain of steps.
 */
import { putBack } from "../put-back";
import type { Values } from "../words";
import { dependentsOf } from "./graph";
import { type DiffAnswer, type Goal, needsOf, type Resource, UNKNOWN, type Version } from "./resource";
import type { Selection } from "./selection";
import { isProvided, type Place, type Registered, type SameStep, type Step } from "./steps";
import { wantedBy } from "./wanted";

/** A failure that ends the run, of a Check or a Diff or of the engine's own. */
export class RunError extends Error {
  constructor(
    readonly urn: string,
    readonly verb: "check" | "diff" | "engine",
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** What a run is asked for besides its program. */
export interface RunOptions {
  selection: Selection;
  /** `--replace`, by URN. */
  replaces: readonly string[];
  version: Version;
  /** What failed, and what was skipped for it. */
  skipped: ReadonlySet<string>;
}

/** What a registration comes to. */
export interface Generated {
  goal: Goal;
  steps: Step[];
  /** True where the first step has to be done before the rest is known: an import. */
  isOpen?: boolean;
}

type Chain = Generated["steps"];

/** Turns registrations into steps. */
export class Generator {
  readonly same = new Set<string>();
  readonly #met = new Set<string>();
  readonly #updated = new Set<string>();
  readonly #created = new Set<string>();
  readonly #replaced = new Set<string>();
  readonly #deleted = new Set<string>();
  /** Former URNs, and the new ones that claim them. */
  readonly #claimed = new Map<string, string>();
  readonly #skippedCreates = new Set<string>();
  readonly #deletedAhead = new Set<Resource>();
  #brought: SameStep[] = [];
  /** What the state had when the program began, by URN; not what was left to be deleted. */
  readonly #olds: ReadonlyMap<string, Resource>;
  /** What was refused though the run goes on. */
  readonly refused: RunError[] = [];

  constructor(
    private readonly place: Place,
    private readonly options: RunOptions,
    /** What the registrations so far have come to. */
    private readonly registered: ReadonlyMap<string, Registered>,
  ) {
    const olds = this.#all.filter((one) => !one.isPendingDelete);
    this.#olds = new Map(olds.map((one) => [one.urn, one]));
  }

  get #all(): readonly Resource[] {
    return this.place.snapshot.base;
  }

  /** True for a URN that the program has registered. */
  hasMet(urn: string): boolean {
    return this.#met.has(urn);
  }

  /** True for what a run has had to do with: nothing deletes it for being out of the program. */
  isOperatedOn(urn: string): boolean {
    const now = this.#claimed.get(urn) ?? urn;
    return this.same.has(now) || this.#updated.has(now) || this.#replaced.has(now);
  }

  /** True for what went ahead of its replacement, or of another's. */
  wentAhead(one: Resource): boolean {
    return this.#deletedAhead.has(one);
  }

  /** Answers a registration. Throws a `RunError` where it fails. */
  async register(declared: Goal): Promise<Generated> {
    const goal = this.#placed(declared);
    const { urn, parent } = goal;
    if (parent !== undefined && !this.#met.has(parent)) {
      throw new RunError(urn, "engine", `could not find parent resource ${parent}`);
    }
    if (this.#met.has(urn)) throw new RunError(urn, "engine", `duplicate resource URN '${urn}'`);
    this.#met.add(urn);
    const { old, isInvalid } = this.#oldOf(this.#withParents(goal));
    if (this.#isSkipped(goal, old)) return { goal, steps: this.#valid(this.#skip(goal, old)) };
    const isImport = goal.importId !== undefined && (!old || (old.importId ?? old.id) !== goal.importId);
    if (!isImport) return { goal, steps: this.#valid(await this.#go(goal, old, isInvalid)) };
    const step: Step = { op: "import", goal, old, new: this.#newOf(goal, old) };
    return { goal, steps: [step], isOpen: true };
  }

  /** A registration below the URN that its parent has in the state: what is left out of a run keeps its former one. */
  #placed(goal: Goal): Goal {
    const parent = goal.parent === undefined ? undefined : this.registered.get(goal.parent)?.urn;
    if (parent === undefined || parent === goal.parent) return goal;
    return { ...goal, parent, urn: below(parent, goal.urn), key: goal.urn };
  }

  /** With the URNs that it had below the former URN of its parent. */
  #withParents(goal: Goal): Goal {
    const former = [...this.#claimed].find(([, urn]) => urn === goal.parent)?.[0];
    if (former === undefined) return goal;
    const { urn, aliases = [] } = goal;
    return { ...goal, aliases: [...aliases, ...[urn, ...aliases].map((one) => below(former, one))] };
  }

  /** Goes on after an import: what was imported is the old state. */
  async proceed(goal: Goal, imported: Resource): Promise<Generated> {
    return { goal, steps: this.#valid(await this.#go(goal, imported, false)) };
  }

  /** What the run deletes in the end, and what it leaves as it is though the program no longer has it. */
  async leaving(): Promise<{ same: Step[]; deletes: (Step & { op: "delete" | "forget" })[] }> {
    const { selection } = this.options;
    const all = this.#all;
    const spared = selection.spared(all);
    const allowed = selection.targets.length > 0 ? await this.#allowed(selection.withDependents(all)) : undefined;
    const isSpared = (urn: string) => spared?.has(urn) === true && this.#olds.has(urn);
    const isTouched = ({ urn }: Resource) => (allowed ? allowed.has(urn) : !isSpared(urn));
    const same: Step[] = [];
    const deletes: (Step & { op: "delete" | "forget" })[] = [];
    for (const old of all) {
      const isOut = !this.isOperatedOn(old.urn);
      if (!isTouched(old)) {
        if (isOut) same.push({ op: "same", old, new: { ...old }, after: [] });
      } else if (old.isPendingDelete) {
        const isGone = this.options.version === "3.276" && old.isPendingReplacement;
        if (isGone) deletes.push({ op: "forget", old });
        else if (!this.wentAhead(old)) deletes.push({ op: "delete", old, isOfReplacement: true, comesFirst: false });
      } else if (isOut) {
        if (old.isPendingReplacement) deletes.push({ op: "forget", old });
        else deletes.push({ op: "delete", old, isOfReplacement: false, comesFirst: false });
      }
    }
    const unasked = deletes.filter(({ old }) => selection.targets.length > 0 && !selection.targets.includes(old.urn));
    for (const { old } of unasked) {
      this.refused.push(new RunError(old.urn, "engine", `${old.urn} would be deleted, and is no target`));
    }
    if (unasked.length > 0 && !this.place.isPreview) throw this.refused.at(-1);
    return { same, deletes };
  }

  /** With what it would replace of what depends on them, as for a replacement that deletes first. */
  async #allowed(targets: ReadonlySet<string>): Promise<Set<string>> {
    const condemned = this.#all.filter(({ urn }) => targets.has(urn));
    const urns = new Set(condemned.map(({ urn }) => urn));
    for (const one of condemned) for (const { urn } of await this.#replacedWith(one)) urns.add(urn);
    return urns;
  }

  #oldOf({ urn, aliases = [] }: Goal): { old: Resource | undefined; isInvalid: boolean } {
    const isTaken = (one: string) => this.#claimed.has(one);
    let isInvalid = isTaken(urn);
    for (const one of [urn, ...aliases]) {
      const old = this.#olds.get(one);
      if (!old) continue;
      if (one !== urn) {
        isInvalid ||= this.#met.has(one) || isTaken(one);
        this.#claimed.set(one, urn);
      }
      return { old, isInvalid };
    }
    return { old: undefined, isInvalid };
  }

  #newOf(goal: Goal, old?: Resource): Resource {
    return wantedBy(goal, { registered: this.registered, isPreview: this.place.isPreview, old });
  }

  async #go(goal: Goal, old: Resource | undefined, isInvalid: boolean): Promise<Chain> {
    const { urn } = goal;
    const made = this.#newOf(goal, old);
    const isAnew = this.#deleted.has(urn);
    const isForced = this.options.replaces.includes(urn);
    const isTouched = !isProvided(goal) || this.options.selection.has(made);
    if (!isTouched) made.inputs = old?.inputs ?? {};
    else if (isProvided(goal)) {
      const isCompared = old !== undefined && !isAnew && !isForced;
      const news = isCompared ? putBack(made.inputs, old.inputs, goal.ignoreChanges) : made.inputs;
      made.inputs = await this.#check(urn, news, isCompared ? old.inputs : undefined);
    }
    if (isTouched) this.#bring(made);
    if (isInvalid) throw new RunError(urn, "engine", `resource ${urn} is invalid`);
    if (isAnew) return this.#replacedAhead(goal, old as Resource, made);
    if (!isTouched) this.options.selection.note(made);
    if (!old) return this.#create(goal, made, isTouched);
    if (!isTouched) return this.#leave(old, goal);
    return this.#compare(goal, old, made, isForced);
  }

  /** From 3.276 on nobody is asked about what needs something that failed. */
  #isSkipped(goal: Goal, old: Resource | undefined): boolean {
    const { skipped, version } = this.options;
    return version === "3.276" && needsOf(this.#newOf(goal, old)).some((urn) => skipped.has(urn));
  }

  #skip(goal: Goal, old: Resource | undefined): Chain {
    const made = this.#newOf(goal, old);
    this.same.add(goal.urn);
    if (!old) this.#skippedCreates.add(goal.urn);
    return [{ op: "same", goal, old: old ?? made, new: made, isSkippedCreate: !old }];
  }

  #create(goal: Goal, made: Resource, isTouched: boolean): Chain {
    const { urn } = goal;
    if (isTouched) {
      this.#created.add(urn);
      return [{ op: "create", goal, new: made, leavesOld: false }];
    }
    this.same.add(urn);
    this.#skippedCreates.add(urn);
    return [{ op: "same", goal, old: made, new: made, isSkippedCreate: true }];
  }

  #replacedAhead(goal: Goal, old: Resource, made: Resource): Chain {
    this.#deleted.delete(goal.urn);
    this.#replaced.add(goal.urn);
    return [{ op: "create", goal, old, new: made, leavesOld: false }];
  }

  async #check(urn: string, news: Values, olds?: Values): Promise<Values> {
    const asked = { urn, news, ...(olds && { olds }) };
    const { inputs, failures } = await this.place.provider.check(asked).catch((error: unknown) => {
      throw new RunError(urn, "check", messageOf(error), error);
    });
    if (failures.length > 0) throw new RunError(urn, "check", failures.map(messageOf).join("\n"));
    return inputs;
  }

  async #compare(goal: Goal, old: Resource, made: Resource, isForced: boolean): Promise<Chain> {
    const { urn } = goal;
    const diff = await this.#diff(goal, old, made, isForced);
    const changes = diff.changes || old.isPendingReplacement === true;
    if (!changes && old.initErrors.length === 0) {
      this.same.add(urn);
      return [{ op: "same", goal, old, new: made }];
    }
    if (!changes || !(diff.replaces || old.isPendingReplacement)) {
      this.#updated.add(urn);
      return [{ op: "update", goal, old, new: made, diff }];
    }
    if (made.protect && old.protect) this.#refuse(urn, `unable to replace resource "${urn}": it is protected`);
    if (goal.importId !== undefined && !this.place.isPreview) {
      throw new RunError(urn, "engine", "previously-imported resources that still specify an ID may not be replaced");
    }
    this.#replaced.add(urn);
    if (isProvided(goal) && !isForced) made.inputs = await this.#check(urn, this.#newOf(goal).inputs);
    if (!(goal.deleteBeforeReplace ?? diff.deletesFirst)) {
      const leavesOld = this.options.version !== "3.276" || !old.isPendingReplacement;
      return [{ op: "create", goal, old, new: made, leavesOld, diff }];
    }
    const ahead = await this.#ahead(old);
    const own: Step[] = old.isPendingReplacement
      ? []
      : [{ op: "delete", old, isOfReplacement: true, comesFirst: true }];
    return [...ahead, ...own, { op: "create", goal, old, new: made, leavesOld: false, diff }];
  }

  async #diff(goal: Goal, old: Resource, made: Resource, isForced: boolean): Promise<DiffAnswer> {
    if (isForced || goal.isTriggered) return { changes: true, replaces: true, deletesFirst: false };
    if (!isProvided(goal)) return { changes: false, replaces: false, deletesFirst: false };
    return this.#ask(old, made.inputs, goal);
  }

  async #ask(old: Resource, inputs: Values, by: Pick<Goal, "urn" | "ignoreChanges" | "replaceOnChanges">) {
    const { ignoreChanges = [], replaceOnChanges = [] } = by;
    const asked = { urn: by.urn, id: old.id, oldInputs: old.inputs, oldOutputs: old.outputs, inputs, ignoreChanges };
    const diff = await this.place.provider.diff(asked).catch((error: unknown) => {
      throw new RunError(by.urn, "diff", messageOf(error), error);
    });
    const isWatched = (name: string) => replaceOnChanges.includes("*") || replaceOnChanges.includes(name);
    return { ...diff, replaces: diff.replaces || (diff.changed ?? []).some(isWatched) };
  }

  /** Those whose inputs come from a resource, and that would be replaced where these are unknown. */
  async #replacedWith(root: Resource): Promise<Resource[]> {
    const ignored = new Set([...this.#created, ...this.same, ...this.#updated, ...this.#deleted, ...this.#replaced]);
    ignored.delete(root.urn);
    const going = new Set([root.urn]);
    const found: Resource[] = [];
    for (const one of dependentsOf(this.#all, root, { ignored, withChildren: false })) {
      if (!isProvided(one)) continue;
      const comesFrom = (name: string) => (one.propertyDependencies[name] ?? []).some((urn) => going.has(urn));
      const open = Object.keys(one.inputs).filter(comesFrom);
      if (open.length === 0) continue;
      const inputs = { ...one.inputs, ...Object.fromEntries(open.map((name) => [name, UNKNOWN])) };
      if (!(await this.#ask(one, inputs, one)).replaces) continue;
      found.push(one);
      going.add(one.urn);
    }
    return found;
  }

  /** What has to go before a resource that is deleted first. */
  async #ahead(root: Resource): Promise<Step[]> {
    const found = await this.#replacedWith(root);
    return found.toReversed().flatMap((old): Step[] => {
      const isGone = this.options.version === "3.276" && old.isPendingReplacement;
      if (isGone || this.#deletedAhead.has(old)) return [];
      if (old.protect && !old.isPendingDelete) {
        throw new RunError(old.urn, "engine", `unable to replace resource "${old.urn}": it is protected`);
      }
      this.#deleted.add(old.urn);
      this.#deletedAhead.add(old);
      return [{ op: "delete", old, isOfReplacement: !old.isPendingDelete, comesFirst: !old.isPendingDelete }];
    });
  }

  /** Leaves what the run does not touch as it is, under the name that the state has, after what it depends on. */
  #leave(old: Resource, goal?: Goal): Chain {
    if (old.isPendingDelete) return [];
    this.#met.add(old.urn);
    this.same.add(old.urn);
    if (goal) this.same.add(goal.urn);
    const needed = old.provider === undefined ? needsOf(old) : [...needsOf(old), old.provider];
    const after = needed.filter((urn) => this.#isGenerated(urn));
    const first = needed.flatMap((urn) => {
      if (this.#isGenerated(urn)) return [];
      const one = this.#olds.get(urn);
      if (!one) throw new RunError(goal?.urn ?? old.urn, "engine", `${urn}, which ${old.urn} needs, has no old state`);
      return this.#leave(one);
    });
    return [...first, { op: "same", goal, old, new: { ...old }, after }];
  }

  /** Brings along what a target depends on and nothing registers. */
  #bring(made: Resource): void {
    if (this.options.selection.targets.length === 0) return;
    const queue = (urn: string) => {
      if (this.#isGenerated(urn) || this.#brought.some(({ old }) => old.urn === urn)) return;
      const old = this.#olds.get(urn);
      if (!old || old.isPendingDelete) return;
      const after = needsOf(old).filter((one) => this.#isGenerated(one));
      needsOf(old).forEach(queue);
      this.#brought.push({ op: "same", old, new: { ...old }, after });
    };
    needsOf(made).forEach(queue);
  }

  #isGenerated(urn: string): boolean {
    return [this.same, this.#created, this.#updated, this.#replaced, this.#deleted].some((urns) => urns.has(urn));
  }

  #valid(steps: Chain): Chain {
    const brought = this.#brought.filter(({ old }) => !this.#isGenerated(old.urn) && !this.isOperatedOn(old.urn));
    this.#brought = [];
    for (const { old } of brought) {
      this.#met.add(old.urn);
      this.same.add(old.urn);
    }
    const { selection, replaces } = this.options;
    if (selection.targets.length === 0 && replaces.length === 0) return [...brought, ...steps];
    for (const step of steps) {
      if (step.op === "delete" || step.op === "forget" || (step.op === "same" && step.isSkippedCreate)) continue;
      const missing = needsOf(step.new).find((urn) => this.#skippedCreates.has(urn));
      if (missing === undefined) continue;
      this.#refuse(step.new.urn, `${step.new.urn} needs ${missing}, which is no target`);
      this.#skippedCreates.delete(missing);
    }
    return [...brought, ...steps];
  }

  #refuse(urn: string, message: string): void {
    const error = new RunError(urn, "engine", message);
    this.refused.push(error);
    if (!this.place.isPreview) throw error;
  }
}

/** The URN that a resource has below a parent. */
function below(parent: string, urn: string): string {
  const [, start = "", types = "", name = ""] = urn.split(/^(urn:[^:]*:[^:]*::[^:]*::)((?:[^:]|:(?!:))*)::/);
  const above = parent.slice(start.length).split("::")[0] ?? "";
  const own = types.split("$").at(-1);
  return above === "pulumi:pulumi:Stack" ? `${start}${own}::${name}` : `${start}${above}$${own}::${name}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
