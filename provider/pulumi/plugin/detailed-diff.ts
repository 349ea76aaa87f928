import { isDeepStrictEqual } from "node:util";
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { DiffResult } from "../../endpoint/diff";
import type { Change } from "../../endpoint/differences";

type Values = Readonly<Record<string, unknown>>;

const { Kind } = PropertyDiff;
const inPlace = { add: Kind.ADD, update: Kind.UPDATE, delete: Kind.DELETE } as const;
const replacing = { add: Kind.ADD_REPLACE, update: Kind.UPDATE_REPLACE, delete: Kind.DELETE_REPLACE } as const;

/** Outputs that no update in place changes, so that what depends on them is not unsettled by one. */
const stables = ["projectId", "type", "endpointId", "host", "pooledHost", "proxyHost", "regionId", "createdAt"];

/** The diff as the engine shows it: each property with its kind, settings one by one. */
export function toDiffResponse(result: DiffResult, oldValues: Values, newValues: Values): DiffResponse {
  const response = new DiffResponse();
  response.setChanges(result.changes ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE);
  response.setDeletebeforereplace(result.deleteBeforeReplace);
  response.setStablesList(stables.filter((name) => !(name in result.properties)));
  response.setHasdetaileddiff(true);
  const detailed = response.getDetaileddiffMap();
  for (const [property, { change, replaces }] of Object.entries(result.properties)) {
    response.addDiffs(property);
    if (replaces !== undefined) response.addReplaces(property);
    const kinds = replaces === undefined ? inPlace : replacing;
    const parts = property === "pgSettings" ? settingChanges(oldValues.pgSettings, newValues.pgSettings) : {};
    const paths = Object.keys(parts).length > 0 ? parts : { [property]: change };
    for (const [path, one] of Object.entries(paths)) {
      const entry = new PropertyDiff();
      entry.setKind(kinds[one]);
      detailed.set(path, entry);
    }
  }
  return response;
}

function settingChanges(before: unknown, after: unknown): Record<string, Change> {
  const olds = isRecord(before) ? before : {};
  const news = isRecord(after) ? after : {};
  const changes: Record<string, Change> = {};
  for (const name of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    if (isDeepStrictEqual(olds[name], news[name])) continue;
    const path = /^[a-z_]\w*$/i.test(name) ? `pgSettings.${name}` : `pgSettings[${JSON.stringify(name)}]`;
    changes[path] = !(name in olds) ? "add" : name in news ? "update" : "delete";
  }
  return changes;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
