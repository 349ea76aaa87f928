/** A run of the engine on a stack: refresh, program and deletes, with the order of what is open left to chance. */
import type { Choices, Option } from "../choices";
import { type Generated, Generator, RunError } from "./generator";
import { allDependenciesOf, deleteOrder, isWhole, renamed, undangled, waitsFor } from "./graph";
import { type Goal, needsOf, type Provider, type Resource, type Version } from "./resource";
import { type Selected, Selection } from "./selection";
import {
  apply,
  dryRun,
  isProvided,
  isQuiet,
  type Place,
  ProtectedError,
  type Registered,
  resourceOf,
  Snapshot,
  type Step,
  verbOf,
} from "./steps";

/** What a run is made of. */
export interface Plan extends Selected {
  /** The engine's, where two differ. Default 3.259. */
  version?: Version | undefined;
  provider: Provider;
  choices: Choices;
  /** In the order in which the program declares them; none for a destroy. */
  program: readonly Goal[];
  isPreview?: boolean;
  /** `--refresh`, and by itself `pulumi refresh`. */
  refreshes?: boolean;
  /** True for `pulumi refresh`: nothing follows. */
  refreshesOnly?: boolean;
  /** `--replace`. */
  replaces?: readonly string[];
  /** `--parallel`. Default as many as there are. */
  atOnce?: number;
  /** `--continue-on-error`. */
  goesOn?: boolean;
  /** True where a resource that failed ends the program, as in YAML and Go up to 3.259: then nothing is deleted. */
  programFails?: boolean;
  /** Hears of what is planned, as the engine prints it. */
  onPlanned?(steps: readonly Step[]): void;
  /** Hears after each step that the state is another, and gives it where it is asked for. */
  onSaved?(state: () => Resource[]): void;
}

/** A failure of a run. */
export interface Failure {
  urn: string;
  verb: "check" | "diff" | "step" | "engine";
  error: unknown;
}

/** How a run ended. */
export interface Ended {
  /** The state; that of before for a preview. */
  state: Resource[];
  failures: Failure[];
  /** True where the program waits for what never comes: the engine goes on for ever. */
  isHanging: boolean;
}

/** What may come next, and what it does. */
interface Move extends Option {
  urn: string;
  /** Its steps, where they begin. */
  steps?: readonly Step[];
  go(): Promise<void>;
}

/** Runs the engine. The state that is given stays as it is. */
export async function run(state: readonly Resource[], plan: Plan): Promise<Ended> {
  const own = state.map((one) => ({ ...one }));
  const ended = await new Deployment(own, plan).run();
  return plan.isPreview ? { ...ended, state: [...state] } : ended;
}

class Deployment {
  readonly #failures: Failure[] = [];
  readonly #selection: Selection;
  readonly #errored: Step[] = [];
  /** Those that failed, and those that were skipped for it. */
  readonly #skipped = new Set<string>();
  readonly #registered = new Map<string, Registered>();
  readonly #version: Version;
  #isStopped = false;
  #isHanging = false;
  /** How many changes of the snapshot ago it was last seen to be whole. */
  #wholeAt = -1;
  #snapshot: Snapshot;

  constructor(
    state: Resource[],
    private readonly plan: Plan,
  ) {
    this.#version = plan.version ?? "3.259";
    this.#snapshot = new Snapshot(state);
    this.#selection = new Selection(plan);
  }

