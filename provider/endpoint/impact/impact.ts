/** What a planned change does to a running endpoint, worked out from what differs and the table of properties. */
import { hasUnknown, isKnown, isRecord, UNKNOWN } from "../../lib/unknown";
import { listed, plain } from "../../lib/wording";
import { GB_PER_CU, type Profile } from "../../platform/profiles/profile";
import type { Difference, Differences } from "../differences";
import type { CheckedInputs } from "../parse-inputs";
import { type EndpointProperty, endpointProperties, type PropertyEffect, propertyOf } from "../properties";
import { NEVER_SUSPEND } from "../rules/autosuspend";
import { sizeRange } from "../rules/size";
import type { EndpointState } from "../state";

/** What can happen to an endpoint. `release` lets go of one that `adoptExisting` took over: it keeps running, outside the program. */
export type ChangeKind = "create" | "update" | "replace" | "delete" | "release";

/** A change to look at. */
export interface PlannedChange {
  kind: ChangeKind;
  /** The endpoint as it is; empty where there is none. */
  state?: EndpointState;
  /** What a new endpoint is given, by a create or a replacement. */
  inputs?: Partial<CheckedInputs>;
  /** What differs, by the one comparison; nothing where it is left out. */
  found?: Differences;
  /** The old endpoint is deleted before its replacement is created; default false. */
  deleteBeforeReplace?: boolean;
  /** The platform that it is planned for; where nobody knows that, figures that depend on it are left out. */
  profile?: Profile | undefined;
}

/** A range of sizes in compute units, or of RAM in GB; a fixed size has both ends equal. */
export interface Range {
  min: number;
  max: number;
}

/** A value before and after a change; a side is absent where there is none or it is not known. */
export interface BeforeAfter<T> {
  before?: T;
  after?: T;
}

/**
 * What a planned change does to a running endpoint (specification, sections 2.4, 3.2 and 3.3). The booleans are true only
 * where that is certain; `undecided` names what could still make them true. The figures are there whether they change or not.
 */
export interface Impact {
  kind: ChangeKind;
  /** The endpoint restarts where it is. */
  restarts: boolean;
  /** Open connections are cut, by a restart, a suspend or a deletion. */
  dropsConnections: boolean;
  /** Clients need another host name, because the endpoint's id is part of it. */
  hostChanges: boolean;
  /** Nobody can connect for a while, or from now on. The short gap of a restart is not counted. */
  downtime: boolean;
  /** The downtime has no end in this change: the endpoint is disabled afterwards. */
  staysDown?: true;
  /** It is sent only while the platform shows the endpoint idle, so that it cuts nothing that is open at that moment. */
  waitsForIdle?: true;
  /** The branches of a move in place. */
  move?: { from: string; to: string };
  /** Connections that Postgres takes, and what of an autoscaling size sets them. */
  maxConnections?: BeforeAfter<number>;
  connectionsSetBy?: string;
  memoryGb?: BeforeAfter<Range>;
  sizeCu?: BeforeAfter<Range>;
  /** Seconds; 0 is the platform's default, -1 is never, as of a size that the platform keeps active. */
  suspendTimeoutSeconds?: BeforeAfter<number>;
  /** Properties whose values are not known yet and could still bring a restart, a suspend or a replacement. */
  undecided?: readonly EndpointProperty[];
  /** Changed properties for which the specification does not say whether the endpoint restarts. */
  restartNotStated?: readonly EndpointProperty[];
  /** What else a reader should know. Every doubt about the rest is among them; values of `pgSettings` are not. */
  notes: string[];
}

/** What a change does at most, once every value is known. */
export type PossibleEffects = Pick<Impact, "restarts" | "dropsConnections" | "hostChanges" | "downtime"> & {
  /** The endpoint is replaced. */
  replaces: boolean;
};

type Effect = keyof PossibleEffects;

/** What a value that is not known yet can still bring: specification, sections 3.2 and 3.3, and the rules of replacement. */
const brings: Readonly<Record<PropertyEffect, readonly Effect[]>> = {
  replacement: ["replaces", "dropsConnections", "hostChanges", "downtime"],
  // A move in place, or for a read-only endpoint a replacement that is created first.
  move: ["replaces", "dropsConnections", "hostChanges"],
  restart: ["restarts", "dropsConnections"],
  suspend: ["dropsConnections", "downtime"],
  "not stated": [],
  none: [],
};

export {
  formatMemory,
  formatSuspend,
  impactMessages,
  restoreUndoneIn,
  undoesRestoreMessage,
  withoutSecrets,
} from "./message";

/** What can bring a restart, a suspend or a replacement. */
const deciding = withEffect("replacement", "move", "restart", "suspend");

/** What the specification applies as configuration, without a word on restarts. */
const configuration = withEffect("not stated");

/** What the figures rest on. */
const figured = endpointProperties.filter((name) => ["size", "delay"].includes(propertyOf(name).compared ?? ""));

const others = endpointProperties.filter((name) => !deciding.includes(name) && !configuration.includes(name));

