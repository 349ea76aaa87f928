/** A generated case before its program runs: the platform's endpoints, the stack's state, and the program. */
import type { Choices } from "../../engine-model/choices";
import { Engine } from "../../engine-model/engine";
import { isFleet, isMember, resourceOf, urnOf } from "../../engine-model/names";
import { openProcess, type Process } from "../../engine-model/process";
import type { Program, Stored, Values } from "../../engine-model/words";
import { type Api, type Bench, profiles, useBench } from "../../support/bench";
import type { Death } from "../../support/mortal-api";
import { BOOKKEEPING, membersIn, stateWith } from "../../support/stored";
import { BRANCHES, type Case, type Meddling } from "./cases";
import { type Held, holdings, placeIn, setWish, wishOf } from "./holdings";
import { seedEndpoint, setScene } from "./scene";

/** How an endpoint came to bear the name of somebody who has it not. */
export const formerOwners = [
  ...(["gather", "scatter", "rename", "reparent", "nest", "sendAway"] as const),
  ...(["orphan", "elsewhere", "forged", "copy"] as const),
];

/** One of these ways. */
export type FormerOwner = (typeof formerOwners)[number];

/** How long a change or its answer may be on its way. */
const DELAYS_MS = [0, 1, 5, 20];

const CHANGES = ["createEndpoint", "updateEndpoint", "deleteEndpoint", "suspendEndpoint", "startEndpoint"];

/** What befalls a process of the provider. */
interface Circumstances {
  /** How long each change, and its answer, is on its way. */
  delays?: Choices;
  death?: Death | undefined;
}

/** A platform for the cases of a test, one after the other, and the client that they share; closed with the test. */
export async function usePlatform(): Promise<{ bench: Bench; api: Api }> {
  const bench = await useBench({ operationMs: 0, logLimit: 1 });
  return { bench, api: bench.account({ setTimer: undefined }).api };
}

/** The platform, the state and the program of one case. */
export class World {
  readonly engine = new Engine();
  program: Program = new Map();
  /** Endpoints that are nobody's, and those that a destroy is to leave. */
  readonly free = new Set<string>();
  /** Branches that somebody else has touched since the preview. */
  readonly touched = new Set<string>();
  /** Endpoints that somebody else has moved, changed or deleted since the preview. */
  readonly meddled = new Set<string>();
  /** Those of them that stand on another branch. */
  readonly moved = new Set<string>();
  /** Endpoints that another stack has in its state. */
  readonly elsewhere = new Set<string>();
  /** Resources that the engine hides from the run. */
  readonly hidden = new Set<string>();
  /** Those that messages had excluded, with what depends on them, until a run passes. */
  readonly excluded = new Set<string>();
  /** For whom endpoints were made, by their names, that have others by now or nobody; and how that came. */
  readonly formerOwners: { kind: FormerOwner; name: string }[] = [];
  /**
   * Ids of the operations that the provider's changes caused. The platform suspends unused endpoints itself, and lists
   * a suspend when a stopped one moves.
   */
  readonly asked = new Set<string>();
  adoptInterrupted: boolean;
  moves: Case["moves"];
  /** Endpoints that the next run lets go of (`PGCOMPUTE_FORGET`). */
  forget: string[] = [];
  /** `--parallel 1`. */
  isSerial: boolean;
  /** How many runs have taken each way of a message. */
  readonly taken = new Map<string, number>();
  /** How often each of the program was refused. */
  readonly contrary = new Map<string, number>();
  /** True where the way that was taken last has changed nothing. */
  isStuck = false;
  /** Changes of the program that wait each for an up to pass. */
  readonly later: (() => void)[] = [];
  #original: Program = new Map();

  constructor(
    readonly bench: Bench,
    private readonly api: Api,
    private readonly its: Case,
  ) {
    this.adoptInterrupted = its.adoptsInterrupted;
    this.moves = its.moves;
    this.isSerial = its.isSerial === true;
  }

