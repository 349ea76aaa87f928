/** Check: reports all failures of a resource at once, before anything is planned. */
import { isDeepStrictEqual } from "node:util";
import { idOf, isPlaceUnknown, placeNames, placeOf } from "../../endpoint/identity";
import { areImported, DRIFTED, noteDropped, stillDrifted, TAKES } from "../../endpoint/input-notes";
import { type CheckedInputs, parseInputs, type ReadInputs } from "../../endpoint/parse-inputs";
import { type EndpointProperty, endpointProperties } from "../../endpoint/properties";
import { checkAutosuspend, NEVER_SUSPEND } from "../../endpoint/rules/autosuspend";
import { checkBranchId, checkPlanType, checkProjectId } from "../../endpoint/rules/branch";
import { checkName } from "../../endpoint/rules/name";
import { checkSettingNames, platformSettingWarnings } from "../../endpoint/rules/pg-settings";
import { checkSize, sizeNames, sizeRange } from "../../endpoint/rules/size";
import { isSole, rulesOfType } from "../../endpoint/types";
import type { Failure } from "../../lib/failure";
import { isKnown, UNKNOWN, type Values } from "../../lib/unknown";
import { formatSize } from "../../lib/wording";
import { isKind } from "../../platform/errors";
import { type Limits, limitsOf, withoutLimits } from "../../platform/profiles/profiles";
import { type LifecycleContext, logPlatform, singleContext } from "../call";
import { planAhead } from "../fleet/plan";
import { recordImportedOwners } from "../imports";
import { messageFor } from "../messages/errors";
import { orphanMessage } from "../messages/remedies";
import { secretNames, valueRedactor } from "../secrets";
import type { Path } from "../values";
import { checkPlaces } from "./check-live";
import { warnOfReplacement } from "./create";
import { reportDiff } from "./preview";
import { onlyIn, replacedOne, type WantedOne, wantedOnly } from "./set";

/** The input of Check from a host: raw values, with UNKNOWN for unknown ones. */
export interface CheckRequest {
  /** The last run's inputs; absent or empty for a new or replaced resource. */
  olds?: Values | undefined;
  news: Values;
  secrets?: readonly Path[];
  /** True for a host whose later calls lack the old inputs. The new inputs then note dropped properties. */
  notesDropped?: boolean;
}

/** The inputs to plan with, defaults included, and the failures. */
export interface CheckResult {
  inputs: Values;
  failures: Failure[];
}

/** Checks an endpoint. Rules on a property that already failed are skipped. Throws the API's errors. */
export function check(context: LifecycleContext, request: CheckRequest): Promise<CheckResult> {
  return asCheck(context, request, () => {
    recordImportedOwners(context);
    return checked(context, request);
  });
}

/** Plans an endpoint to create, and reports an adoption if the program is sound. Returns the failures. */
export async function planNew(call: LifecycleContext, wanted: WantedOne, isSound: boolean): Promise<Failure[]> {
  const set = wantedOnly(wanted, replacedOne(call));
  const { plan, failures } = await planAhead(singleContext(call), set, new Map(), isSound);
  if (!isSound || failures.length > 0) return failures;

  // A read-write orphan is refused, or is the endpoint that this one replaces.
  for (const { record } of plan.orphans) if (!isSole(record)) call.reporter.warn(orphanMessage(record, true));
  const { change, found, diff } = onlyIn(plan);
  if (change !== "adopt" || !found || !diff) return [];
  const messages = [`takes over endpoint ${idOf(found.record)}`, ...diff.messages];
  reportDiff(call.reporter, { ...diff, messages });
  return [];
}

/** True for a failure that leaves an endpoint without a place to plan for. */
export function isMisplacing({ property }: Failure): boolean {
  return property === "" || placeNames.some((name) => name === property);
}

/** Runs a Check. A key that the platform refuses becomes a failure of no property, with `news` unchanged. */
export function asCheck(
  { run, account: { clock } }: LifecycleContext,
  { news }: CheckRequest,
  work: () => Promise<CheckResult>,
): Promise<CheckResult> {
  const noteTime = () => run.arrivals.checked(clock.now());
  noteTime();
  return work()
    .finally(noteTime)
    .catch((error: unknown) => {
      if (!isKind(error, "unauthorized", "forbidden")) throw error;
      return { inputs: news, failures: [{ property: "", reason: messageFor(error) }] };
    });
}

