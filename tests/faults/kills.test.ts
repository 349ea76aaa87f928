import { describe, expect, it } from "vitest";
import { type Account, openAccount } from "../../provider/platform/account";
import { createApi } from "../../provider/platform/client";
import { RunRecords } from "../../provider/pulumi/run";
import { type Bench, defaultAccountSettings, useBench } from "../support/bench";
import { EnginePart, type Program, type Run } from "../support/engine-part";
import { createMortalApi, type Death } from "../support/mortal-api";

const MANY = 20;
/** Of the many calls of many changes, so many are struck. */
const STRIKES_OF_MANY = 6;
const LONG_MS = 60_000;

/** Branches of one endpoint: two free ones, and one with a stranger's read-write endpoint. */
interface Places {
  projectId: string;
  a: string;
  b: string;
  taken: string;
}

/** A change: what the program says of an endpoint before it and after. */
interface Change {
  title: string;
  before?(places: Places): Program[string];
  after?(places: Places): Program[string];
}

const writer = ({ projectId, a }: Places) => ({ projectId, branchId: a, sizeCu: 1 });
const reader = (places: Places) => ({ ...writer(places), type: "read_only" });

const changes: readonly Change[] = [
  { title: "create, read-write", after: writer },
  { title: "create, read-only", after: reader },
  { title: "create by taking over", after: (one) => ({ ...writer(one), branchId: one.taken, adoptExisting: true }) },
  { title: "update", before: writer, after: (one) => ({ ...writer(one), sizeCu: 2 }) },
  { title: "restart", before: writer, after: (one) => ({ ...writer(one), restartTrigger: "now" }) },
  { title: "move", before: writer, after: (one) => ({ ...writer(one), branchId: one.b }) },
  { title: "move of a replica", before: reader, after: (one) => ({ ...reader(one), branchId: one.b }) },
  { title: "replace, delete first", before: writer, after: reader },
  { title: "replace, create first", before: reader, after: (one) => ({ ...reader(one), branchId: one.taken }) },
  { title: "delete", before: writer },
];

describe.each(changes)("$title, of a process that", (change) => {
  it.each([1, MANY])("is killed or interrupted at any call, with %i in flight", async (count) => {
    const bench = await useBench({ logLimit: 10 });
    const calls = await new Scene(bench, change, count).play({});
    expect(calls).toBeGreaterThan(1);
    const step = Math.max(1, Math.floor(calls / (count === 1 ? calls : STRIKES_OF_MANY)));
    for (let call = 1; call <= calls; call += step) {
      for (const moment of ["before", "after"] as const) {
        await new Scene(bench, change, count).play({ death: { call, moment } });
      }
      await new Scene(bench, change, count).play({ interruptAt: call });
    }
  });
});

/** What befalls a process: it dies, or is interrupted in the middle of its nth call. */
interface Strike {
  death?: Death;
  interruptAt?: number;
}

/** Some endpoints that are changed at once in one process, and the engine's record of them. */
class Scene {
  readonly #parts: { part: EnginePart; places: Places }[];
  readonly #strangers: string[];

  constructor(
    readonly bench: Bench,
    readonly change: Change,
    count: number,
  ) {
    const { emulator } = bench;
    const { projectId } = emulator;
    emulator.reset();
    this.#strangers = [emulator.endpointId];
    this.#parts = Array.from({ length: count }, () => {
      const places = { projectId, a: bench.branch(), b: bench.branch(), taken: bench.branch() };
      this.#strangers.push(emulator.admin.seedEndpoint(projectId, { branch_id: places.taken }).id);
      return { part: new EnginePart(), places };
    });
  }

  /**
   * Makes the change in a process that is struck so, then does what a person would: one plain run or, where its message
   * names it after a death, the run with the one command. Gives the calls of the process where it lives.
   */
  async play(strike: Strike): Promise<number> {
    const { before, after } = this.change;
    await this.#expectDone(await this.#process(before), before);
    let calls = 0;
    const interrupt = new AbortController();
    const onCall = () => {
      calls += 1;
      // A turn later the call is under way.
      if (calls === strike.interruptAt) setImmediate(() => setImmediate(() => interrupt.abort()));
    };
    const runs = await this.#process(after, { death: strike.death, onCall, signal: interrupt.signal });
    await this.bench.clock.pass(LONG_MS);
    const when = JSON.stringify(strike);
    const isStruck = runs === "died" || runs.some(({ ok }) => !ok);
    if (!isStruck || when === "{}") {
      await this.#expectDone(runs, after, when);
      return calls;
    }
    // A replica that is left stops no run: a preview names it, and who wants it taken up says so.
    const leavesReplica =
      strike.death !== undefined && this.#parts.some(({ places }) => after?.(places).type === "read_only");
    const plain = await this.#process(after, { adoptInterrupted: leavesReplica });
    // Who is only interrupted keeps what it knows.
    const errors = plain === "died" || strike.interruptAt ? [] : plain.flatMap((run) => run.errors);
    for (const error of errors) expect(error, when).toContain("run: PGCOMPUTE_ADOPT_INTERRUPTED=1 pulumi up");
    const last = errors.length === 0 ? plain : await this.#process(after, { adoptInterrupted: true });
    await this.#expectDone(last, after, when);
    return calls;
  }

  async #process(
    inputs: Change["after"],
    {
      death,
      onCall,
      adoptInterrupted = false,
      signal = new AbortController().signal,
    }: { death?: Death | undefined; onCall?: () => void; adoptInterrupted?: boolean; signal?: AbortSignal } = {},
  ): Promise<Run[] | "died"> {
    const { emulator, clock } = this.bench;
    const real = createApi({ baseUrl: emulator.url, apiKey: emulator.apiKey, clock, random: () => 0.5 });
    const { api, died } = createMortalApi(real, death, onCall);
    const account = openAccount(api, { ...defaultAccountSettings, adoptInterrupted }, clock);
    const end = await this.bench.run(Promise.race([this.#up(account, inputs, signal), died]));
    await real.close();
    return end;
  }

  #up(account: Account, inputs: Change["after"], signal: AbortSignal): Promise<Run[]> {
    const run = new RunRecords();
    return Promise.all(
      this.#parts.map(({ part, places }, index) =>
        part.up(account, inputs ? { [`e${index}`]: inputs(places) } : {}, { run, signal }),
      ),
    );
  }

  async #expectDone(runs: Run[] | "died", inputs: Change["after"], when = "before"): Promise<void> {
    expect(runs === "died" ? "died" : runs.flatMap(({ errors }) => errors), when).toEqual([]);
    const { admin, projectId } = this.bench.emulator;
    const live = admin.project(projectId).endpoints;
    const wanted = inputs ? this.#parts.map(({ places }) => inputs(places)) : [];
    const adopts = wanted.some(({ adoptExisting }) => adoptExisting);
    const own = live.filter(({ id }) => adopts || !this.#strangers.includes(id));
    const stored = this.#parts.flatMap(({ part }) => part.ids().map((id) => id.split("/")[1] ?? ""));
    const inState = live.filter(({ id }) => stored.includes(id));
    expect(stored, when).toHaveLength(wanted.length);
    expect(
      inState
        .map(({ branch_id, type, autoscaling_limit_min_cu }) => `${branch_id} ${type} ${autoscaling_limit_min_cu}`)
        .sort(),
      when,
    ).toEqual(wanted.map(({ branchId, type = "read_write", sizeCu }) => `${branchId} ${type} ${sizeCu}`).sort());
    if (!adopts) expect(own.map(({ id }) => id).sort(), when).toEqual(stored.sort());
    else expect(live, when).toHaveLength(this.#strangers.length);
  }
}