  async run(): Promise<Ended> {
    try {
      await this.#play();
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#failures.push({ urn: error.urn, verb: error.verb, error: error.cause ?? error });
    }
    return { state: renamed(this.#snapshot.all()), failures: this.#failures, isHanging: this.#isHanging };
  }

  async #play(): Promise<void> {
    const { refreshes, refreshesOnly, replaces = [] } = this.plan;
    const isDestroy = this.plan.program.length === 0 && !refreshesOnly;
    const { targets, excludes } = this.#selection;
    if (isDestroy || refreshesOnly) this.#holdKnown([...targets, ...excludes], () => false);
    if (refreshes) await this.#refresh();
    if (refreshesOnly || this.#failures.length > 0) return;
    this.#holdKnown(replaces, () => false);
    const place = { provider: this.plan.provider, snapshot: this.#snapshot, isPreview: this.plan.isPreview === true };
    const options = { selection: this.#selection, replaces, version: this.#version, skipped: this.#skipped };
    const generator = new Generator(place, options, this.#registered);
    await this.#program(generator, place);
    if (!this.#isStopped) {
      const { same, deletes } = await generator.leaving();
      for (const step of same) await apply(step, place);
      this.plan.onPlanned?.(deletes);
      await this.#deletes(deletes, place);
      this.#holdKnown(this.#selection.targets, (urn) => generator.hasMet(urn));
    }
    for (const error of generator.refused) {
      if (!this.#failures.some((one) => one.error === error)) {
        this.#failures.push({ urn: error.urn, verb: error.verb, error });
      }
    }
  }

  #holdKnown(urns: readonly string[], isNew: (urn: string) => boolean): void {
    for (const urn of urns) {
      const isKnown = isNew(urn) || this.#snapshot.base.some((one) => one.urn === urn);
      if (!isKnown) throw new RunError(urn, "engine", `resource '${urn}' could not be found in the stack`);
    }
  }

  /** Chooses among moves until none is left. Nothing begins once the run is stopped, but for a while. */
  async #choose(movesOf: (isOver: boolean) => Move[], underWay: Set<Promise<void>>): Promise<void> {
    const { choices, atOnce = Number.POSITIVE_INFINITY } = this.plan;
    for (;;) {
      await choices.ready();
      const isOver = this.#isStopped && !choices.lingers();
      const isFull = underWay.size >= atOnce;
      const all = movesOf(isOver);
      // The engine hands out one chain after the other: the next waits for a worker, and all else for it.
      const isBlocked = isFull && all.some(({ kind }) => kind === "begin");
      const moves = isBlocked ? [] : isFull ? all.map((one) => ({ ...one, isAhead: true })) : all;
      const end: Move = { kind: "await", urn: "", go: () => choices.settle([...underWay]) };
      const options = underWay.size > 0 ? [...moves, end] : moves;
      if (options.length === 0) return;
      const next = choices.next(options);
      if (!next) return;
      await next.go();
    }
  }

  async #program(generator: Generator, place: Place) {
    let waiting = [...this.plan.program];
    const chains: { steps: Step[]; goal: Goal; isOpen?: boolean | undefined }[] = [];
    const running = new Set<readonly Step[]>();
    /** From 3.276 on what is left as it is comes after what it needs. */
    const isWaiting = ({ steps }: (typeof chains)[number], at: number) => {
      const urns = steps.flatMap((step) => (step.op === "same" ? (step.after ?? []) : []));
      if (this.#version !== "3.276" || urns.length === 0) return false;
      const before = [...running, ...chains.slice(0, at).map((one) => one.steps)].flat();
      return before.some((step) => urns.includes(resourceOf(step).urn));
    };
    const imported: Goal[] = [];
    const underWay = new Set<Promise<void>>();
    const hasFailed = (urn: string) => this.plan.programFails && this.#registered.get(urn)?.ended !== "well";
    const waits = new Map(this.plan.program.map((goal) => [goal, waitsFor(goal)]));
    const isReady = (goal: Goal) =>
      (waits.get(goal) ?? []).every((urn) => this.#registered.has(urn) && !hasFailed(urn));
    const take = async (generate: () => Promise<Generated>) => {
      this.#noteErrored();
      const { goal, steps, isOpen } = await generate();
      const kept = await this.#unskipped(steps);
      this.plan.onPlanned?.(kept);
      if (kept.length > 0) chains.push({ steps: kept, goal, isOpen });
    };
    const fail = (error: unknown) => {
      if (!(error instanceof RunError)) throw error;
      this.#isStopped = true;
      this.#failures.push({ urn: error.urn, verb: error.verb, error: error.cause ?? error });
    };
    const begin = async (chain: (typeof chains)[number]) => {
      chains.splice(chains.indexOf(chain), 1);
      const { steps, goal, isOpen } = chain;
      running.add(steps);
      const end = this.#do(steps, place).then((isDone) => {
        underWay.delete(end);
        running.delete(steps);
        if (isDone && isOpen) imported.push(goal);
      });
      underWay.add(end);
      if (steps.every((step) => isQuiet(step, place.isPreview))) await end;
    };
    const importedState = (goal: Goal) =>
      place.snapshot.all().find((one) => one.urn === goal.urn && !one.isPendingDelete);
    await this.#choose((isOver) => {
      if (isOver) return [];
      const ready = waiting.filter(isReady).map((goal): Move => {
        const go = () => {
          waiting = waiting.filter((one) => one !== goal);
          return take(() => generator.register(goal)).catch(fail);
        };
        return { kind: "register", urn: goal.urn, go };
      });
      const going = imported.map((goal): Move => {
        const go = () => {
          imported.splice(imported.indexOf(goal), 1);
          return take(() => generator.proceed(goal, importedState(goal) as Resource)).catch(fail);
        };
        return { kind: "proceed", urn: goal.urn, go };
      });
      const free = chains.filter((chain, at) => !isWaiting(chain, at));
      const chained = free.map((chain): Move => {
        return { kind: "begin", urn: chain.goal.urn, steps: chain.steps, go: () => begin(chain) };
      });
      return [...chained, ...going, ...ready];
    }, underWay);
    const isUnanswered = ({ urn }: Goal) => !this.#registered.has(urn);
    const hasEnded =
      !waiting.some(isReady) && !this.plan.program.some((goal) => isUnanswered(goal) && !waiting.includes(goal));
    const isFailing = this.plan.program.some(({ urn }) => this.#registered.has(urn) && hasFailed(urn));
    if (this.#isStopped || (waiting.length === 0 && hasEnded && !isFailing)) return;
    this.#isHanging = !hasEnded || !isFailing;
    this.#isStopped = true;
  }

  #noteErrored(): void {
    for (const step of this.#errored) this.#skipped.add(resourceOf(step).urn);
  }

  /** The steps of a chain without those that depend on what failed. */
  async #unskipped(steps: readonly Step[]): Promise<Step[]> {
    this.#noteErrored();
    const kept: Step[] = [];
    for (const step of steps) {
      const resource = resourceOf(step);
      if (!needsOf(resource).some((urn) => this.#skipped.has(urn))) {
        kept.push(step);
        continue;
      }
      this.#skipped.add(resource.urn);
      const outputs = this.#version === "3.276" ? await dryRun(step, this.plan.provider) : undefined;
      this.#answer(step, "skipped", outputs);
    }
    return kept;
  }

  #answer(step: Step, ended: Registered["ended"], outputs?: Registered["outputs"]): void {
    if (step.op === "delete" || step.op === "forget" || !("goal" in step) || !step.goal) return;
    const { urn, key = urn } = step.goal;
    const isKnown = ended === "well" && !(step.op === "same" && step.isSkippedCreate);
    const known = isKnown ? step.new.outputs : outputs;
    this.#registered.set(key, { urn: step.new.urn, ended, ...(known && { outputs: known }) });
  }

  /** Does the steps of a chain until one fails or the run is stopped; true where all are done. */
  async #do(steps: readonly Step[], place: Place) {
    for (const [at, step] of steps.entries()) {
      if (this.#isStopped && !this.#lingers(steps.slice(at), place)) return false;
      try {
        if (step.op !== "same") this.#holdWhole(step, place);
        await apply(step, place);
        this.#holdWhole(step, place);
      } catch (error) {
        this.#fail(step, error);
        return false;
      } finally {
        this.#save();
      }
      if (step.op !== "import") this.#answer(step, "well");
    }
    return true;
  }

  #save(): void {
    this.plan.onSaved?.(() => renamed(this.#snapshot.all()));
  }

  /** Whether a chain may go on after a failure that ends the run: by its next call, where it makes one. */
  #lingers(steps: readonly Step[], { isPreview }: Place): boolean {
    const { choices } = this.plan;
    const next = steps.find((step) => !isQuiet(step, isPreview));
    return next ? choices.lingers(verbOf(next), resourceOf(next).urn) : choices.lingers();
  }

  /** Throws where the state could not be written: something in it lacks what it needs. What is left is no change. */
  #holdWhole(step: Step, { isPreview, snapshot }: Place): void {
    const isUnwritten = step.op === "skip" || (step.op === "same" && (step.isSkippedCreate || step.after));
    if (isUnwritten || (isPreview && this.#version !== "3.276")) return;
    if (snapshot.changes === this.#wholeAt) return;
    if (!isWhole(renamed(snapshot.all()))) throw new Error("snapshot integrity failure");
    this.#wholeAt = snapshot.changes;
  }

  #fail(step: Step, error: unknown): void {
    this.#failures.push({ urn: resourceOf(step).urn, verb: "step", error });
    if (!this.plan.goesOn && !(error instanceof ProtectedError)) {
      this.#isStopped = true;
      return;
    }
    this.#errored.push(step);
    const hasId = resourceOf(step).id !== "";
    this.#answer(step, "failed", hasId ? {} : undefined);
  }

  async #deletes(steps: readonly Step[], place: Place) {
    const all = place.snapshot.base;
    const stepOf = new Map(steps.map((step) => [resourceOf(step), step]));
    const needed = new Set<Resource>();
    const seen = new Set<Step>();
    for (const group of deleteOrder(all, [...stepOf.keys()])) {
      for (const step of this.#errored.filter((one) => !seen.has(one))) {
        seen.add(step);
        const olds = [resourceOf(step), "old" in step ? step.old : undefined];
        for (const one of olds) {
          if (one && all.includes(one)) for (const other of allDependenciesOf(all, one)) needed.add(other);
        }
      }
      await this.#each(
        group.filter((one) => !needed.has(one)).map((one) => [stepOf.get(one) as Step]),
        (chain) => this.#do(chain, place).then(() => undefined),
        place.isPreview,
      );
    }
  }

