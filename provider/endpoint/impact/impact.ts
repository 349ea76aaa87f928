/** Computes the impact of a planned change on a running endpoint from its differences and the table of properties. */
import { hasUnknown, isKnown, isRecord, UNKNOWN } from "../../lib/unknown";
import { listed, plain } from "../../lib/wording";
import type { Profile } from "../../platform/profiles/profile";
import type { Difference, Differences } from "../differences";
import type { CheckedInputs } from "../parse-inputs";
import { type EndpointProperty, endpointProperties, type PropertyEffect, propertyOf } from "../properties";
import { sizeNames, sizeRange } from "../rules/size";
import type { EndpointState } from "../state";
import { type Figures, figuresOf, stateWanted } from "./figures";

/** Kinds of change. `release` drops an adopted endpoint from the program and keeps it running. */
export type ChangeKind = "create" | "update" | "replace" | "delete" | "release";

/** A change to analyse. */
export interface PlannedChange {
  kind: ChangeKind;
  /** The current endpoint; empty if there is none. */
  state?: EndpointState;
  /** The inputs of a new endpoint, in a create or replacement. */
  inputs?: CheckedInputs;
  /** The differences; default none. */
  found?: Differences;
  /** True if the old endpoint is deleted before the new one is created. Default false. */
  deletesFirst?: boolean;
  /** The plan's platform. Without it, dependent figures are left out. */
  profile?: Profile | undefined;
}

/**
 * The impact of a planned change on a running endpoint (specification, sections 2.4, 3.2 and 3.3). Booleans are true
 * only for certain effects; `undecided` has the properties that may still cause them.
 */
export interface Impact extends Figures {
  kind: ChangeKind;
  /** The endpoint restarts in place. */
  restarts: boolean;
  /** A restart, suspend or delete cuts open connections. */
  dropsConnections: boolean;
  /** Clients need another host name, as it contains the endpoint's id. */
  hostChanges: boolean;
  /** No client can connect for a while, or from now on, apart from the short gap of a restart. */
  downtime: boolean;
  /** The endpoint is disabled afterwards, so the downtime does not end. */
  staysDown?: true;
  /** The change is sent only at an idle moment, when it cuts no connection. */
  waitsForIdle?: true;
  /** The branches of a move in place. */
  move?: { from: string; to: string };
  /** Properties with unknown values that may still cause a restart, suspend or replacement. */
  undecided?: readonly EndpointProperty[];
  /** Changed properties for which the specification leaves a restart open. */
  restartNotStated?: readonly EndpointProperty[];
  /** Properties with unknown values that the other fields depend on. */
  unknown?: readonly EndpointProperty[];
  /** Further notes for the reader, without values of `pgSettings`. */
  notes: string[];
}

/** All effects that a change may have, depending on unknown values. */
export type PossibleEffects = Pick<Impact, "restarts" | "dropsConnections" | "hostChanges" | "downtime"> & {
  /** The endpoint is replaced. */
  replaces: boolean;
};

type Effect = keyof PossibleEffects;

/** The possible effects of an unknown value (specification, sections 3.2 and 3.3, and the rules of replacement). */
const brings: Readonly<Record<PropertyEffect, readonly Effect[]>> = {
  replacement: ["replaces", "dropsConnections", "hostChanges", "downtime"],
  // A move in place: a replacement would follow from type and configuration, which are known.
  move: ["dropsConnections"],
  restart: ["restarts", "dropsConnections"],
  suspend: ["dropsConnections", "downtime"],
  "not stated": [],
  none: [],
};

/** Properties that can cause a restart, a suspend or a replacement. */
const deciding = withEffect("replacement", "move", "restart", "suspend");

/** Properties that the specification applies as configuration without mentioning a restart. */
const configuration = withEffect("not stated");

/** Properties that the figures depend on. */
const figured = endpointProperties.filter((name) => ["size", "delay"].includes(propertyOf(name).compared ?? ""));

const others = endpointProperties.filter((name) => !deciding.includes(name) && !configuration.includes(name));

/** Computes the impact of a change (specification, sections 2.4, 3.2 and 3.3). */
export function impactOf(change: PlannedChange): Impact {
  const { kind, state, inputs = {}, found = {} } = change;
  const base = { kind, restarts: false, dropsConnections: false, hostChanges: false, downtime: false };
  const unharmed: Impact = { ...base, ...figuresOf(state ?? {}, stateAfter(change), change.profile), notes: [] };

  // No connection wakes a disabled endpoint (specification, section 3.2, published), so there is nothing to restart or
  // cut.
  const running = state?.disabled !== true;
  // Only a change in place waits for an idle moment.
  const isHeld = (change.inputs ?? state)?.restartWhen === "idle";
  const atOnce = isHeld ? ['restartWhen: "idle" does not hold this back'] : [];

  switch (kind) {
    case "create": {
      const unknown = figured.filter((name) => inputs[name] !== undefined && !isKnown(inputs[name]));
      return { ...unharmed, ...unknownOf(unknown), notes: atOnce };
    }
    case "update":
      return impactOfUpdate(change, unharmed, running);
    case "replace": {
      const { from, to } = moveIn(found) ?? {};
      const staysDown = running && inputs.disabled === true;
      // No move: the new endpoint has no data of the old one.
      const elsewhere = from && to ? [`the new endpoint is on ${plain(to)} instead of ${plain(from)}`] : [];

      return {
        ...unharmed,
        dropsConnections: running,
        hostChanges: true,
        downtime: running && (change.deletesFirst === true || staysDown),
        ...(staysDown && { staysDown }),
        ...unknownOf(unknownIn(found, figured)),
        notes: [...atOnce, ...elsewhere],
      };
    }
    case "delete":
      return { ...unharmed, dropsConnections: running, downtime: running, notes: atOnce };
    case "release":
      return unharmed;
  }
}

