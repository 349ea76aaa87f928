/** Stacks of fleets, whose names begin with `f`, and single endpoints, on the model of the engine that plays generated programs, with nothing left to chance. */
import { expect } from "vitest";
import type { EmulatorOptions, EndpointState } from "../../../emulator";
import { type Owner, resourceOwner, shownUrn } from "../../../provider/lib/owner";
import { type Account, type AccountSettings, openAccount } from "../../../provider/platform/account";
import type { ApiOptions } from "../../../provider/platform/client";
import type { LifecycleContext } from "../../../provider/pulumi/call";
import { TAKE_UP_COMMAND } from "../../../provider/pulumi/messages/commands";
import { RunRecords } from "../../../provider/pulumi/run";
import { InOrder } from "../../engine-model/choices";
import type { RunPlan } from "../../engine-model/engine";
import { Engine } from "../../engine-model/engine";
import { keyOf, nameOf, urnOf } from "../../engine-model/names";
import type { Change, Run as EngineRun, Failed, Process as Host, Stored, Values } from "../../engine-model/stack";
import { endpointVerbs, type Verbs } from "../../engine-model/verbs";
import { type Bench, useBench } from "../../support/bench";
import { createMortalApi, type Death } from "../../support/mortal-api";

export type { Values };

/** What a process said, by the row it was said on. */
export interface Row {
  level: "info" | "warn" | "status" | "error";
  name: string;
  message: string;
}

/** One process of the provider: a run. By itself it is a call about the fleet that the tests of a single fleet declare. */
export interface Process extends LifecycleContext, Omit<Host, "host"> {
  rows: Row[];
}

/** A resource as a program declares it. */
export interface Declared {
  args: Values;
  after?: readonly string[];
  /** Its former name. */
  was?: string;
  deleteBeforeReplace?: boolean;
  /** The option `import`. */
  importId?: string;
}

/** In the order in which the engine registers them. */
export type Program = Readonly<Record<string, Declared>>;

/** A call of the provider. */
export type Verb = keyof Verbs;

/** How a run of a stack goes. */
export interface Options {
  /** Whether steps are done as soon as they are planned, or when all resources have been. */
  pace?: "eager" | "late";
  /** Resources that `--replace` names. */
  replace?: readonly string[];
  /** Resources that `--target` hides. */
  hidden?: readonly string[];
  /** Where somebody says that what an interrupted run has made is taken up. */
  adoptInterrupted?: boolean;
  /** What else is configured. */
  settings?: Partial<AccountSettings>;
  /** Default one of its own, for these settings, whose calls have this part besides. */
  process?: Process;
  part?: Partial<LifecycleContext>;
  /** Called before each call of the provider about a single endpoint. */
  beforeStep?(verb: Verb, name: string): Promise<void>;
}

/** How a run of a stack ended. */
export interface Run {
  ok: boolean;
  failed: Failed[];
  /** The first of them, and the messages of all, by resource too. */
  error?: Error;
  messages: string[];
  errors: Record<string, string>;
  rows: Row[];
  /** All rows but those of a status, as `LEVEL NAME: MESSAGE`. */
  said: string[];
  /** Whether a resource itself was created, updated or replaced. */
  isChanged: boolean;
  /** What is planned, by resource or member. */
  changes: Record<string, Change>;
  /** What a preview knows of a fleet's outputs. */
  outputs?: Values;
}

interface StackOptions {
  /** `dynamic` is told what waits for what. */
  host?: Host["host"];
  /** How many resources are worked on at once. Default 1. */
  atOnce?: number;
  /** True where runs go side by side with something else: the caller lets time pass, and a failure stops nobody else. */
  isMany?: boolean;
}

/** A stack of several resources. */
export class Stack {
  readonly engine = new Engine();
  /** The program's option; the engine of these tests has nothing to put back for it. */
  ignoreChanges: string[] = [];

  constructor(
    private readonly bench: Bench,
    private readonly options: StackOptions = {},
  ) {}

