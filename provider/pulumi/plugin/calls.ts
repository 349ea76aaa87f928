/**
 * The engine's calls about an endpoint or a fleet: decodes each, calls the verb for its URN, and encodes the answer.
 */

import { isDeepStrictEqual } from "node:util";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type DiffResult, replacingNames } from "../../endpoint/diff";
import type { Change, Difference } from "../../endpoint/differences";
import { memberPath } from "../../fleet/model";
import type { MemberPlan } from "../../fleet/plan";
import { typeOfUrn } from "../../lib/owner";
import { isRecord, type Values } from "../../lib/unknown";
import { endpointKind, fleetKind, type Kind } from "../resource";
import { failureRedactor, secretsOfInputs, secretsOfOutputs, withPlaces } from "../secrets";
import type { Session } from "../session";
import { decode, type MarkedValues, type Path } from "../values";
import type { Difference as Compared, FleetDiff, Wanted } from "../wanted";
import { type Answer, toFailure, toStruct, unimplemented } from "./answer";

/** The service's calls about a resource. */
type ResourceCalls = Pick<IResourceProviderServer, "check" | "diff" | "create" | "read" | "update" | "delete">;

/** The type token of an endpoint. */
export const ENDPOINT = "pgcompute:index:Endpoint";
const FLEET = "pgcompute:index:EndpointFleet";

const { Kind: DiffKind } = proto.PropertyDiff;
const inPlace = { add: DiffKind.ADD, update: DiffKind.UPDATE, delete: DiffKind.DELETE } as const;
const replacing = {
  add: DiffKind.ADD_REPLACE,
  update: DiffKind.UPDATE_REPLACE,
  delete: DiffKind.DELETE_REPLACE,
} as const;

/** Outputs that no update in place changes, so that their dependents stay known. */
const stables = ["projectId", "type", "endpointId", "host", "pooledHost", "proxyHost", "regionId", "createdAt"];

/** Builds the calls about a resource. A call for another type throws `unimplemented`. */
export function resourceCalls(session: Session, answer: Answer): ResourceCalls {
  type Asked = { getUrn(): string; getTimeout?(): number };
  const asked = (request: Asked, given: readonly MarkedValues[]) => {
    // 0 where the user set none.
    const timeoutMs = 1_000 * (request.getTimeout?.() ?? 0) || undefined;
    return { kind: kindOf(request.getUrn()), call: session.context(request.getUrn(), given, timeoutMs) };
  };

  const preview = async (
    request: proto.CreateRequest | proto.UpdateRequest,
    program: Wanted<Values> & { id?: string; state?: Values },
    [news, olds]: readonly [MarkedValues, MarkedValues?],
  ): Promise<Struct> => {
    const { kind, call } = asked(request, olds ? [news, olds] : [news]);
    return encodeOutputs(await kind.preview(call, program), secretsOfOutputs(news, olds));
  };
  return {
    check: answer(async (request, { given }) => {
      const [olds, news] = oldsAndNews(request, given);
      const { kind, call } = asked(request, given);
      const secrets = [...olds.secrets, ...news.secrets];
      const { inputs, failures } = await kind.check(call, { olds: olds.values, news: news.values, secrets });
      const response = new proto.CheckResponse().setInputs(toStruct(inputs, secretsOfInputs(news)));
      if (failures.length === 0) return response;

      return response.setFailuresList(
        failures.map(failureRedactor(news, olds)).map(session.toldFailure).map(toFailure),
      );
    }),

    diff: answer(async (request, { given }) => {
      const [olds, news] = oldsAndNews(request, given);
      const { kind, call } = asked(request, given);
      const secrets = [...olds.secrets, ...news.secrets];
      const change = updateOf(request, olds, news);
      const response = toDiffResponse(await kind.diff(call, { ...change, secrets }));
      return withDefaults(response, change);
    }),

    create: answer(async (request, noted) => {
      const news = take(noted.given, request.getProperties(), () => request.clearProperties());
      const response = new proto.CreateResponse();
      if (request.getPreview()) return response.setProperties(await preview(request, { inputs: news.values }, [news]));
      const { kind, call } = asked(request, noted.given);
      noted.encodeState = (state) => encodeOutputs(state, secretsOfOutputs(news));
      const { id, state } = await kind.create(call, news.values);
      return response.setId(id).setProperties(noted.encodeState(state));
    }),

    read: answer(async (request, { given }) => {
      const state = take(given, request.getProperties(), () => request.clearProperties());
      const inputs = take(given, request.getInputs(), () => request.clearInputs());
      const { kind, call } = asked(request, given);
      const found = await kind.read(call, { id: request.getId(), state: state.values, inputs: inputs.values });
      const response = new proto.ReadResponse();
      if (!found) return response;
      response.setId(found.id).setProperties(encodeOutputs(found.state, secretsOfOutputs(inputs, state)));

      if (!found.inputs) return response;
      // After a partial change the old inputs lack values that the state has.
      return response.setInputs(toStruct(found.inputs, [...secretsOfInputs(inputs), ...state.secrets]));
    }),

    update: answer(async (request, noted) => {
      const [olds, news] = oldsAndNews(request, noted.given);
      const change = updateOf(request, olds, news);
      const response = new proto.UpdateResponse();
      if (request.getPreview()) return response.setProperties(await preview(request, change, [news, olds]));
      const { kind, call } = asked(request, noted.given);
      noted.encodeState = (state) => encodeOutputs(state, secretsOfOutputs(news, olds));
      const { state } = await kind.update(call, change);
      return response.setProperties(noted.encodeState(state));
    }),

    delete: answer(async (request, { given }) => {
      const state = take(given, request.getProperties(), () => request.clearProperties());
      const { kind, call } = asked(request, given);
      await kind.remove(call, { id: request.getId(), state: state.values });
      return new Empty();
    }),
  };
}

