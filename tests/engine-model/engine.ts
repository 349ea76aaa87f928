/**
 * The part of Pulumi's engine that decides the order of a provider's calls. It checks and diffs one resource after
 * another as they register; steps run at any time later; a dependent registers after its dependency's step; deletes
 * come last. The rest is random.
 */
import { PartialError, PgComputeError } from "../../provider/platform/errors";
import type { LifecycleContext } from "../../provider/pulumi/call";
import { diff, read } from "../../provider/pulumi/endpoint/lifecycle";
import type { Choices } from "./choices";
import { isFleet, urnOf } from "./names";
import { putBack } from "./put-back";
import { type Told, type Verbs, verbsOf } from "./verbs";
import {
  type Change,
  type Declared,
  type Failed,
  ImportError,
  type Process,
  type Program,
  type Run,
  type StackState,
  type Stored,
  type Values,
} from "./words";

interface Step {
  name: string;
  change: Change;
  inputs: Values;
  old?: Stored | undefined;
  deleteFirst: boolean;
  told?: Told | undefined;
}

/** What a run is made of. */
export interface RunPlan {
  process: Process;
  program: Program;
  choices: Choices;
  /** The resources that `--target` or `--exclude` leaves as they are: nobody is asked about them. */
  hidden?: ReadonlySet<string>;
  /** How many steps, and deletes, go side by side; as many as there are where it is not said. */
  atOnce?: number;
  /** True where a failed step stops only those that wait for it, and no delete (`--continue-on-error`). */
  goesOn?: boolean;
  /** Those that are replaced by force (`--replace`, or tainted): the engine shows nothing old of them. */
  forced?: ReadonlySet<string>;
  /** The hook of this name: where it gives true, a create or an update that failed is called again, without a Check. */
  onError?(error: unknown): boolean;
}

/** A stack's state, and the engine's runs on it. */
export class Engine implements StackState {
  state = new Map<string, Stored>();
  /** Replaced resources that are still to be deleted. */
  toDelete: Stored[] = [];

  /** `pulumi preview`. */
  preview(plan: RunPlan): Promise<Run> {
    return new EngineRun(this, plan, true).play();
  }

  /**
   * `pulumi refresh`: returns the changes of fleets' members. Followed by a preview in the same process, it is one with
   * `--refresh`.
   */
  async refresh(process: Process, hidden: ReadonlySet<string> = new Set()): Promise<Map<string, Change>> {
    const changes = new Map<string, Change>();
    const isThere = async (stored: Stored) => {
      if (hidden.has(stored.name)) return true;
      const verbs = process.verbs ?? verbsOf(stored.name);
      return (await verbs.read(process.context(urnOf(stored.name)), stored)) !== undefined;
    };
    const left = await Promise.all(this.toDelete.map(async (stored) => ((await isThere(stored)) ? [stored] : [])));
    this.toDelete = left.flat();
    for (const stored of [...this.state.values()]) {
      const { name, id, calledAs } = stored;
      if (hidden.has(name)) continue;
      const [verbs, context] = [process.verbs ?? verbsOf(name), process.context(urnOf(name))];
      const found = await verbs.read(context, stored);
      if (!found) {
        this.state.delete(name);
        continue;
      }
      const now = { name, calledAs, id, inputs: found.inputs ?? {}, state: found.state };
      // Compares the read state with the last run's inputs, to show the changes. A failure fails the refresh.
      const { members = [] } = await verbs.diff(context, now, stored.inputs);
      for (const [member, change] of members) changes.set(member, change);
      this.state.set(name, now);
    }
    return changes;
  }

  /** `pulumi import`, with what the program is to say of it. */
  async import(process: Process, name: string, id: string): Promise<void> {
    const verbs = process.verbs ?? verbsOf(name);
    const context = process.context(urnOf(name));
    const found = await importable(context, (call) => verbs.read(call, { name, id, inputs: {}, state: {} }));
    if (!found) return;
    await verbs.check(context, found.inputs, found.inputs);
    this.state.set(name, { name, ...found });
  }

  /** `pulumi up --skip-preview`, in a process of its own. */
  up(plan: RunPlan): Promise<Run> {
    return new EngineRun(this, plan, false).play();
  }

  /** The state as it is; `restore` brings it back, such as after a run that was killed. */
  saved(): { restore(): void } {
    const [state, toDelete] = [[...this.state], [...this.toDelete]];
    const restore = () => Object.assign(this, { state: new Map(state), toDelete });
    return { restore };
  }
}