async function checked(context: LifecycleContext, request: CheckRequest): Promise<CheckResult> {
  const { run, urn } = context;
  const { olds, inputs, values, failures } = checkInputs(context, request);
  const bad = new Set(failures.map(({ property }) => property.split(".")[0]));
  const record = run.record(urn);

  // Without old inputs the resource is new or replaced.
  const isNew = Object.keys(olds).every((name) => name === "type");
  const hadOne = record.phase === "kept" || record.phase === "replacing" || record.compared !== undefined;
  const phase = isNew ? (hadOne ? "replacing" : "new") : "kept";
  if (isNew && record.inputs) warnOfUnignored(context, record.inputs, inputs);

  // A repeat of a failed change comes without a Check, so this is a new run.
  Object.assign(record, { phase, inputs, unfinished: undefined, isRepeated: false });
  if (!isNew) Object.assign(record, { from: placeOf(olds), compared: undefined });
  run.declare(urn, placeOf(inputs));
  run.take(urn, undefined);

  const missing = await checkPlaces(context, [{ olds, inputs, isBad: (property) => bad.has(property) }]);
  failures.push(...missing.flat());

  // Of one that is there, Diff plans the change.
  const isPlaced = isKnown(inputs.projectId) && !failures.some(isMisplacing);
  if (isNew && isPlaced) {
    const wanted = { read: { inputs, failures: [] }, secret: secretNames(request.secrets ?? []) };
    failures.push(...(await planNew(context, wanted, failures.length === 0)));
  }

  if (failures.length === 0) warnOfReplacement(context);
  if (isNew && failures.length === 0) {
    logPlatform(context);
    run.arrivals.declare(urn, placeOf(inputs), false);
    run.arrivals.plan(urn);
  }
  const mayTakeUp = isNew && context.account.settings.adoptInterrupted && isPlaceUnknown(inputs);
  const takes = record.takes ?? (mayTakeUp ? UNKNOWN : undefined);
  return { inputs: { ...values, ...(takes !== undefined && { [TAKES]: takes }) }, failures };
}

/**
 * Parses an endpoint's inputs, unless they are `read` already, and applies the pure rules. The result's `values`: checked inputs with
 * defaults and notes.
 */
export function checkInputs(
  context: LifecycleContext,
  { news, olds: before = {}, secrets = [], notesDropped, read }: CheckRequest & { read?: ReadInputs },
): { olds: CheckedInputs; inputs: CheckedInputs; values: Record<string, unknown>; failures: Failure[] } {
  // A new resource has no old inputs to parse.
  const olds = Object.keys(before).length === 0 ? {} : parseInputs(before).inputs;
  const { inputs, failures: unread } = read ?? parseInputs(news, before);
  const drifted = stillDrifted(before, news);
  const failures = [...unread, ...checkRules(context, inputs, putBackIn(drifted, olds, inputs))];

  warn(context, { inputs: olds, areImported: areImported(before) }, inputs, secretNames(secrets));

  // Only Check writes this note; a program's own value is ignored.
  const { [TAKES]: _, ...said } = news;
  const notes = { ...(drifted.length > 0 && { [DRIFTED]: drifted }), ...(notesDropped && noteDropped(before, news)) };
  return { olds, inputs, values: { ...said, ...inputs, ...notes }, failures: failures.map(valueRedactor(secrets)) };
}

/** The drifted properties that this change puts back. A size that is as the refresh found it counts as a whole. */
function putBackIn(
  drifted: readonly EndpointProperty[],
  olds: CheckedInputs,
  inputs: CheckedInputs,
): ReadonlySet<string> {
  const isDrifted = sizeNames.some((name) => drifted.includes(name));
  const isFound = isDrifted && sizeNames.every((name) => inputs[name] === olds[name]);
  return new Set(isFound ? [...drifted, ...sizeNames] : drifted);
}

/** With `ignoreChanges` the engine compares with the old values, but creates the replacement with the program's. */
function warnOfUnignored({ reporter }: LifecycleContext, before: CheckedInputs, inputs: CheckedInputs): void {
  const names = endpointProperties.filter((name) => !isDeepStrictEqual(before[name], inputs[name]));
  if (names.length === 0) return;
  reporter.warn(
    `a replacement does not follow ignoreChanges: the new endpoint gets ${names.join(", ")} as the program says now`,
  );
}