function impactOfUpdate({ inputs, found = {} }: PlannedChange, unharmed: Impact, running: boolean): Impact {
  const move = moveIn(found);
  const suspends = running && found.disabled?.after === true;
  const restarts = running && withEffect("restart").some((name) => isCertain(found[name]));
  const undecided = unknownIn(found, deciding);

  // Irrelevant if the endpoint restarts anyway, or does not run.
  const notStated = restarts || !running ? [] : configuration.filter((name) => name in found);
  const drops = restarts || suspends || (running && move !== undefined);
  const mayDrop = drops || notStated.length > 0 || (running && undecided.length > 0);
  const waitsForIdle = mayDrop && inputs?.restartWhen === "idle";
  const enables = found.disabled?.after === false;
  const idle = enables ? "enables the endpoint, which was disabled" : "the endpoint is disabled, so nothing runs on it";
  const late = endpointProperties.filter((name) => propertyOf(name).atRestart && isCertain(found[name]));

  return {
    ...unharmed,
    restarts,
    dropsConnections: drops && !waitsForIdle,
    downtime: suspends,
    ...(waitsForIdle && { waitsForIdle }),
    ...(move && { move }),
    ...(undecided.length > 0 && { undecided }),
    ...(notStated.length > 0 && { restartNotStated: notStated }),
    ...unknownOf(unknownIn(found, [...deciding, ...others, ...configuration])),
    notes: [
      ...(running ? [] : [idle]),
      ...notStatedNotes(notStated, found),
      ...(restarts || late.length === 0 ? [] : [`${listed(late)} takes effect at the endpoint's next restart`]),
    ],
  };
}

function withEffect(...effects: PropertyEffect[]): EndpointProperty[] {
  return endpointProperties.filter((name) => effects.includes(propertyOf(name).effect));
}

/** True if the value differs for any unknown value. */
function isCertain(difference: Difference | undefined): boolean {
  if (difference === undefined || difference.after === UNKNOWN) return false;
  return !hasUnknown(difference.after) || changedParts(difference).length > 0;
}

function moveIn({ branchId }: Differences): Impact["move"] {
  const { before, after } = branchId ?? {};
  return typeof before === "string" && typeof after === "string" ? { from: before, to: after } : undefined;
}

function notStatedNotes(names: readonly EndpointProperty[], found: Differences): string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => {
    const parts = changedParts(found[name]).map(plain);
    return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
  });
  return [`restart not stated by the platform for ${listed(shown)}, which it applies as configuration`];
}

/** The names within a value, such as Postgres settings, that certainly differ, sorted. */
function changedParts({ before, after }: Partial<Difference> = {}): string[] {
  const olds = isRecord(before) ? before : {};
  const news = isRecord(after) ? after : {};
  const names = new Set([...Object.keys(olds), ...Object.keys(news)]);
  return [...names].filter((name) => news[name] !== UNKNOWN && olds[name] !== news[name]).sort();
}

function unknownIn(found: Differences, names: readonly EndpointProperty[]): EndpointProperty[] {
  return names.filter((name) => hasUnknown(found[name]?.after));
}

function unknownOf(names: readonly EndpointProperty[]): Pick<Impact, "unknown"> {
  return names.length > 0 ? { unknown: names } : {};
}

/**
 * The certain effects of an impact, and those that undecided properties may cause; the caller may pass more of these.
 */
export function possibleEffects(
  impact: Impact,
  undecided: readonly EndpointProperty[] = impact.undecided ?? [],
): PossibleEffects {
  const possible = new Set(undecided.flatMap((name) => brings[propertyOf(name).effect]));
  // In place, unknown values wait for the idle moment too; a replacement does not.
  if (impact.waitsForIdle && !possible.has("replaces")) possible.delete("dropsConnections");
  return {
    restarts: impact.restarts || possible.has("restarts"),
    dropsConnections: impact.dropsConnections || possible.has("dropsConnections"),
    hostChanges: impact.hostChanges || possible.has("hostChanges"),
    downtime: impact.downtime || possible.has("downtime"),
    replaces: impact.kind === "replace" || possible.has("replaces"),
  };
}

/** The impact without figures and places that reveal a secret property, with a note about them. */
export function withoutSecrets(impact: Impact, secret: ReadonlySet<string>): Impact {
  const hidesSize = sizeNames.some((name) => secret.has(name));
  const hidesDelay = secret.has("suspendTimeoutSeconds");
  const hidesPlace = secret.has("branchId");
  if (!hidesSize && !hidesDelay && !hidesPlace) return impact;

  const shown = { ...impact, notes: [...impact.notes, "values that the program keeps secret are not shown"] };
  if (hidesSize) for (const figure of ["sizeCu", "maxConnections", "memoryGb"] as const) delete shown[figure];
  if (hidesDelay) delete shown.suspendTimeoutSeconds;
  if (hidesPlace) delete shown.move;
  return shown;
}

/** The state after the change, for the figures. A new endpoint takes over no values of the old one. */
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