  /** Sets the platform, the state and the program. */
  async open(): Promise<this> {
    const { emulator } = this.bench;
    const { platform, lagMs } = this.its;
    emulator.reset();
    const moveRule = platform === "specification" ? "no-endpoint" : "no-read-write";
    emulator.admin.configure({ moveRule, endpointNames: this.keepsNames });
    for (let branch = 0; branch < BRANCHES; branch += 1) {
      emulator.admin.seedBranch(emulator.projectId, { id: branchId(branch) });
    }
    await setScene(this, this.its);
    this.#original = programOf(this.engine, emulator.projectId);
    if (lagMs === 0) return this;
    emulator.admin.addFault({ route: "endpoints.list", effect: { kind: "stale-list", ageMs: lagMs } });
    await this.settle();
    return this;
  }

  /** Lets so much time pass that lists show everything. */
  async settle(): Promise<void> {
    await this.bench.clock.pass(this.its.lagMs + 1_000);
  }

  /** Whether the platform keeps and shows endpoints' names. */
  get keepsNames(): boolean {
    return this.its.keepsNames || this.its.platform === "neon";
  }

  get host(): Case["host"] {
    return this.its.host;
  }

  /** The properties of every endpoint, by its id, as the provider reads them. */
  async readAll(): Promise<Map<string, Values>> {
    const { provider } = openProcess({ host: "plugin", account: this.bench.accountOn(this.api) });
    const { projectId } = this.bench.emulator;
    const urn = urnOf("r0");
    const found = this.endpoints().map(async ({ id }) => {
      const { outputs = {} } = await provider.read({ urn, id: `${projectId}/${id}` });
      const { [BOOKKEEPING]: _, ...properties } = outputs;
      return [id, properties] as const;
    });
    return new Map(await Promise.all(found));
  }

  /** What the state has of an endpoint, of which the program has said this. */
  storedAs(name: string, read: Values, said: Values, isAdopted: boolean): Stored {
    const { sizeCu, ...others } = said;
    const kept = { set: Object.keys(said), ...(isAdopted && { adopted: true as const }) };
    const hidden = isMember(name) ? {} : this.hiddenOf(name);
    const state = { ...stateWith({ ...others, ...read }, kept), ...hidden };
    return { name, id: `${read.projectId}/${read.endpointId}`, inputs: { ...said, ...hidden }, state };
  }

  /** What the classes of dynamic resources have the state keep. */
  hiddenOf(name: string): Values {
    return this.host === "dynamic" ? { __urn: urnOf(name) } : {};
  }

  /** Lets one resource wait for another, or their fleets; false where either does already. */
  wait(second: string | undefined, first: string | undefined): boolean {
    if (second === undefined || first === undefined) return false;
    const [waiter, waitedFor] = [resourceOf(second), resourceOf(first)];
    const declared = this.program.get(waiter);
    if (!declared || !this.program.has(waitedFor) || this.waits(waitedFor, waiter)) return false;
    if (declared.after.has(waitedFor)) return false;
    declared.after.add(waitedFor);
    return true;
  }

  /** True for a resource, or a member's fleet, that waits for another one, or is it. */
  waits(one: string, other: string): boolean {
    const [waiter, waitedFor] = [resourceOf(one), resourceOf(other)];
    if (waiter === waitedFor) return true;
    return [...(this.program.get(waiter)?.after ?? [])].some((next) => this.waits(next, waitedFor));
  }

  /** Lets an endpoint go by an empty branch, until the others of a circle have come. */
  detour(name: string): void {
    const wanted = wishOf(this.program, name)?.branchId;
    this.send(name, this.freeBranch());
    this.later.push(() => this.send(name, wanted));
  }

  /** A branch without endpoints. */
  freeBranch(): string {
    return this.bench.emulator.admin.seedBranch(this.bench.emulator.projectId).id;
  }

  /** Puts an endpoint of the program on another branch. */
  send(name: string, branchId: unknown): void {
    const wish = wishOf(this.program, name);
    if (wish) setWish(this.program, name, { ...wish, branchId });
  }

  /** The program says again what the state said at first. */
  revert(): void {
    this.program = this.#original;
    this.later.length = 0;
  }

  /** The endpoints that the state has. */
  holdings(): Held[] {
    return holdings(this.engine, this.program);
  }

