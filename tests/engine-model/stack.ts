/** A stack of single endpoints and fleets (with names in `f`), and its runs: the vocabulary of tests of whole runs. */
import type { EmulatorOptions } from "../../emulator";
import { type AccountSettings, type ApiOptions, type Bench, useBench } from "../support/bench";
import { InOrder } from "./choices";
import type { Provider } from "./deployment/resource";
import { Engine, type RunPlan } from "./engine";
import { keyOf, nameOf, urnOf } from "./names";
import { type Circumstances, openProcess, type Process, type Row } from "./process";
import type { Change, Run as EngineRun, Failed, Stored, Values, Declared as Wanted } from "./words";

export type { Process, Row, Stored, Values };

/** A resource as a program declares it. */
export interface Declared extends Partial<Omit<Wanted, "args" | "after">> {
  args: Values;
  /** The names of those that it waits for. */
  after?: readonly string[];
}

/** Its resources by name, in the order in which the engine registers them. */
export type Program = Readonly<Record<string, Declared>>;

/** The program of one fleet, whose name is `fleet`. */
export interface FleetProgram extends Program {
  fleet: Declared & { args: { projectId: string; endpoints: Record<string, Values>; defaults?: Values } };
}

/** A call of the provider. */
export type Verb = keyof Provider | "preview";

/** What a process is opened with that a run has to itself. */
export interface ProcessOptions extends Partial<Omit<Circumstances, "host" | "laidOver">> {
  /** What is configured, besides what the stack's runs have. */
  settings?: Partial<AccountSettings>;
}

/** How a run of a stack goes. */
export interface Options extends ProcessOptions {
  /** Default one of its own. */
  process?: Process;
  /** Whether steps are done as soon as they are planned, or when all resources have been. */
  pace?: "eager" | "late";
  /** Resources that `--replace` names. */
  replace?: readonly string[];
  /** Resources that `--target` hides. */
  hidden?: readonly string[];
  /** Whether somebody says that what an interrupted run has made is taken up. */
  adoptInterrupted?: boolean;
  /** The engine's hook of this name: called where a create or an update has failed, which is called again if it is true. */
  onError?(error: unknown): boolean;
  /** Called before each call of the provider; `preview` is a create or an update in a preview. */
  beforeStep?(verb: Verb, name: string): Promise<void>;
}

/** For `beforeStep`: what is done just before each call of a verb. */
export function justBefore(verb: Verb, act: () => unknown): NonNullable<Options["beforeStep"]> {
  return async (called) => {
    if (called === verb) await act();
  };
}

/** How a run of a stack ended. */
export interface Run {
  ok: boolean;
  /** Whether its process was killed. What it had sent is done by then, and the state is that of the moment. */
  died: boolean;
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
  /** What a preview knows of the first resource's outputs, and of each by its name. */
  outputs?: Values;
  previewed: Record<string, Values>;
}

interface StackOptions {
  /** `dynamic` is told what waits for what. */
  host?: Process["host"];
  /** How many resources are worked on at once. Default 1. */
  atOnce?: number;
  /** True where a failed step stops only those that wait for it (`--continue-on-error`). */
  goesOn?: boolean;
}

/** What a process has sent before it is killed is done so many milliseconds later. */
const DEATH_MS = 10_000;

/** A stack, and the runs of the engine's model on it, with nothing left to chance. */
export class Stack {
  readonly engine = new Engine();
  /** What is configured for its runs. */
  settings: Partial<AccountSettings> = {};
  /** Hears of the requests of its runs. */
  onRequest: ApiOptions["onRequest"];

  constructor(
    private readonly bench: Bench,
    private readonly options: StackOptions = {},
  ) {}

  /** Opens a process for one run, or for a refresh and what comes after it. */
  process({ settings, ...given }: ProcessOptions = {}): Process {
    const { onRequest } = this;
    const account = () => this.bench.account({ ...(onRequest && { onRequest }) }, { ...this.settings, ...settings });
    const { host = "plugin" } = this.options;
    return openProcess({ host, account: given.account ?? account(), ...given });
  }

  /** `pulumi preview`. */
  preview(program: Program, options: Options = {}): Promise<Run> {
    return this.#run(options, (plan) => this.engine.preview({ ...plan, program: programOf(program) }));
  }

  /** `pulumi up --skip-preview`. */
  up(program: Program, options: Options = {}): Promise<Run> {
    return this.#run(options, (plan) => this.engine.up({ ...plan, program: programOf(program) }));
  }

  /** `pulumi destroy`. */
  destroy(options: Options = {}): Promise<Run> {
    return this.up({}, options);
  }

