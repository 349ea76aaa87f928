/** What the engine does to one resource: the calls of a step, and what it leaves in the state. */
import { type DiffAnswer, type Goal, PartialFailure, type Provider, type Resource } from "./resource";

/** A step that changes nothing but names and options. */
export interface SameStep {
  op: "same";
  goal?: Goal | undefined;
  old: Resource;
  new: Resource;
  isSkippedCreate?: boolean;
  /** Of what is left as it is: the URNs of what it comes after. */
  after?: readonly string[];
}

/** A step. `goal` is the registration that it answers. */
export type Step =
  | SameStep
  | { op: "skip"; goal: Goal; new: Resource }
  | { op: "create"; goal: Goal; old?: Resource | undefined; new: Resource; leavesOld: boolean; diff?: DiffAnswer }
  | { op: "update"; goal: Goal; old: Resource; new: Resource; diff?: DiffAnswer | undefined }
  | { op: "import"; goal: Goal; old?: Resource | undefined; new: Resource }
  | { op: "delete"; old: Resource; isOfReplacement: boolean; comesFirst: boolean }
  | { op: "forget"; old: Resource };

/** What is known of a registered resource: its outputs, or that it failed or was skipped. */
export interface Registered {
  urn: string;
  /** Undefined where nothing is known of them. */
  outputs?: Resource["outputs"] | undefined;
  ended: "well" | "failed" | "skipped";
}

/** The state during a run: what was there, what is done with, and what is new. */
export class Snapshot {
  readonly #new: Resource[] = [];
  readonly #done = new Set<Resource>();
  /** How often something was put in or taken out. */
  changes = 0;

  constructor(readonly base: readonly Resource[]) {}

  /** Adds a resource, in place of others. */
  put(resource: Resource, ...insteadOf: readonly (Resource | undefined)[]): void {
    for (const one of insteadOf) if (one) this.#done.add(one);
    this.#new.push(resource);
    this.changes += 1;
  }

  /** Takes a resource out. */
  remove(resource: Resource): void {
    this.#done.add(resource);
    this.changes += 1;
  }

