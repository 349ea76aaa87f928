/** `state forget`: an exported state without some endpoints, otherwise unchanged. */
import { DRIFTED, DROPPED, IMPORTED, TAKES } from "../../provider/endpoint/input-notes";
import { BOOKKEEPING } from "../../provider/endpoint/state";
import { withoutMember } from "../../provider/fleet/state";
import { nameOfUrn } from "../../provider/lib/owner";
import { isRecord, type Values } from "../../provider/lib/unknown";
import { nearestName, plain, shellWord } from "../../provider/lib/wording";
import { CommandError, exitCodes } from "../exit-code";
import { type Entry, entriesIn, HIDDEN_PROJECT, type Owned } from "./owners";
import { hasSecret, hiddenError, reveal, withChanged } from "./secrets";
import { resourcesOf, type StackExport, type StoredResource } from "./stack-export";

/** A state without the forgotten endpoints, and these. */
export interface Forgotten {
  state: StackExport;
  owned: Owned[];
}

/** The parts of a fleet's inputs and outputs that are keyed by member. */
const byMember = ["endpoints", IMPORTED, DROPPED, DRIFTED, TAKES];

/**
 * Removes endpoints from the state by `PROJECT/ENDPOINT`, owner's URN or `PROJECT`. Throws a `CommandError` without a
 * clear match.
 */
export function forget(state: StackExport, id: string): Forgotten {
  const entries = chosenOf(entriesIn(state), id);
  const isChosen = (resource: StoredResource) => entries.some((entry) => entry.resource === resource);
  const singles = new Set(entries.filter(({ key }) => key === undefined).map(({ resource }) => resource));
  const rest = resourcesOf(state)
    .filter((resource) => !singles.has(resource))
    .map((resource) => (isChosen(resource) ? withoutMembers(resource, entries) : resource));
  const resources = withoutReferences(rest, singles);

  return {
    state: { ...state, deployment: { ...state.deployment, resources } },
    owned: entries.map((one) => one.owned),
  };
}

function chosenOf(entries: readonly Entry[], id: string): Entry[] {
  const isProject = !id.includes("/") && !id.startsWith("urn:");
  const found = entries.filter(({ owned }) => (isProject ? projectOf(owned) === id : isOf(owned, id)));
  const isHidden = entries.some(({ owned }) => owned.id === undefined || projectOf(owned) === HIDDEN_PROJECT);
  if (isHidden && (isProject || found.length === 0)) throw hiddenError();
  const [first, second] = found;
  if (!first) throw notThere(id, entries);
  if (isProject || !second) return found;

  // Of two entries with one endpoint, the replaced one goes.
  const leaving = id.startsWith("urn:") ? [] : found.filter(({ resource }) => resource.delete);
  if (leaving.length > 0) return leaving;
  throw severalFound(id, found);
}

function projectOf({ id = "" }: Owned): string | undefined {
  return id.split("/")[0];
}

/** True for an endpoint with this id or owner. If the export hides the project, compares the endpoint's own id. */
function isOf({ id = "", owner }: Owned, wanted: string): boolean {
  return [id, owner].includes(wanted) || id === `${HIDDEN_PROJECT}/${wanted.split("/")[1]}`;
}

function notThere(id: string, entries: readonly Entry[]): CommandError {
  const ids = entries.flatMap(({ owned }) => owned.id ?? []);
  const meant = ids.find((one) => one.endsWith(`/${id}`)) ?? nearestName(id, ids);
  return new CommandError(
    `the state has no endpoint ${plain(id)}, and nothing was written; ` +
      (meant === undefined ? "`pgcompute state list` shows those that it has" : `did you mean ${plain(meant)}?`),
  );
}

function severalFound(id: string, found: readonly Entry[]): CommandError {
  const byUrn = id.startsWith("urn:");
  const ways = found.map(({ owned }) => (byUrn ? (owned.id ?? "") : shellWord(owned.owner)));
  return new CommandError(
    `the state has ${found.length} entries of ${byUrn ? "this URN" : `endpoint ${plain(id)}`}, and nothing was written; say which of them ` +
      `by its ${byUrn ? "id" : "URN"}: ${ways.join(" or ")}`,
    exitCodes.usage,
  );
}

/** A fleet without these members. An empty fleet stays, so that references to it stay valid. */
function withoutMembers(fleet: StoredResource, entries: readonly Entry[]): StoredResource {
  const keys = entries.flatMap(({ resource, key }) => (resource === fleet && key !== undefined ? [key] : []));
  return keys.reduce(withoutOne, fleet);
}

function withoutOne(fleet: StoredResource, key: string): StoredResource {
  const without = (map: unknown) => (isRecord(map) ? omit(map, key) : map);
  const cut = (values: Values) => byMember.reduce((left, name) => withChanged(left, name, without), values);
  const { inputs, outputs } = fleet;
  return {
    ...fleet,
    ...(inputs && { inputs: cut(inputs) }),
    ...(outputs && { outputs: withoutText(cut(outputs), key) }),
  };
}

/** Removes a member's bookkeeping. If the export hides the text, that part stays: the outputs define the members. */
function withoutText(outputs: Values, key: string): Values {
  if (hasSecret(outputs[BOOKKEEPING]) && typeof reveal(outputs[BOOKKEEPING]) !== "string") return outputs;
  return withChanged(outputs, BOOKKEEPING, (text) => withoutMember(String(text), key));
}

/** The resources without references to removed ones, unless another entry has the same URN. */
function withoutReferences(resources: readonly StoredResource[], gone: ReadonlySet<StoredResource>): StoredResource[] {
  const left = new Set(resources.map(({ urn }) => urn));
  const lost = new Set([...gone].map(({ urn }) => urn).filter((urn) => !left.has(urn)));
  const child = resources.find(({ parent }) => parent !== undefined && lost.has(parent));

  if (child) {
    throw new CommandError(
      `${nameOfUrn(child.parent ?? "")} is the parent of ${nameOfUrn(child.urn)}, and nothing was written; give that another parent first`,
    );
  }
  return resources.map((resource) => withoutReferencesTo(lost, resource));
}

function withoutReferencesTo(lost: ReadonlySet<string>, resource: StoredResource): StoredResource {
  const isLeft = (urn: string) => !lost.has(urn);
  const { dependencies, propertyDependencies, deletedWith, replaceWith } = resource;
  const properties = Object.entries(propertyDependencies ?? {});

  return {
    ...resource,
    ...(dependencies && { dependencies: dependencies.filter(isLeft) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(properties.map(([name, urns]) => [name, urns?.filter(isLeft) ?? null])),
    }),
    ...(deletedWith && !isLeft(deletedWith) && { deletedWith: undefined }),
    ...(replaceWith && { replaceWith: replaceWith.filter(isLeft) }),
  };
}

function omit(values: Values, name: string): Values {
  const { [name]: _, ...others } = values;
  return others;
}
