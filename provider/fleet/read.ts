/** Reads a fleet: the current endpoint of each member, from one list per project. */
import { formatId, idOfState } from "../endpoint/identity";
import { read } from "../endpoint/read";
import { isId } from "../lib/ids";
import type { Values } from "../lib/unknown";
import { quoted } from "../lib/wording";
import { PgComputeError } from "../platform/errors";
import { KEY_PATTERN } from "./model";
import { splitOptions } from "./parse-fleet";
import type { FleetContext } from "./prepare";
import { importMark, memberOf, type StoredMember, type StoredMembers, withSpent } from "./state";

/** The form of a fleet's id (`newFleetId`). */
const FLEET_ID_PATTERN = /^fleet-[0-9a-f]{8}$/;

/** The members with an existing endpoint, and their inputs with notes. */
export interface FleetRead {
  members: Map<string, StoredMember> & StoredMembers;
  inputs: Map<string, Values>;
}

/** Reads a state's members, and keeps marks of done `importId`s. `inputsOf` gives the last run's inputs with notes. */
export async function readFleet(
  context: FleetContext,
  stored: StoredMembers,
  inputsOf: (key: string) => Values | undefined,
): Promise<FleetRead> {
  const found = await Promise.all(
    [...stored].map(async ([key, member]) => {
      const { state, ...flags } = member;
      const id = idOfState(state);
      const old = splitOptions(inputsOf(key) ?? {});
      const now = await read(context.member(key), { id, state, oldInputs: old.inputs });
      return now
        ? [{ key, member: { ...member, state: now.state }, inputs: { ...now.inputs, ...flags, ...old.options } }]
        : [];
    }),
  );

  const there = collect(found.flat());
  const gone = [...stored].flatMap(([key, { state, importId = idOfState(state) }]) =>
    there.members.has(key) ? [] : [[key, importMark(importId)] as const],
  );
  return { ...there, members: withSpent(there.members, new Map([...(stored.spent ?? []), ...gone])) };
}

/** Reads endpoints for an import: all of `PROJECT`, or those in `PROJECT/ep-1,key=ep-2`. The default key is the id. */
export async function importFleet(context: FleetContext, id: string): Promise<FleetRead> {
  const { projectId, endpoints } = parseImport(id);
  const { cache } = context.account.project(projectId);
  const snapshot = await cache.snapshot({
    sinceMs: context.account.clock.now(),
    signal: context.signal,
    onWait: context.reporter.status,
  });

  const wanted = endpoints ?? new Map(snapshot.all().map((record) => [record.id, record.id]));
  const found = await Promise.all(
    [...wanted].map(async ([key, endpointId]) => {
      const now = await read(context.member(key), { id: formatId({ projectId, endpointId }) });
      if (!now) throw new PgComputeError("not_found", `project ${projectId} has no endpoint ${endpointId}`);
      return { key, member: memberOf(now.state), inputs: now.inputs };
    }),
  );
  return collect(found);
}

function parseImport(id: string): { projectId: string; endpoints?: Map<string, string> } {
  const [projectId = "", list, ...rest] = id.split("/");
  const pairs = list?.split(",").map((text) => {
    const at = text.indexOf("=");
    return at < 0 ? { key: text, endpointId: text } : { key: text.slice(0, at), endpointId: text.slice(at + 1) };
  });

  const isRight = ({ key, endpointId }: { key: string; endpointId: string }) =>
    KEY_PATTERN.test(key) && isId(endpointId) && endpointId.startsWith("ep-");
  const keys = new Set(pairs?.map(({ key }) => key));
  const ids = new Set(pairs?.map(({ endpointId }) => endpointId));
  const isOnce = pairs === undefined || (keys.size === pairs.length && ids.size === pairs.length);
  const isFleet = FLEET_ID_PATTERN.test(id);

  if (isFleet || !isId(projectId) || rest.length > 0 || !isOnce || pairs?.some((pair) => !isRight(pair))) {
    throw new PgComputeError(
      "invalid_argument",
      `${quoted(id)} is ${isFleet ? "a fleet's own id, which does not tell its endpoints" : "not what a fleet can be imported by"}: write PROJECT for all endpoints of a project, PROJECT/ep-1,ep-2 for some, ` +
        "or PROJECT/KEY=ep-1,... to give them keys; each key and each endpoint once",
    );
  }
  return { projectId, ...(pairs && { endpoints: new Map(pairs.map(({ key, endpointId }) => [key, endpointId])) }) };
}

function collect(found: readonly { key: string; member: StoredMember; inputs: Values }[]): FleetRead {
  return {
    members: new Map(found.map(({ key, member }) => [key, member])),
    inputs: new Map(found.map(({ key, inputs }) => [key, inputs])),
  };
}
