/** Plays a case: preview, what somebody else does, up; and holds its end to what is allowed. */

import { bookkeepingOf } from "../../../provider/endpoint/state";
import type { Api } from "../../../provider/platform/api";
import { isKind } from "../../../provider/platform/errors";
import type { Refusal } from "../../../provider/pulumi/run/refusal";
import type { Bench } from "../../support/bench";
import type { Case } from "./cases";
import { Choices } from "./choices";
import { reachOf } from "./reach";
import { forgetRefusals, refusalIn } from "./refusals";
import { type Failed, ImportError, type Run, type Stored } from "./stack";
import { follow, nameOf } from "./ways";
import { World } from "./world";

/** How a case ended, and what its first preview planned. */
export interface Tally {
  end: "done" | "refused in preview" | "order" | "conflict";
  moves: number;
  adoptions: number;
  replacements: number;
}

const MAX_WAYS = 20;

/** Plays a case. Throws where it ends in a way that is not allowed. */
export async function play(bench: Bench, api: Api, its: Case): Promise<Tally> {
  forgetRefusals();
  const world = await bench.run(new World(bench, api, its).open());
  const story = new Story(world, its);
  return story.play();
}

class Story {
  readonly #preview: Choices;
  readonly #up: Choices;
  readonly #delays: Choices;

  constructor(
    private readonly world: World,
    private readonly its: Case,
  ) {
    this.#preview = new Choices(its.choices.preview);
    this.#up = new Choices(its.choices.up);
    this.#delays = new Choices(its.choices.delays);
  }

  async play(): Promise<Tally> {
    const preview = await this.#previewed();
    const tally = this.#tally(preview);
    if (preview.failed.length > 0) {
      await this.#recover(preview.failed);
      return { ...tally, end: "refused in preview" };
    }
    for (const one of this.its.meddling) this.world.meddle(one);
    await this.world.bench.clock.pass(1_000);
    const up = await this.#upped(preview);
    if (up.failed.length === 0) {
      // What was meddled with may be as nobody says: a refresh tells, and the next up mends it.
      if (this.world.meddled.size > 0) await this.#recover([]);
      return { ...tally, end: "done" };
    }
    const isOrder = up.failed.some(({ error }) => refusalIn(error.message)?.kind === "order");
    await this.#recover(up.failed);
    return { ...tally, end: isOrder ? "order" : "conflict" };
  }

  async #previewed(): Promise<Run> {
    const { world } = this;
    const before = JSON.stringify(world.endpoints());
    const run = await world.bench.run(world.engine.preview(world.process(), world.program, this.#preview));
    if (JSON.stringify(world.endpoints()) !== before) throw new Error("the preview changed something");
    return run;
  }

  async #upped(preview: Run): Promise<Run> {
    const { world } = this;
    const before = { ids: world.endpoints().map(({ id }) => id), owners: ownersOf(world) };
    const run = await world.bench.run(world.engine.up(world.process(this.#delays), world.program, this.#up));
    const reached = this.#reached(preview, run, before.owners);
    this.#holdUnannounced(preview, before, reached);
    for (const failed of run.failed) this.#holdFailure(failed);
    if (run.failed.length === 0) this.#holdEnd(preview, run, reached);
    return run;
  }

  /** Whose plan may be another in up than in the preview, because somebody else has changed something in between. */
  #reached(preview: Run, run: Run, owners: Owned[]): ReadonlySet<string> {
    const { program, touched, meddled } = this.world;
    const all = [...preview.changes].map(([name, said]) => {
      const { id = "", branchId: from } = owners.find((one) => one.name === name && !one.isLeftover) ?? {};
      const to = program.get(name)?.args.branchId as string | undefined;
      return { name, said, done: run.changes.get(name), from, to, isMeddled: meddled.has(id) };
    });
    return reachOf(all, touched);
  }

  /** Nothing is deleted or replaced that the preview has not announced. */
  #holdUnannounced(preview: Run, before: { ids: string[]; owners: Owned[] }, reached: ReadonlySet<string>): void {
    const there = new Set(this.world.endpoints().map(({ id }) => id));
    const announced = (name: string) =>
      ["delete", "replace"].includes(preview.changes.get(name) ?? "") || reached.has(name);
    for (const id of before.ids.filter((one) => !there.has(one))) {
      const owners = before.owners.filter((owned) => owned.id === id);
      if (owners.length === 0) throw new Error(`${id} was deleted, and was nobody's`);
      for (const { name, adopted, isLeftover } of owners) {
        if (adopted) throw new Error(`${id} was deleted, and ${name} had taken it over`);
        if (!isLeftover && !announced(name)) throw new Error(`${id} of ${name} was deleted unannounced`);
      }
    }
    const now = ownersOf(this.world);
    for (const { name, id, isLeftover } of before.owners) {
      const after = now.find((owned) => owned.name === name && !owned.isLeftover);
      if (!isLeftover && after && after.id !== id && !announced(name))
        throw new Error(`${name} was replaced unannounced`);
    }
  }

  /** An error of the order, or a conflict with somebody else; and nothing was asked for. */
  #holdFailure({ name, verb, error, sent }: Failed): void {
    const refusal = refusalIn(error.message);
    const isMeddled = this.world.touched.size > 0;
    if (!refusal && isMeddled && (isKind(error, "conflict", "not_found") || error instanceof ImportError)) return;
    if (!refusal) throw new Error(`up fails at ${verb} of ${name}: ${error.message}`, { cause: error });
    if (sent > 0) throw new Error(`${name} was refused after a request: ${error.message}`);
    if (isMeddled || (this.its.host === "plugin" && this.#comesLate(name, refusal))) return;
    throw new Error(`preview passes and up refuses ${name}: ${error.message}`);
  }

  /** What waits for others is planned after steps that it does not wait for: no plugin can tell that this is by chance. */
  #comesLate(name: string, refusal: Refusal): boolean {
    if (refusal.kind !== "order" && refusal.kind !== "occupied") return false;
    const involved = refusal.kind === "order" ? [refusal.first, refusal.second].map(nameOf) : [name];
    return involved.some((one) => (this.world.program.get(one)?.after.size ?? 0) > 0);
  }

  /** All is as the preview said and as the program says, one owner each. */
  #holdEnd(preview: Run, run: Run, reached: ReadonlySet<string>): void {
    const { program, engine } = this.world;
    for (const [name, change] of preview.changes) {
      const done = run.changes.get(name);
      if (done !== change && !reached.has(name)) throw new Error(`preview says ${change} of ${name}, up did ${done}`);
    }
    const endpoints = new Map(this.world.endpoints().map((one) => [one.id, one]));
    const owned = new Map<string, string>();
    for (const [name, { args }] of program) {
      const id = engine.state.get(name)?.id.split("/")[1] ?? "";
      const endpoint = endpoints.get(id);
      if (owned.has(id)) throw new Error(`${name} and ${owned.get(id)} both have ${id}`);
      owned.set(id, name);
      if (this.world.meddled.has(id)) continue;
      if (!endpoint) throw new Error(`${name} has ${id}, which does not exist`);
      const real = `${endpoint.type} on ${endpoint.branch_id}`;
      if (real !== `${args.type} on ${args.branchId}`) throw new Error(`${name} is ${real}`);
    }
    if (engine.state.size > program.size) throw new Error("the state has what the program has not");
    for (const id of endpoints.keys()) {
      if (!owned.has(id) && !this.world.free.has(id)) throw new Error(`nobody has ${id} any more`);
    }
  }

