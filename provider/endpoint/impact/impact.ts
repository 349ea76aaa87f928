import { listed, plain } from "../../lib/wording";
import { getComputeSize } from "../rules/compute-size";
import {
  changedSettingNames,
  definedSides,
  isEdited,
  isSizeEdited,
  minCuOf,
  SIZE_NAMES,
  sizeOf,
  suspendOf,
  unknownNames,
} from "./change";
import type { BeforeAfter, Impact, ImpactChange, Range } from "./model";

export { impactMessages, withoutSecrets } from "./message";
export type { BeforeAfter, ChangeKind, Impact, ImpactChange, ImpactSide, Range } from "./model";

type Figures = Pick<Impact, "maxConnections" | "memoryGb" | "sizeCu" | "suspendTimeoutSeconds">;

/** What can bring a restart, a suspend or a replacement. */
const DECIDING_NAMES = ["projectId", "type", "branchId", ...SIZE_NAMES, "disabled", "restartTrigger"] as const;
/** What the specification applies as configuration, without a word on restarts. */
const CONFIGURATION_NAMES = ["poolerEnabled", "poolerMode", "pgSettings", "passwordlessAccess"] as const;

/**
 * What a change does to the endpoint, as data: section 3.3 for restarts and connections, 3.2 for a move, 2.4 for the
 * figures. Throws nothing and needs neither side.
 */
export function impactOf(change: ImpactChange): Impact {
  switch (change.kind) {
    case "create":
      return { ...unharmed(change), notes: unknownNotes(change, [...SIZE_NAMES, "suspendTimeoutSeconds"]) };
    case "update":
      return impactOfUpdate(change);
    case "replace":
      return impactOfReplace(change);
    case "delete":
      return { ...unharmed(change), dropsConnections: isRunning(change), downtime: isRunning(change) };
    case "release":
      return unharmed(change);
  }
}

function impactOfUpdate(change: ImpactChange): Impact {
  const running = isRunning(change);
  const unknown = unknownNames(change);
  const move = moveOf(change);
  const disables = running && isEdited(change, "disabled") && change.after?.disabled === true;
  const restarts = running && (isSizeEdited(change) || isEdited(change, "restartTrigger"));
  const undecided = DECIDING_NAMES.filter((name) => unknown.has(name));
  // Where it restarts anyway, or nothing runs, the question does not arise.
  const notStated = restarts || !running ? [] : CONFIGURATION_NAMES.filter((name) => isEdited(change, name));
  return {
    ...unharmed(change),
    restarts,
    dropsConnections: restarts || disables || (running && move !== undefined),
    hostChanges: isOtherHost(change),
    downtime: disables,
    ...(move && { move }),
    ...(undecided.length > 0 && { undecided }),
    ...(notStated.length > 0 && { restartNotStated: notStated }),
    notes: [
      ...idleNotes(change),
      ...notStatedNotes(notStated, change),
      ...unknownNotes(change, [...DECIDING_NAMES, "suspendTimeoutSeconds", ...CONFIGURATION_NAMES]),
    ],
  };
}

function impactOfReplace(change: ImpactChange): Impact {
  const running = isRunning(change);
  const move = moveOf(change);
  const gap = change.deleteBeforeReplace === true || change.after?.disabled === true;
  return {
    ...unharmed(change),
    dropsConnections: running,
    hostChanges: true,
    downtime: running && gap,
    notes: [
      // Not a move: the new endpoint has nothing of the old one.
      ...(move ? [`the new endpoint is on ${plain(move.to)} instead of ${plain(move.from)}`] : []),
      ...unknownNotes(change, [...SIZE_NAMES, "suspendTimeoutSeconds"]),
    ],
  };
}

function unharmed(change: ImpactChange): Impact {
  const { kind } = change;
  return {
    kind,
    restarts: false,
    dropsConnections: false,
    hostChanges: false,
    downtime: false,
    ...figuresOf(change),
    notes: [],
  };
}

function figuresOf(change: ImpactChange): Figures {
  const figures: Figures = {
    maxConnections: converted(minCuOf(change), (cu) => getComputeSize(cu)?.maxConnections),
    memoryGb: converted(sizeOf(change), memoryOf),
    sizeCu: sizeOf(change),
    suspendTimeoutSeconds: suspendOf(change),
  };
  const known = Object.entries(figures).filter(([, sides]) => Object.keys(sides).length > 0);
  return Object.fromEntries(known);
}

function converted<A, B>(sides: BeforeAfter<A>, convert: (side: A) => B | undefined): BeforeAfter<B> {
  const convertSide = (side: A | undefined) => (side === undefined ? undefined : convert(side));
  return definedSides(convertSide(sides.before), convertSide(sides.after));
}

function memoryOf({ min, max }: Range): Range | undefined {
  const [least, most] = [getComputeSize(min), getComputeSize(max)];
  return least && most && { min: least.memoryGb, max: most.memoryGb };
}

// A connection cannot wake a disabled endpoint (public facts), so there is nothing on it to restart or to cut.
function isRunning(change: ImpactChange): boolean {
  return change.before?.disabled !== true;
}

function moveOf(change: ImpactChange): { from: string; to: string } | undefined {
  const [from, to] = [change.before?.branchId, change.after?.branchId];
  if (from === undefined || to === undefined || from === to || unknownNames(change).has("branchId")) return undefined;
  return { from, to };
}

function isOtherHost({ before, after }: ImpactChange): boolean {
  return before?.host !== undefined && after?.host !== undefined && before.host !== after.host;
}

function idleNotes(change: ImpactChange): string[] {
  if (isRunning(change)) return [];
  const enables = isEdited(change, "disabled") && change.after?.disabled !== true;
  return [enables ? "enables the endpoint, which was disabled" : "the endpoint is disabled, so nothing runs on it"];
}

function notStatedNotes(names: readonly string[], change: ImpactChange): string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => {
    const settings = name === "pgSettings" ? changedSettingNames(change).map(plain) : [];
    return settings.length === 0 ? name : `${name} (${settings.join(", ")})`;
  });
  return [`restart not stated by the platform for ${listed(shown)}, which it applies as configuration`];
}

function unknownNotes(change: ImpactChange, relevant: readonly string[]): string[] {
  const unknown = unknownNames(change);
  const names = relevant.filter((name) => unknown.has(name));
  return names.length === 0 ? [] : [`depends on values not known yet: ${names.join(", ")}`];
}
