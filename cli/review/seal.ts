/** The seal of a plan: its disruptions as readable data. Once approved, a later plan may disrupt the same or less. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { nameOfUrn } from "../../provider/lib/owner";
import { cleanText } from "../../provider/lib/redact";
import { hasUnknown, isRecord } from "../../provider/lib/unknown";
import { formatSize, plain } from "../../provider/lib/wording";
import { unreadable } from "../exit-code";
import { parseJson } from "../input";
import { toJson } from "../terminal/output";
import { planValue } from "./change";
import { configurationChanges, movesOf, plainSettings } from "./configuration";
import { type Effect, effectNames, effectsOf, formatEffect } from "./disruption";
import { reportEndpoint } from "./endpoint-report";
import type { PlannedEndpoint } from "./fate";
import { groupSteps } from "./group";
import type { LiveView } from "./live/look";
import { isCut, ownerOf, type Plan, type PlanState, type PlanStep } from "./plan-model";
import type { EndpointReport } from "./report-model";

const KIND = "pgcompute-seal" as const;

const valueNames = ["projectId", "branchId", "type", "disabled", "sizeCu"] as const;

/** An unknown value is its list of source resources; without sources it equals nothing. */
const mark = z.union([z.strictObject({ unknown: z.array(z.string()) }), z.strictObject({ secret: z.literal(true) })]);
const cu = z.union([z.number(), mark]);
const value = z.union([z.string(), z.number(), z.boolean(), z.strictObject({ min: cu, max: cu }), mark]);

const sides = z.strictObject({ before: value.optional(), after: value.optional() });
const endpoint = z.strictObject({
  name: z.string(),
  urn: z.string(),
  /** PROJECT/ENDPOINT of an existing endpoint. */
  id: z.string().optional(),
  effects: z.partialRecord(z.enum(effectNames), z.enum(["yes", "possible"])),
  /** The changed values, or all if the endpoint leaves; sizes as a range in CU. */
  values: z.partialRecord(z.enum(valueNames), sides),
});
const seal = z.strictObject({
  kind: z.literal(KIND),
  version: z.literal(2),
  project: z.string().optional(),
  stack: z.string().optional(),
  /** The stack's plain settings. */
  config: z.record(z.string(), z.string()),
  /** Providers whose configuration changes. */
  providers: z.array(z.strictObject({ urn: z.string(), says: z.array(z.string()) })),
  endpoints: z.array(endpoint),
  /** Digest of the other fields. Detects an edited seal, but does not authenticate it. */
  digest: z.string(),
});

/** The approved disruptions of a plan. */
export type Seal = z.output<typeof seal>;

type SealedValue = z.output<typeof value>;

type SealedEndpoint = Seal["endpoints"][number];
type Cu = z.output<typeof cu>;
type Side = Readonly<Record<string, unknown>>;

/** Maximum length of a value, in characters. */
const LONGEST_VALUE = 300;

const NO_SEAL = "this is not what `pgcompute review --seal` writes";
const EDITED = "its digest does not match its content, so it was edited; make a new one";
const REWRITTEN = "it is not written as `pgcompute review --seal` writes one, so it was edited; make a new one";

/** The seal of a plan, without unaffected endpoints. With `live` an adoption counts by the platform's endpoint. */
export function sealOf(plan: Plan, live?: LiveView): Seal {
  const endpoints = groupSteps(withOwnSources(plan.steps), { live, moves: movesOf(plan) })
    .changing.map((planned): SealedEndpoint => {
      const report = reportEndpoint(planned);
      const { name, urn, id } = report;
      const effects = Object.fromEntries(effectsOf(report));
      return { name, urn, ...(id && { id }), effects, values: valuesOf(planned, report) };
    })
    .filter(({ effects }) => Object.keys(effects).length > 0)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const content = {
    kind: KIND,
    version: 2 as const,
    ...ownerOf(plan.steps[0]?.urn ?? ""),
    config: plainSettings(plan),
    providers: configurationChanges(plan).map(({ urn, says }) => ({ urn, says })),
    endpoints,
  };
  return { ...content, digest: digestOf(content) };
}

/**
 * Steps with the source of each unknown value. Sources shared by two values are dropped: the values could be swapped
 * unnoticed.
 */
