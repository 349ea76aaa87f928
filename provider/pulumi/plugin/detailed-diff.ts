import { isDeepStrictEqual } from "node:util";
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { DiffResult } from "../../endpoint/diff";
import type { Change, Difference } from "../../endpoint/differences";

const { Kind } = PropertyDiff;
const inPlace = { add: Kind.ADD, update: Kind.UPDATE, delete: Kind.DELETE } as const;
const replacing = { add: Kind.ADD_REPLACE, update: Kind.UPDATE_REPLACE, delete: Kind.DELETE_REPLACE } as const;

/** Outputs that no update in place changes, so that what depends on them is not unsettled by one. */
const stables = ["projectId", "type", "endpointId", "host", "pooledHost", "proxyHost", "regionId", "createdAt"];

/** The diff as the engine shows it: each property with its kind, settings one by one. */
export function toDiffResponse(result: DiffResult): DiffResponse {
  const response = new DiffResponse();
  response.setChanges(result.changes ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE);
  response.setDeletebeforereplace(result.deleteBeforeReplace);
  response.setStablesList(stables.filter((name) => !(name in result.properties)));
  response.setHasdetaileddiff(true);
  const detailed = response.getDetaileddiffMap();
  for (const [property, { replaces, ...difference }] of Object.entries(result.properties)) {
    response.addDiffs(property);
    if (replaces !== undefined) response.addReplaces(property);
    const kinds = replaces === undefined ? inPlace : replacing;
    const parts = partChanges(property, difference);
    const paths = Object.keys(parts).length > 0 ? parts : { [property]: difference.change };
    for (const [path, one] of Object.entries(paths)) {
      const entry = new PropertyDiff();
      entry.setKind(kinds[one]);
      detailed.set(path, entry);
    }
  }
  return response;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
