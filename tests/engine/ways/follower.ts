/**
 * Follows what refusals print, as text, until a preview shows no change: one way of each message throughout, and the
 * other where Pulumi refuses that or it changes nothing, as the message says.
 */
import { isDeepStrictEqual } from "node:util";
import { resourceOwner } from "../../../provider/lib/owner";
import { type Printed, readCommand, refusalsIn, sentenceOf } from "../../support/printed";
import type { Declarations, HostDriver } from "../support/hosts";
import type { Bench, Program } from "../support/platform";
import type { Run } from "../support/run";
import type { RunOptions, Stack } from "../support/stack";

/** A program before and after an edit, which meets what is in its way. */
export interface Scene {
  before: Declarations;
  after: Declarations;
  /** New names of resources, and their old ones. */
  renamed?: Record<string, string>;
}

/** The most runs that a person would start. */
const MOST_ATTEMPTS = 40;

const NOTHING_CHANGES = { create: 0, update: 0, replace: 0, delete: 0 };

/** What somebody has in hand who follows messages. */
interface Journey {
  bench: Bench;
  program: Program;
  scene: Scene;
  /** What the program is to say in the end. */
  goal: Declarations;
  /** What it says in the next run. */
  current: Declarations;
  /** Further words of the next run, and its variables. */
  args: string[];
  env: Record<string, string>;
}

/** Applies the edit by one way of each message. Returns the runs that changed something; throws for a circle. */
export async function follow(bench: Bench, host: HostDriver, scene: Scene, prefers: 0 | 1): Promise<Followed> {
  const program = bench.program(host);
  await program.is(scene.before).up();
  const idsBefore = Object.fromEntries(program.names().map((name) => [name, program.idOf(name)]));
  const goal = structuredClone(scene.after);
  const journey: Journey = { bench, program, scene, goal, current: structuredClone(goal), args: [], env: {} };
  const told: string[] = [];
  let runs = 0;
  let isStuck = false;

  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const { current, args, env } = journey;
    const isWhole = args.length === 0 && isDeepStrictEqual(current, journey.goal);
    const run = await upAsPeopleDo(program.is(current), { args, env, mayFail: true }, isWhole);

    if (run.ok) {
      const isChanged = hasChanges(run);
      if (isChanged) runs += 1;
      if (isWhole) {
        const { changes } = await program.is(journey.goal).preview();
        if (!hasNone(changes)) throw new Error(`a preview still shows ${JSON.stringify(changes)}\n${told.join("\n")}`);
        return { runs, told, program, idsBefore };
      }
      isStuck = !isChanged;
      if (isStuck) told.push("nothing changed");
      restart(journey);
      continue;
    }

    const [refusal] = refusalsOf(run);
    if (!refusal) {
      // Pulumi itself refuses the command that the message printed.
      if (args.length === 0) throw new Error(`${told.join("\n")}\nno way on:\n${run.text}`);
      told.push(`Pulumi refuses ${args.join(" ")}`);
      isStuck = true;
      restart(journey);
      continue;
    }

    const way = wayOf(journey, refusal, isStuck ? 1 : prefers);
    told.push(`${refusal.name}${refusal.key ? `/${refusal.key}` : ""}: ${way.say}`);
    take(journey, refusal, way);
  }
  throw new Error(`a circle:\n${told.join("\n")}`);
}

/** All refusals that a run printed, in their order. */
export function refusalsOf({ diagnostics }: Pick<Run, "diagnostics">): Printed[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return refusalsIn(errors.map(({ name = "", message }) => ({ name, message })));
}

/** How many runs changed something, what was done, the program, and the ids that endpoints had at first. */
export interface Followed {
  runs: number;
  told: string[];
  program: Program;
  idsBefore: Record<string, string>;
}

/**
 * Runs a preview first, as `pulumi up` does for people, where the program is whole. Without one the engine may begin the
 * step of what is in the way before it checks what comes there, so that nothing is refused.
 */
async function upAsPeopleDo(stack: Stack, options: RunOptions, isWhole: boolean): Promise<Run> {
  const shown = isWhole ? await stack.preview(options) : undefined;
  return shown?.ok === false ? shown : stack.up(options);
}

function restart(journey: Journey): void {
  journey.current = structuredClone(journey.goal);
  journey.args = [];
  journey.env = {};
}

/** The sentence that holds of the way that fits, and its commands. */
function wayOf(journey: Journey, refusal: Printed, wanted: 0 | 1): { say: string; commands: string[] } {
  const { ways } = refusal;
  const first = ways[Math.min(wanted, ways.length - 1)];
  const other = ways.find((one) => one !== first);
  for (const way of [first, other]) {
    const say = way && sentenceOf(way, (condition) => holds(journey, refusal, condition));
    if (say) return { say, commands: way.commands };
  }
  throw new Error(`no way fits: ${JSON.stringify(refusal)}`);
}

/** The endpoint that is in the way, by the message. */
const occupantIn = (what: string) => /read-write endpoint (ep-\S+)/.exec(what)?.[1] ?? "none";

