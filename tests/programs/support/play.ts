/** Plays a case: preview, what somebody else does, up; and holds its end to what is allowed. */
import { isDeepStrictEqual } from "node:util";
import { ownerNameIn } from "../../../provider/endpoint/ownership-name";
import { isMadeFor } from "../../../provider/places/take-over";
import type { Api } from "../../../provider/platform/api";
import { isKind } from "../../../provider/platform/errors";
import type { Bench } from "../../support/bench";
import type { Case } from "./cases";
import { Choices } from "./choices";
import { type Held, wishes, wishOf } from "./holdings";
import { isFleet, isMember, resourceOf, urnOf } from "./names";
import { reachOf } from "./reach";
import { forgetRefusals, refusalIn, textOf } from "./refusals";
import { type Change, type Failed, ImportError, type Process, type Run } from "./stack";
import { follow } from "./ways";
import { type FormerOwner, type Word, World } from "./world";

/** What there was before an up. */
interface Before {
  ids: readonly string[];
  held: readonly Held[];
}

/** Which endpoint a resource or a member had before an up, and has after it. */
interface Ends {
  was: string | undefined;
  is: string | undefined;
  /** Whether an endpoint of before the up is still there; undefined for one that was not. */
  isThere(id: string): boolean | undefined;
}

/** What a program came to, so that a sitting can count how many of each kind it had. */
export interface Tally {
  end: "done" | "refused in preview" | "conflict";
  /** What its first preview planned, where nothing was refused. */
  planned: ReadonlySet<Change>;
  /** Whether a fleet takes part. */
  hasFleets: boolean;
  /** How names that the program has came to be borne by endpoints of others; those of whom the run was told. */
  met: readonly FormerOwner[];
  /** Whether the run was not shown all. */
  isPartial: boolean;
  /** The words by which its runs took over what was there. */
  taken: readonly Word[];
}