  /** Follows the ways on of refusals until an up passes, after a refresh where somebody else has changed what may be the stack's. */
  async #recover(refused: Failed[]): Promise<void> {
    const { world } = this;
    // A conflict with somebody else has told all there is: the next preview says what to do.
    let failed = refused.filter(({ error }) => world.touched.size === 0 || refusalIn(error.message) !== undefined);
    if (world.meddled.size > 0) {
      await world.bench.run(world.engine.refresh(world.process()));
      // What it tells may be another story than what was refused before.
      failed = [];
    }
    world.meddled.clear();
    world.touched.clear();
    const told: string[] = [];
    for (let ways = 0; ways < MAX_WAYS; ways += 1) {
      for (const one of failed.slice(0, 1)) {
        told.push(
          `${one.name}: ${JSON.stringify(refusalIn(one.error.message)?.kind)} ${one.error.message.slice(0, 200).split("\n")[0]}`,
        );
        await follow(this.world, one);
      }
      const preview = await this.#previewed();
      failed = preview.failed;
      if (failed.length > 0) continue;
      failed = (await this.#upped(preview)).failed;
      if (failed.length > 0) continue;
      const change = this.world.later.shift();
      if (!change) return;
      change();
    }
    throw new Error(`${MAX_WAYS} ways on lead nowhere:\n${told.join("\n")}`);
  }

  #tally({ changes, failed }: Run): Omit<Tally, "end"> {
    const count = (test: (name: string) => boolean) =>
      failed.length > 0 ? 0 : [...changes.keys()].filter(test).length;
    const { engine, program } = this.world;
    const stored = (name: string) => engine.state.get(name) ?? engine.state.get(program.get(name)?.was ?? "");
    return {
      moves: count(
        (name) => changes.get(name) === "update" && stored(name)?.inputs.branchId !== program.get(name)?.args.branchId,
      ),
      adoptions: count((name) => changes.get(name) === "create" && this.#isOccupied(name)),
      replacements: count((name) => changes.get(name) === "replace"),
    };
  }

  #isOccupied(name: string): boolean {
    const { args } = this.world.program.get(name) ?? {};
    if (args?.adoptExisting !== true) return false;
    return this.world.endpoints().some(({ branch_id, type }) => branch_id === args.branchId && type === "read_write");
  }
}

interface Owned {
  name: string;
  id: string;
  branchId: string;
  adopted: boolean;
  /** The old half of a replacement. */
  isLeftover: boolean;
}

/** Who has which endpoint, by the names that the program gives them. */
function ownersOf({ engine, program }: World): Owned[] {
  const renamed = new Map([...program].flatMap(([name, { was }]) => (was === undefined ? [] : [[was, name] as const])));
  const own = (isLeftover: boolean) => (one: Stored) => ({
    name: renamed.get(one.name) ?? one.name,
    id: one.id.split("/")[1] ?? "",
    branchId: String(one.inputs.branchId),
    adopted: bookkeepingOf(one.state).adopted === true,
    isLeftover,
  });
  return [...[...engine.state.values()].map(own(false)), ...engine.toDelete.map(own(true))];
}
