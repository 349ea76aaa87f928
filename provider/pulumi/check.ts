/** Check: all that is wrong with a resource, at once, before anything is planned. */
import { isDeepStrictEqual } from "node:util";
import { isPlaceUnknown } from "../endpoint/identity";
import { areImported, DRIFTED, stillDrifted, TAKES } from "../endpoint/input-notes";
import { type CheckedInputs, parseInputs } from "../endpoint/parse-inputs";
import { type EndpointInputs, endpointProperties } from "../endpoint/properties";
import { checkAutosuspend, NEVER_SUSPEND } from "../endpoint/rules/autosuspend";
import { checkBranchId, checkPlanType, checkProjectId, checkReplicaCount } from "../endpoint/rules/branch";
import { platformSettingWarnings } from "../endpoint/rules/pg-settings";
import { checkSize, sizeNames, sizeRange } from "../endpoint/rules/size";
import { type Failure, formatFailures } from "../lib/failure";
import { hasUnknown, isKnown, UNKNOWN } from "../lib/unknown";
import { formatSize } from "../lib/wording";
import { isKind, PgComputeError } from "../platform/errors";
import { type Limits, limitsOf, withoutLimits } from "../platform/profiles/profiles";
import { type LifecycleContext, sayPlatform } from "./call";
import { checkLive, isNew } from "./check-live";
import { replacedWithoutDiffMessage } from "./create";
import { messageFor } from "./messages/errors";

/** What a host hands to check: raw values, with UNKNOWN for what is not known yet. */
export interface CheckRequest {
  /** The inputs of the last run; absent or empty for a resource that is new, or replaced. */
  olds?: Readonly<Record<string, unknown>> | undefined;
  news: Readonly<Record<string, unknown>>;
  /** Properties whose values the messages must not show. */
  secret?: ReadonlySet<string> | undefined;
}

/** The inputs to plan with, defaults filled in, and every reason why they cannot be. */
export interface CheckResult {
  inputs: Readonly<Record<string, unknown>>;
  failures: Failure[];
}

/**
 * Checks the inputs of an endpoint before anything is planned: their shape, the pure rules, then the platform and the
 * program. Every failure comes at once, each on its property; a rule whose property has already failed is left out.
 * Throws what the API throws when the platform cannot be asked.
 */
export async function check(context: LifecycleContext, request: CheckRequest): Promise<CheckResult> {
  // Of a resource that is new, there is nothing to parse.
  const olds = Object.keys(request.olds ?? {}).length === 0 ? {} : parseInputs(request.olds ?? {}).inputs;
  const { inputs, failures } = parseInputs(request.news, request.olds ?? {});
  const drifted = stillDrifted(request.olds ?? {}, request.news);
  failures.push(...checkRules(context, inputs, new Set(drifted)));
  const bad = new Set(failures.map(({ property }) => property.split(".")[0]));
  if (context.urn !== undefined) {
    const record = context.run.record(context.urn);
    const hadOne = context.run.known(context.urn).hadOne === true;
    if (isNew(olds) && hadOne && "inputs" in record.phase) warnOfUnignored(context, record.phase.inputs, inputs);
    record.phase = { kind: !isNew(olds) ? "there" : hadOne ? "replaced" : "new", inputs };
    // The engine does not check again before it repeats a failed change: so this is a new run.
    record.unfinished = undefined;
  }
  if (!bad.has("projectId"))
    failures.push(...(await checkLive(context, { olds, inputs, bad, secret: request.secret })));
  failures.push(...tooManyReplicas(context));
  const replaced = failures.length > 0 ? undefined : replacedWithoutDiffMessage(context);
  if (replaced !== undefined) context.reporter.warn(replaced);
  warn(context, { inputs: olds, areImported: areImported(request.olds) }, inputs, request.secret ?? new Set());
  if (isNew(olds) && failures.length === 0) sayPlatform(context);
  // Only this Check says what is taken over, not a program.
  const { [TAKES]: _, ...said } = request.news;
  const own = Object.fromEntries(Object.entries(said).filter(([name]) => name.startsWith("__")));
  const mayTakeUp = isNew(olds) && context.account.settings.adoptInterrupted && isPlaceUnknown(inputs);
  const takes = context.run.claims.of(context.urn)?.adopts ?? (mayTakeUp ? UNKNOWN : undefined);
  const notes = { ...(drifted.length > 0 && { [DRIFTED]: drifted }), ...(takes !== undefined && { [TAKES]: takes }) };
  return { inputs: { ...said, ...inputs, ...own, ...notes }, failures };
}

/**
 * What a check comes to. Where the platform refuses the key, that is a failure like any other, and no property is to blame for it; `news`
 * are given back as they came.
 */