  /** Does each of some chains, as many at a time as the run may. */
  async #each(chains: readonly Step[][], go: (chain: Step[]) => Promise<void>, isPreview: boolean): Promise<void> {
    let left = [...chains];
    const underWay = new Set<Promise<void>>();
    const begin = async (chain: Step[]) => {
      left = left.filter((one) => one !== chain);
      const end = go(chain).then(() => {
        underWay.delete(end);
      });
      underWay.add(end);
      if (chain.every((step) => isQuiet(step, isPreview))) await end;
    };
    await this.#choose((isOver) => {
      if (isOver) return [];
      return left.map((steps): Move => {
        const urn = resourceOf(steps[0] as Step).urn;
        return { kind: "begin", urn, steps, go: () => begin(steps) };
      });
    }, underWay);
  }

  async #refresh(): Promise<void> {
    const all = this.#snapshot.base;
    if (all.length === 0) return;
    this.#holdKnown([...this.#selection.targets, ...this.#selection.excludes], () => false);
    const read = new Map<Resource, Resource | undefined>();
    const { provider } = this.plan;
    const readOne = async (old: Resource) => {
      const { urn, id, inputs, outputs } = old;
      const found = await provider.read({ urn, id, inputs, outputs });
      read.set(old, undefined);
      if (!found.outputs || found.id === "") return;
      const now = { ...old, id: found.id, inputs: found.inputs ?? inputs, outputs: found.outputs, initErrors: [] };
      read.set(old, now);
      // Compares what was read with what is wanted, to show the changes.
      const changed = { urn, id: now.id, oldInputs: now.inputs, oldOutputs: now.outputs };
      await provider.diff({ ...changed, inputs, ignoreChanges: old.ignoreChanges });
    };
    const asked = this.#selection.read(all).filter((one) => isProvided(one) && !one.isPendingReplacement);
    const failures: Failure[] = [];
    const go = async ([step]: Step[]) => {
      const old = (step as Step & { op: "same" }).old;
      try {
        await readOne(old);
      } catch (error) {
        failures.push({ urn: old.urn, verb: "step", error });
      }
    };
    const chains = asked.map((old): Step[] => {
      const { urn, custom, inputs } = old;
      return [{ op: "import", goal: { urn, custom, inputs }, old, new: old }];
    });
    await this.#each(chains, go, false);
    this.#failures.push(...failures);
    const now = all.flatMap((one) => {
      const found = read.has(one) ? read.get(one) : one;
      return found ? [found] : [];
    });
    this.#snapshot = new Snapshot(undangled(now));
    this.#save();
  }
}
