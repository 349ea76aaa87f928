/** The engine's calls about an endpoint: each is decoded, handed to the lifecycle, and answered. */

import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { typeOfUrn } from "../../lib/owner";
import { completeInputs, orRefusedKey } from "../check";
import { check, create, diff, forcedReplacementMessage, read, remove, update } from "../lifecycle";
import { announceStep, previewCreate, previewUpdate, reportDiff } from "../preview";
import { type MarkedValues, redactFailure, secretNames, secretsOfState, stillSecret } from "../secrets";
import { type Answer, toFailure, unimplemented } from "./answer";
import { toDiffResponse } from "./detailed-diff";
import type { Session } from "./session";
import { decode, encode, type Struct } from "./values";

/** The type of an endpoint. */
export const ENDPOINT = "pgcompute:index:Endpoint";
const FLEET = "pgcompute:index:EndpointFleet";

/** The calls about a resource. */
export type ResourceCalls = Pick<IResourceProviderServer, "check" | "diff" | "create" | "read" | "update" | "delete">;

/** Each call to the resource that its URN names. */
export function callsByType(endpoint: ResourceCalls, fleet: ResourceCalls): ResourceCalls {
  const of = ({ request }: { request: { getUrn(): string } }) =>
    typeOfUrn(request.getUrn()) === FLEET ? fleet : endpoint;
  return {
    check: (call, callback) => of(call).check(call, callback),
    diff: (call, callback) => of(call).diff(call, callback),
    create: (call, callback) => of(call).create(call, callback),
    read: (call, callback) => of(call).read(call, callback),
    update: (call, callback) => of(call).update(call, callback),
    delete: (call, callback) => of(call).delete(call, callback),
  };
}

/** The calls about an endpoint, and the refusal of what is neither that nor a fleet. */
export function endpointCalls(session: Session, answer: Answer): ResourceCalls {
  const contextOf = (urn: string, given: readonly MarkedValues[], timeoutSeconds?: number) => {
    requireResource(urn);
    return session.context(urn, given, timeoutSeconds);
  };
  return {
    check: answer(
      async ({ request }) => {
        const olds = decode(request.getOlds());
        const news = decode(request.getNews());
        const context = contextOf(request.getUrn(), [olds, news]);
        const secret = secretNames(olds, news);
        const { inputs, failures } = await orRefusedKey(news.values, () =>
          check(context, { olds: olds.values, news: news.values, secret }),
        );
        const response = new proto.CheckResponse().setInputs(encode(inputs, news.secrets));
        return response.setFailuresList(failures.map((failure) => toFailure(redactFailure(failure, news, olds))));
      },
      (request) => request.getNews(),
    ),

    diff: answer(
      async ({ request }) => {
        const olds = decode(request.getOlds());
        const news = decode(request.getNews());
        const context = contextOf(request.getUrn(), [olds, news]);
        const [state, inputs] = [olds.values, news.values];
        const oldInputs = knownOrAbsent(request.getOldInputs());
        const ignoreChanges = request.getIgnorechangesList();
        const secret = secretNames(olds, news);
        const result = await diff(context, { id: request.getId(), state, inputs, oldInputs, ignoreChanges, secret });
        reportDiff(context.reporter, result);
        return toDiffResponse(result);
      },
      (request) => request.getNews(),
    ),

    create: answer(
      async ({ request }) => {
        const properties = decode(request.getProperties());
        const { values, secrets } = properties;
        const context = contextOf(request.getUrn(), [properties], request.getTimeout());
        const response = new proto.CreateResponse();
        const forced = forcedReplacementMessage(context);
        if (forced !== undefined) context.reporter.warn(forced);
        if (request.getPreview()) {
          const preview = await previewCreate(context, values);
          await announceStep(context);
          return response.setProperties(encode(preview, secretsOfState(secrets)));
        }
        const { id, state } = await create(context, completeInputs(values));
        return response.setId(id).setProperties(encode(state, secretsOfState(secrets)));
      },
      (request) => request.getProperties(),
    ),

    read: answer(
      async ({ request }) => {
        const state = decode(request.getProperties());
        const inputs = decode(request.getInputs());
        const context = contextOf(request.getUrn(), [state, inputs]);
        const id = request.getId();
        const known = Object.keys(inputs.values).length > 0 ? inputs.values : undefined;
        const result = await read(context, { id, state: state.values, oldInputs: known });
        const response = new proto.ReadResponse();
        if (!result) return response;
        const secrets = [...state.secrets, ...secretsOfState(inputs.secrets)];
        response.setId(id).setProperties(encode(result.state, secrets));
        return response.setInputs(encode(result.inputs, secrets));
      },
      (request) => request.getProperties(),
    ),

    update: answer(
      async ({ request }) => {
        const [olds, news] = [decode(request.getOlds()), decode(request.getNews())];
        const context = contextOf(request.getUrn(), [olds, news], request.getTimeout());
        const [state, values] = [olds.values, news.values];
        const secrets = [...news.secrets, ...stillSecret(olds.secrets, values)];
        const response = new proto.UpdateResponse();
        const oldInputs = knownOrAbsent(request.getOldInputs());
        const ignoreChanges = request.getIgnorechangesList();
        if (request.getPreview()) {
          await announceStep(context);
          const preview = previewUpdate(context.account.settings.profile, state, values, oldInputs, ignoreChanges);
          return response.setProperties(encode(preview, secretsOfState(secrets)));
        }
        const inputs = completeInputs(values);
        const result = await update(context, { id: request.getId(), state, inputs, oldInputs, ignoreChanges });
        return response.setProperties(encode(result.state, secretsOfState(secrets)));
      },
      (request) => request.getNews(),
      (request) => request.getOlds(),
    ),

    delete: answer(
      async ({ request }) => {
        const state = decode(request.getProperties());
        const context = contextOf(request.getUrn(), [state], request.getTimeout());
        await remove(context, { id: request.getId(), state: state.values });
        return new Empty();
      },
      (request) => request.getProperties(),
    ),
  };
}

function requireResource(urn: string): void {
  const type = typeOfUrn(urn);
  if (type === ENDPOINT) return;
  throw unimplemented(`resource ${type ?? JSON.stringify(urn)}; its resources are ${ENDPOINT} and ${FLEET}`);
}

/** The values of a struct; undefined where there is none. */
export function knownOrAbsent(struct: Struct | undefined): Readonly<Record<string, unknown>> | undefined {
  return struct ? decode(struct).values : undefined;
}
