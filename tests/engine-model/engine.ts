/** A stack of endpoints and fleets, and the runs of Pulumi's engine on it (`deployment/`). */
import { accepted, Calls, importable } from "./calls";
import { type Choices, InOrder, Paced } from "./choices";
import { type Ended, type Plan, run } from "./deployment/deployment";
import type { Resource, Version } from "./deployment/resource";
import { type Step, resourceOf as stepResource } from "./deployment/steps";
import { isFleet, nameOf, urnOf } from "./names";
import { toGoals, toResources, toStack } from "./resources";
import type { Change, Failed, PrintedStep, Process, Program, Run, StackState, Stored, Values } from "./words";

/** What a run is made of. */
export interface RunPlan {
  process: Process;
  program: Program;
  choices: Choices;
  /** The resources that `--exclude` leaves as they are: nobody is asked about them. */
  hidden?: ReadonlySet<string>;
  /** The resources that `--target` names: nobody is asked about others. */
  targets?: ReadonlySet<string> | undefined;
  /** How many steps, and deletes, go side by side; as many as there are where it is not said. */
  atOnce?: number;
  /** True where a failed step stops only those that wait for it, and no delete (`--continue-on-error`). */
  goesOn?: boolean;
  /** Those that are replaced by force (`--replace`, or tainted): the engine shows nothing old of them. */
  forced?: ReadonlySet<string>;
  /** Default 3.276. */
  version?: Version;
  /** The hook of this name: where it gives true, a create or an update that failed is called again, without a Check. */
  onError?(error: unknown): boolean;
}

/** A stack's state, and the engine's runs on it. */
export class Engine implements StackState {
  #stack: StackState = { state: new Map(), toDelete: [] };
  /** The state of a run after its last step, which is read where somebody asks for it. */
  #saved: (() => Resource[]) | undefined;

  get state(): Map<string, Stored> {
    return this.#now.state;
  }

  /** Replaced resources that are still to be deleted. */
  get toDelete(): Stored[] {
    return this.#now.toDelete;
  }

  get #now(): StackState {
    if (this.#saved) this.#stack = toStack(this.#saved());
    this.#saved = undefined;
    return this.#stack;
  }

  /** `pulumi preview`. */
  preview(plan: RunPlan): Promise<Run> {
    return this.#play(plan, { isPreview: true });
  }

  /**
   * `pulumi refresh`: returns the changes of fleets' members. Followed by a preview in the same process, it is one with
   * `--refresh`.
   */
  async refresh(process: Process, hidden: ReadonlySet<string> = new Set()) {
    const known = new Set([...hidden].filter((name) => this.state.has(name)));
    const plan = { process, program: new Map(), choices: new InOrder(), hidden: known };
    const { failed, members } = await this.#play(plan, { refreshes: true, refreshesOnly: true });
    if (failed[0]) throw failed[0].error;
    return members;
  }

  /** `pulumi import`, with what the program is to say of it. */
  async import(process: Process, name: string, id: string): Promise<void> {
    const urn = urnOf(name);
    const found = await importable(process, { urn, id });
    if (!found) return;
    await accepted(process.provider.check({ urn, olds: found.inputs, news: found.inputs }));
    this.state.set(name, { name, id: found.id, inputs: found.inputs, state: found.outputs });
  }

  /** `pulumi up --skip-preview`, in a process of its own. */
  up(plan: RunPlan): Promise<Run> {
    return this.#play(plan, {});
  }

  /** The state as it is; `restore` brings it back, such as after a run that was killed. */
  saved(): { restore(): void } {
    const [state, toDelete] = [[...this.state], [...this.toDelete]];
    const restore = () => {
      this.#saved = undefined;
      this.#stack = { state: new Map(state), toDelete: [...toDelete] };
    };
    return { restore };
  }

