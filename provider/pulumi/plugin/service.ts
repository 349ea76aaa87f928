import { sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { handleServerStreamingCall, handleUnaryCall } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import schema from "../../../schema.json";
import { callFunction, isFunction } from "../../functions/functions";
import { functionModels } from "../../functions/model";
import { formatFailures } from "../../lib/failure";
import { nameOfUrn } from "../../lib/owner";
import { hasUnknown, UNKNOWN } from "../../lib/unknown";
import { PgComputeError } from "../../platform/errors";
import { version } from "../../version";
import { checkConfiguration, configurationChangeMessages } from "../configuration";
import { failureRedactor } from "../secrets";
import type { Session } from "../session";
import { decode, type MarkedValues } from "../values";
import { answersOf, refuse, toFailure, toStruct, unimplemented } from "./answer";
import { ENDPOINT, resourceCalls } from "./calls";

const FUNCTION = "pgcompute:index:";

/** The engine's folder of a commit from a git address: `resource-github.com_owner_name.git-v0.0.0-x8cb0c43b`. */
const FETCHED_COMMIT = /^resource-.+\.git(?:_.+)?-v(0\.0\.0-x[0-9a-f]+)$/;

/** The engine's name prefix for default providers: `default`, `default_1_2_0`. */
const DEFAULT_PROVIDER = "default";

/** Default page size, about what a person reads. */
const PAGE_SIZE = 100;

/** The `ResourceProvider` service: translates between gRPC and the provider's functions. */
export function createService(session: Session): IResourceProviderServer {
  const answer = answersOf(session);
  return {
    handshake: answer(async (request) => {
      session.attach(request.getEngineAddress());
      return new proto.ProviderHandshakeResponse().setAcceptSecrets(true);
    }),

    attach: answer(async (request) => {
      session.attach(request.getAddress());
      return new Empty();
    }),

    getPluginInfo: answer(async () => new PluginInfo().setVersion(version)),

    getSchema: answer(async () => new proto.GetSchemaResponse().setSchema(JSON.stringify(schemaFor(__dirname)))),

    checkConfig: answer(async (request) => {
      const news = decode(request.getNews()?.toJavaScript());
      const failures = checkConfiguration(news.values, session.env).map(toFailure);
      return new proto.CheckResponse().setFailuresList(failures).setInputs(request.getNews());
    }),

    diffConfig: answer(async (request) => {
      // Older engines send the old inputs as the old state.
      const olds = decode((request.getOldInputs() ?? request.getOlds())?.toJavaScript());
      const news = decode(request.getNews()?.toJavaScript());
      const reporter = session.reporter(request.getUrn(), [olds, news]);
      for (const line of configurationChangeMessages(olds.values, news.values)) reporter.warn(line);
      const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
      return new proto.DiffResponse().setChanges(isDeepStrictEqual(olds.values, news.values) ? DIFF_NONE : DIFF_SOME);
    }),

    configure: answer(async (request) => {
      const isStacks = nameOfUrn(request.getUrn() ?? "").startsWith(DEFAULT_PROVIDER);
      session.configure(decode(request.getArgs()?.toJavaScript()).values, { isStacks });
      return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    ...resourceCalls(session, answer),

    invoke: answer(async (request, { given }) => {
      const name = request.getTok().startsWith(FUNCTION) ? request.getTok().slice(FUNCTION.length) : "";
      if (!isFunction(name)) throw unimplemented(`function ${request.getTok()}`);
      const args = decode(request.getArgs()?.toJavaScript());
      given.push(args);
      const response = new proto.InvokeResponse();
      // A result may reveal the secret argument that found it.
      const secretsOf = (result: object) => (args.secrets.length > 0 ? Object.keys(result).map((key) => [key]) : []);

      if (hasUnknown(args.values)) {
        const unknown = Object.fromEntries(Object.keys(functionModels[name].result.shape).map((key) => [key, UNKNOWN]));
        return response.setReturn(toStruct(unknown, secretsOf(unknown)));
      }

      const { signal } = session;
      const { result, failures } = await callFunction(session.account(), name, args.values, { signal });
      if (failures)
        return response.setFailuresList(failures.map(failureRedactor(args)).map(session.toldFailure).map(toFailure));
      return response.setReturn(toStruct(result, secretsOf(result)));
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
    list: streamed(
      answer((request, { given }) => {
        const query = decode(request.getQuery()?.toJavaScript());
        given.push(query);
        return listed(session, request, query);
      }),
    ),
  };
}

/**
 * The schema that the plugin in this folder gives. Of a commit that the engine has fetched, the version is the engine's own
 * for it: the engine looks for the tag of any other.
 */
export function schemaFor(folder: string): object {
  const [fetched] = folder.split(sep).flatMap((name) => FETCHED_COMMIT.exec(name)?.[1] ?? []);
  return fetched === undefined ? schema : { ...schema, version: fetched };
}

/** Answers a streaming call with its messages in order. */
function streamed<Request, Response>(
  all: handleUnaryCall<Request, readonly Response[]>,
): handleServerStreamingCall<Request, Response> {
  return (call) =>
    all(call as never, (error, found) => {
      if (error) return call.emit("error", error);
      for (const one of found ?? []) call.write(one);
      call.end();
    });
}

/** Lists endpoints for `pulumi do`, ordered by id, so that paging stays stable while endpoints come and go. */
async function listed(
  session: Session,
  request: proto.ListRequest,
  query: MarkedValues,
): Promise<proto.ListResponse[]> {
  if (request.getToken() !== ENDPOINT) throw unimplemented(`list of ${request.getToken()}: it lists ${ENDPOINT}`);
  if (hasUnknown(query.values)) return [new proto.ListResponse().setComputed(new proto.ListResponse.Computed())];
  const { signal } = session;
  const { result, failures } = await callFunction(session.account(), "getEndpoints", query.values, { signal });
  if (!result) throw new PgComputeError("invalid_argument", formatFailures(failures.map(failureRedactor(query))));

  const after = request.getContinuationToken();
  const rest = result.endpoints.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  const limit = request.getLimit() || rest.length;
  const page = rest.slice(0, Math.min(request.getPageSize() || PAGE_SIZE, limit));
  const found = page.map(({ id, name = "" }) => {
    const one = new proto.ListResponse.Result().setId(id).setName(name);
    return new proto.ListResponse().setResult(one);
  });

  const last = page.at(-1);
  if (!last || page.length === rest.length) return found;
  const next = new proto.ListResponse.Continuation().setContinuationToken(last.id);
  return [...found, new proto.ListResponse().setContinuation(next)];
}