  /** All that is there now. */
  all(): Resource[] {
    return [...this.#new, ...this.base].filter((one) => !this.#done.has(one));
  }
}

/** A protected resource that is to be deleted: the others go on. */
export class ProtectedError extends Error {}

/** Where a step is done. */
export interface Place {
  provider: Provider;
  snapshot: Snapshot;
  isPreview: boolean;
}

/** The resource that a step is about. */
export function resourceOf(step: Step): Resource {
  return step.op === "delete" || step.op === "forget" ? step.old : step.new;
}

/** Whether a step asks no provider. */
export function isQuiet(step: Step, isPreview: boolean): boolean {
  if (step.op === "delete") return isPreview || isRefused(step) || !isDeletedByCall(step.old);
  const isMade = step.op === "create" || step.op === "update" || step.op === "import";
  return !isMade || !isProvided(step.new);
}

/** True for a resource whose verbs are a provider's. */
export function isProvided({ custom, isProvider }: Pick<Resource, "custom" | "isProvider">): boolean {
  return custom && !isProvider;
}

/** Does a step. Throws where it fails; what is left behind by then is in the state. */
export async function apply(step: Step, place: Place): Promise<void> {
  switch (step.op) {
    case "same":
      if (step.isSkippedCreate) return;
      step.new.id = step.old.id;
      step.new.outputs = step.old.outputs;
      return place.snapshot.put(step.new, step.old);
    case "skip":
      return;
    case "forget":
      return place.snapshot.remove(step.old);
    case "create":
      return create(step, place);
    case "update":
      return update(step, place);
    case "import":
      return importInto(step, place);
    case "delete":
      return remove(step, place);
  }
}

/** Asks what a step would make that is skipped: the program is told so much of its outputs. */
export async function dryRun(step: Step, provider: Provider): Promise<Resource["outputs"] | undefined> {
  const isAsked = step.op === "same" || step.op === "create" || step.op === "update";
  if (!isAsked || !step.goal || !isProvided(step.new)) return undefined;
  const { urn, inputs, ignoreChanges } = step.new;
  const isNew = step.op === "create" || (step.op === "same" && step.isSkippedCreate);
  const { id, inputs: oldInputs, outputs: oldOutputs } = isNew ? step.new : step.old;
  const asked = isNew
    ? provider.create({ urn, inputs, isPreview: true })
    : provider.update({ urn, id, oldInputs, oldOutputs, inputs, ignoreChanges, isPreview: true });
  return asked.then(
    ({ outputs }) => outputs,
    () => undefined,
  );
}

async function create(step: Step & { op: "create" }, { provider, snapshot, isPreview }: Place): Promise<void> {
  const { old } = step;
  const made = step.new;
  const keep = (id: string, outputs: Resource["outputs"]) => {
    Object.assign(made, { id, outputs });
    if (old && step.leavesOld) old.isPendingDelete = true;
    snapshot.put(made, old?.isPendingReplacement ? old : undefined);
  };
  if (!isProvided(made)) return keep(made.id, made.outputs);
  const { urn, inputs } = made;
  try {
    const { id, outputs } = await provider.create({ urn, inputs, isPreview });
    keep(id, outputs);
  } catch (error) {
    if (error instanceof PartialFailure) {
      made.initErrors = [error.message];
      keep(error.id, error.outputs);
    }
    throw error;
  }
}

async function update(step: Step & { op: "update" }, { provider, snapshot, isPreview }: Place): Promise<void> {
  const { old } = step;
  const made = step.new;
  made.id = old.id;
  if (!isProvided(made)) return snapshot.put(made, old);
  const { urn, inputs, ignoreChanges } = made;
  const asked = { urn, id: old.id, oldInputs: old.inputs, oldOutputs: old.outputs, inputs, ignoreChanges, isPreview };
  try {
    made.outputs = (await provider.update(asked)).outputs;
    snapshot.put(made, old);
  } catch (error) {
    if (error instanceof PartialFailure) {
      // Of an update the engine keeps the old inputs with the new outputs.
      Object.assign(made, { initErrors: [error.message], inputs: old.inputs, outputs: error.outputs });
      snapshot.put(made, old);
    }
    throw error;
  }
}

async function importInto(step: Step & { op: "import" }, { provider, snapshot }: Place): Promise<void> {
  const made = step.new;
  const { urn, importId = "" } = made;
  const found = await provider.read({ urn, id: importId });
  if (!found.outputs) throw new Error(`resource '${importId}' does not exist`);
  if (!found.inputs) throw new Error("provider does not support importing resources");
  Object.assign(made, { id: found.id || importId, inputs: found.inputs, outputs: found.outputs });
  if (step.old) step.old.isPendingDelete = true;
  snapshot.put(made);
}

async function remove(step: Step & { op: "delete" }, { provider, snapshot, isPreview }: Place): Promise<void> {
  const { old } = step;
  if (isRefused(step)) throw new ProtectedError(`${old.urn} is protected`);
  const { urn, id, inputs, outputs } = old;
  if (!isPreview && isDeletedByCall(old)) await provider.delete({ urn, id, inputs, outputs });
  if (step.comesFirst) old.isPendingReplacement = true;
  // What went ahead of a replacement that never came is deleted in every run, and stays.
  if (!old.isPendingReplacement) snapshot.remove(old);
}

function isRefused({ isOfReplacement, old }: Step & { op: "delete" }): boolean {
  return !isOfReplacement && old.protect;
}

function isDeletedByCall(old: Resource): boolean {
  return isProvided(old) && !old.retainOnDelete;
}

/** The verb that a step calls. */
export function verbOf({ op }: Step): string {
  return op === "import" ? "read" : op;
}
