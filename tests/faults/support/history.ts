import { askedBy } from "../../engine-model/person";
import type { Program, Run } from "../../engine-model/stack";
import type { Bench } from "../../support/bench";
import { refusalsIn } from "../../support/printed";
import { deviations, ownEndpoints, type Scene, setScene } from "./scene";
import type { Declared, Event } from "./world";

const MAX_RECOVERIES = 4;

/**
 * Plays a history against the emulator, holding it to the model: after every run that succeeds the platform is as the
 * program says, and nothing ever exists that neither the state nor a message knows. Throws where it is not so.
 */
export async function playHistory(bench: Bench, events: readonly Event[]): Promise<void> {
  const world = new World(bench, 900_000);
  for (const event of events) await world.play(event);
  await world.finish();
}

/** What befalls a process: it dies, or is interrupted in the middle of its nth call. */
export type Strike = Pick<Extract<Event, { kind: "up" }>, "death" | "interruptAt">;

/**
 * Makes a change in a process that is struck, then acts as a person would: a plain run or, if its message asks for it,
 * the run with the one command. Returns the process's number of calls. Throws if the result is not the program's.
 */
export function playStrike(bench: Bench, change: Change, strike: Strike): Promise<number> {
  return new World(bench, 60_000).strike(change, strike);
}

/** What a program says of one endpoint before a change and after it. */
export interface Change {
  before?: Declared;
  after?: Declared;
}

class World {
  readonly #scene: Scene & { strangers: string[] };
  readonly #branches: string[];
  readonly #told: string[] = [];
  /** What killed runs created and could not record. */
  readonly #left = new Set<string>();
  #program: Program = {};
  #adopt = false;

  /** `calmMs`: how long nothing happens after a run, so that a later one meets nothing but what is left behind. */
  constructor(
    readonly bench: Bench,
    readonly calmMs: number,
  ) {
    const scene = setScene(bench);
    this.#scene = { ...scene, strangers: [...scene.strangers] };
    this.#branches = [scene.a, scene.b, scene.home];
  }

