/** Sets the scene of a case: the platform's endpoints, the stack's state, and the program. */
import type { Emulator, EndpointSeed } from "../../../emulator";
import { keyOf, resourceOf } from "../../engine-model/names";
import type { Declared, Values } from "../../engine-model/words";
import { type StoredMember, stateOfFleet } from "../../support/stored";
import { BRANCHES, type Case, type Slot, type Spot, type When, type Wish } from "./cases";
import { type Held, placeIn, setWish, wishOf } from "./holdings";
import { markFor } from "./marks";
import { changeOwner } from "./owner-changes";
import { branchId, type World } from "./world";

/** Opens the case on an emulator that was reset. */
export async function setScene(world: World, its: Case): Promise<void> {
  const scene = new Scene(world, its);
  scene.seed();
  scene.record(await world.readAll());
  scene.declare();
  scene.change();
}

const RUNS = { current_state: "active" } as const;

/** Puts an endpoint on a branch, which has one read-write endpoint: a second one is a replica. */
export function seedEndpoint({ admin, projectId }: Emulator, spot: Spot, given: Partial<EndpointSeed>): string {
  const branch_id = branchId(spot.branch);
  const { endpoints } = admin.project(projectId);
  const isTaken = endpoints.some((one) => one.branch_id === branch_id && one.type === "read_write");
  return admin.seedEndpoint(projectId, { branch_id, type: isTaken ? "read_only" : spot.type, ...RUNS, ...given }).id;
}

/** What somebody sets who hopes that another takes it up. */
const PLANTED = {
  ...{ suspend_timeout_seconds: 86_400, autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 },
  settings: { preload_libraries: { use_defaults: true, enabled_libraries: ["pg_prewarm", "auto_explain"] } },
};

const libraries = { one: ["pg_prewarm"], two: ["auto_explain", "pg_stat_statements"] };

class Scene {
  readonly #projectId: string;

  constructor(
    private readonly world: World,
    private readonly its: Case,
  ) {
    this.#projectId = world.bench.emulator.projectId;
  }