  async #play(plan: RunPlan, kind: Pick<Plan, "isPreview" | "refreshes" | "refreshesOnly">) {
    const { process, program, hidden = [], targets, forced = [], version = "3.276" } = plan;
    const selected = targets ? { targets: [...targets].map(urnOf) } : { excludes: [...hidden].map(urnOf) };
    const { isPreview = false } = kind;
    const calls = new Calls({ process, program, isPreview, onError: plan.onError });
    const planned: Step[] = [];
    const onSaved = (state: () => Resource[]) => {
      this.#saved = state;
    };
    const choices = new Paced(plan.choices, process.clock);
    const ended = await run(toResources(this), {
      ...{ provider: calls, program: toGoals(program, process), version, ...kind },
      ...{ ...selected, replaces: [...forced].map(urnOf) },
      ...{ choices, goesOn: plan.goesOn === true },
      ...(plan.atOnce !== undefined && { atOnce: plan.atOnce }),
      onPlanned: (steps) => planned.push(...steps),
      ...(!isPreview && { onSaved }),
    });
    if (ended.isHanging) throw new Error("the program waits for what never comes");
    return { ...told(calls, planned), failed: failedOf(ended, calls), members: calls.members };
  }
}

function failedOf({ failures }: Ended, calls: Calls): Failed[] {
  return failures.map(({ urn, verb, error }) => {
    if (!(error instanceof Error)) throw error;
    return { name: nameOf(urn), verb: verb === "engine" ? "step" : verb, error, sent: calls.sentBefore(error) };
  });
}

/** What was planned, by endpoint, and as it is printed. */
function told(calls: Calls, planned: readonly Step[]): Omit<Run, "failed"> {
  const changes = new Map<string, Change>();
  const printed: PrintedStep[] = [];
  const importing = new Set<string>();
  for (const step of planned) {
    const resource = stepResource(step);
    if (resource.isProvider) continue;
    const name = nameOf(resource.urn);
    const compared = calls.compared.get(name);
    const note = (change: Change) => {
      for (const [one, what] of changesBy(name, change, step, compared?.members)) changes.set(one, what);
    };
    if (step.op === "import") {
      importing.add(name);
      note("import");
      printed.push(...calls.imported.filter((one) => one.name === name));
      continue;
    }
    if (step.op === "same" && (importing.has(name) || step.isSkippedCreate)) continue;
    const change = changeOf(step);
    if (change === undefined) continue;
    const isCompared = step.op !== "same" || compared !== undefined;
    const isLeftover = step.op === "delete" && step.isOfReplacement;
    if (isCompared && !isLeftover && !importing.has(name)) note(change);
    printed.push({
      ...{ op: change, name, old: storedOf(step) },
      ...("new" in step ? { inputs: step.new.inputs, told: compared?.told } : {}),
      ...(change === "replace" && { deleteFirst: step.op === "create" && !step.leavesOld }),
      ...(isLeftover && { isLeftover }),
    });
  }
  for (const [member, change] of calls.members) if (!changes.has(member)) changes.set(member, change);
  return { changes, printed, moves: calls.moves, outputs: calls.outputs };
}

/** Undefined for what a plan does not show: a delete ahead of its replacement, and a state that is only forgotten. */
function changeOf(step: Step): Change | undefined {
  if (step.op === "create") return step.old ? "replace" : "create";
  if (step.op === "delete") return step.comesFirst ? undefined : "delete";
  return step.op === "same" || step.op === "update" ? step.op : undefined;
}

/** A fleet's members, and what becomes of each; or the endpoint. */
function changesBy(name: string, change: Change, step: Step, members?: ReadonlyMap<string, Change>) {
  if (!isFleet(name)) return new Map([[name, change]]);
  const { inputs, outputs } = stepResource(step);
  if (change === "delete") return each(name, outputs, "drop");
  const isUnknown = step.op === "create" && !step.diff;
  if (isUnknown || change === "replace") return each(name, inputs, "new");
  return members ?? new Map();
}

/** What becomes of every member of a fleet. */
function each(fleet: string, { endpoints = {} }: Values, change: Change): Map<string, Change> {
  return new Map(Object.keys(endpoints as Values).map((key) => [`${fleet}/${key}`, change]));
}

function storedOf(step: Step): Stored | undefined {
  const old = "old" in step ? step.old : undefined;
  return old && { name: nameOf(old.urn), id: old.id, inputs: old.inputs, state: old.outputs };
}