  /** A process of the provider. */
  process({ delays, death }: Circumstances = {}): Process {
    const { host, platform } = this.its;
    const { adoptInterrupted, moves, forget } = this;
    const profile = profiles[platform === "neon" ? "neon" : "specification"];
    const account = this.bench.accountOn(this.api, { profile, adoptInterrupted, moves, forget });
    const sent = new Map<string, number>();
    const travel = async () => {
      if (delays) await this.bench.clock.sleep(delays.pick(DELAYS_MS));
    };
    const send = async (urn: string, change: () => ReturnType<Api["deleteEndpoint"]>) => {
      sent.set(urn, (sent.get(urn) ?? 0) + 1);
      await travel();
      try {
        const resting = this.endpoints().filter(({ current_state }) => current_state !== "active");
        const answer = await change();
        for (const { id, action, endpointId } of answer.operations) {
          const cutsNobody = action === "suspend_compute" && resting.some((one) => one.id === endpointId);
          if (!cutsNobody) this.asked.add(id);
        }
        return answer;
      } finally {
        await travel();
      }
    };
    const laidOver = (client: Api, caller: () => string) => sending(client, (change) => send(caller(), change));
    const process = openProcess({ host, account, death, laidOver });
    return { ...process, sent: (urn) => sent.get(urn) ?? 0 };
  }

  /** The platform's endpoints on the case's branches. */
  endpoints() {
    const { admin, projectId, endpointId } = this.bench.emulator;
    return admin.project(projectId).endpoints.filter(({ id }) => id !== endpointId);
  }

  /** True where a state has the endpoint, this stack's or another's: a person finds it there. */
  isOwned(endpointId: string): boolean {
    return this.elsewhere.has(endpointId) || this.holdings().some(({ id }) => id === endpointId);
  }

  /** An endpoint's name, where the platform shows it. */
  shown({ name }: { name?: string | undefined }): { name?: string | undefined } {
    return this.keepsNames ? { name } : {};
  }

  /** Somebody else changes something. */
  meddle(meddling: Meddling): void {
    const { admin } = this.bench.emulator;
    if (meddling.kind === "arrives") {
      this.free.add(seedEndpoint(this.bench.emulator, meddling.spot, {}));
      this.touched.add(branchId(meddling.spot.branch));
      return;
    }
    const all = this.endpoints();
    const one = all[meddling.which % Math.max(1, all.length)];
    if (!one) return;
    this.meddled.add(one.id);
    this.touched.add(one.branch_id);
    if (meddling.kind === "leaves") admin.dropEndpoint(one.id);
    if (meddling.kind === "resizes") {
      admin.changeEndpoint(one.id, { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 });
    }
    if (meddling.kind !== "moves") return;
    const target = branchId(meddling.branch);
    // The platform would have refused what it never has.
    if (one.type === "read_write" && all.some((it) => it.branch_id === target && it.type === "read_write")) return;
    admin.changeEndpoint(one.id, { branch_id: target });
    if (target !== one.branch_id) this.moved.add(one.id);
    this.touched.add(target);
  }
}

/** A program that says what a state has. */
function programOf({ state }: Engine, projectId: string): Program {
  const program: Program = new Map();
  for (const { name, state: its } of state.values()) {
    if (!isFleet(name)) {
      program.set(name, { args: placeIn(its), after: new Set() });
      continue;
    }
    const members = [...membersIn(its)].map(([key, { state: one, protect, retainOnDelete }]) => {
      const options = { ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) };
      return [key, { ...placeIn(one), ...options }];
    });
    const endpoints = Object.fromEntries(members);
    program.set(name, { args: { projectId, maxDeletions: 5, endpoints }, after: new Set() });
  }
  return program;
}

/** The id of a branch by its number. */
export function branchId(branch: number): string {
  return `br-number-${branch}`;
}

/** The API whose changes are sent by way of `send`. */
function sending(api: Api, send: (change: () => ReturnType<Api["deleteEndpoint"]>) => Promise<unknown>): Api {
  return new Proxy(api, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      if (!CHANGES.includes(String(name))) return call;
      const change = call as (...args: unknown[]) => ReturnType<Api["deleteEndpoint"]>;
      return (...args: unknown[]) => send(() => change(...args));
    },
  });
}