  /** `pulumi import`. */
  import(name: string, id: string, options: Options = {}): Promise<Run> {
    return this.#run(options, async ({ process }) => {
      await this.engine.import(process, name, id);
      return {};
    });
  }

  /** `pulumi refresh`. */
  refresh(options: Options = {}): Promise<Run> {
    return this.#run(options, async ({ process }) => ({ changes: await this.engine.refresh(process) }));
  }

  /** What the state has of a resource. */
  stored(name = FLEET): Stored | undefined {
    return this.engine.state.get(name);
  }

  /** By its members' keys, what the state of a fleet has. */
  endpoints(fleet = FLEET): Record<string, Values> {
    return endpointsOf(this.stored(fleet)?.state ?? {});
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
    { pace, replace = [], hidden = [], adoptInterrupted, process: given, onError, beforeStep, ...own }: Options,
    work: (plan: Omit<RunPlan, "program">) => Promise<Partial<EngineRun>>,
  ): Promise<Run> {
    const { atOnce = 1, goesOn = false } = this.options;
    const said = adoptInterrupted === undefined ? {} : { adoptInterrupted };
    const process = given ?? this.process({ ...own, settings: { ...said, ...own.settings } });
    const plan = {
      process: beforeStep ? { ...process, provider: after(beforeStep, process.provider) } : process,
      ...{ choices: new InOrder(pace), forced: new Set(replace), hidden: new Set(hidden), goesOn },
      ...{ ...(pace !== "late" && { atOnce }), ...(onError && { onError }) },
    };
    const failing = (error: Error) => ({ failed: [{ name: "", verb: "step" as const, error, sent: 0 }] });
    const played: Promise<Partial<EngineRun>> = work(plan).catch(failing);
    const died = process.died.then(() => this.engine.saved());
    const end = await this.bench.run(Promise.race([played, died]));
    const isDead = "restore" in end;
    if (isDead) {
      await this.bench.run(this.bench.clock.sleep(DEATH_MS));
      end.restore();
    }
    return runOf(isDead ? {} : end, isDead, process.rows);
  }
}

/** Opens a bench and a stack on it, of which nothing exists yet, with what programs for it are made of. */
export async function useStack(options: EmulatorOptions = {}, host?: Process["host"]) {
  const bench = await useBench(options);
  const { projectId, admin } = bench.emulator;
  const branches = (many: number) => Array.from({ length: many }, () => bench.branch());
  return {
    ...{ bench, projectId, admin, branches, branch: bench.branch, stack: new Stack(bench, host && { host }) },
    /** A single endpoint. */
    single: (branchId: string, more: Values = {}, after: string[] = []): Declared => ({
      args: { projectId, branchId, ...more },
      after,
    }),
    /** A fleet. */
    fleet: (endpoints: Values, more: Partial<Declared> = {}): Declared => ({
      args: { projectId, endpoints, maxDeletions: 99 },
      ...more,
    }),
    /** The program of one fleet, `fleet`. */
    program: (endpoints: Record<string, Values>, more: Values = {}): FleetProgram => ({
      fleet: { args: { projectId, endpoints, ...more } },
    }),
    /** Members of a fleet, so many, each on a branch of its own. */
    members: (many: number) =>
      Object.fromEntries(branches(many).map((branchId, at) => [`pr-${at}`, { branchId } as Values])),
    idsOn: (branchId: string) => bench.on(branchId).map(({ id }) => id),
  };
}

/** Opens a stack of one endpoint, `main`, on a branch of its own, which does not exist yet. */
export async function useMain(options: EmulatorOptions = {}, settings: Partial<AccountSettings> = {}) {
  const used = await useStack(options);
  const { stack, admin, single } = used;
  stack.settings = settings;
  const branchId = used.branch();
  return {
    ...{ ...used, branchId },
    /** Its program. */
    main: (more: Values = {}) => ({ main: single(branchId, more) }),
    stored: () => stack.stored("main"),
    live: () => admin.endpoint(stack.ids().main ?? ""),
    /** What was sent besides reading. */
    sent: () => admin.log().filter(({ method }) => method !== "GET"),
  };
}

/** The same where `main` is there already, as the program said at first; the log is empty. */
export async function useMade(first: Values = {}, options: EmulatorOptions = {}, settings?: Partial<AccountSettings>) {
  const used = await useMain(options, settings);
  const main = (more: Values = {}) => used.main({ ...first, ...more });
  await used.stack.up(main());
  used.admin.clearLog();
  return { ...used, main, id: used.live().id };
}

const FLEET = "fleet";

/** Of the fleet in a program of one fleet. */
export const FLEET_URN = urnOf(FLEET);

function runOf(
  { failed = [], printed = [], changes = new Map(), outputs = new Map() }: Partial<EngineRun>,
  died: boolean,
  rows: Row[],
): Run {
  const [error, known] = [failed[0]?.error, outputs.values().next().value];
  return {
    ...{ ok: failed.length === 0 && !died, died, failed, rows },
    messages: failed.map((one) => one.error.message),
    errors: Object.fromEntries(failed.map((one) => [one.name, one.error.message])),
    said: rows.flatMap(({ level, name, message }) => (level === "status" ? [] : `${level} ${name}: ${message}`)),
    isChanged: printed.some(({ op }) => op !== "same"),
    previewed: Object.fromEntries(outputs),
    changes: Object.fromEntries([...changes].map(([name, change]) => [keyOf(name) ?? name, change])),
    ...(error && { error }),
    ...(known && { outputs: known }),
  };
}

function programOf(program: Program) {
  return new Map(
    Object.entries(program).map(([name, { after = [], ...rest }]) => [name, { ...rest, after: new Set(after) }]),
  );
}

/** A provider whose every call waits for what is done before it. */
function after(before: NonNullable<Options["beforeStep"]>, provider: Provider): Provider {
  const made = Object.entries(provider).map(([verb, call]) => [
    verb,
    async (asked: { urn: string; isPreview?: boolean }) => {
      await before(asked.isPreview ? "preview" : (verb as Verb), nameOf(asked.urn));
      return call(asked);
    },
  ]);
  return Object.fromEntries(made) as Provider;
}

function endpointsOf({ endpoints = {} }: Values): Record<string, Values> {
  return endpoints as Record<string, Values>;
}
