/** A generated case as it stands before its program runs: the platform's endpoints, the stack's state, and the program. */
import { newOwnershipName } from "../../../provider/endpoint/ownership-name";
import { stateOf } from "../../../provider/endpoint/stored";
import { type AccountSettings, openAccount } from "../../../provider/platform/account";
import type { Api } from "../../../provider/platform/api";
import type { EndpointRecord } from "../../../provider/platform/records";
import { ownerOf, RunRecords } from "../../../provider/pulumi/run/run";
import { type Bench, defaultAccountSettings, urnOf } from "../../support/bench";
import { BRANCHES, type Case, type Meddling, type Slot, type Spot } from "./cases";
import type { Choices } from "./choices";
import { Engine } from "./engine";
import type { Declared, Process, Program } from "./stack";

/** How long a change or its answer may be on its way. */
const DELAYS_MS = [0, 1, 5, 20];

const CHANGES = ["createEndpoint", "updateEndpoint", "deleteEndpoint", "suspendEndpoint", "startEndpoint"];

/** The platform, the state and the program of one case. */
export class World {
  readonly engine = new Engine();
  readonly program: Program = new Map();
  /** Endpoints that are nobody's, and those that a destroy is to leave. */
  readonly free = new Set<string>();
  /** Branches that somebody else has touched since the preview. */
  readonly touched = new Set<string>();
  /** Endpoints that somebody else has moved, changed or deleted since the preview. */
  readonly meddled = new Set<string>();
  adoptInterrupted = false;
  /** Changes of the program that wait each for an up to pass. */
  readonly later: (() => void)[] = [];
  constructor(
    readonly bench: Bench,
    private readonly api: Api,
    private readonly its: Case,
  ) {}