type Truth = "create" | "adopt" | "stay" | "replace" | "delete" | "release" | "nothing";

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
    await this.#holdInAnyOrder(preview);
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
    await this.#recover(up.failed);
    return { ...tally, end: "conflict" };
  }

  /** Another order of the Checks and of the planned answers comes to the same. */
  async #holdInAnyOrder(preview: Run): Promise<void> {
    const { world } = this;
    const choices = new Choices(this.its.choices.up);
    const other = await world.bench.run(world.engine.preview({ ...this.#plan(), process: world.process(), choices }));
    const refused = ({ failed }: Run) => failed.map(({ name, error }) => `${name}: ${error.message}`).join("; ");
    if (preview.failed.length > 0 !== other.failed.length > 0)
      throw new Error(`the order decides: ${refused(preview) || "passes"}, or ${refused(other) || "passes"}`);
    if (preview.failed.length > 0) return;
    for (const [name, change] of preview.changes)
      if (other.changes.get(name) !== change)
        throw new Error(`the order decides: ${name} is ${change}, or ${other.changes.get(name)}`);
  }

  #tally({ changes, failed }: Run): Omit<Tally, "end"> {
    const { program, engine, formerOwners, hidden, taken } = this.world;
    const isMet = (name: string) => wishOf(program, name) !== undefined && !hidden.has(resourceOf(name));
    return {
      planned: new Set(failed.length > 0 ? [] : changes.values()),
      hasFleets: [...program.keys(), ...engine.state.keys()].some(isFleet),
      met: formerOwners.flatMap(({ kind, name }) => (isMet(name) ? [kind] : [])),
      isPartial: hidden.size > 0,
      taken,
    };
  }

  async #previewed(process = this.world.process()): Promise<Run> {
    const { world } = this;
    const before = JSON.stringify(world.endpoints());
    const run = await world.bench.run(world.engine.preview({ ...this.#plan(), process, choices: this.#preview }));
    if (JSON.stringify(world.endpoints()) !== before) throw new Error("the preview changed something");
    return run;
  }

  async #upped(preview: Run): Promise<Run> {
    const { world } = this;
    const before = { ids: world.endpoints().map(({ id }) => id), held: world.holdings() };
    const process = world.process(this.#delays);
    const run = await world.bench.run(world.engine.up({ ...this.#plan(), process, choices: this.#up }));
    for (const { id, isKept } of before.held) if (isKept) world.free.add(id);
    const reached = this.#reached(preview, run, before);
    this.#holdUnannounced(preview, before, reached);
    for (const failed of run.failed) this.#holdFailure(failed);
    this.#holdTakeovers(before);
    if (run.failed.length === 0) this.#holdEnd(preview, { run, before, reached });
    return run;
  }

  #plan() {
    const { program, hidden, excluded } = this.world;
    const left = new Set(hidden);
    const add = (name: string) => {
      left.add(name);
      for (const [other, { after }] of program) if (after.has(name) && !left.has(other)) add(other);
    };
    for (const name of excluded) add(name);
    return { program, hidden: left };
  }

  /** Whose plan may be another in up than in the preview, because somebody else has changed something in between. */
  #reached(preview: Run, run: Run, { held }: Before): ReadonlySet<string> {
    const { program, touched, meddled } = this.world;
    const all = [...preview.changes].map(([name, said]) => {
      const { id = "", branchId: from } = held.find((one) => one.name === name && !one.isLeftover) ?? {};
      const to = wishOf(program, name)?.branchId as string | undefined;
      return { name, said, done: run.changes.get(name), from, to, isMeddled: meddled.has(id) };
    });
    return reachOf(all, touched);
  }

  /** Nothing is deleted or replaced that the preview has not announced. */
  #holdUnannounced(preview: Run, { ids, held }: Before, reached: ReadonlySet<string>): void {
    const there = new Set(this.world.endpoints().map(({ id }) => id));
    const announced = (name: string) =>
      ["delete", "drop", "replace"].includes(preview.changes.get(name) ?? "") || reached.has(name);
    for (const id of ids.filter((one) => !there.has(one))) {
      const owners = held.filter((one) => one.id === id);
      if (owners.length === 0) throw new Error(`${id} was deleted, and was nobody's`);
      for (const { name, isKept } of owners) {
        // Of two that had one endpoint, the other one may have deleted it.
        if (isKept && !owners.some((other) => other.name !== name && announced(other.name)))
          throw new Error(`${id} was deleted, and ${name} was to leave it`);
      }
      if (!owners.some(({ name, isLeftover }) => isLeftover || announced(name)))
        throw new Error(`${id} of ${owners.map(({ name }) => name)} was deleted unannounced`);
    }
    const now = this.world.holdings();
    for (const { name, id, isLeftover } of held) {
      const after = now.find((one) => one.name === name && !one.isLeftover);
      // One that is gone is created anew.
      if (!isLeftover && after && after.id !== id && ids.includes(id) && !announced(name))
        throw new Error(`${name} was replaced unannounced`);
    }
  }

  /** An error of the order, or a conflict with somebody else; and nothing was asked for. */
  #holdFailure({ name, verb, error, sent }: Failed): void {
    const told = refusalIn(textOf(error));
    const isMeddled = this.world.touched.size > 0;
    if (!told && isMeddled && (isKind(error, "conflict", "not_found") || error instanceof ImportError)) return;
    if (!told) throw new Error(`up fails at ${verb} of ${name}: ${error.message}`, { cause: error });
    // The engine asks nothing of a provider before it deletes a whole fleet, and a dynamic one takes it for the fleet that has its first name now.
    const unasked = this.its.host === "dynamic" ? ["protected", "too_many"] : ["protected"];
    if (isFleet(name) && !this.world.program.has(name) && unasked.includes(told.refusal.kind)) return;
    // A replica's step may come before the move of its primary, or that move only after the replica has come: nothing is done then.
    if (told.refusal.kind === "primary_missing" || told.refusal.kind === "not_empty") return;
    if (sent > 0) throw new Error(`${name} was refused after a request: ${error.message}`);
    if (isMeddled) return;
    throw new Error(`preview passes and up refuses ${name}: ${error.message}`);
  }

  /** Nothing that was there is taken over but where the program or the person says so. */
  #holdTakeovers({ ids, held }: Before): void {
    const { world } = this;
    for (const { name, id } of world.holdings()) {
      const owners = held.filter((one) => one.id === id && !one.isLeftover).map((one) => one.name);
      const was = world.program.get(resourceOf(name))?.was;
      if (!ids.includes(id) || owners.includes(name)) continue;
      if (was !== undefined && owners.includes(name.replace(resourceOf(name), was))) continue;
      const word = wordFor(world, name, id);
      if (word === undefined) throw new Error(`${name} has taken ${id} unsaid (${owners} had it)`);
      world.taken.push(word);
    }
  }

  /** All is as the preview said and as the program says, one owner each. */
  #holdEnd(preview: Run, { run, before, reached }: { run: Run; before: Before; reached: ReadonlySet<string> }): void {
    const { meddled, free } = this.world;
    const { program, hidden } = this.#plan();
    const endpoints = new Map(this.world.endpoints().map((one) => [one.id, one]));
    const held = this.world.holdings();
    for (const [name, said] of preview.changes) {
      if (reached.has(name)) continue;
      const idIn = (all: readonly Held[]) => all.find((one) => one.name === name && !one.isLeftover)?.id;
      const ids = { was: idIn(before.held), is: idIn(held) };
      const done = run.changes.get(name);
      const isThere = (id: string) => (before.ids.includes(id) ? endpoints.has(id) : undefined);
      // Of two that had one endpoint, either may have deleted it.
      const isShared = before.held.filter(({ id }) => id === ids.was).length > 1;
      if (isShared && said === done) continue;
      if (isTrue(name, { said, done }, { ...ids, isThere })) continue;
      throw new Error(`preview says ${said} of ${name}, up did ${done} (${ids.was} is ${ids.is})`);
    }
    const wanted = new Map([...wishes(program)].filter(([name]) => !hidden.has(resourceOf(name))));
    const owned = new Map<string, string>();
    for (const [name, { type, branchId, sizeCu, preloadLibraries }] of wanted) {
      const id = held.find((one) => one.name === name && !one.isLeftover)?.id ?? "";
      const endpoint = endpoints.get(id);
      if (owned.has(id)) throw new Error(`${name} and ${owned.get(id)} both have ${id}`);
      owned.set(id, name);
      if (meddled.has(id)) continue;
      if (!endpoint) throw new Error(`${name} has ${id}, which does not exist`);
      const real = `${endpoint.type} on ${endpoint.branch_id}`;
      if (real !== `${type} on ${branchId}`) throw new Error(`${name} is ${real}`);
      const loads = endpoint.settings?.preload_libraries?.enabled_libraries;
      if (preloadLibraries !== undefined && !isDeepStrictEqual(loads, preloadLibraries))
        throw new Error(`${name} loads ${loads}, not ${preloadLibraries}`);
      if (sizeCu !== undefined && endpoint.autoscaling_limit_max_cu !== sizeCu)
        throw new Error(`${name} has ${endpoint.autoscaling_limit_max_cu} CU, not ${sizeCu}`);
    }
    if (hidden.size === 0 && held.length > wanted.size) throw new Error("the state has what the program has not");
    for (const id of endpoints.keys()) {
      const isOwned = held.some((one) => one.id === id);
      if (!isOwned && !free.has(id)) throw new Error(`nobody has ${id} any more`);
    }
  }

  /** Follows the ways on of refusals until an up passes, after a refresh where somebody else has changed what may be the stack's. */
  async #recover(refused: Failed[]): Promise<void> {
    const { world } = this;
    // A conflict with somebody else has told all there is: the next preview says what to do.
    // What the engine hides may be the very owner: the messages say to run without.
    if (world.hidden.size > 0) refused = [];
    world.hidden.clear();
    let failed = refused.filter(({ error }) => world.touched.size === 0 || refusalIn(textOf(error)) !== undefined);
    let process: Process | undefined;
    if (world.meddled.size > 0) {
      process = world.process();
      await world.bench.run(world.engine.refresh(process));
      // What it tells may be another story than what was refused before.
      failed = [];
    }
    world.meddled.clear();
    world.touched.clear();
    const told: string[] = [];
    for (let ways = 0; ways < MAX_WAYS; ways += 1) {
      for (const one of failed.slice(0, 1)) {
        told.push(`${one.name}: ${one.error.message.slice(0, 200).split("\n")[0]}`);
        await follow(this.world, one);
      }
      const preview = await this.#previewed(process);
      process = undefined;
      failed = preview.failed;
      if (failed.length > 0) continue;
      failed = (await this.#upped(preview)).failed;
      if (failed.length > 0) continue;
      // What waited for the others comes now.
      if (world.excluded.size > 0) {
        world.excluded.clear();
        continue;
      }
      const change = this.world.later.shift();
      if (!change) return;
      change();
    }
    throw new Error(`${MAX_WAYS} ways on lead nowhere:\n${told.join("\n")}`);
  }
}