/** What a change does to the endpoint, as data (specification, sections 2.4, 3.2 and 3.3). */
export function impactOf(change: PlannedChange): Impact {
  switch (change.kind) {
    case "create":
      return { ...unharmed(change), notes: [...atOnceNotes(change), ...unknownNotes(unknownInputs(change), figured)] };
    case "update":
      return impactOfUpdate(change);
    case "replace":
      return impactOfReplace(change);
    case "delete":
      return {
        ...unharmed(change),
        dropsConnections: isRunning(change),
        downtime: isRunning(change),
        notes: atOnceNotes(change),
      };
    case "release":
      return unharmed(change);
  }
}

function impactOfUpdate(change: PlannedChange): Impact {
  const running = isRunning(change);
  const move = moveOf(change);
  const unknown = unknownDifferences(change);
  const suspends = running && certain(change, "suspend").some(({ after }) => after === true);
  const restarts = running && certain(change, "restart").length > 0;
  const undecided = deciding.filter((name) => unknown.has(name));
  // Where it restarts anyway, or nothing runs, the question does not arise.
  const notStated = restarts || !running ? [] : configuration.filter((name) => isCertain(change.found?.[name]));
  const drops = restarts || suspends || (running && move !== undefined);
  const mayDrop = drops || notStated.length > 0 || (running && undecided.length > 0);
  const waitsForIdle = mayDrop && change.inputs?.restartWhen === "idle";
  return {
    ...unharmed(change),
    restarts,
    dropsConnections: drops && !waitsForIdle,
    downtime: suspends,
    ...(waitsForIdle && { waitsForIdle }),
    ...(move && { move }),
    ...(undecided.length > 0 && { undecided }),
    ...(notStated.length > 0 && { restartNotStated: notStated }),
    notes: [
      ...idleNotes(change),
      ...notStatedNotes(notStated, change),
      ...(restarts ? [] : atRestartNotes(change)),
      ...unknownNotes(unknown, [...deciding, ...others, ...configuration]),
    ],
  };
}

function impactOfReplace(change: PlannedChange): Impact {
  const running = isRunning(change);
  const move = moveOf(change);
  const staysDown = change.inputs?.disabled === true;
  const gap = change.deleteBeforeReplace === true || staysDown;
  return {
    ...unharmed(change),
    dropsConnections: running,
    hostChanges: true,
    downtime: running && gap,
    ...(running && staysDown && { staysDown }),
    notes: [
      // Not a move: the new endpoint has nothing of the old one.
      ...atOnceNotes(change),
      ...(move ? [`the new endpoint is on ${plain(move.to)} instead of ${plain(move.from)}`] : []),
      ...unknownNotes(unknownDifferences(change), figured),
    ],
  };
}

function unharmed(change: PlannedChange): Impact {
  return {
    kind: change.kind,
    restarts: false,
    dropsConnections: false,
    hostChanges: false,
    downtime: false,
    ...figuresOf(change),
    notes: [],
  };
}

function withEffect(...effects: PropertyEffect[]): EndpointProperty[] {
  return endpointProperties.filter((name) => effects.includes(propertyOf(name).effect));
}

/** The differences of one effect that are known to be some. */
function certain({ found = {} }: PlannedChange, effect: PropertyEffect): Difference[] {
  return withEffect(effect).flatMap((name) => {
    const difference = found[name];
    return difference !== undefined && isCertain(difference) ? [difference] : [];
  });
}

/** True where the value differs whatever the values come to that are not known yet. */
function isCertain(difference: Difference | undefined): boolean {
  if (difference === undefined || difference.after === UNKNOWN) return false;
  return !hasUnknown(difference.after) || changedParts(difference).length > 0;
}

// A connection cannot wake a disabled endpoint (specification, section 3.2, published), so there is nothing on it to restart
// or to cut.
function isRunning({ state }: PlannedChange): boolean {
  return state?.disabled !== true;
}

function moveOf({ found = {} }: PlannedChange): { from: string; to: string } | undefined {
  const { before, after } = found.branchId ?? {};
  return typeof before === "string" && typeof after === "string" ? { from: before, to: after } : undefined;
}

function idleNotes(change: PlannedChange): string[] {
  if (isRunning(change)) return [];
  const enables = certain(change, "suspend").some(({ after }) => after !== true);
  return [enables ? "enables the endpoint, which was disabled" : "the endpoint is disabled, so nothing runs on it"];
}

/** What waits for an idle moment is a change in place alone. */
function atOnceNotes({ inputs, state }: PlannedChange): string[] {
  return (inputs ?? state)?.restartWhen === "idle" ? ['restartWhen: "idle" does not hold this back'] : [];
}

function notStatedNotes(names: readonly EndpointProperty[], { found = {} }: PlannedChange): string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => {
    const parts = changedParts(found[name]).map(plain);
    return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
  });
  return [`restart not stated by the platform for ${listed(shown)}, which it applies as configuration`];
}

function atRestartNotes({ found = {} }: PlannedChange): string[] {
  const names = endpointProperties.filter((name) => propertyOf(name).atRestart && isCertain(found[name]));
  return names.length === 0 ? [] : [`${listed(names)} takes effect at the endpoint's next restart`];
}