/** Failures to report. With `checks: warn`, the platform's own limits become warnings. */
function beyondLimits({ account, reporter }: LifecycleContext, found: readonly Failure[]): Failure[] {
  if (account.settings.checks !== "warn") return [...found];
  for (const { property, reason } of found.filter(({ isLimit }) => isLimit)) reporter.warn(`${property}: ${reason}`);
  return found.filter(({ isLimit }) => !isLimit);
}

/** The endpoint limits of the account's plan. */
function limitsIn({ settings: { profile, plan, maxSizeCu } }: LifecycleContext["account"]): Limits {
  return limitsOf(profile, plan, maxSizeCu);
}

/**
 * Applies the rules that need no platform. Each failure names its property; with `checks: warn`, platform limits only
 * warn.
 */
function checkRules(context: LifecycleContext, inputs: CheckedInputs, drifted: ReadonlySet<string>): Failure[] {
  const limits = limitsIn(context.account);
  const found: Failure[] = [
    ...checkProjectId(inputs.projectId),
    ...checkBranchId(inputs.branchId, inputs.projectId),
    ...checkPlanType(inputs.type, limits),
    ...checkName(inputs.name),
    ...checkSize(inputs, limits, drifted),
    ...checkAutosuspend(inputs.suspendTimeoutSeconds, limits),
    ...checkSettingNames(inputs.pgSettings),
  ];
  const failures = beyondLimits(context, found);

  // If limits only warn, the rules behind them still apply.
  if (context.account.settings.checks === "warn") {
    failures.push(...checkSize(inputs, withoutLimits(limits), drifted).filter(({ isLimit }) => !isLimit));
  }
  if (inputs.adoptExisting === true && rulesOfType(inputs.type)?.isAdoptable === false) {
    failures.push({
      property: "adoptExisting",
      reason:
        'takes over a branch\'s read-write endpoint, so it cannot be set with type "read_only"; import a read replica instead',
    });
  }

  // One failure for each property, the first one; but of limits all, since each is raised or kept by itself.
  return failures.filter((one) => {
    const first = failures.find(({ property }) => property === one.property);
    return first === one || (one.isLimit && first?.isLimit);
  });
}

/** Warns of valid inputs with a surprising effect. */
function warn(
  { account, reporter }: LifecycleContext,
  { inputs: olds, areImported: isImport }: { inputs: CheckedInputs; areImported: boolean },
  inputs: CheckedInputs,
  secret: ReadonlySet<string>,
): void {
  const { profile } = account.settings;
  const size = sizeRange(inputs);
  const isSecret = sizeNames.some((name) => secret.has(name));
  for (const { property, reason } of platformSettingWarnings(inputs.pgSettings, isSecret ? undefined : size, profile)) {
    reporter.warn(`${property} ${reason}`);
  }

  const { alwaysActiveAboveCu = Number.POSITIVE_INFINITY, platform } = profile;
  const { suspendTimeoutSeconds: delay } = inputs;
  if (isKnown(size) && size.maxCu > alwaysActiveAboveCu && isKnown(delay) && delay !== NEVER_SUSPEND) {
    reporter.warn(
      `suspendTimeoutSeconds has no effect: ${platform} never suspends an endpoint above ${alwaysActiveAboveCu} CU`,
    );
  }

  const oldSize = sizeRange(olds);
  // The values of an import are no program's.
  if (!isImport && isKnown(oldSize) && sizeNames.every((name) => inputs[name] === undefined)) {
    const { minCu, maxCu } = oldSize;
    const text = isSecret ? "" : ` (${formatSize(minCu, maxCu)})`;
    reporter.warn(`the program no longer sets a size, which has no default: it stays as it is${text}`);
  }

  if (isKnown(inputs.passwordlessAccess) && inputs.passwordlessAccess !== olds.passwordlessAccess) {
    reporter.warn("the platform ignores passwordlessAccess for now");
  }
  if (!isImport && inputs.passwordlessAccess === undefined && isKnown(olds.passwordlessAccess)) {
    const value = secret.has("passwordlessAccess") ? "as it is" : olds.passwordlessAccess;
    reporter.warn(`the program no longer sets passwordlessAccess, which has no default: it stays ${value}`);
  }
}
