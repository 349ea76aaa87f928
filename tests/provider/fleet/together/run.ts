/** What the real engine calls in one run: each resource is checked and compared in its turn, deletes come last. */
import type { EndpointInputs } from "../../../../provider/endpoint/properties";
import type { FleetPlan } from "../../../../provider/fleet/plan";
import { resourceOwner } from "../../../../provider/lib/owner";
import { PartialError } from "../../../../provider/platform/errors";
import { checkFleet } from "../../../../provider/pulumi/fleet/check";
import type { FleetCall } from "../../../../provider/pulumi/fleet/context";
import {
  createFleet,
  diffFleet,
  readFleetState,
  removeFleet,
  updateFleet,
} from "../../../../provider/pulumi/fleet/lifecycle";
import { previewFleet } from "../../../../provider/pulumi/fleet/preview";
import { check, create, diff, remove, update } from "../../../../provider/pulumi/lifecycle";
import { announceStep, previewCreate } from "../../../../provider/pulumi/preview";
import { RunRecords } from "../../../../provider/pulumi/run/run";
import { type Bench, urnOf } from "../../../support/bench";
import type { Together } from "./engine";
import {
  checked,
  copy,
  type Declared,
  fleetUrn,
  type Options,
  type Program,
  type Run,
  type Stored,
  type Values,
} from "./program";

/** One run: a process of the provider, and its calls in the order of the real engine. */
export class OneRun implements Run {
  readonly errors: Run["errors"] = {};
  readonly rows: string[] = [];
  readonly changes: Run["changes"] = {};
  readonly #records = new RunRecords();
  readonly #account;

  constructor(
    private readonly engine: Together,
    bench: Bench,
    private readonly program: Program,
    private readonly options: Options & { isPreview: boolean },
  ) {
    this.#account = bench.account({}, { adoptInterrupted: options.adoptInterrupted === true });
  }

  async play(): Promise<Run> {
    const { pace = "eager", isPreview } = this.options;
    const steps: (() => Promise<void>)[] = [];
    for (const [name, declared] of Object.entries(this.program)) {
      // What waits is registered when that step is done.
      if (pace === "late" && (declared.after ?? []).length > 0) for (const step of steps.splice(0)) await step();
      if (Object.keys(this.errors).length > 0) break;
      const step = await this.#guarded(name, () => this.#register(name, declared));
      if (!step) continue;
      if (pace === "eager") await this.#guarded(name, step);
      else steps.push(async () => void (await this.#guarded(name, step)));
    }
    await Promise.all(steps.map((step) => step()));
    if (Object.keys(this.errors).length > 0) return this;
    for (const one of [...this.engine.toDelete]) await this.#delete(one, true);
    for (const one of [...this.engine.state.values()]) {
      if (this.program[one.name]) continue;
      this.changes[one.name] ??= "delete";
      if (!isPreview) await this.#delete(one, false);
    }
    return this;
  }

  async import(name: string, id: string): Promise<Run> {
    await this.#guarded(name, async () => {
      const found = await readFleetState(this.#call(name), { id, state: {}, inputs: {} });
      this.#store({ name, kind: "fleet", id: found.id, outputs: { ...found.state }, inputs: { ...found.inputs } });
    });
    return this;
  }

  async #delete(one: Stored, isPending: boolean): Promise<void> {
    const { name, kind, id, outputs } = one;
    if (this.options.isPreview) return;
    const done = await this.#guarded(name, async () => {
      if (kind === "fleet") await removeFleet(this.#call(name), { id, state: copy(outputs) });
      else await remove(this.#single(name), { id, state: copy(outputs) });
      return true;
    });
    if (!done) return;
    if (isPending) this.engine.toDelete = this.engine.toDelete.filter((other) => other !== one);
    else this.engine.state.delete(name);
  }

