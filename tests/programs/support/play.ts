/**
 * Plays a case: preview, somebody else's changes, up; then follows refusals until a preview is empty; then destroy.
 * Checks each run (`contained`, `ends`).
 */

import { Choices } from "../../engine-model/choices";
import { UNKNOWN } from "../../engine-model/deployment/resource";
import type { RunPlan } from "../../engine-model/engine";
import { resourceOf } from "../../engine-model/names";
import type { Row } from "../../engine-model/process";
import type { Failed, Program, Run } from "../../engine-model/words";
import type { Api, Bench } from "../../support/bench";
import type { Death } from "../../support/mortal-api";
import type { Case } from "./cases";
import { holdContained, pictureOf } from "./contained";
import { holdEnd, holdFailure, holdOwners, isProtected, unnamedAmong } from "./ends";
import { setWish, wishes, wishOf } from "./holdings";
import { isMadeFor } from "./marks";
import { printedBy, textOf } from "./refusals";
import { follow } from "./ways";
import { World } from "./world";

/** What the first preview and up of a program came to. */
export type End = "done" | "refused in preview" | "conflict" | "killed";

/** The runs that following all ways on may take. */
const MAX_RUNS = 50;

/** What was sent before a process died is done by then, in milliseconds. */
const DEATH_MS = 10_000;

/** Plays a case. Throws where it ends in a way that is not allowed. */
export async function play(bench: Bench, api: Api, its: Case): Promise<End> {
  return (await playOut(bench, api, its)).end;
}

/** The same, with the sentences of messages that were followed. */
export async function playOut(bench: Bench, api: Api, its: Case): Promise<{ end: End; followed: string[] }> {
  const world = await bench.run(new World(bench, api, its).open());
  const story = new Story(world, its);
  const end = await story.play();
  return { end, followed: story.followed };
}

class Story {
  readonly #preview: Choices;
  readonly #up: Choices;
  readonly #delays: Choices;
  /** What a message has named that no state has: a person removes it. */
  readonly #named = new Set<string>();
  /** What a killed run has made, and no message has named yet. */
  #lost = new Set<string>();
  /** What the last run has said. */
  #rows: readonly Row[] = [];
  /** The sentences that were followed. */
  readonly followed: string[] = [];

  constructor(
    private readonly world: World,
    private readonly its: Case,
  ) {
    this.#preview = new Choices(its.choices.preview);
    this.#up = new Choices(its.choices.up);
    this.#delays = new Choices(its.choices.delays);
  }

  async play(): Promise<End> {
    const { world, its } = this;
    const unknown = its.unknown === undefined ? undefined : this.#nameAt(its.unknown);
    const preview = await this.#previewed(this.#preview, unknown);
    await this.#holdInAnyOrder(preview, unknown);
    if (preview.failed.length > 0) {
      await this.#finish(unknown === undefined ? preview.failed : []);
      return "refused in preview";
    }
    for (const one of its.meddling) world.meddle(one);
    await world.bench.clock.pass(1_000);
    const up = await this.#upped(preview, { death: its.death, isForeseen: unknown === undefined });
    const failed = up === "died" ? [] : up.failed;
    if (its.isReverted) world.revert();
    await this.#finish(its.isReverted ? [] : failed);
    if (up === "died") return "killed";
    return failed.length > 0 ? "conflict" : "done";
  }

