/**
 * The state to store after a full or partial change, and the check that the platform shows the sent values. An accepted
 * value that is not shown would differ for ever.
 */
import { isDeepStrictEqual } from "node:util";
import { isRecord, type Values } from "../lib/unknown";
import { listed } from "../lib/wording";
import { asOwnError, PartialError, PgComputeError } from "../platform/errors";
import type { WaitResult } from "../platform/project/operation-waiter";
import type { EndpointRecord, OperationRecord } from "../platform/records";
import type { ChangedEndpoint } from "./change";
import { type Context, requestOptions } from "./context";
import { differences, setIn } from "./differences";
import { idOf } from "./identity";
import { toState } from "./mapping";
import { type EndpointInputs, type EndpointProperty, propertyOf } from "./properties";
import { lookInTime } from "./recovery";
import { settingName, withSettingNames } from "./rules/pg-settings";
import { type Bookkeeping, bookkeepingOf, type EndpointState, keep, withBookkeeping } from "./state";

/** An endpoint as Pulumi's state keeps it: its id, `PROJECT/ENDPOINT`, and its state. */
export interface StoredEndpoint {
  id: string;
  state: EndpointState;
}

/** An endpoint after a step, and the step's operations, to tell what they did to it. */
export interface DoneStep extends StoredEndpoint {
  seen: readonly OperationRecord[];
}

/** A change that the platform has answered. */
interface SentChange {
  record: EndpointRecord;
  inputs: EndpointInputs;
  /** The properties that were sent. */
  sent: readonly EndpointProperty[];
}

/** The platform's record after a change. */
interface Shown {
  record: EndpointRecord;
  /** Postgres settings in the platform's spelling, if it differs from the sent one (`8192kB` for `8MB`). */
  spelled?: Record<string, string> | undefined;
  /** The error for values that the platform accepted and does not show. */
  error?: PgComputeError;
}

/** The state to store: the platform's record, the properties that only the program has, and the bookkeeping. */
export function stateOf(
  record: EndpointRecord,
  inputs: Partial<EndpointInputs>,
  book: Bookkeeping = {},
): EndpointState {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu, ...fallback } = inputs;
  const shown = toState(withSentSpelling(record, inputs, book.spelled));
  return withBookkeeping({ ...fallback, ...shown }, { set: setIn(inputs), ...book });
}

/** Throws a partial error for a wait that did not succeed; kept operations of the state stay. */
export function assertEnded(id: string, state: EndpointState, { seen, error }: WaitResult): void {
  if (!error) return;
  const book = bookkeepingOf(state);
  const operations = [...(book.operations ?? []), ...keep(seen)];
  throw new PartialError(id, withBookkeeping(state, { ...book, operations }), error);
}

/**
 * Waits for a change's operations and returns the state with this bookkeeping. Failures are `PartialError`s with the
 * state.
 */
export async function settle(
  context: Context,
  changed: ChangedEndpoint,
  { inputs, sent, book }: Omit<SentChange, "record"> & { book: Bookkeeping },
): Promise<DoneStep> {
  const { endpoint: record, seen } = changed;
  const id = idOf(record);
  const before = stateOf(record, inputs, book);
  assertEnded(id, before, changed);

  const shown = await compareShown(context, { record, inputs, sent }).catch((error: unknown) => {
    throw partial(id, before, error);
  });
  const spelled = sent.includes("pgSettings") ? shown.spelled : book.spelled;
  const state = stateOf(shown.record, inputs, { ...book, spelled });
  if (shown.error) throw partial(id, state, shown.error);
  return { id, state, seen };
}

/** The error of a change after its endpoint existed, with id and state. */
export function partial(id: string, state: EndpointState, error: unknown): PartialError {
  return error instanceof PartialError ? error : new PartialError(id, state, asOwnError(error));
}

/**
 * Compares the sent values with the change's answer, or one more read. An unreturned property counts as sent, with a
 * warning.
 */
