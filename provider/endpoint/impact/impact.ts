/** What a planned change does to a running endpoint, worked out from what differs and the table of properties. */
import { hasUnknown, isKnown, isRecord, UNKNOWN } from "../../lib/unknown";
import { listed, plain } from "../../lib/wording";
import type { Difference } from "../differences";
import { type EndpointProperty, endpointProperties, type PropertyEffect, propertyOf } from "../properties";
import { figuresOf } from "./figures";
import type { Impact, PlannedChange } from "./model";

export { stateWanted } from "./figures";
export {
  formatMemory,
  formatSuspend,
  impactMessages,
  restoreUndoneIn,
  undoesRestoreMessage,
  withoutSecrets,
} from "./message";
export type { BeforeAfter, ChangeKind, Impact, PlannedChange, Range } from "./model";

/** What can bring a restart, a suspend or a replacement. */
const deciding = withEffect("replacement", "move", "restart", "suspend");
/** What the specification applies as configuration, without a word on restarts. */
const configuration = withEffect("not stated");
/** What the figures rest on. */
const figured = endpointProperties.filter((name) => ["size", "delay"].includes(propertyOf(name).compared ?? ""));
const others = endpointProperties.filter((name) => !deciding.includes(name) && !configuration.includes(name));

/**
 * What a change does to the endpoint, as data: specification, section 3.3 for restarts and connections, 3.2 for a move, 2.4
 * for the figures. Throws nothing.
 */
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
