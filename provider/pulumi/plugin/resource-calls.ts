import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { parseInputs } from "../../endpoint/parse-inputs";
import type { EndpointInputs } from "../../endpoint/properties";
import { isKind, PgComputeError } from "../../platform/errors";
import { reportDiff } from "../diff-report";
import { messageFor } from "../kind-advice";
import { check, create, diff, forcedReplacement, read, remove, update } from "../lifecycle";
import { previewCreate, previewUpdate } from "../preview";
import type { Answer } from "./answer";
import { toDiffResponse } from "./detailed-diff";
import { toFailure } from "./failures";
import { secretsOfState, stillSecret } from "./secrets";
import type { Session } from "./session";
import { unimplemented } from "./status";
import { decode, encode, hasUnknown, type Path, type Struct } from "./values";

const RESOURCE = "pgcompute:index:Endpoint";

type ResourceCalls = Pick<IResourceProviderServer, "check" | "diff" | "create" | "read" | "update" | "delete">;

/** The calls about the one resource. */
export function resourceCalls(session: Session, answer: Answer): ResourceCalls {
  const contextOf = (urn: string, timeoutSeconds?: number) => {
    requireResource(urn);
    return session.context(urn, timeoutSeconds);
  };
  return {
    check: answer(
      async ({ request }) => {
        const context = contextOf(request.getUrn());
        const news = decode(request.getNews());
        const response = new proto.CheckResponse();
        try {
          const olds = decode(request.getOlds()).values;
          const result = await check(context, { olds, news: news.values, secret: namesOf(news.secrets) });
          response.setInputs(encode(result.inputs, news.secrets));
          return response.setFailuresList(result.failures.map((failure) => toFailure(failure, news)));
        } catch (error) {
          // No property is to blame for the key.
          if (!isKind(error, "unauthorized", "forbidden")) throw error;
          response.setInputs(request.getNews());
          return response.setFailuresList([toFailure({ property: "", reason: messageFor(error) }, news)]);
        }
      },
      (request) => request.getNews(),
    ),

    diff: answer(
      async ({ request }) => {
        const context = contextOf(request.getUrn());
        const olds = decode(request.getOlds());
        const news = decode(request.getNews());
        const [state, inputs] = [olds.values, news.values];
        const oldInputs = knownOrAbsent(request.getOldInputs());
        const ignoreChanges = request.getIgnorechangesList();
        const secret = namesOf(olds.secrets, news.secrets);
        const result = await diff(context, { id: request.getId(), state, inputs, oldInputs, ignoreChanges, secret });
        reportDiff(context.reporter, result);
        return toDiffResponse(result);
      },
      (request) => request.getNews(),
    ),

    create: answer(
      async ({ request }) => {
        const context = contextOf(request.getUrn(), request.getTimeout());
        const { values, secrets } = decode(request.getProperties());
        const response = new proto.CreateResponse();
        const forced = forcedReplacement(context);
        if (forced !== undefined) context.reporter.warn(forced);
        if (request.getPreview()) {
          const preview = await previewCreate(context, values);
          context.run.claims.done(context.urn);
          return response.setProperties(encode(preview, secretsOfState(secrets)));
        }
        const { id, state } = await create(context, completeInputs(values));
        return response.setId(id).setProperties(encode(state, secretsOfState(secrets)));
      },
      (request) => request.getProperties(),
    ),

    read: answer(
      async ({ request }) => {
        const context = contextOf(request.getUrn());
        const state = decode(request.getProperties());
        const inputs = decode(request.getInputs());
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
        const context = contextOf(request.getUrn(), request.getTimeout());
        const { values: state, secrets: sealed } = decode(request.getOlds());
        const { values, secrets: given } = decode(request.getNews());
        const secrets = [...given, ...stillSecret(sealed, values)];
        const response = new proto.UpdateResponse();
        const oldInputs = knownOrAbsent(request.getOldInputs());
        if (request.getPreview()) {
          context.run.claims.done(context.urn);
          return response.setProperties(encode(previewUpdate(state, values, oldInputs), secretsOfState(secrets)));
        }
        const inputs = completeInputs(values);
        const result = await update(context, { id: request.getId(), state, inputs, oldInputs });
        return response.setProperties(encode(result.state, secretsOfState(secrets)));
      },
      (request) => request.getNews(),
      (request) => request.getOlds(),
    ),

    delete: answer(
      async ({ request }) => {
        const context = contextOf(request.getUrn(), request.getTimeout());
        await remove(context, { id: request.getId(), state: decode(request.getProperties()).values });
        return new Empty();
      },
      (request) => request.getProperties(),
    ),
  };
}

/** The names of the properties in which there are secrets. */
function namesOf(...secrets: (readonly Path[])[]): ReadonlySet<string> {
  return new Set(secrets.flat().map(([first]) => String(first)));
}

function requireResource(urn: string): void {
  const type = urn.split("::")[2]?.split("$").at(-1);
  if (type === RESOURCE) return;
  throw unimplemented(`resource ${type ?? JSON.stringify(urn)}; its one resource is ${RESOURCE}`);
}

function knownOrAbsent(struct: Struct | undefined): Readonly<Record<string, unknown>> | undefined {
  return struct ? decode(struct).values : undefined;
}

/** The inputs of a real change. The engine sends checked ones; anything else must not become a call. */
function completeInputs(values: Readonly<Record<string, unknown>>): EndpointInputs {
  const { inputs, failures } = parseInputs(values);
  if (failures.length > 0) {
    const reasons = failures.map(({ property, reason }) => `${property}: ${reason}`).join("; ");
    throw new PgComputeError("invalid_argument", `the engine sent inputs that cannot be used: ${reasons}`);
  }
  if (hasUnknown(inputs)) {
    throw new PgComputeError("invalid_argument", "the engine sent inputs of which some are not known yet");
  }
  return inputs as EndpointInputs;
}