/** After so many milliseconds of a step, the next resource has been registered. */
const LONG_MS = 1_000;

/** One run of the engine. */
class EngineRun implements Run {
  readonly changes: Run["changes"] = new Map();
  readonly failed: Failed[] = [];
  readonly moves: Run["moves"] = new Set();
  readonly outputs: Run["outputs"] = new Map();
  readonly printed: Run["printed"] = [];
  readonly #done = new Set<string>();

  constructor(
    private readonly engine: StackState,
    private readonly plan: RunPlan,
    private readonly isPreview: boolean,
  ) {}

  async play(): Promise<Run> {
    const { program, choices, atOnce = Number.POSITIVE_INFINITY, goesOn = false } = this.plan;
    let waiting = [...program.keys()];
    const steps: Step[] = [];
    const underWay = new Set<Promise<void>>();
    const register = async (name: string) => {
      waiting = waiting.filter((one) => one !== name);
      const step = await this.#register(name);
      if (step) steps.push(step);
    };
    for (;;) {
      const isReady = (name: string) => [...(program.get(name)?.after ?? [])].every((one) => this.#isAnswered(one));
      const isOver = underWay.size >= atOnce || this.#isStopped(goesOn);
      const ready = isOver ? [] : waiting.filter(isReady);
      const options = [...(isOver ? [] : steps), ...ready, ...underWay];
      if (options.length === 0) break;
      const next = choices.pick<Step | string | Promise<void>>(options);
      if (next instanceof Promise) {
        // While a step waits, the engine checks the next resource, unless one that it has checked waits for a worker.
        const isLong = await this.#lasts(next);
        const mayCheck = isLong && !this.#isStopped(goesOn) && (underWay.size < atOnce || steps.length === 0);
        const late = mayCheck ? waiting.filter(isReady) : [];
        if (late.length > 0) await register(choices.pick(late));
      } else if (typeof next === "string") {
        await register(next);
      } else {
        steps.splice(steps.indexOf(next), 1);
        const end = this.#call(next.name, "step", () => this.#do(next)).then((isDone) => {
          if (isDone) this.#done.add(next.name);
          underWay.delete(end);
        });
        underWay.add(end);
        if (this.isPreview) await end;
      }
    }
    if (!this.#isStopped(goesOn)) await this.#deleteRest();
    return this;
  }