function withOwnSources(steps: readonly PlanStep[]): PlanStep[] {
  const textOf = (urns: readonly string[]) => [...urns].sort().join("\n");
  const unknowns = ({ after }: PlanStep) =>
    Object.entries(after?.sources ?? {}).filter(([name]) => hasUnknown(after?.inputs[name]));
  const counts = new Map<string, number>();

  // A replacement's steps repeat the same values.
  const all = new Map(
    steps.flatMap((step) => unknowns(step).map(([name, urns]) => [`${step.urn} ${name}`, textOf(urns)])),
  );
  for (const text of all.values()) counts.set(text, (counts.get(text) ?? 0) + 1);

  return steps.map((step) => {
    if (!step.after?.sources) return step;
    const own = unknowns(step).filter(([, urns]) => counts.get(textOf(urns)) === 1);
    return { ...step, after: { ...step.after, sources: Object.fromEntries(own) } };
  });
}

/** Parses a seal. Throws a `CommandError` for other text, and for an edited seal, even if only reformatted. */
export function parseSeal(text: string): Seal {
  const document = parseJson(text);
  const parsed = seal.safeParse(document);
  if (!parsed.success) throw unreadable("seal", NO_SEAL);
  const { digest, ...content } = parsed.data;
  if (digest !== digestOf(content)) throw unreadable("seal", EDITED);

  const keys = content.endpoints.map(keyOf);
  const isOrdered = keys.every((key, at) => at === 0 || (keys[at - 1] as string) < key);
  // A checkout may convert line endings.
  if (!isOrdered || text.replaceAll("\r\n", "\n").trimEnd() !== toJson(document).trimEnd())
    throw unreadable("seal", REWRITTEN);
  return parsed.data;
}

/** True for a text that says that it is a seal, of any version, edited or not. */
export function isSeal(text: string): boolean {
  const document = parseJson(text);
  return isRecord(document) && document.kind === KIND;
}

/** A sentence for each effect or value of the plan beyond its seal. */
export function differencesFrom(sealed: Seal, planned: Seal): string[] {
  const owners = (["project", "stack"] as const).flatMap((name) =>
    sealed[name] === planned[name] || planned.endpoints.length === 0
      ? []
      : [
          `the seal is of ${name} ${plain(sealed[name] ?? "(none)")}, and the plan of ${name} ${plain(planned[name] ?? "(none)")}`,
        ],
  );
  const known = new Map(sealed.endpoints.map((one) => [keyOf(one), one]));
  return [
    ...owners,
    ...configurationDifferences(sealed, planned),
    ...planned.endpoints.flatMap((one) => differencesOf(known.get(keyOf(one)), one)),
  ];
}

function configurationDifferences(sealed: Seal, planned: Seal): string[] {
  const [was, is] = [sealed.config, planned.config];
  const approved = new Set(sealed.providers.flatMap(({ urn, says }) => says.map((one) => `${urn} ${one}`)));
  const set = (value: string | undefined) => (value === undefined ? "not set" : cleanText(value, LONGEST_VALUE));

  return [
    ...[...new Set([...Object.keys(was), ...Object.keys(is)])]
      .filter((key) => was[key] !== is[key] || isCut(is[key] ?? ""))
      .map((key) => `${plain(key)} is ${set(is[key])}, and in the seal ${set(was[key])}`),
    ...planned.providers.flatMap(({ urn, says }) =>
      says
        .filter((one) => !approved.has(`${urn} ${one}`) || isCut(one))
        .map(
          (one) =>
            `the configuration of ${plain(nameOfUrn(urn))}: ${cleanText(one, LONGEST_VALUE)}, which is not in the seal`,
        ),
    ),
  ];
}

