/** Endpoints as one fleet: by what it is imported, and what a program says of it. */
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../exit-code";
import type { Named } from "./names";

type Setting = object | undefined;

/** The id by which a fleet is imported. Throws a `CommandError` for endpoints of several projects. */
export function fleetImportId(members: readonly Named[]): string {
  const projects = [...new Set(members.map(({ projectId }) => projectId))];
  if (projects.length > 1) {
    throw new CommandError(
      `a fleet is imported from one project, and these endpoints are of ${projects.length}: give --project with one of ${projects.join(", ")}`,
    );
  }
  return `${projects[0]}/${members.map(({ name, endpointId }) => `${name}=${endpointId}`).join(",")}`;
}

/** The arguments of a fleet of these members: what most of them have as defaults, and with each what differs. */
export function fleetProgram(members: readonly Named[]) {
  const settings = members.map(settingsOf);
  const kinds = settings[0]?.map((_, kind) => settings.map((one) => one[kind])) ?? [];
  const defaults = kinds.map(defaultOf);
  const ownOf = (one: readonly Setting[]) => one.filter((setting, kind) => !isDeepStrictEqual(setting, defaults[kind]));
  return {
    projectId: members[0]?.projectId,
    defaults: Object.assign({}, ...defaults),
    endpoints: Object.fromEntries(
      members.map(({ name, branchId }, at) => [name, Object.assign({ branchId }, ...ownOf(settings[at] ?? []))]),
    ),
  };
}

/**
 * What a program says of a member beside its place, by kind; the two sizes are one, since neither can be said alone. Postgres settings are
 * left out, since they may hold secrets: what a program does not say stays as the platform has it.
 */
function settingsOf({
  type,
  autoscalingLimitMinCu,
  autoscalingLimitMaxCu,
  suspendTimeoutSeconds,
}: Named): readonly Setting[] {
  const hasSizes = autoscalingLimitMinCu !== undefined && autoscalingLimitMaxCu !== undefined;
  return [
    { type },
    hasSizes ? { autoscalingLimitMinCu, autoscalingLimitMaxCu } : undefined,
    suspendTimeoutSeconds === undefined ? undefined : { suspendTimeoutSeconds },
  ];
}

/** What most members have. A default holds for whoever does not say otherwise, so there is none where one of them is not known. */
function defaultOf(all: readonly Setting[]): Setting {
  if (all.includes(undefined)) return undefined;
  const counts = new Map<string, number>();
  for (const one of all) counts.set(JSON.stringify(one), (counts.get(JSON.stringify(one)) ?? 0) + 1);
  const [[most = "{}"] = []] = [...counts].sort(([, a], [, b]) => b - a);
  return JSON.parse(most);
}