  #nameAt(at: number): string | undefined {
    const names = [...wishes(this.world.program).keys()];
    return names[at % Math.max(1, names.length)];
  }

  /** Another order of the Checks and of the planned answers comes to the same. */
  async #holdInAnyOrder(preview: Run, unknown: string | undefined): Promise<void> {
    const other = await this.#previewed(new Choices(this.its.choices.up), unknown);
    const { hidden } = this.#plan();
    // Of what `--target` leaves out the engine reads an import and checks nothing: only who comes later meets it.
    const isByChance = ({ failed }: Run) => failed.some(({ name }) => hidden.has(resourceOf(name)));
    if (isByChance(preview) || isByChance(other)) return;

    const refused = ({ failed }: Run) => failed.map(({ name, error }) => `${name}: ${error.message}`).join("; ");
    if (preview.failed.length > 0 !== other.failed.length > 0)
      throw new Error(`the order decides: ${refused(preview) || "passes"}, or ${refused(other) || "passes"}`);
    if (preview.failed.length + other.failed.length > 0) return;
    for (const [name, change] of preview.changes)
      if (other.changes.get(name) !== change)
        throw new Error(`the order decides: ${name} is ${change}, or ${other.changes.get(name)}`);
  }

  /** What a run is told and shown; a refresh finds no resource by a name that only `--exclude` has. */
  #plan() {
    const { program, hidden, excluded } = this.world;
    const left = new Set(hidden);
    const add = (name: string) => {
      left.add(name);
      for (const [other, { after }] of program) if (after.has(name) && !left.has(other)) add(other);
    };
    for (const name of excluded) add(name);
    const isTargeting = this.its.selection?.option === "target" && hidden.size > 0;
    const known = [...new Set([...program.keys(), ...this.world.engine.state.keys()])];
    const targets = isTargeting ? new Set(known.filter((name) => !left.has(name))) : undefined;
    return { program, hidden: left, targets, refreshes: this.its.refreshes === true && excluded.size === 0 };
  }

  async #previewed(choices = this.#preview, unknown?: string): Promise<Run> {
    const { world } = this;
    const { program, hidden, targets, refreshes } = this.#plan();
    const before = JSON.stringify(world.endpoints());
    const process = world.process();
    const saved = world.engine.saved();
    const work = async () => {
      if (refreshes) await world.engine.refresh(process, hidden);
      const plan = { process, program: withUnknown(program, unknown), hidden, targets, choices };
      return world.engine.preview(plan);
    };
    const run = await world.bench.run(work());
    saved.restore();
    if (JSON.stringify(world.endpoints()) !== before) throw new Error("the preview changed something");
    this.#note(run, process.rows);
    return run;
  }

  async #upped(preview: Run, { death, isForeseen = true }: { death?: Death | undefined; isForeseen?: boolean } = {}) {
    const { world, its } = this;
    const { program, hidden, targets, refreshes } = this.#plan();
    const before = pictureOf(world);
    const process = world.process({ delays: this.#delays, death });
    const { rows } = process;
    const plan: RunPlan = {
      ...{ process, program, hidden, targets, choices: this.#up, goesOn: its.goesOn === true },
      ...(world.isSerial && { atOnce: 1 }),
    };
    const work = async () => {
      if (refreshes) await world.engine.refresh(process, hidden);
      return world.engine.up(plan);
    };
    const died = process.died.then((how) => ({ how, saved: world.engine.saved() }));
    const run = await world.bench.run(Promise.race([work(), died]));
    for (const { id, isKept } of before.held) if (isKept) world.free.add(id);
    if ("how" in run) {
      await world.bench.run(world.bench.clock.sleep(DEATH_MS));
      run.saved.restore();
      for (const id of unnamedAmong(world, undefined, rows)) this.#lost.add(id);
      this.#missGone();
      holdContained(world, preview, before);
      return run.how;
    }
    this.#note(run, rows);
    this.#missGone(hidden);
    for (const id of unnamedAmong(world, run, rows)) {
      if (!this.#lost.has(id) && !this.#named.has(id))
        throw new Error(`nobody has ${id} any more, and nothing names it`);
    }
    holdContained(world, preview, before);
    for (const failed of run.failed) {
      // What `--target` leaves out is not checked, an import either: it meets by chance who was checked before.
      const isChecked = !hidden.has(resourceOf(failed.name));
      holdFailure(world, failed, { isForeseen: isForeseen && isChecked, rows });
    }
    // Resources that left the program go last, and stay after a failed step: then they still have what others adopted.
    const leaving = before.held.map(({ name }) => resourceOf(name)).filter((name) => !program.has(name));
    const staying = run.failed.length > 0 ? leaving : [];
    holdOwners(world, before, { hidden: new Set([...hidden, ...staying]), failed: run.failed, isForeseen });
    if (run.failed.length === 0) holdEnd(world, { program, hidden });
    return run;
  }

  /**
   * Only a refresh shows the state unseen deletes: by a killed run, or by another entry with the same endpoint in a run
   * that hid some.
   */
  #missGone(hidden?: ReadonlySet<string>): void {
    const there = new Set(this.world.endpoints().map(({ id }) => id));
    for (const { name, id } of this.world.holdings()) {
      const isUnseen = hidden === undefined || hidden.has(resourceOf(name));
      if (isUnseen && !there.has(id)) this.world.meddled.add(id);
    }
  }

  /** Takes note of what a run has named. */
  #note(run: Run, rows: readonly Row[]): void {
    this.#rows = rows;
    const unnamed = new Set(unnamedAmong(this.world, run, rows));
    for (const { id } of this.world.endpoints()) if (!unnamed.has(id)) this.#named.add(id);
    this.#lost = new Set([...this.#lost].filter((id) => unnamed.has(id)));
  }

  async #finish(refused: Failed[]): Promise<void> {
    await this.#recover(refused);
    this.#holdNamed();
    await this.#destroyed();
  }

  async #refreshed(): Promise<void> {
    const { bench, engine, meddled } = this.world;
    await bench.run(engine.refresh(this.world.process()));
    meddled.clear();
  }

  /** Follows refusals until a preview is empty, after a refresh if somebody else changed endpoints of the stack. */
  async #recover(refused: Failed[]): Promise<void> {
    const { world } = this;
    // A conflict with somebody else has told all there is: the next preview says what to do.
    // What the engine hides may be the very owner: the messages say to run without.
    if (world.hidden.size > 0) refused = [];
    world.hidden.clear();
    let failed = refused.filter((one) => world.touched.size === 0 || printedBy(one, this.#rows).length > 0);
    await world.settle();
    if (world.meddled.size > 0) {
      await this.#refreshed();
      // What it tells may be another story than what was refused before.
      failed = [];
    }
    for (const one of [world.meddled, world.moved, world.touched]) one.clear();
    const told: string[] = [];
    let isSettled = false;
    for (let runs = 0; runs < MAX_RUNS; runs += 1) {
      for (const one of failed.slice(0, 1)) {
        const say = await follow(world, one, this.#rows);
        told.push(`${one.name}: ${textOf(one.error).split("\n")[0]}\n  ${say}`);
        this.followed.push(say);
        await world.settle();
      }
      const preview = await this.#previewed();
      failed = preview.failed;
      const isQuiet = failed.length === 0 && isEmpty(preview);
      const isStuck = isQuiet && !isSettled;
      if (isSettled && !isQuiet) {
        const what = failed[0]?.error.message ?? JSON.stringify([...preview.changes]);
        throw new Error(`the preview after an up that passed is not empty: ${what}`);
      }
      isSettled = false;
      if (failed.length > 0) continue;
      if (!isQuiet) {
        const up = await this.#upped(preview);
        failed = up === "died" ? [] : up.failed;
        await world.settle();
        if (world.meddled.size > 0) await this.#refreshed();
        isSettled = failed.length === 0;
        world.forget = [];
        world.isStuck = false;
        continue;
      }
      // What waited for the others comes now.
      if (world.excluded.size > 0) {
        world.isStuck = isStuck;
        world.excluded.clear();
        continue;
      }
      const change = world.later.shift();
      if (!change) return;
      change();
    }
    throw new Error(`${MAX_RUNS} runs lead nowhere:\n${told.join("\n")}`);
  }

  /**
   * The next run of a resource names what its killed run made. Not for resources that left the program, nor for
   * replicas without stored names.
   */
  #holdNamed(): void {
    const { world } = this;
    for (const id of this.#lost) {
      const record = world.endpoints().find((one) => one.id === id);
      if (!record) continue;
      const isWanted = [...wishes(world.program)].some(([name, { branchId, type }]) => {
        if (world.keepsNames) return isMadeFor(name)(record);
        return record.type === "read_write" && type === "read_write" && branchId === record.branch_id;
      });
      if (isWanted) throw new Error(`nothing has named ${id}, which a killed run has made`);
    }
  }

  /** Deletes all that the stack has: only what was adopted, released or retained is left, and what protects itself. */
  async #destroyed(): Promise<void> {
    const { world } = this;
    const held = new Set(world.holdings().map(({ id }) => id));
    for (const { id } of world.endpoints()) {
      const isOrphan = !held.has(id) && !world.free.has(id);
      if (isOrphan) world.bench.emulator.admin.dropEndpoint(id);
    }
    world.program = new Map();
    const before = pictureOf(world);
    const { program, engine, bench } = world;
    const process = world.process({ delays: this.#delays });
    const run = await bench.run(engine.up({ process, program, choices: this.#up, goesOn: true }));
    holdContained(world, run, before);
    for (const { name, error } of run.failed) {
      if (!isProtected(textOf(error))) throw new Error(`destroy fails at ${name}: ${error.message}`, { cause: error });
    }
    const kept = new Set([...world.free, ...world.holdings().map(({ id }) => id)]);
    for (const { id, isKept } of before.held) if (isKept) kept.add(id);
    for (const { id } of world.endpoints()) if (!kept.has(id)) throw new Error(`destroy leaves ${id}`);
  }
}

/** True where a run would change nothing. */
function isEmpty({ changes, printed }: Run): boolean {
  return [...changes.values()].every((change) => change === "same") && !printed.some(({ isLeftover }) => isLeftover);
}

/** The program as a preview knows it that is not told the branch of one of its endpoints. */
function withUnknown(program: Program, name: string | undefined): Program {
  if (name === undefined || program.get(resourceOf(name))?.importId !== undefined) return program;
  const previewed: Program = new Map([...program].map(([one, declared]) => [one, { ...declared }]));
  setWish(previewed, name, { ...wishOf(program, name), branchId: UNKNOWN });
  return previewed;
}
