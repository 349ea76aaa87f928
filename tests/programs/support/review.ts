/** Plays a case as a pipeline does: its plan is printed in both forms and read, then it is done. */

import { type GateCondition, gateConditions } from "../../../cli/review/disruption";
import { readPlan } from "../../../cli/review/plan";
import type { Plan } from "../../../cli/review/plan-model";
import { toReport } from "../../../cli/review/report";
import type { Report } from "../../../cli/review/report-model";
import { type Seal, sealOf } from "../../../cli/review/seal";
import { Choices } from "../../engine-model/choices";
import { PROVIDER, resourceOf, urnOf } from "../../engine-model/names";
import type { Api, Bench } from "../../support/bench";
import { expectReport } from "../../support/report-schema";
import type { Case } from "./cases";
import { wishOf } from "./holdings";
import { digestOf, eventsOf, hosted } from "./print";
import { setValues, type Valued, type ValuedWorld } from "./values";
import { World } from "./world";

/** What has happened to an endpoint, and who had it before or has it after. */
interface Happened {
  effects: Set<Effect>;
  owners: Set<string>;
}

/** A plan as it was printed, in one form. */
export interface Form {
  plan: Plan;
  report: Report;
  seal: Seal;
}

/** What came of a case. */
export interface Reviewed {
  host: Case["host"];
  /** The digest first. */
  forms: Form[];
  /** What up did, by the endpoints' ids. */
  effects: Map<string, Happened>;
  /** Whether the provider's configuration is another than that of the run before. */
  isConfigured: boolean;
}

/** A case with its preview: its world, and the engine's output, digest first; absent if refused. */
export interface Printed {
  world: World;
  set: ValuedWorld;
  texts?: [string, string];
}

/** Plays the preview of a case. */
export async function printed(bench: Bench, api: Api, its: Case, values: Valued): Promise<Printed> {
  const world = await bench.run(new World(bench, api, its).open());
  const set = await bench.run(setValues(world, values));
  const process = world.process();
  const plan = { process, program: set.previewed, hidden: world.hidden };
  const choices = new Choices(its.choices.preview);
  const run = await bench.run(world.engine.preview({ ...plan, forced: set.forced, choices }));
  if (run.failed.length > 0) return { world, set };
  const { host, moves } = its;
  // The dynamic host has no configuration of the run before.
  const isOther = values.movedBy !== undefined && values.movedBy !== moves;
  const warnings = isOther ? [{ name: PROVIDER, level: "warn" as const, message: "moves changes" }] : [];
  const said = [...process.rows, ...(host === "plugin" ? warnings : [])];
  const adopts = its.adoptsInterrupted && { "pgcompute:adoptInterrupted": "true" };
  const config = { "pgcompute:apiKey": "[secret]", "pgcompute:moves": moves, ...adopts };
  const printing = { host: its.host, unshown: set.unshown, said, config };
  return { world, set, texts: [digestOf(run, printing), eventsOf(run, printing)] };
}

/** Plays a case; undefined where its preview is refused. */
export async function review(bench: Bench, api: Api, its: Case, values: Valued): Promise<Reviewed | undefined> {
  const { world, set, texts } = await printed(bench, api, its, values);
  if (!texts) return undefined;
  const forms = texts.map((text): Form => {
    // The print has the steps of replacements, which only its maker knows.
    const plan = { ...readPlan(Buffer.from(text)), hidesLeftDeletes: false };
    const report = toReport(plan, { failOn: gateConditions });
    expectReport(JSON.stringify(report));
    return { plan, report, seal: sealOf(plan) };
  });
  const before = pictureOf(world);
  const { program, hidden } = world;
  const up = {
    process: world.process({ delays: new Choices(its.choices.delays) }),
    program,
    hidden,
    forced: set.forced,
  };
  await bench.run(world.engine.up({ ...up, choices: new Choices(its.choices.up) }));
  const isConfigured = values.movedBy !== undefined && values.movedBy !== its.moves;
  return { host: its.host, forms, effects: effectsSince(world, before), isConfigured };
}

const told = ["restarts", "restartsIdle", "dropsConnections", "moved", "replaced", "downtime", "accessOpens"] as const;

/** What its users notice of an endpoint. */
type Effect = (typeof told)[number] | "deleted";

type Reported = Report["endpoints"][number];

const gates: Partial<Record<Effect, GateCondition>> = {
  restarts: "restart",
  restartsIdle: "restart-idle",
  moved: "move",
  replaced: "replace",
  deleted: "delete",
  downtime: "downtime",
  accessOpens: "access",
};

/** The effects of an up that a report does not have. */
export function missing({ report }: Form, { host, effects: all, isConfigured }: Reviewed): string[] {
  const isMet = (gate: GateCondition) => report.gate?.met.some(({ condition }) => condition === gate) === true;
  const unsaid = isConfigured && !isMet("config") ? ["config"] : [];
  const others = [...all].flatMap(([id, { effects, owners }]) => {
    const reported = about(report.endpoints, id, owners, host);
    const fleets = new Set([...owners].map((name) => hosted(urnOf(resourceOf(name)), host)));
    const isUnread = report.unread.some(({ urn }) => fleets.has(urn));
    return [...effects].flatMap((effect) => {
      const isTold = isUnread || reported.some((one) => says(one, effect));
      const gate = gates[effect];
      const isGated = gate === undefined || isReplaced(reported) || isMet(gate);
      return isTold && isGated ? [] : [`${effect} of ${id} (${[...owners]})`];
    });
  });
  return [...unsaid, ...others];
}

