import { isDeepStrictEqual } from "node:util";
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { DiffResult } from "../../endpoint/diff";
import type { Change, Difference } from "../../endpoint/differences";
import { memberPath } from "../../fleet/model";
import type { MemberPlan } from "../../fleet/plan";
import { isRecord } from "../../lib/unknown";
import type { FleetDiff } from "../fleet/lifecycle";

const { Kind } = PropertyDiff;
const inPlace = { add: Kind.ADD, update: Kind.UPDATE, delete: Kind.DELETE } as const;
const replacing = { add: Kind.ADD_REPLACE, update: Kind.UPDATE_REPLACE, delete: Kind.DELETE_REPLACE } as const;

/** Outputs that no update in place changes, so that what depends on them is not unsettled by one. */
const stables = ["projectId", "type", "endpointId", "host", "pooledHost", "proxyHost", "regionId", "createdAt"];

/** The diff as the engine shows it. */
export function toDiffResponse(result: DiffResult | FleetDiff): DiffResponse {
  const response = new DiffResponse();
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  response.setChanges(result.changes ? DIFF_SOME : DIFF_NONE).setHasdetaileddiff(true);
  if ("properties" in result) addProperties(response, result);
  else addMembers(response, result);
  return response;
}

/** Each property with its kind, settings one by one. */
function addProperties(response: DiffResponse, { properties, deleteBeforeReplace }: DiffResult): void {
  response.setDeletebeforereplace(deleteBeforeReplace);
  response.setStablesList(stables.filter((name) => !(name in properties)));
  const detailed = response.getDetaileddiffMap();
  for (const [property, { replaces, ...difference }] of Object.entries(properties)) {
    response.addDiffs(property);
    if (replaces !== undefined) response.addReplaces(property);
    const kinds = replaces === undefined ? inPlace : replacing;
    for (const [path, one] of Object.entries(changesWithin(property, difference)))
      detailed.set(path, entryOf(kinds[one]));
  }
}

/** Members that come or go as a whole, of the others the leaves. Never a kind that replaces: the engine would replace the whole fleet. */
function addMembers(response: DiffResponse, { changes, plan }: FleetDiff): void {
  if (changes) response.addDiffs("endpoints");
  const detailed = response.getDetaileddiffMap();
  if (!plan) detailed.set("endpoints", entryOf(Kind.UPDATE));
  for (const member of plan?.members.values() ?? []) {
    for (const [path, one] of Object.entries(memberChanges(member))) detailed.set(path, entryOf(inPlace[one]));
  }
}

function memberChanges({ key, change, diff, member, stored }: MemberPlan): Record<string, Change> {
  if (change === "same") return {};
  if (change === "create" || change === "adopt") return { [memberPath(key)]: "add" };
  if (change === "delete" || change === "release") return { [memberPath(key)]: "delete" };
  const properties = Object.entries(diff?.properties ?? {}).map(([name, { replaces: _, ...difference }]) =>
    changesWithin(memberPath(key, name), difference),
  );
  const options = (["protect", "retainOnDelete"] as const)
    .filter((name) => (member?.options[name] === true) !== (stored?.[name] === true))
    .map((name) => ({ [memberPath(key, name)]: "update" as const }));
  const all: Record<string, Change> = Object.assign({}, ...properties, ...options);
  return Object.keys(all).length > 0 ? all : { [memberPath(key)]: "update" };
}

function entryOf(kind: (typeof inPlace)[Change] | (typeof replacing)[Change]): PropertyDiff {
  const entry = new PropertyDiff();
  entry.setKind(kind);
  return entry;
}

/** A change of a property by its path, or of the parts of its value by theirs. */
function changesWithin(property: string, difference: Difference): Record<string, Change> {
  const parts = partChanges(property, difference);
  return Object.keys(parts).length > 0 ? parts : { [property]: difference.change };
}

/** The changes within a value that has parts, such as Postgres settings; none where the parts are not known. */
function partChanges(property: string, { before = {}, after = {} }: Difference): Record<string, Change> {
  if (!isRecord(before) || !isRecord(after)) return {};
  const [olds, news] = [before, after];
  const changes: Record<string, Change> = {};
  for (const name of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    if (isDeepStrictEqual(olds[name], news[name])) continue;
    const path = /^[a-z_]\w*$/i.test(name) ? `${property}.${name}` : `${property}[${JSON.stringify(name)}]`;
    changes[path] = !Object.hasOwn(olds, name) ? "add" : Object.hasOwn(news, name) ? "update" : "delete";
  }
  return changes;
}
