/** Follows what a refusal prints, as a person does: the first way as it stands there, then the other. */
import { keyOf, nameOf, resourceOf } from "../../engine-model/names";
import type { Row } from "../../engine-model/process";
import { type Failed, ImportError, type Values } from "../../engine-model/words";
import { type Command, type Printed, readCommand, sentenceOf, type Way } from "../../support/printed";
import { isImportedBefore } from "./ends";
import { placeIn, setWish, wishes, wishOf } from "./holdings";
import { printedBy } from "./refusals";
import type { World } from "./world";

/** What a person has in hand: the message, and the resource or the member that it is about. */
interface Reading {
  world: World;
  name: string;
  what: string;
  /** The match of the sentence that is followed, and the commands below it. */
  found: RegExpExecArray;
  commands: readonly Command[];
}

type Act = (reading: Reading) => unknown;

/** What each sentence has a person do. The first that matches counts. */
const acts: [RegExp, Act][] = [
  [/the other resources go first, then this one/, ({ world, commands }) => excludes(world, commands)],
  [/^Leave this one out of the program for one run, then give it `importId: "(.+)"`/, importsLater],
  [
    /^Leave "(.+)" out of the program for one run/,
    ({ world, found, what }) => leaveOut(world, namedIn(world, what, found[1])),
  ],
  [/leave this (?:one|change) out of the program for (?:one|that) run/i, ({ world, name }) => leaveOut(world, name)],
  [/say for one run what the program said before/i, ({ world, name }) => leaveOut(world, name)],
  [/an empty branch for one run/, ({ world, name }) => world.detour(name)],
  [/`adoptExisting: true`/, ({ world, name }) => says(world, name, { adoptExisting: true })],
  [/another branch/i, ({ world, name, what }) => goElsewhere(world, name, what)],
  // The change of the program, since the endpoint is to be let go of.
  [/^Take it out of one of the two/, ({ world, name }) => leaveOut(world, name)],
  [/^Run without PGCOMPUTE_FORGET/, forgetsNothing],
  [/^Or take this one out of the program/, ({ world, name }) => setWish(world.program, name, undefined)],
  [/^Remove one of the two from the program/, ({ world, name }) => setWish(world.program, name, undefined)],
  [/^Say branch (\S+) for one run, here and for each replica/, goesBack],
  [/^Or have this one deleted and created there/, ({ world, commands }) => configures(world, commands)],
  [/add `dependsOn: \[(.+)\]` to its options/, ({ world, name, found }) => waitsFor(world, name, found[1])],
  [/add the branch's read-write endpoint to `dependsOn`/, waitsForPrimary],
  [/^Or, if the program has none there, run:/, goesParallel],
  [/^Take the one that is to go out of the program, in a run that sends nothing for it/, parts],
  [/take the owner out of (?:its|the) program first, .*in a run that sends nothing for it/, ownersLetGo],
  [
    /^take (?:what asks for it|`importId`).* off "(.+)"/,
    ({ world, found, what }) => untake(world, namedIn(world, what, found[1])),
  ],
  [/^take up what it made/, ({ world, commands }) => takesUp(world, commands)],
  [/^run the same command with PGCOMPUTE_ADOPT_INTERRUPTED=1/, ({ world, commands }) => takesUp(world, commands)],
  [/^Take the option that replaces it/, ({ world, name }) => void delete world.program.get(name)?.replaceOnChanges],
  [/^Have that recorded, then moved back/, ({ world }) => refreshed(world)],
  [/^Keep the member with `protect: false` for one run/, ({ world, name }) => keepsUnprotected(world, name)],
  [/^Set `protect: false`/, ({ world, name }) => says(world, name, { protect: false })],
  [/^set `maxDeletions: (\d+)`/, ({ world, name, found }) => allows(world, resourceOf(name), Number(found[1]))],
  [/^(?:Or )?[Tt]ake (?:the import off|importId out of the program)/, ({ world, name }) => dropsImport(world, name)],
  [/^Say that place for one run/, saysPlace],
];

/** Follows a failure by its text. Throws where no way is left: a way that was followed often enough is a circle. */
export async function follow(world: World, failed: Failed, rows: readonly Row[]): Promise<string> {
  // What was to be imported is gone: the program no longer asks for it.
  if (failed.error instanceof ImportError) {
    setWish(world.program, failed.name, undefined);
    return "import";
  }
  if (isImportedBefore(failed.error)) {
    dropsImport(world, failed.name);
    return "import";
  }
  const [printed] = printedBy(failed, rows);
  if (!printed) throw new Error(`no way on for ${failed.name}: ${failed.error.message}`);
  const { what, key } = printed;
  const name = key === undefined ? failed.name : `${resourceOf(failed.name)}/${key}`;
  // Whoever declares a place twice, of which the engine has checked the one that waits for the other never, takes it back.
  if (isContrary(world, name, what) && (world.contrary.get(name) ?? 0) > 1) {
    setWish(world.program, name, undefined);
    return "the program contradicts itself";
  }
  world.contrary.set(name, (world.contrary.get(name) ?? 0) + 1);
  const { say, way } = wayOf(world, name, printed);
  for (const [sentence, act] of acts) {
    const found = sentence.exec(say);
    if (!found) continue;
    await act({ world, name, what, found, commands: way.commands.map(readCommand) });
    return say;
  }
  throw new Error(`unknown advice: ${say} (of ${name}: ${what})`);
}

/** The way to take: the first that fits and was not taken by as many runs as resources are concerned. */
function wayOf(world: World, name: string, { what, ways }: Printed): { say: string; way: Way } {
  const concerned = Math.max(2, wishes(world.program).size);
  const fitting = ways.flatMap((way) => {
    const say = sentenceOf(way, (condition) => holds(world, name, what, condition));
    return say === undefined ? [] : [{ say, way }];
  });
  // Where the last run changed nothing, the other way is next.
  const open = world.isStuck && fitting.length > 1 ? fitting.slice(1) : fitting;
  for (const { say, way } of open) {
    const taken = `${name}: ${say.replaceAll(/ep-\S+|br-\S+/g, "")}`;
    const runs = world.taken.get(taken) ?? 0;
    if (runs >= concerned) continue;
    world.taken.set(taken, runs + 1);
    return { say, way };
  }
  throw new Error(`a circle, or no way that fits, of ${name}: ${what}\n${JSON.stringify(ways)}`);
}

/** What a person sees of the stack and the program. */
function holds(world: World, name: string, what: string, condition: string): boolean {
  const ids = [...what.matchAll(/ep-[\w-]+/g)].map(([id]) => id);
  const held = world.holdings().filter(({ id }) => ids.includes(id));
  const isAwaited = [...world.program.values()].some(({ after }) => after.has(resourceOf(name)));
  if (condition === "nothing depends on this one") return !isAwaited;
  if (/^this stack has ".*" and nothing depends on this one$/.test(condition)) return held.length > 0 && !isAwaited;
  if (/^this stack has "/.test(condition)) return held.length > 0;
  if (/^this stack has no "/.test(condition)) return held.length === 0;
  if (/^a resource of this stack has it and leaves the branch$/.test(condition)) {
    return held.some((one) => wishOf(world.program, one.name)?.branchId !== one.branchId);
  }
  // Whoever has renamed one leaves it out for one run just as well.
  if (/ under a new name or parent$/.test(condition)) return false;
  if (condition === "the two exchange their branches") {
    const own = world.holdings().find((one) => one.name === name && !one.isLeftover);
    return held.some((one) => own && wishOf(world.program, one.name)?.branchId === own.branchId);
  }
  if (condition === "the other is there for one run only") return false;
  if (condition === "a run was killed") return !world.adoptInterrupted && ids.every((id) => !world.isOwned(id));
  if (/^--replace or a taint/.test(condition)) return false;
  if (condition === "this one is to stay there") return staysThere(world, name);
  if (condition === "that is meant") return true;
  if (/^no state has /.test(condition)) return ids.every((id) => !world.isOwned(id));
  if (/^a stack has /.test(condition)) return ids.some((id) => world.isOwned(id));
  if (/^it is a member of a fleet|^that is a member of another fleet/.test(condition)) return false;
  throw new Error(`unknown condition: ${condition}`);
}

/** True where the program has another one stay where this one is to come. */
function isContrary(world: World, name: string, what: string): boolean {
  const wish = wishOf(world.program, name);
  return (
    wish?.type === "read_write" &&
    world.holdings().some((one) => {
      const other = wishOf(world.program, one.name);
      const isThere = one.name !== name && what.includes(one.id) && one.branchId === wish.branchId;
      return isThere && other?.branchId === one.branchId && other.type === "read_write";
    })
  );
}

function staysThere(world: World, name: string): boolean {
  const held = world.holdings().find((one) => one.name === name && !one.isLeftover);
  return held !== undefined && wishOf(world.program, name)?.branchId === held.branchId;
}

function excludes(world: World, commands: readonly Command[]): void {
  const [first, last, ...others] = commands;
  const [up, option, urn = ""] = first?.words ?? [];
  const isKnown = up === "up" && option === "--exclude" && last?.words.join(" ") === "up" && others.length === 0;
  if (!isKnown) throw new Error(`unknown commands: ${JSON.stringify(commands)}`);
  world.excluded.add(nameOf(urn));
}

/** Takes a change back for one run: what is there stays as it was; what is new is not there. */
function leaveOut(world: World, name: string): void {
  const { program } = world;
  const [resource, wish] = [resourceOf(name), wishOf(program, name)];
  const declared = program.get(resource);
  const held = world.holdings().find((one) => one.name === name && !one.isLeftover);
  setWish(program, name, held && { ...saidBefore(world, name), ...placeIn(held.state) });
  world.later.push(() => {
    if (declared && !program.has(resource)) program.set(resource, declared);
    setWish(program, name, wish);
  });
}

/** What the program said of an endpoint in the last run. */
function saidBefore({ engine, program }: World, name: string): Values {
  const resource = resourceOf(name);
  const stored = engine.state.get(resource) ?? engine.state.get(program.get(resource)?.was ?? resource);
  const key = keyOf(name);
  const { endpoints = {}, ...own } = stored?.inputs ?? {};
  const said = key === undefined ? own : (endpoints as Record<string, Values>)[key];
  return Object.fromEntries(Object.entries(said ?? {}).filter(([one]) => !one.startsWith("__")));
}

function importsLater({ world, name, found }: Reading): void {
  const wish = wishOf(world.program, name);
  setWish(world.program, name, undefined);
  world.later.push(() => setWish(world.program, name, { ...wish, importId: found[1] }));
}

function says(world: World, name: string, more: Values): void {
  const wish = wishOf(world.program, name);
  if (!wish) throw new Error(`the program has no ${name}`);
  setWish(world.program, name, { ...wish, ...more });
}

/** The branch of before for one run, here and for the replicas that are to be on the new one. */
function goesBack({ world, name, what, found }: Reading): void {
  const { program } = world;
  const [, to] = /branch (\S+) has /.exec(what) ?? [];
  const isBound = ([, wish]: [string, Values]) => wish.branchId === to && wish.type === "read_only";
  const replicas = [...wishes(program)].filter(isBound).map(([one]) => one);
  const back = [name, ...replicas];
  for (const one of back) world.send(one, found[1]);
  world.later.push(() => {
    for (const one of back) world.send(one, to);
    for (const one of replicas) waitsFor(world, one, resourceOf(name));
  });
}

/** A fleet's message names the members that it is about. */
function goElsewhere(world: World, name: string, what: string): void {
  const [, listed = ""] = /made for members? (.+?) of this fleet/.exec(what) ?? [];
  const keys = [...listed.matchAll(/[\w.-]+/g)].map(([key]) => `${name}/${key}`);
  const members = keys.filter((one) => wishOf(world.program, one));
  for (const one of members.length > 0 ? members : [name]) world.send(one, world.freeBranch());
}

function configures(world: World, [command]: readonly Command[]): void {
  if (command?.words.join(" ") !== "config set pgcompute:moves replace") throw new Error(`unknown command: ${command}`);
  world.moves = "replace";
}

/** Lets one wait for the other, which no longer waits for it. */
function waitsFor(world: World, name: string, other = ""): void {
  const awaited = [...world.program.keys()].find((one) => one === other || one.replace(/^(g-|p\d-)/, "") === other);
  if (awaited === undefined) throw new Error(`the program has no ${other}`);
  if (world.waits(awaited, name)) for (const { after } of world.program.values()) after.delete(resourceOf(name));
  world.wait(name, awaited);
}

function waitsForPrimary({ world, name, what }: Reading): void {
  const [, branchId] = /no read-write endpoint of branch (\S+) is known/.exec(what) ?? [];
  const isPrimary = ([, wish]: [string, Values]) => wish.branchId === branchId && wish.type === "read_write";
  const primary = [...wishes(world.program)].find(isPrimary)?.[0];
  if (primary === undefined) world.isSerial = false;
  else waitsFor(world, name, resourceOf(primary));
}

function goesParallel({ world }: Reading): void {
  world.isSerial = false;
}

/** The one that is told leaves the program, in a run that lets go of the endpoint. */
function parts({ world, name, commands }: Reading): void {
  const ids = commands[0]?.env.PGCOMPUTE_FORGET?.split(",") ?? [];
  world.forget.push(...ids);
  setWish(world.program, name, undefined);
}

function forgetsNothing({ world }: Reading): void {
  world.forget = [];
}

/** Who has what is to be imported leaves its program, in a run without the import. */
function ownersLetGo({ world, name, commands }: Reading): void {
  const ids = commands[0]?.env.PGCOMPUTE_FORGET?.split(",") ?? [];
  world.forget.push(...ids);
  leaveOut(world, name);
  for (const id of ids.map((one) => one.split("/").at(-1) ?? "")) {
    world.elsewhere.delete(id);
    for (const held of world.holdings()) if (held.id === id) setWish(world.program, held.name, undefined);
  }
}

function takesUp(world: World, [command]: readonly Command[]): void {
  if (command?.env.PGCOMPUTE_ADOPT_INTERRUPTED !== "1") throw new Error(`unknown command: ${command?.words}`);
  world.adoptInterrupted = true;
}

/** Takes off what asks for another's endpoint. A run's setting covers all its takeovers. */
function untake(world: World, name: string): void {
  const { importId, adoptExisting: _, ...wish } = wishOf(world.program, name) ?? {};
  const declared = world.program.get(resourceOf(name));
  if (importId === undefined && declared?.importId === undefined) world.adoptInterrupted = false;
  delete declared?.importId;
  setWish(world.program, name, wish);
}

async function refreshed(world: World): Promise<void> {
  await world.bench.run(world.engine.refresh(world.process()));
}

/** What leaves is there once more, without its protection; with its whole fleet, where that leaves. */
function keepsUnprotected(world: World, name: string): void {
  const { program } = world;
  const fleet = resourceOf(name);
  const isGone = !program.has(fleet);
  const held = world.holdings().filter((one) => resourceOf(one.name) === fleet);
  if (isGone) program.set(fleet, { args: { endpoints: {} }, after: new Set() });
  for (const one of held) if (isGone) setWish(program, one.name, { ...placeIn(one.state), protect: false });
  const there = placeIn(held.find((one) => one.name === name)?.state ?? {});
  setWish(program, name, { ...there, protect: false });
  if (isGone) world.later.push(() => program.delete(fleet));
  else world.later.push(() => setWish(program, name, undefined));
}

function allows(world: World, name: string, maxDeletions: number): void {
  const urn = world.engine.state.get(name)?.state.__urn;
  const declared = world.program.has(name) || urn === undefined ? name : nameOf(String(urn));
  says(world, declared, { maxDeletions });
}

function dropsImport(world: World, name: string): void {
  const { importId: _, ...wish } = wishOf(world.program, name) ?? {};
  delete world.program.get(resourceOf(name))?.importId;
  setWish(world.program, name, wish);
}

/** It is taken over as it is, and changed in the next run. */
function saysPlace({ world, name, what }: Reading): void {
  const [, type, branchId, projectId] =
    /that endpoint is (\S+), on branch (\S+) of project (\S+), and/.exec(what) ?? [];
  const { importId: _, ...wish } = wishOf(world.program, name) ?? {};
  says(world, name, { type, branchId, projectId });
  world.later.push(() => setWish(world.program, name, wish));
}

/** The resource or member of a name in a message, by the URN beside it. */
function namedIn(world: World, what: string, name = ""): string {
  const urn = what.split(`"${name}" (`)[1]?.split(")")[0];
  if (urn === undefined) throw new Error(`no URN of ${name}: ${what}`);
  const alone = nameOf(urn);
  const isAlone = world.program.has(alone) || world.engine.state.has(alone);
  // A member's row has the URN that a child of its fleet would have.
  return isAlone ? alone : alone.replace(/^p(\d)-/, "f$1/");
}