  process(part: Partial<LifecycleContext> = {}, settings: Partial<AccountSettings> = {}): Process {
    const rows: Row[] = [];
    const say = (level: Row["level"], owner: Owner) => (message: string) =>
      void rows.push({ level, name: shownUrn(owner).split("::").at(-1) ?? "", message });
    const reporterFor = (owner: Owner) => ({
      info: say("info", owner),
      warn: say("warn", owner),
      status: say("status", owner),
    });
    const { host = "plugin" } = this.options;
    const account = part.account ?? this.bench.account({}, settings);
    const records = part.run ?? new RunRecords();
    const context = (urn: string) => ({
      ...this.bench.context({ account, host, run: records }),
      ...{ reporter: reporterFor(resourceOwner(urn)), reporterFor, ignoreChanges: this.ignoreChanges, ...part },
      reportError: (owner: Owner, message: string) => say("error", owner)(message),
      urn: resourceOwner(urn),
    });
    return { ...context(part.urn ?? FLEET_URN), rows, sent: () => 0, context };
  }

  preview(program: Program, options: Options = {}): Promise<Run> {
    return this.#run(options, (plan) => this.engine.preview({ ...plan, program: programOf(program) }));
  }

  up(program: Program, options: Options = {}): Promise<Run> {
    return this.#run(options, (plan) => this.engine.up({ ...plan, program: programOf(program) }));
  }

  /** `pulumi import`. */
  import(name: string, id: string, options: Options = {}): Promise<Run> {
    return this.#run(options, async ({ process }) => {
      await this.engine.import(process, name, id);
      return {};
    });
  }

  refresh(options: Options = {}): Promise<Run> {
    return this.#run(options, async ({ process }) => ({ changes: await this.engine.refresh(process) }));
  }

  /** By resource and member, the ids that the state has. */
  ids(): Record<string, string> {
    return Object.fromEntries(
      [...this.engine.state.values()].flatMap(({ name, state }) =>
        "endpointId" in state
          ? [[name, String(state.endpointId)]]
          : Object.entries(endpointsOf(state)).map(([key, { endpointId }]) => [`${name}/${key}`, String(endpointId)]),
      ),
    );
  }

  /** Every resource that the state knows by an id, those that are still to be deleted among them. */
  known(): string[] {
    return [...this.engine.state.values(), ...this.engine.toDelete].map(({ id }) => id);
  }

  async #run(
    { pace, replace = [], hidden = [], adoptInterrupted = false, settings, part, process, beforeStep }: Options,
    work: (plan: Omit<RunPlan, "program">) => Promise<Partial<EngineRun>>,
  ): Promise<Run> {
    const { atOnce = 1, isMany = false } = this.options;
    const { rows, host, sent, context } = process ?? this.process(part, { adoptInterrupted, ...settings });
    const plan = {
      process: { host, sent, context, ...(beforeStep && { verbs: verbsAfter(beforeStep) }) },
      ...{
        choices: new InOrder(pace),
        forced: new Set(replace),
        hidden: new Set(hidden),
        goesOn: isMany,
        ...(pace !== "late" && { atOnce }),
      },
    };
    const played = work(plan).catch(
      (error: Error): Partial<EngineRun> => ({ failed: [{ name: "", verb: "step", error, sent: 0 }] }),
    );
    const { failed = [], printed = [], changes = [], outputs } = await (isMany ? played : this.bench.run(played));
    const [error, known] = [failed[0]?.error, outputs?.values().next().value];
    return {
      ...{ ok: failed.length === 0, failed, rows },
      messages: failed.map((one) => one.error.message),
      errors: Object.fromEntries(failed.map((one) => [one.name, one.error.message])),
      said: rows.flatMap(({ level, name, message }) => (level === "status" ? [] : `${level} ${name}: ${message}`)),
      isChanged: printed.some(({ op }) => op !== "same"),
      changes: Object.fromEntries([...changes].map(([name, change]) => [keyOf(name) ?? name, change])),
      ...(error && { error }),
      ...(known && { outputs: known }),
    };
  }
}

/** A stack of single endpoints, in runs that go side by side with something else. */
export function stackOfMany(bench: Bench, atOnce = 1): Stack {
  return new Stack(bench, { atOnce, isMany: true });
}