  seed(): void {
    const { bench, free, elsewhere } = this.world;
    for (const [at, { before, home }] of this.its.slots.entries()) {
      if (!before || before.owner === "shared") continue;
      const isNamed = before.owner !== "stranger" && before.owner !== "adopted";
      const isCopied = this.its.isCopy && before.owner === "own";
      const inStack = (urn: string) => (isCopied ? urn.replace(":test:", ":other:") : urn);
      const name = markFor(this.#before(at), "0000000a", inStack);
      const planted = before.owner === "forged" ? PLANTED : {};
      seedEndpoint(bench.emulator, before, { id: seededId(at), ...(isNamed && { name }), ...planted });
      if (isCopied || before.owner === "elsewhere") elsewhere.add(seededId(at));
      const isTheirs = before.owner === "own" || before.owner === "pending";
      if (!isTheirs || isSo(home?.retain, "before")) free.add(seededId(at));
    }
  }

  record(found: ReadonlyMap<string, Values>): void {
    const fleets = new Map<string, Map<string, StoredMember>>();
    for (const [at, { before, home = { imports: false } }] of this.its.slots.entries()) {
      const read = found.get(this.#idOf(at));
      if (home.before !== undefined) fleets.set(`f${home.before}`, fleets.get(`f${home.before}`) ?? new Map());
      if (!before || !read || !["own", "adopted", "shared", "pending"].includes(before.owner)) continue;
      const name = this.#before(at);
      const { id, inputs, state } = this.world.storedAs(name, read, placeIn(read), before.owner === "adopted");
      const key = keyOf(name);
      if (before.owner === "pending") this.world.engine.toDelete.push({ name, id, inputs, state });
      else if (key === undefined) this.world.engine.state.set(name, { name, id, inputs, state });
      if (before.owner === "pending" || key === undefined) continue;
      const [protect, retainOnDelete] = [isSo(home.protect, "before"), isSo(home.retain, "before")];
      fleets
        .get(resourceOf(name))
        ?.set(key, { state, ...(protect && { protect }), ...(retainOnDelete && { retainOnDelete }) });
    }
    for (const [name, members] of fleets) this.#recordFleet(name, members);
  }

  #recordFleet(name: string, members: ReadonlyMap<string, StoredMember>): void {
    const endpoints = Object.fromEntries(
      [...members].map(([key, { state, ...flags }]) => [key, { ...placeIn(state), ...flags }]),
    );
    const hidden = this.world.hiddenOf(name);
    const state = { ...stateOfFleet(members), ...hidden };
    const inputs = { endpoints, ...hidden };
    this.world.engine.state.set(name, { name, id: `fleet-0000000${name.slice(1)}`, inputs, state });
  }

  declare(): void {
    const { program } = this.world;
    for (const at of this.its.fleets.keys()) this.#declareFleet(at);
    for (const [at, slot] of this.its.slots.entries()) this.#declare(slot, at);
    for (const [at, { staysEmpty }] of this.its.fleets.entries()) {
      const name = this.#fleet(at);
      const isEmpty = Object.keys(program.get(name)?.args.endpoints as Values).length === 0;
      if (isEmpty && !(staysEmpty && this.world.engine.state.has(`f${at}`))) program.delete(name);
    }
    this.#swap();
    if (this.its.isShifted) this.#shift();
    for (const [first, second] of this.its.edges) this.world.wait(this.#nameOf(second), this.#nameOf(first));
  }

  /** What has become of the endpoints since, and what a run is to be shown. */
  change(): void {
    const { world, its } = this;
    for (const [at, { before }] of its.slots.entries()) {
      const { owner } = before ?? {};
      const kind = owner === "own" && its.isCopy ? "copy" : owner;
      if (kind === "orphan" || kind === "elsewhere" || kind === "forged" || kind === "copy") {
        world.formerOwners.push({ kind, name: this.#before(at) });
      }
    }
    for (const change of its.ownerChanges) {
      const old = changeOwner(world, change);
      if (old !== undefined) world.formerOwners.push({ kind: change.kind, name: old });
    }
    if (!its.selection) return;
    const { option, which } = its.selection;
    const first = world.formerOwners.toReversed().map(({ name }) => resourceOf(name));
    const names = [...new Set([...first, ...world.program.keys(), ...world.engine.state.keys()])];
    const selected = new Set(which.map((one) => names[one % names.length] ?? ""));
    const isHidden = (name: string) => selected.has(name) === (option === "exclude");
    for (const name of names.filter(isHidden)) world.hidden.add(name);
  }

  #declareFleet(at: number): void {
    const { maxDeletions } = this.its.fleets[at] ?? {};
    const args = { projectId: this.#projectId, endpoints: {}, ...(maxDeletions !== undefined && { maxDeletions }) };
    const name = this.#fleet(at);
    this.world.program.set(name, { args, after: new Set(), ...(name !== `f${at}` && { was: `f${at}` }) });
  }

  #declare(slot: Slot, at: number): void {
    const { before, after, home } = slot;
    const held = this.#stored(at);
    const same = held && placeIn(held);
    if (after === undefined || (after === "same" && !same)) return;
    const args = after === "same" ? (same as Values) : this.#args(slot, after, at);
    const fleet = home?.after === undefined ? undefined : this.#fleet(home.after);
    const key =
      after !== "same" && held && home?.before === home?.after && after.named !== "same" ? `n${at}` : `m${at}`;
    const isThere = before !== undefined && before.owner !== "shared";
    if (fleet !== undefined) {
      const record = this.world.endpoints().find(({ id }) => id === seededId(at));
      const imports = isThere && record && (home?.imports || (after !== "same" && after.imports));
      const place = imports ? { branchId: record.branch_id, type: record.type, adoptExisting: false } : {};
      setWish(this.world.program, `${fleet}/${key}`, {
        ...args,
        ...place,
        ...(isSo(home?.protect, "after") && { protect: true }),
        ...(isSo(home?.retain, "after") && { retainOnDelete: true }),
        ...(imports && { importId: `${this.#projectId}/${seededId(at)}` }),
      });
    } else if (after !== "same" && after.imports && isThere && this.its.host === "plugin") {
      this.#declareImport(at, held !== undefined && home?.before === undefined ? same : undefined);
    } else {
      const { named = "same", replaces = false } = after === "same" ? {} : after;
      const declared: Declared = { args, after: new Set(), ...(replaces && { replaceOnChanges: ["*"] }) };
      this.#declareAlone(at, declared, home?.before === undefined ? named : "same");
    }
  }

  #declareAlone(at: number, declared: Declared, named: Wish["named"]): void {
    const { program, engine } = this.world;
    if (!engine.state.has(`r${at}`) || named === "same") program.set(`r${at}`, declared);
    else program.set(`n${at}`, named === "alias" ? { ...declared, was: `r${at}` } : declared);
  }

  /** The option `import` of a resource; beside the one that has the endpoint already, where there is one. */
  #declareImport(at: number, same: Values | undefined): void {
    const record = this.world.endpoints().find(({ id }) => id === seededId(at));
    const args = { projectId: this.#projectId, branchId: record?.branch_id, type: record?.type };
    if (same) this.world.program.set(`r${at}`, { args: same, after: new Set() });
    const importId = `${this.#projectId}/${seededId(at)}`;
    this.world.program.set(same ? `n${at}` : `r${at}`, { args, after: new Set(), importId });
  }

  #args({ before }: Slot, { branch, type, sizeCu, preloads, adopts }: Wish, at: number): Values {
    const stored = this.#stored(at);
    const wanted = type === "same" ? (stored?.type ?? before?.type ?? "read_write") : type;
    return {
      projectId: this.#projectId,
      branchId: branchId(branch === "here" ? (before?.branch ?? at % BRANCHES) : branch),
      type: wanted,
      ...(sizeCu === undefined ? {} : { sizeCu }),
      ...(preloads && { preloadLibraries: libraries[preloads] }),
      ...(adopts && wanted === "read_write" ? { adoptExisting: true } : {}),
    };
  }

  #swap(): void {
    const { program } = this.world;
    const [one, two] = (this.its.swap ?? []).map((at) => (this.#stored(at) ? this.#nameOf(at) : undefined));
    if (one === undefined || two === undefined || one === two) return;
    const [first, second] = [wishOf(program, one), wishOf(program, two)];
    setWish(program, one, { ...first, branchId: second?.branchId });
    setWish(program, two, { ...second, branchId: first?.branchId });
  }

  #shift(): void {
    const { program } = this.world;
    const names = [...program].flatMap(([name, { importId }]) => (/^r/.test(name) && !importId ? [name] : []));
    const wishes = names.map((name) => wishOf(program, name));
    for (const [at, name] of names.entries()) setWish(program, name, wishes[at + 1]);
  }

  /** The name of a slot's resource in the state. */
  #before(at: number): string {
    const { before, home } = this.its.slots[at] ?? {};
    if (before?.owner === "pending") return this.#replaced(at);
    const number = home?.before;
    return number === undefined ? `r${at}` : `f${number}/m${at}`;
  }