export async function orRefusedKey(
  news: Readonly<Record<string, unknown>>,
  work: () => Promise<CheckResult>,
): Promise<CheckResult> {
  try {
    return await work();
  } catch (error) {
    if (!isKind(error, "unauthorized", "forbidden")) throw error;
    return { inputs: news, failures: [{ property: "", reason: messageFor(error) }] };
  }
}

/** With `ignoreChanges` the engine compares with the old values, but creates the replacement with the program's. */
function warnOfUnignored(
  { reporter }: LifecycleContext,
  before: Partial<CheckedInputs>,
  inputs: Partial<CheckedInputs>,
): void {
  const names = endpointProperties.filter((name) => !isDeepStrictEqual(before[name], inputs[name]));
  if (names.length === 0) return;
  reporter.warn(
    `a replacement does not follow ignoreChanges: the new endpoint gets ${names.join(", ")} as the program says now`,
  );
}

/** A replica that is new in a project, beyond those that the plan has there. */
function tooManyReplicas(context: LifecycleContext): Failure[] {
  const { account, run, urn } = context;
  const { arrival, to } = run.claims.of(urn) ?? {};
  const limits = limitsIn(account);
  if ((arrival !== "create" && arrival !== "replace") || to?.type !== "read_only" || limits.readReplicas === undefined)
    return [];
  return beyondLimits(context, checkReplicaCount(run.claims.replicasIn(to.projectId).length, to.projectId, limits));
}

/** What of these is refused: limits of the platform's own may be configured to warn only. */
export function beyondLimits(
  { account, reporter }: Pick<LifecycleContext, "account" | "reporter">,
  found: readonly Failure[],
): Failure[] {
  if (account.settings.checks !== "warn") return [...found];
  for (const { property, reason } of found.filter(({ isLimit }) => isLimit)) reporter.warn(`${property}: ${reason}`);
  return found.filter(({ isLimit }) => !isLimit);
}

/** What limits endpoints on the account's plan. */
export function limitsIn({ settings: { profile, plan, maxSizeCu } }: LifecycleContext["account"]): Limits {
  return limitsOf(profile, plan, maxSizeCu);
}

/** What the pure rules have against inputs, each failure on its property. The platform's own limits may be configured to warn only. */
export function checkRules(
  context: Pick<LifecycleContext, "account" | "reporter">,
  inputs: Partial<CheckedInputs>,
  drifted: ReadonlySet<string>,
): Failure[] {
  const limits = limitsIn(context.account);
  const found: Failure[] = [
    ...checkProjectId(inputs.projectId),
    ...checkBranchId(inputs.branchId, inputs.projectId),
    ...checkSize(inputs, limits, drifted),
    ...checkAutosuspend(inputs.suspendTimeoutSeconds, limits),
    ...checkPlanType(inputs.type, limits),
  ];
  const failures = beyondLimits(context, found);
  // If limits only warn, the rules behind them still have to hold.
  if (context.account.settings.checks === "warn") {
    failures.push(...checkSize(inputs, withoutLimits(limits), drifted).filter(({ isLimit }) => !isLimit));
  }
  if (inputs.adoptExisting === true && inputs.type === "read_only") {
    failures.push({
      property: "adoptExisting",
      reason:
        'takes over a branch\'s read-write endpoint, so it cannot be set with type "read_only"; import a read replica instead',
    });
  }
  // One failure for each property: the first one.
  return failures.filter((one, index) => failures.findIndex(({ property }) => property === one.property) === index);
}

/** Warns of what is legal but will not do what the user expects. */
export function warn(
  { account, reporter }: Pick<LifecycleContext, "account" | "reporter">,
  { inputs: olds, areImported: isImport }: { inputs: Partial<CheckedInputs>; areImported: boolean },
  inputs: Partial<CheckedInputs>,
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
  for (const name of profile.gone) {
    const isSet = isKnown((inputs as Readonly<Record<string, unknown>>)[name]);
    if (isSet) reporter.warn(`${platform} no longer has ${name}: it may refuse or ignore it`);
  }
  const oldSize = sizeRange(olds);
  // What an import read, no program has set.
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

/** The values as inputs. Throws `invalid_argument` where they cannot be used, or are not known yet. */
export function completeInputs(values: Readonly<Record<string, unknown>>): EndpointInputs {
  const { inputs, failures } = parseInputs(values);
  if (failures.length > 0) {
    const reasons = formatFailures(failures);
    throw new PgComputeError("invalid_argument", `the engine sent inputs that cannot be used: ${reasons}`);
  }
  if (hasUnknown(inputs)) {
    throw new PgComputeError("invalid_argument", "the engine sent inputs of which some are not known yet");
  }
  return inputs as EndpointInputs;
}