function kindOf(urn: string): Kind {
  const type = typeOfUrn(urn);
  if (type === ENDPOINT) return endpointKind;
  if (type === FLEET) return fleetKind;
  throw unimplemented(`resource ${type ?? JSON.stringify(urn)}; its resources are ${ENDPOINT} and ${FLEET}`);
}

function encodeOutputs(outputs: Values, secrets: readonly Path[]): Struct {
  return toStruct(withPlaces(outputs, secrets), secrets);
}

/** Decodes a request's values and frees its message, which is many times larger. */
function take(given: MarkedValues[], message: Struct | undefined, letGo: () => void): MarkedValues {
  const written = message?.toJavaScript();
  letGo();
  const marked = decode(written);
  given.push(marked);
  return marked;
}

function oldsAndNews(
  request: proto.CheckRequest | proto.DiffRequest | proto.UpdateRequest,
  given: MarkedValues[],
): [MarkedValues, MarkedValues] {
  const olds = take(given, request.getOlds(), () => request.clearOlds());
  return [olds, take(given, request.getNews(), () => request.clearNews())];
}

function updateOf(request: proto.DiffRequest | proto.UpdateRequest, olds: MarkedValues, news: MarkedValues) {
  const old = request.getOldInputs();
  return {
    ...{ id: request.getId(), state: olds.values, inputs: news.values },
    oldInputs: old && take([], old, () => request.clearOldInputs()).values,
    ignoreChanges: request.getIgnorechangesList(),
  };
}

/** Encodes a diff for the engine. */
export function toDiffResponse(result: Compared): proto.DiffResponse {
  const response = new proto.DiffResponse();
  const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
  response.setChanges(result.changes ? DIFF_SOME : DIFF_NONE).setHasdetaileddiff(true);
  if ("properties" in result) addProperties(response, result);
  else addMembers(response, result);
  return response;
}

/** Adds each changed property with its kind, and settings one by one. */
function addProperties(response: proto.DiffResponse, result: DiffResult): void {
  const { properties, deletesFirst, isGone } = result;
  response.setDeletebeforereplace(deletesFirst).setReplacesList(replacingNames(result));
  response.setStablesList(isGone ? [] : stables.filter((name) => !(name in properties)));
  if (isGone) {
    response.addDiffs("endpointId");
    addDetails(response, { endpointId: "update" }, replacing);
  }
  for (const [property, { replaces, ...difference }] of Object.entries(properties)) {
    response.addDiffs(property);
    addDetails(response, changesWithin(property, difference), replaces === undefined ? inPlace : replacing);
  }
}

/**
 * Adds whole members that come or go, and changed leaves of others. Never a replacing kind, which would replace the
 * fleet.
 */
function addMembers(response: proto.DiffResponse, { changes, plan }: FleetDiff): void {
  if (changes) response.addDiffs("endpoints");
  if (!plan) addDetails(response, { endpoints: "update" });
  for (const member of plan?.members.values() ?? []) addDetails(response, memberChanges(member));
}

/** Adds the changes of a fleet's `defaults`, where the program wrote the values that its members change by. */
function withDefaults(
  response: proto.DiffResponse,
  { inputs, oldInputs }: ReturnType<typeof updateOf>,
): proto.DiffResponse {
  if (response.getChanges() === proto.DiffResponse.DiffChanges.DIFF_NONE) return response;

  const changes = partChanges("defaults", { before: oldInputs?.defaults, after: inputs.defaults });
  if (Object.keys(changes).length > 0) response.addDiffs("defaults");
  addDetails(response, changes);
  for (const path of Object.keys(changes)) response.getDetaileddiffMap().get(path)?.setInputdiff(true);
  return response;
}

function addDetails(
  response: proto.DiffResponse,
  changes: Record<string, Change>,
  kinds: typeof inPlace | typeof replacing = inPlace,
): void {
  for (const [path, change] of Object.entries(changes))
    response.getDetaileddiffMap().set(path, new proto.PropertyDiff().setKind(kinds[change]));
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

/** The changes by path: the property's own, or those of its parts. */
function changesWithin(property: string, difference: Difference): Record<string, Change> {
  const parts = partChanges(property, difference);
  return Object.keys(parts).length > 0 ? parts : { [property]: difference.change };
}

/** The changes within a value that has parts, such as Postgres settings; empty if the parts are unknown. */
function partChanges(
  property: string,
  { before: olds = {}, after: news = {} }: Pick<Difference, "before" | "after">,
): Record<string, Change> {
  if (!isRecord(olds) || !isRecord(news)) return {};
  const changes: Record<string, Change> = {};
  for (const name of Object.keys({ ...olds, ...news })) {
    if (isDeepStrictEqual(olds[name], news[name])) continue;
    const path = /^[a-z_]\w*$/i.test(name) ? `${property}.${name}` : `${property}[${JSON.stringify(name)}]`;
    changes[path] = !Object.hasOwn(olds, name) ? "add" : Object.hasOwn(news, name) ? "update" : "delete";
  }
  return changes;
}