  /** The owner of an endpoint pending deletion: an earlier resource that has another by now, or one that is gone. */
  #replaced(at: number): string {
    const isSingle = ({ before, home }: Slot) => before?.owner === "own" && home?.before === undefined;
    const other = this.its.slots.slice(0, at).findIndex(isSingle);
    return `r${other < 0 ? at : other}`;
  }

  #fleet(at: number): string {
    return this.its.fleets[at]?.isRenamed && this.world.engine.state.has(`f${at}`) ? `fn${at}` : `f${at}`;
  }

  #nameOf(at: number): string | undefined {
    const number = this.its.slots[at]?.home?.after;
    const names =
      number === undefined ? [`r${at}`, `n${at}`] : ["m", "n"].map((k) => `${this.#fleet(number)}/${k}${at}`);
    return names.find((name) => wishOf(this.world.program, name));
  }

  /** The state of the slot's endpoint, where the stack has it. */
  #stored(at: number): Values | undefined {
    const isIts = ({ name, id, isLeftover }: Held) => id === this.#idOf(at) && name.endsWith(`${at}`) && !isLeftover;
    return this.world.holdings().find(isIts)?.state;
  }

  /** The endpoint that a slot's resource has at first. Where a member shares one, no third has it. */
  #idOf(at: number): string {
    const { slots } = this.its;
    if (slots[at]?.before?.owner !== "shared") return seededId(at);
    const isMembers = (slot: Slot | undefined) => slot?.home?.before !== undefined;
    const isRival = (slot: Slot) => slot.before?.owner === "shared" && (isMembers(slot) || isMembers(slots[at]));
    if (slots.slice(0, at).some(isRival)) return "";
    const isOwn = ({ before, home }: Slot) => before?.owner === "own" && home?.before === undefined;
    return seededId(slots.slice(0, at).findIndex(isOwn));
  }
}

function isSo(when: When | undefined, then: "before" | "after"): boolean {
  return when === "both" || when === then;
}

function seededId(at: number): string {
  return `ep-number-${at}`;
}
