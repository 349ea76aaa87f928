/** The provider as the engine alone calls it, and notes of what its answers and its rows told. */
import { type DiffAnswer, type Provider, type ReadAnswer, UNKNOWN } from "./deployment/resource";
import { isPlanLine, membersIn, movesIn } from "./members";
import { isFleet, nameOf } from "./names";
import { type Change, ImportError, type PrintedStep, type Process, type Program, type Values } from "./words";

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
  /** By resource, what its last comparison told, and of a fleet what becomes of its members. */
  readonly compared = new Map<string, DiffAnswer & { members?: Map<string, Change> }>();
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

  async check(asked: Asked<"check">) {
    const inputs = await this.#call(asked.urn, (provider) => accepted(provider.check(asked)));
    return { inputs, failures: [] };
  }

  async diff(asked: Asked<"diff">): Promise<DiffAnswer> {
    const answer = await this.#call(asked.urn, (provider) => provider.diff(asked));
    const found = { ...answer, replaces: answer.replaces || this.#isForced(asked, answer) };
    this.#note(asked, found);
    return found;
  }

  async create(asked: Asked<"create">) {
    const made = await this.#changed(asked.urn, (provider) => provider.create(asked));
    if (asked.isPreview && this.calling.isPreview) this.#preview(asked.urn, made.outputs);
    return made;
  }

  async update(asked: Asked<"update">) {
    const made = await this.#changed(asked.urn, (provider) => provider.update(asked));
    if (asked.isPreview && this.calling.isPreview) this.#preview(asked.urn, made.outputs);
    return made;
  }

  async read(asked: Asked<"read">): Promise<ReadAnswer> {
    const { urn, id, inputs, outputs } = asked;
    if (!inputs || !outputs) return this.#import(urn, id);
    return this.#call(urn, (provider) => provider.read(asked));
  }

  async delete(asked: Asked<"delete">): Promise<void> {
    await this.#call(asked.urn, (provider) => provider.delete(asked));
  }

  async #import(urn: string, id: string): Promise<ReadAnswer> {
    const name = nameOf(urn);
    const found = await this.#call(urn, () => importable(this.calling.process, { urn, id }));
    if (!found) throw new ImportError(`resource ${id} does not exist`);
    const { inputs, outputs } = found;
    const wanted = this.calling.program.get(name)?.args ?? {};
    this.imported.push({ op: "import", name, old: { name, id: found.id, inputs, state: outputs }, inputs, wanted });
    return found;
  }

  /**
   * Of a plugin the engine itself replaces by `replaceOnChanges` what a detailed difference names. Of what also moves
   * Diff cannot know that it is replaced; a branch that is not known may be the old one.
   */
  #isForced({ urn, oldOutputs, inputs }: Asked<"diff">, { told }: DiffAnswer): boolean {
    const { process, program } = this.calling;
    const isAsked = process.host === "plugin" && program.get(nameOf(urn))?.replaceOnChanges !== undefined;
    return isAsked && mayStay(oldOutputs, inputs) && Object.keys(told?.detailed ?? {}).length > 0;
  }

  #note({ urn, oldOutputs: outputs, inputs }: Asked<"diff">, diff: DiffAnswer): void {
    const name = nameOf(urn);
    if (!isFleet(name)) {
      this.compared.set(name, diff);
      if (inputs.branchId !== outputs.branchId) this.moves.add(name);
      return;
    }
    const { rows } = this.calling.process;
    const line = rows.findLast((row) => row.urn === urn && isPlanLine(row.message))?.message;
    const planned = { line, diff, inputs, outputs };
    const keyed = membersIn(planned);
    const members = new Map([...keyed].map(([key, change]) => [`${name}/${key}`, change]));
    this.compared.set(name, { ...diff, members });
    for (const [member, change] of members) this.members.set(member, change);
    for (const key of movesIn(keyed, planned)) this.moves.add(`${name}/${key}`);
  }

  /** The dynamic host hears nothing of a preview's steps. */
  #preview(urn: string, outputs: Values): void {
    if (this.calling.process.host === "plugin") this.outputs.set(nameOf(urn), outputs);
  }

  async #changed<Made>(urn: string, call: (provider: Provider) => Promise<Made>): Promise<Made> {
    try {
      return await this.#call(urn, call);
    } catch (error) {
      if (this.calling.onError?.(error)) return this.#changed(urn, call);
      throw error;
    }
  }

  async #call<T>(urn: string, call: (provider: Provider) => Promise<T>): Promise<T> {
    const { process } = this.calling;
    const before = process.sent(urn);
    try {
      return await call(process.provider);
    } catch (error) {
      this.#sent.set(error, process.sent(urn) - before);
      throw error;
    }
  }
}

/** The inputs that a Check has accepted. Throws its failures, as they are printed. */
export async function accepted(check: ReturnType<Provider["check"]>): Promise<Values> {
  const { inputs, failures } = await check;
  if (failures.length === 0) return inputs;
  const told = (failures as { property: string; reason: string }[]).map(({ property, reason }) =>
    property === "" ? reason : `${property}: ${reason}`,
  );
  throw new Error(told.join("\n"));
}

/** What a Read found to import. Without inputs the engine refuses it: throws what the Read said of that. */
export async function importable(
  { provider, rows }: Process,
  asked: { urn: string; id: string },
): Promise<{ id: string; inputs: Values; outputs: Values } | undefined> {
  const said = rows.length;
  const { id, inputs, outputs } = await provider.read(asked);
  if (!outputs) return undefined;
  if (inputs) return { id, inputs, outputs };
  throw new Error(rows.slice(said).findLast(({ urn }) => urn === asked.urn)?.message);
}

function mayStay(old: Values, inputs: Values): boolean {
  return inputs.branchId === old.branchId || inputs.branchId === UNKNOWN;
}
