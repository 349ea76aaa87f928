import { isKnown } from "../lib/unknown";
import { isOpen } from "../platform/project/outcome";
import { orphanMessages } from "../pulumi/run/orphaned-endpoints";
import type { Context } from "./context";
import { type Change, differences, setBefore } from "./differences";
import { parseId } from "./identity";
import { type Impact, impactMessages, withoutSecrets } from "./impact/impact";
import { type PlannedChange, plannedImpact } from "./impact/planned";
import type { EndpointProperty } from "./model";
import { type CheckedInputs, parseInputs } from "./parse-inputs";
import { bookkeepingOf, type EndpointState } from "./state";

/** What a host hands to diff. `inputs` are checked ones, with UNKNOWN for what is not known yet. */
export interface DiffRequest {
  id: string;
  state: EndpointState;
  inputs: Readonly<Record<string, unknown>>;
  /** The inputs of the last run, where the host has them. */
  oldInputs?: Readonly<Record<string, unknown>> | undefined;
  /** Properties whose changes the user has asked to ignore. */
  ignoreChanges?: readonly string[] | undefined;
  /** Properties whose values the messages must not show. */
  secret?: ReadonlySet<string> | undefined;
  /** Properties whose changes are to replace the endpoint, where the engine leaves that to the host. */
  replaceOnChanges?: readonly string[] | undefined;
}

/** One property's part of a diff. */
export interface PropertyDifference {
  change: Change;
  /** Why the endpoint has to be replaced for it; absent where it is changed in place. */
  replaces?: string;
}

/** What has to change, and what that does to a running endpoint. */
export interface DiffResult {
  changes: boolean;
  properties: Partial<Record<EndpointProperty, PropertyDifference>>;
  /** Only when the endpoint is replaced: delete the old one before the new one is created. */
  deleteBeforeReplace: boolean;
  /** Absent when nothing changes. */
  impact?: Impact;
  /** For people: the impact, and why a replacement is one; short sentences. */
  messages: string[];
}

/**
 * Compares the state with the inputs and plans the change: in place, a move, or a replacement (specification, sections
 * 3.2, 3.3 and 4.5). Reports a change while operations are kept, so that the next run resumes their wait.
 */
export async function diff(context: Context, request: DiffRequest): Promise<DiffResult> {
  const { state, secret = new Set<string>() } = request;
  const { endpointId } = parseId(request.id);
  context.ledger.identify(context.urn, endpointId);
  const { inputs } = parseInputs(request.inputs);
  const found = differences(state, inputs, setBefore(state, request.oldInputs));
  // A path into a property leaves the rest of it to compare: the engine has put the ignored part back already.
  for (const ignored of request.ignoreChanges ?? []) delete found[ignored as EndpointProperty];
  const kept = bookkeepingOf(state).operations ?? [];
  const properties: DiffResult["properties"] = {};
  for (const [property, change] of Object.entries(found) as [EndpointProperty, Change][]) {
    const replaces =
      (await replacementReason(context, property, { endpointId, state, inputs })) ?? askedReason(property, request);
    properties[property] = { change, ...(replaces === undefined ? {} : { replaces }) };
  }
  const messages = kept.map(
    ({ id, action, status }) =>
      `operation ${id} (${action}) was ${isOpen({ status }, 0) ? "still " : ""}"${status}" at the end of the last run: ` +
      "it is looked at again",
  );
  messages.push(...(await orphanMessages(context, endpointId, state)));
  const reasons = Object.values(properties).flatMap(({ replaces }) => replaces ?? []);
  const deleteBeforeReplace = deletesFirst(state, inputs);
  const result = { changes: Object.keys(found).length > 0 || kept.length > 0, properties, deleteBeforeReplace };
  const kind = reasons.length > 0 ? "replace" : "update";
  const planned: PlannedChange = { kind, state, inputs, found, deleteBeforeReplace };
  const inPlace = result.changes && kind === "update";
  context.ledger.announce(context.urn, inPlace ? { change: planned, secret } : undefined);
  if (Object.keys(found).length === 0) return { ...result, messages };
  const impact = withoutSecrets(plannedImpact(planned), secret);
  return { ...result, impact, messages: [...messages, ...reasons, ...impactMessages(impact)] };
}

async function replacementReason(
  context: Context,
  property: EndpointProperty,
  { endpointId, state, inputs }: { endpointId: string; state: EndpointState; inputs: Partial<CheckedInputs> },
): Promise<string | undefined> {
  if (property === "projectId" || property === "type") {
    const what = property === "type" ? "type" : "project";
    const unknown = isKnown(inputs[property]) ? "" : `${property} is not known yet, and `;
    return `replaced: ${unknown}an endpoint cannot change its ${what}`;
  }
  if (property !== "branchId" || inputs.type !== "read_only") return undefined;
  const { projectId, branchId } = inputs;
  if (!isKnown(branchId) || !isKnown(projectId) || projectId !== state.projectId) return undefined;
  const others = await context.account.project(projectId).cache.onBranch(branchId, { signal: context.signal });
  // The endpoint itself may be there already: moved by a run that could not record it.
  if (others.every(({ id }) => id === endpointId)) return undefined;
  return `replaced: branch ${branchId} already has an endpoint, and an endpoint moves in place only to a branch without any`;
}

function askedReason(property: EndpointProperty, { state, inputs, replaceOnChanges = [] }: DiffRequest) {
  const differs = (setting: string) => settingOf(state.pgSettings, setting) !== settingOf(inputs.pgSettings, setting);
  const asked = replaceOnChanges.some((path) => {
    if (path === "*" || path === property) return true;
    const [, plain, quoted] = path.match(/^pgSettings(?:\.(\w+)|\["(.+)"\])$/) ?? [];
    const setting = plain ?? quoted;
    return property === "pgSettings" && (path === "pgSettings.*" || (setting !== undefined && differs(setting)));
  });
  return asked ? `replaced: the program asks for it when ${property} changes (replaceOnChanges)` : undefined;
}

function settingOf(settings: unknown, name: string): unknown {
  return typeof settings === "object" ? (settings as Record<string, unknown> | null)?.[name] : undefined;
}

/** True when old and new would stand in each other's way on a branch, or when the old one makes room for another. */
function deletesFirst(state: EndpointState, inputs: Partial<CheckedInputs>): boolean {
  if (state.type !== "read_write" || state.projectId !== inputs.projectId) return false;
  return inputs.type !== "read_write" || inputs.branchId === state.branchId;
}