  /** Waits for the end of a step. True if that takes long, by the clock that the run is played on. */
  async #lasts(step: Promise<void>): Promise<boolean> {
    const { clock } = this.plan.process.context("").account;
    const ended = new AbortController();
    const end = step.then(() => ended.abort());
    const isLong = clock.sleep(LONG_MS, ended.signal).then(
      () => true,
      () => false,
    );
    return (await Promise.race([isLong, end.then(() => false)])) === true;
  }

  /** A failure of Check or Diff ends the program, whatever is said of steps. */
  #isStopped(goesOn: boolean): boolean {
    return this.failed.some(({ verb }) => verb !== "step" || !goesOn);
  }

  #verbs(name: string): Verbs {
    return this.plan.process.verbs ?? verbsOf(name);
  }

  #isHidden(name: string): boolean {
    return this.plan.hidden?.has(name) === true;
  }

  #isAnswered(name: string): boolean {
    return this.#done.has(name) || !this.plan.program.has(name);
  }

  /** Checks and diffs; gives the step to do, where there is one. */
  async #register(name: string): Promise<Step | undefined> {
    const declared = this.plan.program.get(name) as Declared;
    const old = this.#old(name, declared);
    // What `--target` hides is imported all the same, and only that.
    if (!old && declared.importId !== undefined) {
      this.changes.set(name, "import");
      return { name, change: "import", inputs: {}, deleteFirst: false };
    }
    if (this.#isHidden(name)) {
      if (old) this.printed.push({ op: "same", name, old, inputs: old.inputs });
      this.#done.add(name);
      return undefined;
    }
    const verbs = this.#verbs(name);
    const { args, replaceOnChanges, deleteBeforeReplace = false, isTriggered, ignoreChanges } = declared;
    const checked = (olds: Values, news: Values) =>
      this.#call(name, "check", (context) => verbs.check(context, olds, news));
    const anew = () => checked({}, args);
    const isForced = this.plan.forced?.has(name) === true;
    const isCompared = old !== undefined && !isForced;
    const inputs = await (isCompared ? checked(old.inputs, putBack(args, old.inputs, ignoreChanges)) : anew());
    if (!inputs) return undefined;
    if (!old || isForced) {
      const members = isFleet(name) ? each(name, args, "new") : undefined;
      const change = old ? "replace" : "create";
      return this.#planned({ name, change, inputs, old, deleteFirst: deleteBeforeReplace }, members);
    }
    if (isTriggered) {
      const again = await anew();
      return again && this.#planned({ name, change: "replace", inputs: again, old, deleteFirst: deleteBeforeReplace });
    }
    const found = await this.#call(name, "diff", (context) => verbs.diff(context, old, inputs, replaceOnChanges));
    if (!found) return undefined;
    const { change, members, deleteFirst = false, told, moves = [] } = found;
    for (const one of moves) this.moves.add(one);
    if (change === "replace") {
      const again = await anew();
      return again && this.#planned({ name, change, inputs: again, old, deleteFirst, told });
    }
    const isSame = change === "same" && !old.unfinished;
    return this.#planned({ name, change: isSame ? "same" : "update", inputs, old, deleteFirst: false, told }, members);
  }

  async #planned(step: Step, members?: Map<string, Change>): Promise<Step | undefined> {
    this.#note(members ?? new Map([[step.name, step.change]]));
    const { name, inputs, old, told, deleteFirst } = step;
    this.printed.push({ op: step.change, name, old, inputs, told, deleteFirst });
    if (step.change !== "same" || !old) return step;
    if (!this.isPreview) this.#store({ ...old, name, inputs, calledAs: old.calledAs ?? old.name }, old);
    this.#done.add(name);
    return undefined;
  }

  #note(changes: ReadonlyMap<string, Change>): void {
    for (const [name, change] of changes) this.changes.set(name, change);
  }

  async #do(step: Step): Promise<true> {
    const { name, change, inputs, old } = step;
    const { isPreview, plan } = this;
    const { process } = plan;
    const context = this.#context(name);
    const verbs = this.#verbs(name);
    if (change === "import") return this.#import(context, name);
    if (isPreview) {
      // The dynamic host hears nothing of a preview's steps.
      if (process.host === "dynamic") return true;
      const previewed = await verbs.preview(context, inputs, change === "update" ? old : undefined);
      if (previewed.members) this.#note(previewed.members);
      this.outputs.set(name, previewed.outputs);
      return true;
    }
    if (change === "update" && old) {
      await this.#kept(step, () => verbs.update(context, old, inputs));
      return true;
    }
    if (old && step.deleteFirst) {
      await verbs.remove(this.#deleting(old), old);
      this.engine.state.delete(old.name);
    }
    await this.#kept(step, () => verbs.create(context, inputs));
    return true;
  }

  async #import(context: LifecycleContext, name: string): Promise<true> {
    const { args, importId = "" } = this.plan.program.get(name) as Declared;
    const found = await importable(context, (call) => read(call, { id: importId }));
    if (!found) throw new ImportError(`resource ${importId} does not exist`);
    this.printed.push({
      op: "import",
      name,
      old: { name, id: importId, ...found },
      inputs: found.inputs,
      wanted: args,
    });
    const old = { name, id: importId, inputs: found.inputs, state: found.state };
    if (this.#isHidden(name)) {
      if (!this.isPreview) this.#store(old, undefined);
      return true;
    }
    const inputs = await this.#verbs(name).check(context, found.inputs, args);
    const planned = await diff(context, { id: importId, state: found.state, oldInputs: found.inputs, inputs });
    if (Object.keys(planned.properties).length > 0) throw new ImportError("the inputs to import do not match");
    if (!this.isPreview) this.#store({ ...old, inputs }, undefined);
    return true;
  }

  async #deleteRest(): Promise<void> {
    const { program, choices, atOnce = Number.POSITIVE_INFINITY } = this.plan;
    const kept = new Set([...program].map(([name, declared]) => this.#old(name, declared)?.name));
    const spared = this.#spared();
    const dropped = [...this.engine.state.values()].filter(({ name }) => !kept.has(name) && !spared.has(name));
    for (const { name, state } of dropped) {
      this.#note(isFleet(name) ? each(name, state, "drop") : new Map([[name, "delete"]]));
    }
    const replaced = this.engine.toDelete.filter(({ name }) => !spared.has(name));
    this.printed.push(...replaced.map((old) => ({ op: "delete" as const, name: old.name, old, isLeftover: true })));
    this.printed.push(...dropped.map((old) => ({ op: "delete" as const, name: old.name, old })));
    if (this.isPreview) return;
    const left = choices.shuffled([...replaced, ...dropped]).values();
    const worker = async () => {
      for (const one of left) await this.#delete(one);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, replaced.length + dropped.length) }, worker));
  }

  /** What no delete touches: what is left out of the run, and all that it depends on in the state. */
  #spared(): Set<string> {
    const spared = new Set<string>();
    const open = [...(this.plan.hidden ?? [])].flatMap((name) => [name, this.plan.program.get(name)?.was ?? name]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (spared.has(next)) continue;
      spared.add(next);
      open.push(...(this.engine.state.get(next)?.after ?? []));
    }
    return spared;
  }

  async #delete(one: Stored): Promise<void> {
    const gone = () => this.#verbs(one.name).remove(this.#deleting(one), one);
    if (!(await this.#call(one.name, "step", () => gone().then(() => true)))) return;
    if (this.engine.state.get(one.name) === one) this.engine.state.delete(one.name);
    this.engine.toDelete = this.engine.toDelete.filter((other) => other !== one);
  }

  #old(name: string, { was }: Declared): Stored | undefined {
    return this.engine.state.get(name) ?? (was === undefined ? undefined : this.engine.state.get(was));
  }

  /** Waits for a create or an update, and keeps what it got as far as. */
  async #kept(step: Step, call: () => Promise<{ id: string; state: Values }>): Promise<void> {
    const { name, inputs, old, change, deleteFirst } = step;
    const keep = ({ id, state }: { id: string; state: Readonly<Values> }, kept: Values, unfinished: boolean) => {
      this.#store({ name, calledAs: name, id, inputs: kept, state: { ...state }, unfinished }, old);
      if (old && change === "replace" && !deleteFirst) this.engine.toDelete.push(old);
    };
    try {
      keep(await call(), inputs, false);
    } catch (error) {
      if (this.plan.onError?.(error)) return this.#kept(step, call);
      // What a host throws says what it keeps.
      const made = error instanceof PartialError ? error : (error as { kept?: { id: string; state: Values } }).kept;
      // Of an update the engine keeps the old inputs with the new outputs.
      if (made) keep(made, change === "update" && old ? old.inputs : inputs, true);
      throw error;
    }
  }

  #store(stored: Stored, old: Stored | undefined): void {
    if (old && this.engine.state.get(old.name) === old) this.engine.state.delete(old.name);
    const after = [...(this.plan.program.get(stored.name)?.after ?? [])];
    this.engine.state.set(stored.name, structuredClone({ ...stored, after }));
  }

  #context(name: string): LifecycleContext & Pick<Declared, "ignoreChanges"> {
    const { process, program } = this.plan;
    const ignoreChanges = program.get(name)?.ignoreChanges;
    return { ...process.context(urnOf(name)), host: process.host, ...(ignoreChanges && { ignoreChanges }) };
  }

  /** A delete has the name of the state; the dynamic host knows none but that of the last create or update. */
  #deleting({ name, calledAs = name }: Stored): LifecycleContext {
    return this.#context(this.plan.process.host === "dynamic" ? calledAs : name);
  }

  async #call<T>(
    name: string,
    verb: Failed["verb"],
    call: (context: LifecycleContext) => Promise<T>,
  ): Promise<T | undefined> {
    const before = this.plan.process.sent(urnOf(name));
    try {
      return await call(this.#context(name));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.failed.push({ name, verb, error, sent: this.plan.process.sent(urnOf(name)) - before });
      return undefined;
    }
  }
}

/** What becomes of every member of a fleet. */
function each(fleet: string, { endpoints }: Values, change: Change): Map<string, Change> {
  return new Map(Object.keys(endpoints as Values).map((key) => [`${fleet}/${key}`, change]));
}

/** What a Read found to import. Without inputs the engine refuses it: throws what the Read said of that. */
async function importable<Found extends { inputs?: Values }>(
  context: LifecycleContext,
  readFor: (call: LifecycleContext) => Promise<Found | undefined>,
): Promise<(Found & { inputs: Values }) | undefined> {
  let said = "";
  const info = (text: string) => {
    said = text;
    context.reporter.info(text);
  };
  const found = await readFor({ ...context, reporter: { ...context.reporter, info } });
  if (!found) return undefined;
  const { inputs } = found;
  if (!inputs) throw new PgComputeError("refused", said);
  return { ...found, inputs };
}