async function compareShown(context: Context, change: SentChange): Promise<Shown> {
  const { projectId, id } = change.record;
  const { cache, neverShown } = context.account.project(projectId);
  const answered = findNotShown(change);
  const doubted = answered.notReported.filter((name) => !neverShown.has(name));
  const isShown = answered.notShown.length === 0;
  if (isShown && doubted.length === 0) return { record: change.record };

  // The operations succeeded, so the remaining time must not decide.
  let { record } = change;
  try {
    record = (await lookInTime(context, (late) => cache.readById(id, requestOptions(late)))) ?? record;
  } catch (error) {
    // A warning must not fail a successful change.
    if (!isShown) throw error;
    return { record };
  }

  const { notReported, notShown: open } = findNotShown({ ...change, record });
  // Only properties missing from a read too: an answer alone may be incomplete. The first change warns for all.
  const names = notReported.filter((name) => doubted.includes(name) && !neverShown.has(name));
  for (const name of names) neverShown.add(name);

  if (names.length > 0) {
    // Success must not hide that the value in force is unknown.
    context.reporter.warn(
      `the platform takes ${listed(names)} and does not show ${names.length === 1 ? "it" : "them"}, so that nobody can tell ` +
        `whether that has any effect (said once for all endpoints of project ${projectId})`,
    );
  }

  const spelled = open.includes("pgSettings") ? otherSpelling(change.inputs.pgSettings, record.pgSettings) : undefined;
  if (spelled) {
    const sent = withSettingNames(change.inputs.pgSettings ?? {});
    const names = Object.keys(spelled).filter((name) => spelled[name] !== sent[settingName(name)]);
    context.reporter.warn(
      `the platform shows ${names.map((name) => `pgSettings.${name}`).join(", ")} in another spelling than the program; ` +
        "that counts as what was sent",
    );
  }

  const other = open.filter((name) => !(name === "pgSettings" && spelled));
  if (other.length === 0) return { record, spelled };
  return { record, spelled, error: notShownError(record, change.inputs, other, context.secretNames?.()) };
}

/** True if every returned property of a record matches the program. False if none is returned. */
export function isApplied(record: EndpointRecord, inputs: EndpointInputs, sent: readonly EndpointProperty[]): boolean {
  const told = toState(record);
  // Sending an invisible value again does no harm.
  return sent.some((name) => isReported(told, name)) && findNotShown({ record, inputs, sent }).notShown.length === 0;
}

/**
 * The record with Postgres settings in the sent spelling, if the platform still shows them as right after the change.
 */
export function withSentSpelling(
  record: EndpointRecord,
  { pgSettings }: Values,
  spelled: Record<string, string> | undefined,
): EndpointRecord {
  const { pgSettings: shown } = record;
  if (shown === undefined || !isRecord(pgSettings)) return record;
  const sent = pgSettings as Record<string, string>;
  if (spelled && isDeepStrictEqual({ ...shown }, spelled)) return { ...record, pgSettings: { ...sent } };
  return { ...record, pgSettings: underNamesOf(sent, shown) };
}

/** The returned settings, under the names that were sent. */
function underNamesOf(
  sent: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Map(Object.keys(sent).map((name) => [settingName(name), name]));
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [names.get(settingName(name)) ?? name, value]),
  );
}

/** Lists the sent properties that a record shows with another value, and those that it does not return. */
function findNotShown({ record, inputs, sent }: SentChange): Record<"notShown" | "notReported", EndpointProperty[]> {
  const told = toState(record);
  const open = differences({ ...inputs, ...told }, inputs, new Set(sent));
  const isUntold = (name: EndpointProperty) => propertyOf(name).sent !== "never" && !isReported(told, name);
  return {
    notShown: sent.filter((name) => name in open && isReported(told, name)),
    notReported: sent.filter((name) => inputs[name] !== undefined && isUntold(name)),
  };
}

/** True for a property that the platform returned; a size counts in either form. */
function isReported(told: EndpointState, name: EndpointProperty): boolean {
  return propertyOf(name).compared === "size" || told[name] !== undefined;
}

/** The returned settings, if they have the sent names and differ only in spelling. */
function otherSpelling(
  sent: Readonly<Record<string, string>> | undefined,
  shown: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  const names = (settings: object | undefined) => Object.keys(withSettingNames({ ...settings })).sort();
  return shown && isDeepStrictEqual(names(sent), names(shown)) ? { ...shown } : undefined;
}

function notShownError(
  record: EndpointRecord,
  inputs: EndpointInputs,
  missing: readonly EndpointProperty[],
  secret: ReadonlySet<string> = new Set(),
): PgComputeError {
  const told = toState(record);
  const sides = missing.map((name) => {
    if (secret.has(name)) return `${name}, whose value the program keeps secret`;
    const sent = JSON.stringify(inputs[name] ?? propertyOf(name).resetTo);
    const isSize = propertyOf(name).compared === "size" && told.sizeCu === undefined;
    const shown = isSize
      ? `${told.autoscalingLimitMinCu} to ${told.autoscalingLimitMaxCu} CU`
      : JSON.stringify(told[name]);
    return `${name} was sent as ${sent} and is shown as ${shown}`;
  });
  return new PgComputeError(
    "not_applied",
    `the platform took the change of endpoint ${idOf(record)} and ` + `does not show it: ${sides.join("; ")}`,
    { remedy: { kind: "not_applied", properties: missing } },
  );
}
