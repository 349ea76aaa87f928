/** The provider as the engine alone calls it: the verbs of endpoints and fleets, and notes of what they told. */
import { PartialError, PgComputeError } from "../../provider/platform/errors";
import type { LifecycleContext } from "../../provider/pulumi/call";
import { type DiffAnswer, PartialFailure, type Provider } from "./deployment/resource";
import { nameOf, urnOf } from "./names";
import { outputsOf, stateOf } from "./resources";
import { type Compared, type Verbs, verbsOf } from "./verbs";
import {
  type Change,
  ImportError,
  type PrintedStep,
  type Process,
  type Program,
  type Stored,
  type Values,
} from "./words";

type Asked<Verb extends keyof Provider> = Parameters<Provider[Verb]>[0];

/** What the calls are made with. */
export interface Calling {
  process: Process;
  program: Program;
  isPreview: boolean;
  /** The hook of this name: where it gives true, a create or an update that failed is called again. */
  onError?: ((error: unknown) => boolean) | undefined;
}

/** The calls of one run, and what they told. */
export class Calls implements Provider {
  /** By resource, what its last comparison told. */
  readonly compared = new Map<string, Compared>();
  readonly members = new Map<string, Change>();
  readonly moves = new Set<string>();
  /** What a preview knows of outputs. */
  readonly outputs = new Map<string, Values>();
  readonly imported: PrintedStep[] = [];
  readonly #sent = new Map<unknown, number>();

  constructor(private readonly calling: Calling) {}

  /** How many changes a call that failed had sent for its resource. */
  sentBefore(error: unknown): number {
    return this.#sent.get(error) ?? 0;
  }

  async check({ urn, olds = {}, news }: Asked<"check">) {
    const inputs = await this.#call(urn, (context, verbs) => verbs.check(context, olds, news));
    return { inputs, failures: [] };
  }

  async diff({ urn, id, oldInputs, oldOutputs, inputs }: Asked<"diff">): Promise<DiffAnswer> {
    const name = nameIn(urn);
    const old = { name, id, inputs: oldInputs, ...stateOf(oldOutputs) };
    const { replaceOnChanges } = this.calling.program.get(name) ?? {};
    const found = await this.#call(urn, (context, verbs) => verbs.diff(context, old, inputs, replaceOnChanges));
    this.compared.set(name, found);
    for (const [member, change] of found.members ?? []) this.members.set(member, change);
    for (const one of found.moves ?? []) this.moves.add(one);
    const { change, deleteFirst: deletesFirst = false } = found;
    return { changes: change !== "same", replaces: change === "replace", deletesFirst };
  }

  async create({ urn, inputs, isPreview }: Asked<"create">) {
    if (isPreview) return { id: "", outputs: await this.#preview(urn, inputs) };
    return this.#kept(urn, () => this.#call(urn, (context, verbs) => verbs.create(context, inputs)));
  }

  async update({ urn, id, oldInputs, oldOutputs, inputs, isPreview }: Asked<"update">) {
    const old = { name: nameIn(urn), id, inputs: oldInputs, ...stateOf(oldOutputs) };
    if (isPreview) return { outputs: await this.#preview(urn, inputs, old) };
    return this.#kept(urn, () => this.#call(urn, (context, verbs) => verbs.update(context, old, inputs)));
  }

  async read({ urn, id, inputs, outputs }: Asked<"read">) {
    if (!inputs || !outputs) return this.#import(urn, id);
    const stored = { name: nameIn(urn), id, inputs, ...stateOf(outputs) };
    const found = await this.#call(urn, (context, verbs) => verbs.read(context, stored));
    if (!found) return { id: "" };
    const { calledAs } = stored;
    return { id, inputs: found.inputs ?? {}, outputs: outputsOf({ state: found.state, calledAs }) };
  }

  /** A delete has the name of the state; the dynamic host knows none but that of the last create or update. */
  async delete({ urn, id, inputs, outputs }: Asked<"delete">): Promise<void> {
    const stored = { name: nameIn(urn), id, inputs, ...stateOf(outputs) };
    const { calledAs = stored.name } = stored;
    const called = this.calling.process.host === "dynamic" ? urnOf(calledAs) : urn;
    await this.#call(called, (context, verbs) => verbs.remove(context, stored));
  }

  async #import(urn: string, id: string) {
    const name = nameIn(urn);
    const found = await this.#call(urn, (context, verbs) =>
      importable(context, (call) => verbs.read(call, { name, id, inputs: {}, state: {} })),
    );
    if (!found) throw new ImportError(`resource ${id} does not exist`);
    const { inputs, state } = found;
    const wanted = this.calling.program.get(name)?.args ?? {};
    this.imported.push({ op: "import", name, old: { name, id, inputs, state }, inputs, wanted });
    return { id, inputs, outputs: outputsOf({ state, calledAs: name }) };
  }

  /** The dynamic host hears nothing of a preview's steps. */
  async #preview(urn: string, inputs: Values, old?: Stored): Promise<Values> {
    if (this.calling.process.host === "dynamic") return {};
    const found = await this.#call(urn, (context, verbs) => verbs.preview(context, inputs, old));
    if (!this.calling.isPreview) return found.outputs;
    for (const [member, change] of found.members ?? []) this.members.set(member, change);
    this.outputs.set(nameIn(urn), found.outputs);
    return found.outputs;
  }

  async #kept(urn: string, call: () => Promise<{ id: string; state: Values }>): ReturnType<Provider["create"]> {
    const calledAs = nameIn(urn);
    try {
      const { id, state } = await call();
      return { id, outputs: outputsOf({ state, calledAs }) };
    } catch (error) {
      if (this.calling.onError?.(error)) return this.#kept(urn, call);
      // What a host throws says what it keeps.
      const made = error instanceof PartialError ? error : (error as { kept?: { id: string; state: Values } }).kept;
      if (!made) throw error;
      const { id, state } = made;
      throw new PartialFailure(id, outputsOf({ state: { ...state }, calledAs }), (error as Error).message, error);
    }
  }

  async #call<T>(urn: string, call: (context: LifecycleContext, verbs: Verbs) => Promise<T>): Promise<T> {
    const { process, program } = this.calling;
    const name = nameIn(urn);
    const ignoreChanges = program.get(name)?.ignoreChanges;
    const context = { ...process.context(urn), host: process.host, ...(ignoreChanges && { ignoreChanges }) };
    const before = process.sent(urn);
    try {
      return await call(context, process.verbs ?? verbsOf(name));
    } catch (error) {
      this.#sent.set(error, process.sent(urn) - before);
      throw error;
    }
  }
}

/** What a Read found to import. Without inputs the engine refuses it: throws what the Read said of that. */
export async function importable<Found extends { inputs?: Values }>(
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

function nameIn(urn: string): string {
  return nameOf(urn as Parameters<typeof nameOf>[0]);
}
