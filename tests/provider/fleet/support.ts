/** The part of the engine that calls a fleet: it keeps one resource's state as the real one does, in the same order of calls. */
import type { EmulatorOptions } from "../../../emulator";
import { resourceOwner } from "../../../provider/lib/owner";
import { type Account, type AccountSettings, openAccount } from "../../../provider/platform/account";
import { PartialError } from "../../../provider/platform/errors";
import { checkFleet } from "../../../provider/pulumi/fleet/check";
import type { FleetCall } from "../../../provider/pulumi/fleet/context";
import {
  createFleet,
  diffFleet,
  type FleetDiff,
  readFleetState,
  removeFleet,
  updateFleet,
} from "../../../provider/pulumi/fleet/lifecycle";
import { previewFleet } from "../../../provider/pulumi/fleet/preview";
import { TAKE_UP_COMMAND } from "../../../provider/pulumi/messages/commands";
import { type Bench, useBench } from "../../support/bench";
import { createMortalApi, type Death } from "../../support/mortal-api";

type Values = Record<string, unknown>;

/** Of the fleet that the tests declare. */
export const FLEET_URN = resourceOwner("urn:pulumi:test::shop::pgcompute:index:EndpointFleet::previews");

/** A fleet as the engine's state file has it. */
export interface StoredResource {
  id: string;
  inputs: Values;
  outputs: Values;
  unfinished: boolean;
}

/** What a process said, by the row it was said on. */
export interface Row {
  level: "info" | "warn" | "status" | "error";
  name: string;
  message: string;
}

/** One process of the provider: a run. */
export interface Process extends FleetCall {
  rows: Row[];
}

/** How a run ended. */
export interface Run {
  rows: Row[];
  diff?: FleetDiff;
  outputs?: Values;
  error?: Error;
}

/** Opens a bench and a fleet on it; nothing of it exists yet. */
export async function useFleet(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const bench = await useBench(options);
  const account = bench.account({}, settings);
  return { bench, fleet: new FleetEngine(bench, account) };
}

/** The engine's part, for one fleet. */
export class FleetEngine {
  stored: StoredResource | undefined;
  /** What a killed replacement has still to delete. */
  pending: StoredResource | undefined;
  /** The program's option; the engine of these tests has nothing to put back for it. */
  ignoreChanges: string[] = [];

  constructor(
    private readonly bench: Bench,
    public account: Account,
  ) {}

  process(part: Partial<FleetCall> = {}): Process {
    const rows: Row[] = [];
    const nameOf = (urn: string) => urn.split("::").at(-1) ?? "";
    const reporterFor = (urn: string) => ({
      info: (message: string) => rows.push({ level: "info", name: nameOf(urn), message }),
      warn: (message: string) => rows.push({ level: "warn", name: nameOf(urn), message }),
      status: (message: string) => rows.push({ level: "status", name: nameOf(urn), message }),
    });
    return {
      ...this.bench.context({ account: this.account, urn: FLEET_URN }),
      reporter: reporterFor(FLEET_URN),
      reporterFor,
      reportError: (urn, message) => rows.push({ level: "error", name: nameOf(urn), message }),
      rows,
      ...part,
    };
  }

  /** Keys with what the state has of them. */
  get endpoints(): Record<string, Values> {
    return (this.stored?.outputs.endpoints ?? {}) as Record<string, Values>;
  }