function differencesOf(sealed: SealedEndpoint | undefined, planned: SealedEndpoint): string[] {
  const { name, id, effects, values } = planned;
  const listed = Object.entries(effects) as [Effect, "yes" | "possible"][];
  if (!sealed) {
    const what = listed.map(([effect, how]) => formatEffect(effect, how)).join(", ");
    return [`${name}${id ? ` (${id})` : ""} is not in the seal: ${what}`];
  }

  const covers = (effect: Effect, how: "yes" | "possible") =>
    sealed.effects[effect] === "yes" || sealed.effects[effect] === how;
  const more = listed
    // Approval of a restart at any time includes one at an idle moment.
    .filter(([effect, how]) => !covers(effect, how) && !(effect === "restartsIdle" && covers("restarts", how)))
    .map(([effect, how]) => `${name}: ${formatEffect(effect, how)}, which is not in the seal`);

  const other = valueNames.flatMap((value) =>
    (["before", "after"] as const).flatMap((side) => {
      const [was, is] = [sealed.values[value]?.[side], values[value]?.[side]];
      // With `--live` a plan knows more values, which is no difference; its effects still count.
      const isMissing = was === undefined && side === "before";
      if (is === undefined || isMissing || (was !== undefined && isSame(was, is))) return [];
      const approved = was === undefined ? "not in the seal" : `in the seal ${formatSealedValue(was)}`;
      return [`${name}: ${value} ${side} is ${formatSealedValue(is)}, and ${approved}`];
    }),
  );
  return [...more, ...other];
}

function valuesOf(
  { before, after, action }: PlannedEndpoint,
  { properties }: EndpointReport,
): SealedEndpoint["values"] {
  const changed = new Set(properties.map(({ name }) => (name === "size" ? "sizeCu" : name)));
  const names = valueNames.filter((name) => action !== "update" || changed.has(name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const was = sealedValue(name, before?.outputs, before);
      const is = action === "delete" ? undefined : sealedValue(name, after?.inputs, after);
      if (was === undefined && is === undefined) return [];
      return [[name, { ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) }]];
    }),
  );
}

function sealedValue(name: (typeof valueNames)[number], side: Side | undefined, state: PlanState | undefined) {
  if (name !== "sizeCu") return sealedOne(name, side, state);
  const [min, max] = (["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const).map((end) =>
    sealedCu(end, side, state),
  );
  if (min !== undefined && max !== undefined) return { min, max };
  const fixed = sealedCu("sizeCu", side, state);
  return fixed === undefined ? undefined : { min: fixed, max: fixed };
}

function sealedCu(name: string, side: Side | undefined, state: PlanState | undefined): Cu | undefined {
  const sealed = sealedOne(name, side, state);
  return typeof sealed === "string" || typeof sealed === "boolean" ? undefined : sealed;
}

function sealedOne(name: string, side: Side | undefined, state: PlanState | undefined) {
  const found = planValue(side?.[name]);
  if (found.is === "secret") return { secret: true as const };
  if (found.is === "unknown") return { unknown: [...(state?.sources?.[name] ?? [])].sort() };
  if (found.is !== "value") return undefined;
  const raw = found.value;
  return typeof raw === "string" || typeof raw === "number" || typeof raw === "boolean" ? raw : JSON.stringify(raw);
}

/** True for equal values. Secrets, and unknowns without a source, equal nothing. */
function isSame(a: SealedValue, b: SealedValue): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  if ("min" in a && "min" in b) return isSame(a.min, b.min) && isSame(a.max, b.max);
  return "unknown" in a && "unknown" in b && a.unknown.length > 0 && a.unknown.join("\n") === b.unknown.join("\n");
}

/** A value of a seal, for people. */
function formatSealedValue(value: SealedValue): string {
  if (typeof value !== "object") return cleanText(String(value), LONGEST_VALUE);
  if ("secret" in value) return "[secret]";
  if ("unknown" in value) {
    const sources = value.unknown.map((urn) => plain(nameOfUrn(urn))).join(", ");
    return `not known yet (${sources ? `from ${sources}` : "the plan does not tell from where"})`;
  }

  const { min, max } = value;
  if (typeof min === "number" && typeof max === "number") return formatSize(min, max);
  const [least, most] = [min, max].map(formatSealedValue);
  return least === most ? String(least) : `${least} to ${most} CU`;
}

/** An endpoint's key: a leftover of a replacement has the URN of its replacement. */
function keyOf({ urn, id = "" }: Pick<SealedEndpoint, "urn" | "id">): string {
  return `${urn} ${id}`;
}

function digestOf(content: object): string {
  return `sha256:${createHash("sha256").update(canonical(content)).digest("hex")}`;
}

/** The same text for equal data, independent of property order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}