/** The names within a value, such as those of Postgres settings, that certainly differ, in alphabetical order. */
function changedParts({ before, after }: Partial<Difference> = {}): string[] {
  const olds = isRecord(before) ? before : {};
  const news = isRecord(after) ? after : {};
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...names].filter((name) => news[name] !== UNKNOWN && olds[name] !== news[name]).sort();
}

function unknownDifferences({ found = {} }: PlannedChange): ReadonlySet<string> {
  return new Set(endpointProperties.filter((name) => hasUnknown(found[name]?.after)));
}

function unknownInputs({ inputs = {} }: PlannedChange): ReadonlySet<string> {
  return new Set(endpointProperties.filter((name) => inputs[name] !== undefined && !isKnown(inputs[name])));
}

function unknownNotes(unknown: ReadonlySet<string>, relevant: readonly string[]): string[] {
  const names = relevant.filter((name) => unknown.has(name));
  return names.length === 0 ? [] : [`depends on values not known yet: ${names.join(", ")}`];
}

/** Every figure of which a side is known, whether it changes or not. */
function figuresOf(change: PlannedChange): Partial<Impact> {
  const { state = {}, profile } = change;
  const [before, after] = [figuresIn(state, profile), figuresIn(stateAfter(change), profile)];
  const figures = (["maxConnections", "memoryGb", "sizeCu", "suspendTimeoutSeconds"] as const).flatMap((name) => {
    const sides = { ...(name in before && { before: before[name] }), ...(name in after && { after: after[name] }) };
    return Object.keys(sides).length > 0 ? [[name, sides] as const] : [];
  });
  const isSet = profile !== undefined && "maxConnections" in after;
  return { ...Object.fromEntries(figures), ...(isSet && { connectionsSetBy: profile.connectionsSetBy }) };
}

/** The figures of one side, as far as they are known. A size that the platform keeps active never suspends, whatever its delay says. */
function figuresIn(state: EndpointState, profile: Profile | undefined) {
  const known = (value: unknown) => (typeof value === "number" ? value : undefined);
  const [min, max] = [known(state.autoscalingLimitMinCu), known(state.autoscalingLimitMaxCu)];
  const isSized = min !== undefined && max !== undefined;
  const isAlwaysActive = isSized && max > (profile?.alwaysActiveAboveCu ?? Number.POSITIVE_INFINITY);
  const maxConnections = profile?.maxConnections(min, max);
  const suspendTimeoutSeconds = isAlwaysActive ? NEVER_SUSPEND : known(state.suspendTimeoutSeconds);
  return {
    ...(maxConnections !== undefined && { maxConnections }),
    ...(isSized && { memoryGb: { min: min * GB_PER_CU, max: max * GB_PER_CU }, sizeCu: { min, max } }),
    ...(suspendTimeoutSeconds !== undefined && { suspendTimeoutSeconds }),
  };
}

/** What the figures rest on once the change is made. A new endpoint has nothing of the old one that the program does not say. */
function stateAfter({ kind, state = {}, inputs = {}, found = {} }: PlannedChange): EndpointState {
  if (kind === "delete" || kind === "release") return {};
  if (kind === "update") {
    const { sizeCu, ...others } = Object.fromEntries(Object.entries(found).map(([name, { after }]) => [name, after]));
    const size = found.sizeCu && { autoscalingLimitMinCu: sizeCu, autoscalingLimitMaxCu: sizeCu };
    return { ...state, ...others, ...size };
  }
  const wasSet = kind === "replace" && state.suspendTimeoutSeconds !== undefined;
  const { suspendTimeoutSeconds = wasSet ? propertyOf("suspendTimeoutSeconds").resetTo : undefined } = inputs;
  return { ...(sizeRange(inputs) !== undefined && stateWanted(inputs)), suspendTimeoutSeconds };
}

/** What inputs say of an endpoint, as a state has it: known values, and the size as its limits. */
export function stateWanted(inputs: Partial<CheckedInputs>): EndpointState {
  const { sizeCu, autoscalingLimitMinCu = sizeCu, autoscalingLimitMaxCu = sizeCu } = inputs;
  const limits = { autoscalingLimitMinCu, autoscalingLimitMaxCu };
  return Object.fromEntries(Object.entries({ ...inputs, ...limits }).filter(([, value]) => isKnown(value)));
}

/** The certain effects of an impact, and those that undecided properties could still bring; a caller may know of more of these. */
export function possibleEffects(
  impact: Impact,
  undecided: readonly EndpointProperty[] = impact.undecided ?? [],
): PossibleEffects {
  const possible = new Set(undecided.flatMap((name) => brings[propertyOf(name).effect]));
  // In place, what is not known yet waits as well; a replacement does not.
  if (impact.waitsForIdle && !possible.has("replaces")) possible.delete("dropsConnections");
  return {
    restarts: impact.restarts || possible.has("restarts"),
    dropsConnections: impact.dropsConnections || possible.has("dropsConnections"),
    hostChanges: impact.hostChanges || possible.has("hostChanges"),
    downtime: impact.downtime || possible.has("downtime"),
    replaces: impact.kind === "replace" || possible.has("replaces"),
  };
}
