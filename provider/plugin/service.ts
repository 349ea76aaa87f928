import { isDeepStrictEqual } from "node:util";
import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { isKind } from "../api/errors";
import { check } from "../endpoint/check";
import { create } from "../endpoint/create";
import { remove } from "../endpoint/delete";
import { diff } from "../endpoint/diff";
import type { EndpointInputs } from "../endpoint/model";
import { previewCreate, previewUpdate } from "../endpoint/preview";
import { read } from "../endpoint/read";
import { checkShape } from "../endpoint/shape";
import { update } from "../endpoint/update";
import { callFunction, isFunction } from "../functions/functions";
import { reportDiff } from "../host/diff-report";
import type { Failure } from "../rules/failure";
import { version } from "../version";
import { checkConfiguration, configurationWarnings } from "./configuration";
import { toDiffResponse } from "./detailed-diff";
import { schemaText } from "./schema";
import type { Session } from "./session";
import { toServiceError, unimplemented } from "./status";
import { decode, encode, type Path } from "./values";

const RESOURCE = "pgcompute:index:Endpoint";
const FUNCTION = "pgcompute:index:";

/** The `ResourceProvider` service: translates between gRPC and the lifecycle functions, and decides nothing itself. */
export function createService(session: Session): IResourceProviderServer {
  return {
    handshake: answer(async ({ request }) => {
      session.attach(request.getEngineAddress());
      const response = new proto.ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      return response;
    }),

    attach: answer(async ({ request }) => {
      session.attach(request.getAddress());
      return new Empty();
    }),

    getPluginInfo: answer(async () => new PluginInfo().setVersion(version)),

    getSchema: answer(async () => new proto.GetSchemaResponse().setSchema(schemaText())),

    checkConfig: answer(async ({ request }) => {
      const news = request.getNews();
      const response = new proto.CheckResponse();
      response.setFailuresList(checkConfiguration(decode(news).values, session.env).map(toFailure));
      return response.setInputs(news);
    }),

    diffConfig: answer(async ({ request }) => {
      // Old inputs where the engine sends them; older engines send them as the old state.
      const olds = decode(request.getOldInputs() ?? request.getOlds()).values;
      const news = decode(request.getNews()).values;
      for (const warning of configurationWarnings(olds, news)) session.reporter(request.getUrn()).warn(warning);
      const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
      return new proto.DiffResponse().setChanges(isDeepStrictEqual(olds, news) ? DIFF_NONE : DIFF_SOME);
    }),

    configure: answer(async ({ request }) => {
      session.configure(decode(request.getArgs()).values);
      return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: answer(async ({ request }) => {
      requireResource(request.getUrn());
      const news = decode(request.getNews());
      const context = session.context(request.getUrn());
      const response = new proto.CheckResponse();
      try {
        const result = await check(context, { olds: decode(request.getOlds()).values, news: news.values });
        response.setInputs(encode(result.inputs, news.secrets));
        return response.setFailuresList(result.failures.map(toFailure));
      } catch (error) {
        if (!isKind(error, "unauthorized", "forbidden")) throw error;
        response.setInputs(request.getNews());
        return response.setFailuresList([toFailure({ property: "projectId", reason: error.message })]);
      }
    }),

    diff: answer(async ({ request }) => {
      const state = decode(request.getOlds()).values;
      const inputs = decode(request.getNews()).values;
      const oldInputs = request.getOldInputs() ? decode(request.getOldInputs()).values : undefined;
      const context = session.context(request.getUrn());
      const ignoreChanges = request.getIgnorechangesList();
      const result = await diff(context, { id: request.getId(), state, inputs, oldInputs, ignoreChanges });
      reportDiff(context.reporter, result);
      return toDiffResponse(result, state, inputs);
    }),

    create: answer(
      async ({ request }) => {
        const { values, secrets } = decode(request.getProperties());
        const context = session.context(request.getUrn(), request.getTimeout());
        const response = new proto.CreateResponse();
        if (request.getPreview()) {
          return response.setProperties(encode(await previewCreate(context, values), secrets));
        }
        const { id, state } = await create(context, inputsOf(values));
        return response.setId(id).setProperties(encode(state, secrets));
      },
      (request) => decode(request.getProperties()).secrets,
    ),

    read: answer(async ({ request }) => {
      const state = decode(request.getProperties());
      const inputs = decode(request.getInputs());
      const id = request.getId();
      const context = session.context(request.getUrn());
      const known = Object.keys(inputs.values).length > 0 ? inputs.values : undefined;
      const result = await read(context, { id, state: state.values, oldInputs: known });
      const response = new proto.ReadResponse();
      if (!result) return response;
      response.setId(id).setProperties(encode(result.state, [...state.secrets, ...inputs.secrets]));
      return response.setInputs(encode(result.inputs, inputs.secrets));
    }),

    update: answer(
      async ({ request }) => {
        const state = decode(request.getOlds()).values;
        const { values, secrets } = decode(request.getNews());
        const response = new proto.UpdateResponse();
        if (request.getPreview()) return response.setProperties(encode(previewUpdate(state, values), secrets));
        const oldInputs = request.getOldInputs() ? decode(request.getOldInputs()).values : undefined;
        const context = session.context(request.getUrn(), request.getTimeout());
        const result = await update(context, { id: request.getId(), state, inputs: inputsOf(values), oldInputs });
        return response.setProperties(encode(result.state, secrets));
      },
      (request) => decode(request.getNews()).secrets,
    ),

    delete: answer(async ({ request }) => {
      const context = session.context(request.getUrn(), request.getTimeout());
      await remove(context, { id: request.getId(), state: decode(request.getProperties()).values });
      return new Empty();
    }),

    invoke: answer(async ({ request }) => {
      const name = request.getTok().startsWith(FUNCTION) ? request.getTok().slice(FUNCTION.length) : "";
      if (!isFunction(name)) throw unimplemented(`function ${request.getTok()}`);
      const { values, secrets } = decode(request.getArgs());
      const { result, failures } = await callFunction(session.account(), name, values);
      const response = new proto.InvokeResponse();
      if (failures) return response.setFailuresList(failures.map(toFailure));
      // What was found by a secret argument may give the secret away.
      return response.setReturn(encode(result, secrets.length > 0 ? Object.keys(result).map((key) => [key]) : []));
    }),

    cancel: answer(async () => {
      session.cancel();
      return new Empty();
    }),

    getMapping: answer(async () => new proto.GetMappingResponse()),
    getMappings: answer(async () => new proto.GetMappingsResponse()),
    parameterize: refuse("parameters"),
    construct: refuse("components"),
    call: refuse("methods"),
    list: (call) => {
      call.emit("error", unimplemented("listing"));
    },
  };
}

/** Runs a call and answers it; whatever it throws becomes an error of that call alone. */
function answer<Request, Response>(
  run: (call: ServerUnaryCall<Request, Response>) => Promise<Response>,
  secretsOf: (request: Request) => readonly Path[] = () => [],
) {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
    // The promise begins first, so that a throw of a malformed request is a rejection like any other.
    void Promise.resolve()
      .then(() => run(call))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(isServiceError(error) ? error : toServiceError(error, secretsOf(call.request))),
      );
  };
}

function refuse(what: string) {
  return answer<unknown, never>(async () => {
    throw unimplemented(what);
  });
}

function isServiceError(error: unknown): error is ReturnType<typeof unimplemented> {
  return typeof error === "object" && error !== null && "code" in error && "details" in error;
}

function requireResource(urn: string): void {
  const type = urn.split("::")[2]?.split("$").at(-1);
  if (type !== RESOURCE)
    throw unimplemented(`resource ${type ?? JSON.stringify(urn)}; its one resource is ${RESOURCE}`);
}

function inputsOf(values: Readonly<Record<string, unknown>>): EndpointInputs {
  return checkShape(values).inputs as EndpointInputs;
}

function toFailure({ property, reason }: Failure): proto.CheckFailure {
  return new proto.CheckFailure().setProperty(property).setReason(reason);
}