/** A program that says no more of its resources than their inputs. */
export function declare(inputs: Readonly<Record<string, Values>>): Program {
  return Object.fromEntries(Object.entries(inputs).map(([name, args]) => [name, { args }]));
}

/** Opens a bench and a stack on it, of which nothing exists yet, with what programs for it are made of. */
export async function useStack({ host, ...options }: EmulatorOptions & StackOptions = {}) {
  const bench = await useBench(options);
  const { projectId, admin } = bench.emulator;
  return {
    ...{ bench, projectId, admin, branch: bench.branch, engine: new Stack(bench, host && { host }) },
    single: (branchId: string, more: Values = {}, after: string[] = []): Declared => ({
      args: { projectId, branchId, ...more },
      after,
    }),
    fleet: (endpoints: Values, more: Partial<Declared> = {}): Declared => ({
      args: { projectId, endpoints, maxDeletions: 99 },
      ...more,
    }),
    idsOn: (branchId: string) => bench.on(branchId).map(({ id }) => id),
  };
}

function programOf(program: Program) {
  return new Map(
    Object.entries(program).map(([name, { after = [], ...rest }]) => [name, { ...rest, after: new Set(after) }]),
  );
}

function verbsAfter(before: (verb: Verb, name: string) => Promise<void>): Verbs {
  const wrapped = Object.entries(endpointVerbs).map(([verb, call]) => [
    verb,
    async (context: LifecycleContext, ...rest: unknown[]) => {
      await before(verb as Verb, nameOf(context.urn));
      return (call as (context: LifecycleContext, ...rest: unknown[]) => Promise<unknown>)(context, ...rest);
    },
  ]);
  return Object.fromEntries(wrapped) as Verbs;
}

function endpointsOf({ endpoints = {} }: Values): Record<string, Values> {
  return endpoints as Record<string, Values>;
}

const NAME = "fleet";

/** Of the fleet that the tests of a single fleet declare. */
export const FLEET_URN = urnOf(NAME);

/** Opens a bench and a fleet on it, of which nothing exists yet; with what programs for it are made of. */
export async function useFleet(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const bench = await useBench(options);
  const { admin, projectId } = bench.emulator;
  const fleet = new Fleet(bench, settings);
  const branches = (many: number) => Array.from({ length: many }, () => bench.branch());
  return {
    ...{ bench, fleet, admin, projectId, branches },
    /** So many members, each on a branch of its own. */
    members: (many: number) =>
      Object.fromEntries(branches(many).map((branchId, at) => [`pr-${at}`, { branchId } as Values])),
    program: (endpoints: Record<string, Values>, more: Values = {}) => ({ projectId, endpoints, ...more }),
  };
}

/** What a program says of the fleet. */
interface FleetProgram extends Values {
  defaults?: Values;
  endpoints: Record<string, Values>;
}

/** A stack of one fleet. */
export class Fleet {
  readonly stack: Stack;
  /** Hears of the requests of every run. */
  onRequest: ApiOptions["onRequest"];

  constructor(
    private readonly bench: Bench,
    /** What is configured for runs. */
    public settings: Partial<AccountSettings> = {},
  ) {
    this.stack = new Stack(bench);
  }

  process(part: Partial<LifecycleContext> = {}, settings: Partial<AccountSettings> = {}): Process {
    return this.stack.process({ account: this.account(settings), ...part });
  }

  /** That of a process. */
  account(settings: Partial<AccountSettings> = {}): Account {
    const { onRequest } = this;
    return this.bench.account({ ...(onRequest && { onRequest }) }, { ...this.settings, ...settings });
  }

  get stored(): Stored | undefined {
    return this.stack.engine.state.get(NAME);
  }

  set stored(stored: Stored | undefined) {
    if (stored) this.stack.engine.state.set(NAME, stored);
    else this.stack.engine.state.delete(NAME);
  }

  /** Keys with what the state has of them. */
  get endpoints(): Record<string, Values> {
    return endpointsOf(this.stored?.state ?? {});
  }

  preview(args: Values, process = this.process()): Promise<Run> {
    return this.stack.preview({ [NAME]: { args } }, { process });
  }