  /** Sets the platform, the state and the program. */
  async open(): Promise<this> {
    const { emulator } = this.bench;
    emulator.reset();
    emulator.admin.configure({ moveRule: this.its.moveRule, endpointNames: this.its.keepsNames });
    for (let branch = 0; branch < BRANCHES; branch += 1) {
      emulator.admin.seedBranch(emulator.projectId, { id: branchId(branch) });
    }
    const ids = this.its.slots.map((slot, at) => this.#seed(slot, at));
    const records = await this.api.listEndpoints(emulator.projectId);
    for (const [at, slot] of this.its.slots.entries()) {
      const record = records.find(({ id }) => id === ids[at]);
      if (record) this.#record(slot, at, record);
    }
    for (const [at, slot] of this.its.slots.entries()) this.#declare(slot, at);
    this.#swap();
    for (const [first, second] of this.its.edges) this.wait(this.#nameOf(second), this.#nameOf(first));
    return this;
  }

  /** Lets one resource wait for another; false where either does already. */
  wait(second: string | undefined, first: string | undefined): boolean {
    const declared = second === undefined ? undefined : this.program.get(second);
    if (!declared || first === undefined || !this.program.has(first) || this.#waits(first, second)) return false;
    if (declared.after.has(first)) return false;
    declared.after.add(first);
    return true;
  }

  /** Lets two resources exchange their branches: one goes by a free branch, in as many runs as that takes. */
  exchange(name: string, other: string, inTime: boolean): void {
    const free = this.bench.emulator.admin.seedBranch(this.bench.emulator.projectId).id;
    const [wanted, others] = [name, other].map((one) => this.program.get(one)?.args.branchId);
    this.#send(name, free);
    if (!inTime) {
      this.#send(other, this.engine.state.get(other)?.inputs.branchId);
      this.later.push(() => this.#send(other, others));
    }
    this.later.push(() => this.#send(name, wanted));
    // The order of this one run; what the program said of it before may be the very opposite.
    for (const one of this.program.values()) one.after.delete(other);
    this.wait(other, name);
  }

  #send(name: string, branchId: unknown): void {
    const declared = this.program.get(name);
    if (declared) declared.args = { ...declared.args, branchId };
  }

  /** A process of the provider. Its changes take as long on their way, and their answers on the way back, as `delays` says. */
  process(delays?: Choices): Process {
    const { host, moves } = this.its;
    const settings: AccountSettings = { ...defaultAccountSettings, adoptInterrupted: this.adoptInterrupted, moves };
    const account = openAccount(this.api, settings, this.bench.clock);
    const sent = new Map<string, number>();
    const silent = { info() {}, warn() {}, status() {} };
    const { signal } = new AbortController();
    const travel = async () => {
      if (delays) await this.bench.clock.sleep(delays.pick(DELAYS_MS));
    };
    return {
      host,
      sent: (urn) => sent.get(urn) ?? 0,
      context: (urn) => {
        const api = underway(this.api, travel, () => sent.set(urn, (sent.get(urn) ?? 0) + 1));
        return { account: { ...account, api }, run: new RunRecords(), host, reporter: silent, signal, urn };
      },
    };
  }

  /** The platform's endpoints on the case's branches. */
  endpoints() {
    const { admin, projectId, endpointId } = this.bench.emulator;
    return admin.project(projectId).endpoints.filter(({ id }) => id !== endpointId);
  }

  /** Somebody else changes something. */
  meddle(meddling: Meddling): void {
    const { admin } = this.bench.emulator;
    if (meddling.kind === "arrives") {
      const id = this.#seedEndpoint(meddling.spot, undefined);
      this.free.add(id);
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
    this.touched.add(target);
  }

  #seed({ before }: Slot, at: number): string | undefined {
    if (!before) return undefined;
    if (before.owner === "shared") {
      const first = [...this.its.slots.slice(0, at)].findIndex((slot) => slot.before?.owner === "own");
      return first < 0 ? undefined : seededId(first);
    }
    const bearsName = before.owner === "own" || before.owner === "orphan";
    this.#seedEndpoint(
      before,
      bearsName ? newOwnershipName(ownerOf(urnOf(`r${at}`)), () => "0000000a") : undefined,
      at,
    );
    if (before.owner !== "own") this.free.add(seededId(at));
    return seededId(at);
  }

  /** A branch has one read-write endpoint: a second one is a replica. */
  #seedEndpoint(spot: Spot, name: string | undefined, at?: number): string {
    const { admin, projectId } = this.bench.emulator;
    const branch_id = branchId(spot.branch);
    const isTaken = this.endpoints().some((one) => one.branch_id === branch_id && one.type === "read_write");
    const type = isTaken ? "read_only" : spot.type;
    const id = at === undefined ? {} : { id: seededId(at) };
    return admin.seedEndpoint(projectId, { branch_id, type, ...id, ...(name === undefined ? {} : { name }) }).id;
  }

  #record({ before }: Slot, at: number, record: EndpointRecord): void {
    if (!before || before.owner === "stranger" || before.owner === "orphan") return;
    const { projectId, branchId, type } = record;
    const name = `r${at}`;
    const inputs = { projectId, branchId, type: type as Spot["type"] };
    const state = stateOf(record, inputs, before.owner === "adopted" ? { adopted: true } : {});
    this.engine.state.set(name, { name, id: `${projectId}/${record.id}`, inputs, state });
  }

  #declare({ before, after }: Slot, at: number): void {
    const stored = this.engine.state.get(`r${at}`);
    const same = stored && { args: stored.inputs, after: new Set<string>() };
    if (after === "same" && same) this.program.set(`r${at}`, same);
    if (after === undefined || after === "same") return;
    const { projectId } = this.bench.emulator;
    const { adopts, imports, named, sizeCu } = after;
    const type = after.type === "same" ? (stored?.inputs.type ?? before?.type ?? "read_write") : after.type;
    const branch = after.branch === "here" ? (before?.branch ?? at % BRANCHES) : after.branch;
    const args = {
      ...{ projectId, branchId: branchId(branch), type },
      ...(sizeCu === undefined ? {} : { sizeCu }),
      ...(adopts && type === "read_write" ? { adoptExisting: true } : {}),
    };
    const declared: Declared = { args, after: new Set() };
    if (imports && before && before.owner !== "shared" && this.its.host === "plugin") {
      const record = this.endpoints().find(({ id }) => id === seededId(at));
      if (same) this.program.set(`r${at}`, same);
      const place = { projectId, branchId: record?.branch_id, type: record?.type };
      const importId = `${projectId}/${seededId(at)}`;
      this.program.set(stored ? `n${at}` : `r${at}`, { args: place, after: new Set(), importId });
    } else if (stored && named !== "same") {
      this.program.set(`n${at}`, named === "alias" ? { ...declared, was: `r${at}` } : declared);
    } else {
      this.program.set(`r${at}`, declared);
    }
  }

  #swap(): void {
    const [one, two] = (this.its.swap ?? []).map((at) => this.engine.state.get(`r${at}`) && this.program.get(`r${at}`));
    if (!one || !two || one === two) return;
    const [first, second] = [one.args, two.args];
    one.args = { ...first, branchId: second.branchId };
    two.args = { ...second, branchId: first.branchId };
  }

  #nameOf(at: number): string | undefined {
    return [`r${at}`, `n${at}`].find((name) => this.program.has(name));
  }

  #waits(one: string, other: string | undefined): boolean {
    return one === other || [...(this.program.get(one)?.after ?? [])].some((next) => this.#waits(next, other));
  }
}

/** The id of a branch by its number. */
export function branchId(branch: number): string {
  return `br-number-${branch}`;
}

function seededId(at: number): string {
  return `ep-number-${at}`;
}

/** The API with its changes on their way for a while, and counted as soon as they are sent. */
function underway(api: Api, travel: () => Promise<void>, count: () => void): Api {
  const changes = Object.fromEntries(
    Object.entries(api).map(([name, call]) => {
      if (!CHANGES.includes(name)) return [name, call];
      const changing = async (...args: unknown[]) => {
        count();
        await travel();
        try {
          return await (call as (...args: unknown[]) => Promise<unknown>)(...args);
        } finally {
          await travel();
        }
      };
      return [name, changing];
    }),
  );
  return changes as unknown as Api;
}
