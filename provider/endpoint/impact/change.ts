import type { BeforeAfter, ImpactChange, ImpactSide, Range } from "./model";

/** The properties that write a size. */
export const SIZE_NAMES = ["sizeCu", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const;

type Scalar = "disabled" | "restartTrigger" | "poolerEnabled" | "poolerMode" | "passwordlessAccess";

/** What a property goes back to when the program stops setting it; the others stay as they are. */
const defaults: Readonly<ImpactSide> = {
  suspendTimeoutSeconds: 0,
  disabled: false,
  poolerEnabled: false,
  poolerMode: "transaction",
  pgSettings: {},
};

/** The root names of properties with an unknown new value, such as `pgSettings` for `pgSettings.work_mem`. */
export function unknownNames(change: ImpactChange): ReadonlySet<string> {
  return new Set((change.unknown ?? []).map(rootName));
}

/** True where an update certainly gives the property another value. */
export function isEdited(change: ImpactChange, name: Scalar | "pgSettings"): boolean {
  if (name === "pgSettings") return areSettingsEdited(change);
  if (unknownNames(change).has(name)) return false;
  const before = change.before?.[name] ?? defaults[name];
  const after = change.after?.[name];
  const named = namedAsChanged(change, name);
  // A trigger acts when it gets a new value: taking it away does nothing.
  if (after === undefined && name === "restartTrigger") return named === true && before === undefined;
  if (after === undefined) return named === true && defaults[name] !== undefined && before !== defaults[name];
  // The old value may be missing from old states; then the names of the changed properties decide.
  return before === undefined ? named !== false : before !== after;
}

/** True where an update certainly changes the minimum or the maximum size, however both were written. */
export function isSizeEdited(change: ImpactChange): boolean {
  const { before, after } = change;
  const unknown = unknownNames(change);
  const named = change.changed === undefined || SIZE_NAMES.some((name) => namedAsChanged(change, name));
  return (["minCu", "maxCu"] as const).some((end) => {
    const wanted = after?.[end];
    if (wanted === undefined || isEndUnknown(unknown, end)) return false;
    return before?.[end] === undefined ? named : before[end] !== wanted;
  });
}

/** The minimum size on both sides, in compute units. An update that leaves the size out keeps it. */
export function minCuOf(change: ImpactChange): BeforeAfter<number> {
  return sizeEnd(change, "minCu");
}

/** The size range on both sides, in compute units; absent where an end of it is missing. */
export function sizeOf(change: ImpactChange): BeforeAfter<Range> {
  const [min, max] = [sizeEnd(change, "minCu"), sizeEnd(change, "maxCu")];
  return definedSides(rangeOf(min.before, max.before), rangeOf(min.after, max.after));
}

/** The autosuspend setting on both sides, in seconds. */
export function suspendOf(change: ImpactChange): BeforeAfter<number> {
  const before = change.before?.suspendTimeoutSeconds;
  if (!hasAfter(change)) return definedSides(before, undefined);
  if (unknownNames(change).has("suspendTimeoutSeconds")) return definedSides(before, undefined);
  const given = change.after?.suspendTimeoutSeconds;
  if (given !== undefined || change.kind === "create") return definedSides(before, given);
  const stays = change.kind === "update" && namedAsChanged(change, "suspendTimeoutSeconds") !== true;
  return definedSides(before, stays || before === undefined ? before : defaults.suspendTimeoutSeconds);
}

/** The names of the Postgres settings that an update adds, changes or takes away, in alphabetical order. */
export function changedSettingNames(change: ImpactChange): string[] {
  const before = change.before?.pgSettings ?? {};
  const stopped = namedAsChanged(change, "pgSettings") === true && !unknownNames(change).has("pgSettings");
  const after = change.after?.pgSettings ?? (stopped ? {} : before);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => before[name] !== after[name] && !change.unknown?.includes(`pgSettings.${name}`))
    .sort();
}

/** The two sides as an object that has only the defined ones. */
export function definedSides<T>(before: T | undefined, after: T | undefined): BeforeAfter<T> {
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

function areSettingsEdited(change: ImpactChange): boolean {
  if (changedSettingNames(change).length > 0) return true;
  // The settings may be kept out of both sides, being secret; then the name alone tells.
  const kept = change.before?.pgSettings === undefined && change.after?.pgSettings === undefined;
  return kept && namedAsChanged(change, "pgSettings") === true && !unknownNames(change).has("pgSettings");
}

function hasAfter({ kind }: ImpactChange): boolean {
  return kind === "create" || kind === "update" || kind === "replace";
}

function sizeEnd(change: ImpactChange, end: "minCu" | "maxCu"): BeforeAfter<number> {
  const before = change.before?.[end];
  if (!hasAfter(change) || isEndUnknown(unknownNames(change), end)) return definedSides(before, undefined);
  return definedSides(before, change.after?.[end] ?? (change.kind === "update" ? before : undefined));
}

function isEndUnknown(unknown: ReadonlySet<string>, end: "minCu" | "maxCu"): boolean {
  return unknown.has("sizeCu") || unknown.has(end === "minCu" ? "autoscalingLimitMinCu" : "autoscalingLimitMaxCu");
}

function rangeOf(min: number | undefined, max: number | undefined): Range | undefined {
  return min === undefined || max === undefined ? undefined : { min, max };
}

/** Undefined where nothing says which properties changed. */
function namedAsChanged(change: ImpactChange, name: string): boolean | undefined {
  return change.changed?.some((path) => rootName(path) === name);
}

function rootName(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}