/** What a report or a seal has of an endpoint: what is taken over unseen bears no id in a plan. */
function about<T extends { id?: string | undefined; urn: string }>(
  all: readonly T[],
  id: string,
  owners: ReadonlySet<string>,
  host: Case["host"],
): T[] {
  const urns = new Set([...owners].map((name) => hosted(urnOf(name), host)));
  return all.filter((one) => one.id?.endsWith(`/${id}`) || (!one.id && urns.has(one.urn)));
}

/** True where a plan passes that is held to another one's seal. Of what cannot be read no seal is written. */
export function passes({ plan }: Form, { report, seal }: Form): boolean {
  return report.unread.length === 0 && toReport(plan, { expected: seal }).approval?.differences.length === 0;
}

/** The effects of an up that another plan's seal does not have, which let this one pass. */
export function unsealed({ seal }: Form, { host, effects: all, isConfigured }: Reviewed): string[] {
  // Of dynamic resources a seal holds the settings as they are, which are the same.
  const isConfigurationSealed = host === "dynamic" || seal.providers.length > 0;
  const others = [...all].flatMap(([id, { effects, owners }]) => {
    const sealed = about(seal.endpoints, id, owners, host);
    const has = (effect: string) => sealed.some((one) => Object.hasOwn(one.effects, effect));
    // Who may restart at any moment may do so at an idle one.
    const isSealed = (effect: Effect) =>
      has(effect) || has("replaced") || (effect === "restartsIdle" && has("restarts"));
    return [...effects].filter((effect) => !isSealed(effect)).map((effect) => `${effect} of ${id}`);
  });
  return [...(isConfigured && !isConfigurationSealed ? ["config"] : []), ...others];
}

/** Endpoints that the report calls disrupted and the up left alone. */
export function overstated({ report }: Form, { effects }: Reviewed): string[] {
  return report.endpoints.flatMap((one) => {
    const id = one.id?.split("/")[1];
    const said = ([...told, "deleted"] as const).filter((effect) => effect !== "accessOpens" && has(one, effect));
    return id !== undefined && said.length > 0 && !effects.has(id) ? [`${said.join(", ")} of ${one.name}`] : [];
  });
}

/** Who is replaced, or deleted, is harmed as much as one can be. */
function says(one: Reported, effect: Effect): boolean {
  const isCut = effect === "restarts" || effect === "restartsIdle";
  return (
    has(one, effect) ||
    (isCut && one[effect] === "not_stated") ||
    ((isCut || effect === "moved" || effect === "deleted") && isReplaced([one]))
  );
}

function isReplaced(reported: readonly Reported[]): boolean {
  return reported.some((one) => has(one, "replaced"));
}

function has(one: Reported, effect: Effect): boolean {
  if (effect === "deleted") return one.action === "delete";
  return one[effect] === "yes" || one[effect] === "possible";
}

/** Takes a picture of platform and state. */
function pictureOf(world: World) {
  return { endpoints: world.endpoints(), held: world.holdings() };
}

/** What has happened since a picture, by endpoint; of those that were left alone there is none. */
function effectsSince(world: World, before: ReturnType<typeof pictureOf>): Map<string, Happened> {
  const endpoints = new Map(world.endpoints().map((one) => [one.id, one]));
  const { admin, projectId } = world.bench.emulator;
  const asked = admin.project(projectId).operations.filter(({ id }) => world.asked.has(id));
  const now = world.holdings();
  const all = before.endpoints.map((was): [string, Happened] => {
    const is = endpoints.get(was.id);
    const effects = new Set<Effect>();
    const actions = new Set(asked.filter(({ endpoint_id }) => endpoint_id === was.id).map(({ action }) => action));
    const owners = before.held.filter(({ id, isLeftover }) => id === was.id && !isLeftover).map(({ name }) => name);
    const ids = owners.map((owner) => now.find(({ name, isLeftover }) => name === owner && !isLeftover)?.id);
    const isReplaced = ids.some((id) => id !== undefined && id !== was.id);
    if (isReplaced) effects.add("replaced");
    if (!is && !isReplaced) effects.add("deleted");
    if (is && is.branch_id !== was.branch_id) effects.add("moved");
    const takers = now.filter(({ id }) => id === was.id).map(({ name }) => name);
    const all = new Set([...owners, ...takers]);
    const shown = [...all].filter((name) => !world.hidden.has(resourceOf(name)));
    const wishes = shown.map((name) => wishOf(world.program, name)).filter((one) => one !== undefined);
    const isPatient = wishes.length > 0 && wishes.every((one) => one.restartWhen === "idle");
    const isResized = is?.autoscaling_limit_max_cu !== was.autoscaling_limit_max_cu;
    const isCut = effects.has("moved") || is?.disabled || isResized || actions.has("start_compute");
    if (is && !isReplaced && isPatient && isCut && !was.disabled) effects.add("restartsIdle");
    if (is && !was.disabled && actions.has("suspend_compute") && actions.has("start_compute")) effects.add("restarts");
    if (!was.disabled && (!is || actions.has("suspend_compute"))) effects.add("dropsConnections");
    if (is?.disabled && !was.disabled) effects.add("downtime");
    if (is?.passwordless_access && !was.passwordless_access) effects.add("accessOpens");
    return [was.id, { effects, owners: all }];
  });
  return new Map(all.filter(([, { effects }]) => effects.size > 0));
}
