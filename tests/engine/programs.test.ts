import { expect, it } from "vitest";
import { hosts as storedHosts } from "../../cli/hosts";
import { groupSteps } from "../../cli/review/group";
import { readPlan } from "../../cli/review/plan";
import { type PlanState, SECRET } from "../../cli/review/plan-model";
import { endpointProperties } from "../../provider/endpoint/properties";
import { systemClock } from "../../provider/lib/clock";
import { UNKNOWN } from "../../provider/lib/unknown";
import { openAccount } from "../../provider/platform/account";
import { createApi } from "../../provider/platform/client";
import { isFleet, urnOf } from "../engine-model/names";
import type { Values } from "../engine-model/words";
import { type Case, cases } from "../programs/support/cases";
import { isMadeFor, markFor } from "../programs/support/marks";
import { hosted } from "../programs/support/print";
import { printed } from "../programs/support/review";
import { outputPlaces, type Path, withPlaces } from "../programs/support/secret-places";
import { type Valued, valued } from "../programs/support/values";
import type { World } from "../programs/support/world";
import { defaultAccountSettings, type Bench as ModelBench } from "../support/bench";
import { fc, runsOr, seed } from "../support/random";
import { hiddenFor, seal } from "../support/sealed";
import { type Declarations, type HostDriver, hosts } from "./support/hosts";
import { type Program, useBench } from "./support/platform";
import type { Deployment, StateResource } from "./support/project";

// What the model of the engine prints of random programs (tests/programs), held against what the engine prints.

const bench = useBench({ operationMs: 0 });
const numRuns = runsOr(15);
const STREAMED = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };

type Secrets = ReadonlyMap<string, readonly Path[]>;

/** An opened project of a host, with the state of one that has a single endpoint. */
interface Opened {
  program: Program;
  first: Deployment;
}

/**
 * A case that a program in both languages can express, without parents and unknown values, and within the state and
 * platform of these tests.
 */
const sayable = fc.tuple(cases, valued).map(([its, values]): [Case, Valued] => {
  const kinds = ["gather", "scatter", "rename", "sendAway"];
  const ownerChanges = its.ownerChanges.filter(({ kind }) => kinds.includes(kind));
  const settings = values.settings.map((one) => ({
    ...one,
    is: /^unknown/.test(one.is) ? ("plain" as const) : one.is,
  }));
  const slots = its.slots.map((one) => (one.before?.owner === "pending" ? { ...one, before: undefined } : one));
  const platform = its.platform === "neon" ? "lenient" : its.platform;
  return [
    { ...its, ...{ slots, platform, ownerChanges }, lagMs: 0, selection: undefined, meddling: [] },
    { ...values, covered: values.covered?.is === "secret" ? values.covered : undefined, settings },
  ];
});

it(`prints what the engine prints (PGCOMPUTE_SEED=${seed})`, { timeout: 120_000 + numRuns * 60_000 }, async () => {
  const { url, apiKey } = bench.emulator;
  const api = createApi({ baseUrl: url, apiKey, clock: systemClock, random: () => 0.5 });
  const clock = { ...systemClock, pass: async () => {} };
  const accountOn: ModelBench["accountOn"] = (client, settings) =>
    openAccount(client, { ...defaultAccountSettings, ...settings }, clock);
  const model = { emulator: bench.emulator, clock, accountOn, run: (work: unknown) => work } as unknown as ModelBench;
  const opened = new Map<string, Opened>();
  for (const host of hosts) opened.set(host.name, await open(host));
  let compared = 0;
  for (const [its, values] of fc.sample(sayable, { numRuns: numRuns * 8, seed })) {
    if (compared >= numRuns) break;
    const { world, set, texts } = await printed(model, api, its, values);
    // An option cannot name what is known by a former name.
    if (!texts || [...set.forced].some((name) => world.program.get(name)?.was !== undefined)) continue;
    const { program, first } = opened.get(its.host) as Opened;
    const host = hosts.find(({ name }) => name === its.host) as HostDriver;
    nameForReal(world, its);
    program.project.importState(stateOf(world, its, set.unshown.before, first));
    program.project.setConfig({
      "pgcompute:adoptInterrupted": String(its.adoptsInterrupted),
      "pgcompute:moves": its.moves,
    });
    const stack = host.stack(program.project, declarationsOf(world, set.unshown.after));
    const forced = [...set.forced].filter((name) => world.engine.state.has(name));
    const args = ["--json", ...forced.flatMap((name) => ["--replace", real(urnOf(name), its)])];
    // The form in pieces says the same by another printer: every third program is enough for it.
    for (const [at, env] of (compared % 3 === 0 ? [{}, STREAMED] : [{}]).entries()) {
      const { stdout } = await stack.preview({ args, env });
      const what = JSON.stringify({ its, values });
      expect(comparable(texts[at] ?? "", its), what).toEqual(comparable(stdout, its));
    }
    compared += 1;
  }
  await api.close();
  expect(compared).toBe(numRuns);
});