  async strike({ before, after }: Change, strike: Strike): Promise<number> {
    const once = { attempts: 1, refreshes: false };
    this.#declare(before ? { main: before } : {});
    if (!(await this.#recover("before the change", once))) throw new Error("the program before the change is refused");
    this.#declare(after ? { main: after } : {});
    let calls = 0;
    const end = await this.#process({ ...strike, refreshes: false }, () => {
      calls += 1;
    });
    await this.#calm();
    const when = `after ${JSON.stringify(strike)}`;
    if (end.ok) this.#hold(end, when);
    else {
      // What was only interrupted has kept what it knows: it needs no command.
      const isRefused = !(await this.#recover(when, { attempts: strike.interruptAt ? 1 : 2, refreshes: false }));
      if (isRefused) throw new Error(`${when}, it is refused`);
    }
    return calls;
  }

  async play(event: Event): Promise<void> {
    const { admin, projectId } = this.bench.emulator;
    const own = ownEndpoints(this.#scene);
    const one = "which" in event ? own[event.which % Math.max(1, own.length)] : undefined;
    switch (event.kind) {
      case "up":
        return this.#up(event);
      case "drop":
        if (one) admin.dropEndpoint(one.id);
        return;
      case "resize":
        if (one) admin.changeEndpoint(one.id, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
        return;
      case "stranger": {
        const branchId = this.#branches[event.branch] ?? "";
        if (this.bench.on(branchId).some(({ type }) => type === "read_write")) return;
        this.#scene.strangers.push(admin.seedEndpoint(projectId, { branch_id: branchId }).id);
        return;
      }
      case "strangers leave":
        this.#strangersLeave();
    }
  }

  /** Everything calms down, and the last program is run until it succeeds. */
  async finish(): Promise<void> {
    this.#strangersLeave();
    await this.#calm();
    const program = this.#program;
    if (await this.#recover("in the end")) return;
    // What cannot be reached from here is reached from nothing.
    this.#program = {};
    if (!(await this.#recover("in the end, with nothing"))) throw new Error("an empty program is refused");
    this.#program = program;
    await this.#recover("in the end, from nothing");
  }

  async #up({ program, fault, ...strike }: Extract<Event, { kind: "up" }>): Promise<void> {
    this.#declare(program);
    if (fault) this.bench.emulator.admin.addFault(fault);
    const end = await this.#process(strike);
    await this.#calm();
    if (end.died) await this.#recover("after a killed run");
    else this.#hold(end, "after a run");
  }

  /** Runs without faults, doing what messages ask for, until one succeeds (true) or it is refused for good. */
  async #recover(when: string, { attempts = MAX_RECOVERIES, refreshes = true } = {}): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const end = await this.#process({ refreshes });
      await this.#calm();
      if (end.died) throw new Error("a process died of itself");
      this.#hold(end, when);
      if (end.ok) return true;
      if (this.#isRefused(end)) return false;
      if (attempt === attempts) throw new Error(`${when}, ${attempt} runs do not succeed: ${end.messages.join("\n")}`);
    }
  }

  /**
   * One process: `pulumi up`, with or without the reads of `--refresh`, in which the provider may die or be
   * interrupted.
   */
  async #process(
    { death, interruptAt, refreshes = true }: Strike & { refreshes?: boolean },
    heard: () => void = () => {},
  ): Promise<Run> {
    const { bench } = this;
    const { stack } = this.#scene;
    const interrupt = new AbortController();
    const account = bench.account({}, { adoptInterrupted: this.#adopt });
    const onCall = (call: number) => {
      heard();
      // A turn later the call is under way.
      if (call === interruptAt) setImmediate(() => setImmediate(() => interrupt.abort()));
    };
    const process = stack.process({ account, death, onCall, signal: interrupt.signal });
    const refresh = refreshes ? await stack.refresh({ process }) : undefined;
    const end = refresh && !refresh.ok ? refresh : await stack.up(this.#program, { process });
    await account.api.close();
    if (end.died) {
      const known = stack.known().join("\n");
      for (const { id } of ownEndpoints(this.#scene)) if (!known.includes(id)) this.#left.add(id);
    } else {
      this.#told.push(...end.messages, ...end.said);
      this.#adopt = askedBy(end.messages).adoptInterrupted;
    }
    return end;
  }

  #hold(run: Run, when: string): void {
    const { stack } = this.#scene;
    const known = [...stack.known(), ...this.#told].join("\n");
    for (const { id, name } of ownEndpoints(this.#scene)) {
      if (known.includes(id) || (name !== undefined && known.includes(name))) continue;
      throw new Error(`${when}: nobody knows of ${id} (${name}); errors: ${run.messages.join("\n")}`);
    }
    // A takeover leaves what it replaced in the state, until the next run skips its delete (decision 3).
    const skipped = stack.engine.toDelete.filter(({ name, id }) => stack.engine.state.get(name)?.id === id);
    const ids = [...stack.engine.state.values(), ...stack.engine.toDelete.filter((one) => !skipped.includes(one))].map(
      ({ id }) => id,
    );
    if (new Set(ids).size < ids.length) throw new Error(`${when}: the state has an endpoint twice: ${ids.join(", ")}`);
    if (!run.ok) return;
    const wrong = deviations(this.#scene, this.#program).filter((one) => !this.#isLeftover(one));
    if (wrong.length > 0) throw new Error(`${when} that succeeded: ${wrong.join("; ")}`);
  }

  /** What a killed run left or a lost answer hid, and a message has named, by its id or its name: people see to it. */
  #isLeftover(deviation: string): boolean {
    const id = /^(\S+) is in no program$/.exec(deviation)?.[1];
    const name = ownEndpoints(this.#scene).find((one) => one.id === id)?.name;
    return this.#told.some(
      (message) =>
        (id !== undefined && this.#left.has(id) && message.includes(id)) ||
        (name !== undefined && message.includes(name)),
    );
  }

  /** True where the program cannot be reached from here: two on one branch, a swap, a place that others hold. */
  #isRefused({ failed }: Run): boolean {
    const isForGood = ({ name, error: { message } }: Run["failed"][number]) =>
      /answered 409/.test(message) || refusalsIn([{ name, message }]).length > 0;
    return !this.#adopt && failed.some((one) => one.verb === "check" || isForGood(one));
  }

  #strangersLeave(): void {
    const { admin } = this.bench.emulator;
    const { endpoints } = admin.project(this.bench.emulator.projectId);
    for (const { id } of endpoints) if (this.#scene.strangers.includes(id)) admin.dropEndpoint(id);
  }

  async #calm(): Promise<void> {
    this.bench.emulator.admin.clearFaults();
    await this.bench.clock.pass(this.calmMs);
  }

  #declare(program: Readonly<Record<string, Declared>>): void {
    const { projectId } = this.bench.emulator;
    const inputsOf = ({ branch, ...inputs }: Declared) => {
      const set = Object.entries(inputs).filter(([, value]) => value !== undefined);
      return { projectId, branchId: this.#branches[branch], ...Object.fromEntries(set) };
    };
    this.#program = Object.fromEntries(Object.entries(program).map(([name, one]) => [name, { args: inputsOf(one) }]));
  }
}