  #register(name: string, declared: Declared): Promise<(() => Promise<void>) | undefined> {
    return declared.kind === "fleet" ? this.#registerFleet(name, declared) : this.#registerSingle(name, declared);
  }

  async #registerFleet(name: string, declared: Declared): Promise<(() => Promise<void>) | undefined> {
    const { isPreview, replace = [] } = this.options;
    const call = this.#call(name);
    const old = this.engine.state.get(name);
    const isForced = replace.includes(name);
    const olds = isForced ? {} : copy(old?.inputs ?? {});
    const inputs = checked(await checkFleet(call, { olds, news: copy(declared.args), secrets: [] }));
    if (!old || isForced) {
      return async () => {
        if (isPreview) {
          const { plan } = await previewFleet(call, { inputs });
          this.#note(name, plan);
          return;
        }
        if (old && declared.deleteBeforeReplace) {
          await removeFleet(call, { id: old.id, state: copy(old.outputs) });
          this.engine.state.delete(name);
        }
        await this.#keep(name, "fleet", inputs, async () => {
          const { id, state } = await createFleet(call, copy(inputs));
          return { id, outputs: { ...state } };
        });
        if (old && !declared.deleteBeforeReplace) this.engine.toDelete.push(old);
      };
    }
    const request = { id: old.id, state: copy(old.outputs), inputs: copy(inputs), oldInputs: copy(old.inputs) };
    const { changes, plan } = await diffFleet(call, request);
    this.#note(name, plan);
    if (!changes && !old.unfinished) {
      if (!isPreview) this.#store({ ...old, inputs });
      return undefined;
    }
    return async () => {
      if (isPreview) await previewFleet(call, { state: copy(old.outputs), inputs });
      else
        await this.#keep(name, "fleet", inputs, async () => {
          const { state } = await updateFleet(call, request);
          return { id: old.id, outputs: { ...state } };
        });
    };
  }

  async #registerSingle(name: string, { args }: Declared): Promise<(() => Promise<void>) | undefined> {
    const { isPreview } = this.options;
    const context = this.#single(name);
    const old = this.engine.state.get(name);
    const inputs = checked(await check(context, { olds: copy(old?.inputs ?? {}), news: copy(args) }));
    if (!old) {
      this.changes[name] = "create";
      return async () => {
        if (isPreview) {
          await previewCreate(context, inputs);
          return announceStep(context);
        }
        await this.#keep(name, "single", inputs, async () => {
          const { id, state } = await create(context, copy(inputs) as unknown as EndpointInputs);
          return { id, outputs: state };
        });
      };
    }
    const found = await diff(context, { id: old.id, state: copy(old.outputs), inputs, oldInputs: copy(old.inputs) });
    if (found.replaces) throw new Error("not played here");
    this.changes[name] = found.changes ? "update" : "same";
    if (!found.changes && !old.unfinished) {
      if (!isPreview) this.#store({ ...old, inputs });
      return undefined;
    }
    return async () => {
      if (isPreview) return announceStep(context);
      const request = { id: old.id, state: copy(old.outputs), oldInputs: copy(old.inputs) };
      await this.#keep(name, "single", inputs, async () => {
        const { id, state } = await update(context, { ...request, inputs: copy(inputs) as unknown as EndpointInputs });
        return { id, outputs: state };
      });
    };
  }

  #note(name: string, plan: FleetPlan | undefined): void {
    this.changes[name] = plan && Object.fromEntries([...plan.members.values()].map(({ key, change }) => [key, change]));
  }

  async #keep(
    name: string,
    kind: Declared["kind"],
    inputs: Values,
    work: () => Promise<{ id: string; outputs: Values }>,
  ): Promise<void> {
    const before = this.engine.state.get(name);
    try {
      const { id, outputs } = await work();
      this.#store({ name, kind, id, inputs, outputs });
    } catch (error) {
      if (error instanceof PartialError) {
        const kept = before && before.id === error.id ? before.inputs : inputs;
        this.#store({ name, kind, id: error.id, inputs: kept, outputs: { ...error.state }, unfinished: true });
      }
      throw error;
    }
  }

  #store(one: Stored): void {
    this.engine.state.set(one.name, copy({ unfinished: false, ...one }));
  }

  #single(name: string) {
    return this.#context(name, urnOf(name));
  }

  #call(name: string): FleetCall {
    return this.#context(name, fleetUrn(name));
  }

  #context(name: string, urn: string): FleetCall {
    const nameIn = (one: string) => one.split("::").at(-1) ?? "";
    const say = (row: string, level: string) => (message: string) => {
      this.rows.push(`${level} ${nameIn(row)}: ${message}`);
    };
    const reporterFor = (row: string) => ({ info: say(row, "info"), warn: say(row, "warn"), status: () => {} });
    const after = (this.program[name]?.after ?? []).map((one) =>
      this.program[one]?.kind === "fleet" ? fleetUrn(one) : urnOf(one),
    );
    return {
      account: this.#account,
      run: this.#records,
      host: this.engine.isDynamic ? "dynamic" : "plugin",
      signal: new AbortController().signal,
      urn: resourceOwner(urn),
      after: this.engine.isDynamic ? new Set(after) : undefined,
      reporter: reporterFor(urn),
      reporterFor,
      reportError: (row, message) => this.rows.push(`error ${nameIn(row)}: ${message}`),
    };
  }

  async #guarded<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.errors[name] = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }
}