async function open(host: HostDriver): Promise<Opened> {
  const program = bench.program(host);
  const { projectId } = bench;
  await program.is({ first: { args: { projectId, branchId: bench.branch() } } }).up();
  return { program, first: program.project.exportState() };
}

/** A URN of the model as the real stack has it. */
function real(urn: string, { host }: Pick<Case, "host">): string {
  return hosted(urn, host).replace("urn:pulumi:test::shop::", "urn:pulumi:dev::engine-test::");
}

/** Endpoints bear names that have a hash of the URN. */
function nameForReal({ bench: { emulator } }: World, { slots, ...its }: Case): void {
  const names = slots.flatMap((_, at) => [`r${at}`, `f0/m${at}`, `f1/m${at}`]);
  for (const one of emulator.admin.project(emulator.projectId).endpoints) {
    const owner = names.find((name) => isMadeFor(name)(one));
    if (owner !== undefined) {
      emulator.admin.changeEndpoint(one.id, { name: markFor(owner, "0000000b", (urn) => real(urn, its)) });
    }
  }
}

/** The model's state in place of the one endpoint that the stack had. */
function stateOf({ engine, program }: World, its: Case, secrets: Secrets, first: Deployment): Deployment {
  const isOurs = ({ type }: StateResource) => /pgcompute(:index)?:Endpoint$/.test(type);
  const like = first.resources.find(isOurs) as StateResource & { parent: string; provider: string };
  const host = storedHosts.find(({ endpointType }) => endpointType === like.type) as (typeof storedHosts)[number];
  const resources = [...engine.state.values()].map(({ name, id, inputs, state }) => {
    const urn = real(urnOf(name), its);
    const type = isFleet(name) ? host.fleetType : host.endpointType;
    // Secrets are by the name of the program, which may have renamed it.
    const named = [...program].find(([, { was }]) => was === name)?.[0] ?? name;
    const secret = secrets.get(named) ?? [];
    const places = outputPlaces(state, secret);
    const texts = (paths: readonly Path[]) => paths.map((path) => path.map(String));
    const hidden = hiddenFor({ urn, type }, texts(secret));
    return {
      ...{ urn, type, custom: true, id, parent: like.parent, provider: like.provider },
      inputs: seal({ ...inputs, ...hidden }, texts(secret)) as Values,
      outputs: seal({ ...withPlaces(state, places), ...hidden }, texts(places)) as Values,
    };
  });
  return { ...first, resources: [...first.resources.filter((one) => !isOurs(one)), ...resources] };
}

/** The model's program, those first that others wait for. */
function declarationsOf({ program }: World, secrets: Secrets): Declarations {
  const made: Declarations = {};
  const declare = (name: string) => {
    const declared = program.get(name);
    if (!declared || name in made) return;
    const after = [...declared.after].filter((one) => program.has(one));
    after.forEach(declare);
    const { args, was, importId, replaceOnChanges } = declared;
    const options = {
      ...(after.length > 0 && { dependsOn: after }),
      ...(was !== undefined && { aliases: [was] }),
      ...(importId !== undefined && { import: importId }),
      ...(replaceOnChanges && { replaceOnChanges }),
    };
    const given = withSecrets(args, secrets.get(name) ?? []) as Values;
    made[name] = { args: given, options, ...(isFleet(name) && { isFleet: true }) };
  };
  for (const name of program.keys()) declare(name);
  return made;
}

function withSecrets(value: unknown, secrets: readonly Path[]): unknown {
  if (value === undefined) return undefined;
  if (secrets.some((path) => path.length === 0)) return { secret: value };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const below = (key: string) => secrets.flatMap(([first, ...rest]) => (first === key ? [rest] : []));
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(entries.map(([key, one]) => [key, withSecrets(one, below(key))]));
}

/** What the review reads of a plan, in an order of its own. */
function comparable(text: string, its: Case): unknown[] {
  const value = (one: unknown) => (one === SECRET ? "[secret]" : one === UNKNOWN ? "[unknown]" : one);
  const pick = (values: Values) =>
    Object.fromEntries(
      [...endpointProperties, "endpointId"].flatMap((name) => (name in values ? [[name, value(values[name])]] : [])),
    );
  const side = ({ inputs, delete: leaves, pendingReplacement, provider }: PlanState) => ({
    ...{ inputs: pick(inputs), leaves, pendingReplacement, isProvided: provider !== undefined },
  });
  const { changing, unread, unchanged } = groupSteps(readPlan(Buffer.from(text)).steps);
  const told = [...changing, ...unread].map(({ urn, before, after, changed, type: _, ...fate }) => ({
    ...{ ...fate, urn: urn.startsWith("urn:pulumi:test") ? real(urn, its) : urn },
    changed: changed?.toSorted(),
    before: before && { ...side(before), id: before.id, outputs: pick(before.outputs) },
    // What is not there yet has no id; but what is taken over is.
    after: after && { ...side(after), ...(fate.op === "take-up" && { id: after.id }) },
  }));
  const inOrder = told.sort((a, b) => (`${a.urn} ${a.op}` < `${b.urn} ${b.op}` ? -1 : 1));
  return JSON.parse(JSON.stringify([unchanged, ...inOrder]));
}