  preview(news: Values, process = this.process()): Promise<Run> {
    return this.#settled(process, async () => {
      const { inputs, diff } = await this.#plan(process, news);
      if (!this.stored) return { outputs: (await previewFleet(process, { inputs })).outputs };
      if (!diff?.changes && !this.stored.unfinished) return { ...(diff && { diff }) };
      const { outputs: state, inputs: oldInputs } = this.stored;
      const { ignoreChanges } = this;
      const request = { state: copy(state), inputs, oldInputs: copy(oldInputs), ignoreChanges };
      const { outputs } = await previewFleet(process, request);
      return { outputs, ...(diff && { diff }) };
    });
  }

  up(news: Values, process = this.process()): Promise<Run> {
    return this.#settled(process, async () => {
      const { inputs, diff } = await this.#plan(process, news);
      if (!this.stored) return this.#create(process, inputs);
      if (!diff?.changes && !this.stored.unfinished) {
        this.stored = { ...this.stored, inputs };
        return { ...(diff && { diff }) };
      }
      const before = this.stored;
      const request = {
        id: before.id,
        state: copy(before.outputs),
        inputs: copy(inputs),
        oldInputs: copy(before.inputs),
        ignoreChanges: this.ignoreChanges,
      };
      try {
        const { state } = await updateFleet(process, request);
        this.stored = { ...before, inputs, outputs: copy({ ...state }), unfinished: false };
        return { ...(diff && { diff }) };
      } catch (error) {
        // The engine keeps the old inputs with the new outputs.
        if (error instanceof PartialError) {
          this.stored = { ...before, outputs: copy({ ...error.state }), unfinished: true };
        }
        throw error;
      }
    });
  }

  /** An `up`, or a destroy where there is no program, of which the provider's process is killed at a call: the engine's state file stays as it was. */
  async killed(news: Values | undefined, death: Death): Promise<void> {
    const { account, stored } = this;
    const { api, died } = createMortalApi(account.api, death);
    this.account = openAccount(api, account.settings, account.clock);
    const work = (news ? this.up(news) : this.destroy()).then(() => "ended");
    const how = await this.bench.run(Promise.race([work, died]));
    // What was sent already is done by the platform.
    await this.bench.run(account.clock.sleep(10_000));
    this.account = this.bench.account({}, account.settings);
    if (how === "died") this.stored = stored;
  }

  /** Every later run has a process of its own, which knows nothing of the one before. */
  restart(settings: Partial<AccountSettings> = {}): void {
    this.account = this.bench.account({}, { ...this.account.settings, adoptInterrupted: false, ...settings });
  }

  /**
   * An `up` after a run that was killed, in a process of its own: where that left endpoints, the plain one is refused, once, and changes
   * nothing; and the one that its message names takes them up.
   */
  async upAfterKill(news: Values): Promise<Run> {
    const { admin, projectId } = this.bench.emulator;
    const everything = () => JSON.stringify(admin.project(projectId).endpoints);
    this.restart();
    const before = everything();
    const plain = await this.up(news);
    if (!plain.error?.message.includes(TAKE_UP_COMMAND)) return plain;
    if (plain.error.message.split(TAKE_UP_COMMAND).length !== 2)
      throw new Error(`not said once: ${plain.error.message}`);
    if (everything() !== before) throw new Error("a refused run has changed something");
    this.restart({ adoptInterrupted: true });
    return this.up(news);
  }

  /** A replacement by force: a Check with nothing old, a create, then the delete of the old one. */
  replace(news: Values, { isKilled = false, process = this.process() } = {}): Promise<Run> {
    return this.#settled(process, async () => {
      const old = this.stored;
      this.stored = undefined;
      await this.#create(process, (await this.#check(process, {}, news)) as Values);
      if (old && isKilled) this.pending = old;
      else if (old) await removeFleet(process, { id: old.id, state: copy(old.outputs) });
      return {};
    });
  }

  async deletePending(process: Process): Promise<void> {
    if (this.pending)
      await this.bench.run(removeFleet(process, { id: this.pending.id, state: copy(this.pending.outputs) }));
    this.pending = undefined;
  }

  refresh(process = this.process()): Promise<Run> {
    return this.#settled(process, async () => {
      if (!this.stored) return {};
      const { id, outputs, inputs } = this.stored;
      const found = await readFleetState(process, { id, state: copy(outputs), inputs: copy(inputs) });
      const [state, oldInputs] = [copy({ ...found.state }), copy({ ...found.inputs })];
      // To show what has changed: what was read, compared with the inputs of the last run. Its failure fails the refresh.
      const shown = { id, state: copy(state), inputs: copy(inputs), oldInputs: copy(oldInputs) };
      const diff = await diffFleet(process, { ...shown, ignoreChanges: this.ignoreChanges });
      this.stored = { id: found.id, outputs: state, inputs: oldInputs, unfinished: false };
      return { diff };
    });
  }

  import(id: string): Promise<Run> {
    const process = this.process();
    return this.#settled(process, async () => {
      const found = await readFleetState(process, { id, state: {}, inputs: {} });
      const [outputs, inputs] = [copy({ ...found.state }), copy({ ...found.inputs })];
      this.stored = { id: found.id, outputs, inputs, unfinished: false };
      return {};
    });
  }

  destroy(process = this.process()): Promise<Run> {
    return this.#settled(process, async () => {
      if (this.stored) await removeFleet(process, { id: this.stored.id, state: copy(this.stored.outputs) });
      this.stored = undefined;
      return {};
    });
  }

  async #create(process: Process, inputs: Values): Promise<Partial<Run>> {
    try {
      const { id, state } = await createFleet(process, copy(inputs));
      this.stored = { id, inputs, outputs: copy({ ...state }), unfinished: false };
      return {};
    } catch (error) {
      if (error instanceof PartialError) {
        this.stored = { id: error.id, inputs, outputs: copy({ ...error.state }), unfinished: true };
      }
      throw error;
    }
  }

  async #check(process: Process, olds: Values, news: Values): Promise<Values> {
    const { inputs, failures } = await checkFleet(process, { olds, news, secrets: [] });
    if (failures.length > 0)
      throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
    return inputs;
  }

  async #plan(process: Process, news: Values): Promise<{ inputs: Values; diff?: FleetDiff }> {
    const before = this.stored;
    const inputs = await this.#check(process, copy(before?.inputs ?? {}), news);
    if (!before) return { inputs };
    const { id, outputs: state, inputs: oldInputs } = before;
    const { ignoreChanges } = this;
    const request = { id, state: copy(state), inputs, oldInputs: copy(oldInputs), ignoreChanges };
    return { inputs, diff: await diffFleet(process, request) };
  }

  async #settled(process: Process, work: () => Promise<Partial<Run>>): Promise<Run> {
    const { rows } = process;
    const ended = work().then(
      (result): Run => ({ ...result, rows }),
      (error: Error): Run => ({ error, rows }),
    );
    return this.bench.run(ended);
  }
}

/** What a state file gives back: JSON, and nothing that is shared. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