/** Who says that this very endpoint is to be taken over: the program or the person; undefined where nobody does. */
function wordFor(world: World, name: string, id: string): Word | undefined {
  const { importId, adoptExisting } = wishOf(world.program, name) ?? {};
  const endpoint = world.endpoints().find((one) => one.id === id);
  const asked = importId ?? world.program.get(name)?.importId;
  if (asked !== undefined && String(asked).endsWith(`/${id}`)) return "importId";
  if (!endpoint) return undefined;
  const shown = world.shown(endpoint);
  if (world.adoptInterrupted && isMadeFor(urnOf(name))(shown)) return "adoptInterrupted";
  const isMarked = ownerNameIn(shown) !== undefined;
  return adoptExisting === true && endpoint.type === "read_write" && !isMarked ? "adoptExisting" : undefined;
}

/** True where up did what the preview said, and where that is what became of the endpoint. */
function isTrue(name: string, { said, done }: { said: Change; done: Change | undefined }, ends: Ends): boolean {
  const truth = truthOf(ends);
  if (said !== done && !(done === "new" && (said === "create" || said === "adopt"))) return false;
  return allowed(name, said).includes(truth);
}

function truthOf({ was, is, isThere }: Ends): Truth {
  if (was === is) return was === undefined ? "nothing" : "stay";
  if (is === undefined) return isThere(String(was)) ? "release" : "delete";
  // What is gone before the run is nobody's any more.
  if (was === undefined || isThere(was) === undefined) return isThere(is) === undefined ? "create" : "adopt";
  return "replace";
}

/** Of a member a plan says exactly what becomes of it; the engine says no more of a resource than it knows. */
function allowed(name: string, said: Change): Truth[] {
  const exact: Partial<Record<Change, Truth[]>> = { create: ["create"], delete: ["delete"] };
  return (isMember(name) && exact[said]) || ends[said];
}

const ends: Readonly<Record<Change, Truth[]>> = {
  create: ["create", "adopt"],
  new: ["create", "adopt"],
  adopt: ["adopt"],
  import: ["adopt"],
  same: ["stay"],
  update: ["stay"],
  replace: ["replace", "create"],
  delete: ["delete", "release"],
  release: ["release"],
  drop: ["delete", "release"],
};