/** What a person sees of the stack and the program. */
function holds(journey: Journey, { name, key, what }: Printed, condition: string): boolean {
  const { program, scene, goal } = journey;
  const has = program.project.stateText().includes(occupantIn(what));
  const isAwaited = Object.values(journey.current).some(
    ({ options }) => options?.dependsOn?.includes(name) || options?.parent === name,
  );
  if (condition === "nothing depends on this one") return !isAwaited;
  if (/^this stack has ".*" and nothing depends on this one$/.test(condition)) return has && !isAwaited;
  if (/^this stack has "/.test(condition)) return has;
  if (/^this stack has no "/.test(condition)) return !has;
  if (/^a resource of this stack has it and leaves the branch$/.test(condition)) return has;
  if (/ under a new name or parent$/.test(condition)) return scene.renamed?.[name] !== undefined;
  if (condition === "the two exchange their branches") {
    const [from, to] = [branchOf(scene.before, name, key), branchOf(goal, name, key)];
    const owner = placesIn(scene.before).find((one) => one.branchId === to);
    return from !== to && owner !== undefined && branchOf(goal, owner.name, owner.key) === from;
  }
  if (condition === "the other is there for one run only") return !isDeepStrictEqual(journey.current, goal);
  if (/^--replace or a taint|^a run was killed/.test(condition)) return false;
  throw new Error(`unknown condition: ${condition}`);
}

/** Does what a sentence says, with the commands below it. */
function take(
  journey: Journey,
  { name, key, what }: Printed,
  { say, commands }: { say: string; commands: string[] },
): void {
  const { current, goal, scene, bench } = journey;
  if (/the other resources go first, then this one\.?/.test(say)) {
    const [first, last, ...others] = commands.map(readCommand);
    const isUp = first?.words[0] === "up" && last?.words.join(" ") === "up" && others.length === 0;
    if (!first || !isUp) throw new Error(`unknown commands: ${commands}`);
    // A person adds to the command of before.
    journey.args.push(...first.words.slice(1));
    Object.assign(journey.env, first.env);
    return;
  }
  if (/leave this (?:one|change) out of the program for (?:one|that) run|what the program said before/.test(say)) {
    leaveOut(current, scene, name, key);
    return;
  }
  if (/an empty branch for one run/.test(say)) {
    set(current, name, key, { branchId: emptyBranch(journey, name, key) });
    return;
  }

  // What follows is said in every later run as well.
  const branchId = bench.branch();
  const [, urn] = /`aliases: \["([^"]+)"\]`/.exec(say) ?? [];
  for (const said of [current, goal]) {
    if (/adoptExisting: true/.test(say)) set(said, name, key, { adoptExisting: true });
    else if (/another branch/.test(say)) set(said, name, key, { branchId });
    else if (/as an alias/.test(say)) alias(said, name, urn ?? journey.program.ownerIn(occupantIn(what)));
    else throw new Error(`unknown advice: ${say} (of ${name}: ${what})`);
  }
}

/** An empty branch of the project that the endpoint stays in. */
function emptyBranch({ bench, goal }: Journey, name: string, key: string | undefined): string {
  const projectId = String(argsOf(goal, name, key)?.projectId ?? goal[name]?.args.projectId ?? bench.projectId);
  return bench.emulator.admin.seedBranch(projectId).id;
}

function alias(said: Declarations, name: string, urn: string): void {
  const one = said[name];
  if (one) one.options = { ...one.options, aliases: [resourceOwner(urn)] };
}

/** Takes a change back for one run: what is there stays as it was; what is new, and what waits for it, is not there. */
function leaveOut(current: Declarations, { before }: Scene, name: string, key: string | undefined): void {
  const old = argsOf(before, name, key);
  if (key !== undefined) {
    const members = { ...(current[name]?.args.endpoints as object) } as Record<string, unknown>;
    if (old) members[key] = old;
    else delete members[key];
    if (current[name]) current[name].args.endpoints = members;
    return;
  }
  if (old && before[name]) {
    // What it waits for is as the program says now: the other way round it may be a circle.
    current[name] = { ...current[name], args: structuredClone(old) };
    return;
  }
  delete current[name];
  for (const [other, { options }] of Object.entries(current)) {
    if (options?.dependsOn?.includes(name) || options?.parent === name)
      leaveOut(current, { before, after: {} }, other, undefined);
  }
}

function argsOf(said: Declarations, name: string, key: string | undefined): Record<string, unknown> | undefined {
  const args = said[name]?.args;
  if (key === undefined) return args;
  return (args?.endpoints as Record<string, Record<string, unknown>> | undefined)?.[key];
}

function set(said: Declarations, name: string, key: string | undefined, more: Record<string, unknown>): void {
  const args = argsOf(said, name, key);
  if (!args) throw new Error(`the program has no ${name} ${key ?? ""}`);
  Object.assign(args, more);
}

function branchOf(said: Declarations, name: string, key: string | undefined): unknown {
  return argsOf(said, name, key)?.branchId;
}

function placesIn(said: Declarations): { name: string; key?: string; branchId: unknown }[] {
  return Object.entries(said).flatMap(([name, { args, isFleet }]) => {
    if (!isFleet) return [{ name, branchId: args.branchId }];
    const members = Object.entries(args.endpoints as Record<string, { branchId: unknown }>);
    return members.map(([key, { branchId }]) => ({ name, key, branchId }));
  });
}

function hasChanges({ changes }: Run): boolean {
  return !hasNone(changes);
}

function hasNone({ create, update, replace, delete: deleted }: Run["changes"]): boolean {
  return isDeepStrictEqual({ create, update, replace, delete: deleted }, NOTHING_CHANGES);
}