  up(args: Values, process = this.process()): Promise<Run> {
    return this.stack.up({ [NAME]: { args } }, { process });
  }

  /** An up with `--replace`. */
  replace(args: Values, process = this.process()): Promise<Run> {
    return this.stack.up({ [NAME]: { args } }, { process, replace: [NAME] });
  }

  refresh(process = this.process()): Promise<Run> {
    return this.stack.refresh({ process });
  }

  import(id: string): Promise<Run> {
    return this.stack.import(NAME, id);
  }

  destroy(process = this.process()): Promise<Run> {
    return this.stack.up({}, { process });
  }

  /** An `up`, or a destroy where there is no program, of which the provider's process is killed at a call: the engine's state file stays as it was. */
  async killed(news: Values | undefined, death: Death): Promise<void> {
    const { stored } = this;
    const account = this.account();
    const { api, died } = createMortalApi(account.api, death);
    const process = this.process({ account: openAccount(api, account.settings, account.clock) });
    const work = (news ? this.up(news, process) : this.destroy(process)).then(() => "ended");
    const how = await this.bench.run(Promise.race([work, died]));
    // What was sent already is done by the platform.
    await this.bench.run(account.clock.sleep(10_000));
    if (how === "died") this.stored = stored;
  }

  /** A preview and an `up`, each in a process of its own, which say and plan the same; what is refused changes nothing. */
  async upped(args: Values, settings: Partial<AccountSettings> = {}): Promise<Run> {
    const { admin, projectId } = this.bench.emulator;
    const everything = () => JSON.stringify(admin.project(projectId).endpoints);
    const before = everything();
    const preview = await this.preview(args, this.process({}, settings));
    const up = await this.up(args, this.process({}, settings));
    expect(up.error?.message).toBe(preview.error?.message);
    expect(up.isChanged).toBe(preview.isChanged);
    if (up.error) expect(everything()).toBe(before);
    return up;
  }

  /** Does what the messages say until the program is in force, which the next preview sees; gives the ways on that this took. */
  async settle(args: FleetProgram): Promise<string[]> {
    const ways: string[] = [];
    for (;;) {
      const { error, said } = await this.upped(args, { adoptInterrupted: ways.includes("take up") });
      const message = [error?.message, ...said].join("\n");
      const [, left] = message.match(/run: npx --no-install pgcompute endpoints delete \S+\/(ep-\S+)/) ?? [];
      if (message.includes(TAKE_UP_COMMAND)) {
        expect(message.split(TAKE_UP_COMMAND)).toHaveLength(2);
        ways.push("take up");
      } else if (message.includes("run: pulumi refresh")) {
        expect((await this.refresh()).error).toBeUndefined();
        ways.push("refresh");
      } else if (left) {
        this.bench.emulator.admin.dropEndpoint(left);
        ways.push("delete");
      } else {
        expect(error).toBeUndefined();
        break;
      }
      expect(ways.length).toBeLessThan(5);
    }
    this.expectExactly(args);
    expect((await this.preview(args)).isChanged).toBe(false);
    return ways;
  }

  /** By key, where the endpoints of the state stand. */
  places(): Record<string, string> {
    const { admin } = this.bench.emulator;
    const placeOf = ({ branch_id, type }: EndpointState) => `${branch_id} ${type}`;
    return Object.fromEntries(
      Object.entries(this.endpoints).map(([key, one]) => [key, placeOf(admin.endpoint(String(one.endpointId)))]),
    );
  }

  /** The endpoints of the state stand where the program says, and its branches have no others. */
  expectExactly({ endpoints, defaults }: FleetProgram): void {
    const { admin, projectId } = this.bench.emulator;
    const wanted = Object.entries(endpoints).map(
      ([key, { branchId, type = defaults?.type ?? "read_write" }]) => [key, `${branchId} ${type}`] as const,
    );
    expect(this.places()).toEqual(Object.fromEntries(wanted));
    const branches = new Set(Object.values(endpoints).map(({ branchId }) => branchId));
    const there = admin.project(projectId).endpoints.filter(({ branch_id }) => branches.has(branch_id));
    expect(there).toHaveLength(wanted.length);
  }
}
